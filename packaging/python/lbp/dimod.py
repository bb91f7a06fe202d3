"""A dimod sampler: binary quadratic models of D-Wave's tools, annealed by lbp. No C is written.

    from lbp.dimod import LbpSampler
    best = LbpSampler().sample(bqm, num_reads=100, num_sweeps=1000).first
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional

import dimod
import numpy as np
import numpy.typing as npt

from . import models
from .bridge import Array, Library, Model, Options

#: What `LbpSampler.sample` takes of what dwave-samplers' SimulatedAnnealingSampler does.
OWN = ("num_reads", "num_sweeps", "num_sweeps_per_beta", "beta_range", "beta_schedule_type", "beta_schedule", "initial_states",
       "initial_states_generator", "randomize_order", "interrupt_function", "seed")
NOT_HERE = ("chains", "start", "draws", "progress", "interrupt", "prefix", "states", "keep")  # options that a sample has no use for


def library(most_neighbours: int) -> Library:
    """Return the compiled model for sites with terms of up to so many others."""
    return models.library("qubo.c", f"-DMOST_NEIGHBOURS={most_neighbours}")


def model(bqm: Any, order: Optional[Sequence[Any]] = None) -> Model:
    """Return a model whose log pi is minus the energy of the zeros and ones of bqm, less its offset.

    Parameters
    ----------
    bqm : dimod.BinaryQuadraticModel
    order : sequence, optional
        Its variables, in the order of the sites [that of bqm.variables].
    """
    bqm = bqm.change_vartype("BINARY", inplace=False)
    linear, (rows, columns, values), _ = bqm.to_numpy_vectors(variable_order=list(bqm.variables if order is None else order))[:3]
    n = bqm.num_variables
    ends = np.concatenate([np.repeat(np.arange(n), 2).reshape(n, 2), np.stack([rows, columns], 1)])
    terms = np.stack([rows, columns], 1).astype(np.int64)
    return models.quadratic_library(terms, n)(n=n, ends=ends, value=np.concatenate([linear, values]))


def checked_range(beta_range: Sequence[float]) -> tuple[float, float]:
    """hot and cold, two inverse temperatures that rise, both above 0: lbp would take 0 for "find it"."""
    hot, cold = beta_range
    if not (np.isfinite(hot) and np.isfinite(cold) and 0 < hot <= cold):
        raise ValueError(f"beta_range: two inverse temperatures above 0, the hot one first, not {hot}, {cold}; a hot end near 0 "
                         "is a small number, such as 1e-3")
    return float(hot), float(cold)


def start_of(bqm: Any, order: Sequence[Any], initial_states: Any, generator: str, num_reads: int, rng: np.random.Generator) -> Array:
    """The states, a row for each read, as zeros and ones."""
    states, labels = dimod.as_samples(initial_states)
    labels = list(labels)
    missing = [v for v in order if v not in labels]
    if missing:
        raise ValueError(f"initial_states: they have no value for the variable {missing[0]!r}")
    states = states[:num_reads, [labels.index(v) for v in order]]
    values = (-1, 1) if bqm.vartype is dimod.SPIN else (0, 1)
    wrong = states[~np.isin(states, values)]
    if wrong.size:
        raise ValueError(f"initial_states: values of a {bqm.vartype.name} model are {values[0]} and {values[1]}, not {wrong[0]}")
    if len(states) == 0:
        raise ValueError("initial_states: there is none")
    if generator == "none" and len(states) < num_reads:
        raise ValueError(f"initial_states: {len(states)}, where num_reads is {num_reads}: give as many, or initial_states_generator='tile' "
                         "or 'random'")
    made: Array = (states[np.arange(num_reads) % len(states)] > 0).astype(np.uint8)
    if generator == "random":
        made[len(states):] = rng.integers(0, 2, (num_reads - min(len(states), num_reads), len(order)))
    return made


def checked_betas(kind: str, beta_range: Optional[Sequence[float]], schedule: Optional[npt.ArrayLike], num_sweeps: int,
                  per_beta: int) -> Optional[Array]:
    """The inverse temperatures, each for `per_beta` sweeps; None: lbp makes them, one for each sweep."""
    if not isinstance(per_beta, (int, np.integer)) or per_beta < 1:
        raise ValueError(f"num_sweeps_per_beta: a whole number from 1, not {per_beta!r}")
    if kind not in ("linear", "geometric", "custom"):
        raise ValueError(f"beta_schedule_type: 'linear', 'geometric' or 'custom', not {kind!r}")
    if kind == "custom":
        if schedule is None or beta_range is not None:
            raise ValueError("beta_schedule_type: 'custom' needs beta_schedule, and no beta_range")
        betas = np.asarray(schedule, float)
        if betas.ndim != 1 or not len(betas) or not np.all(np.isfinite(betas) & (betas > 0)):
            raise ValueError("beta_schedule: inverse temperatures above 0, in a row")
        return betas
    if schedule is not None:
        raise ValueError(f"beta_schedule: it is for beta_schedule_type='custom', not {kind!r}")
    if per_beta == 1:
        return None
    if num_sweeps % per_beta:
        raise ValueError(f"num_sweeps_per_beta: {num_sweeps} sweeps are no multiple of {per_beta}")
    if beta_range is None:
        raise ValueError("num_sweeps_per_beta: more than 1 needs a beta_range")
    hot, cold = checked_range(beta_range)
    betas = np.asarray((np.linspace if kind == "linear" else np.geomspace)(hot, cold, num_sweeps // per_beta), float)
    return betas


class LbpSampler(dimod.Sampler):  # type: ignore[misc]
    """Simulated annealing by sweeps; each read returns the best state it has seen.

    `parameters` lists all that `sample` takes: those of dwave-samplers' SimulatedAnnealingSampler, and options of
    lbp_run such as ``sampler="gibbs"``, ``seconds=10`` in the place of num_sweeps.
    """

    properties: dict[str, Any] = {}
    parameters: dict[str, list[str]] = {name: [] for name in (*OWN, *(name for name in Options.__annotations__ if name not in NOT_HERE))}

    def sample(self, bqm: Any, num_reads: Optional[int] = None, num_sweeps: Optional[int] = None, num_sweeps_per_beta: int = 1,
               beta_range: Optional[Sequence[float]] = None, beta_schedule_type: str = "geometric",
               beta_schedule: Optional[npt.ArrayLike] = None, initial_states: Any = None, initial_states_generator: str = "random",
               randomize_order: bool = False, interrupt_function: Optional[Callable[[], bool]] = None, seed: Optional[int] = None,
               **options: Any) -> Any:
        """Sample states of low energy.

        Parameters
        ----------
        bqm : dimod.BinaryQuadraticModel
        num_reads : int
            How many states [as many as initial_states, or 1].
        num_sweeps : int
            Of each read [1000].
        num_sweeps_per_beta : int
            Sweeps at each inverse temperature; more than 1 needs beta_range.
        beta_range : (hot, cold)
            Inverse temperatures above 0 [found from the model].
        beta_schedule_type : str
            "linear", "geometric", or "custom": then beta_schedule has the inverse temperatures.
        beta_schedule : sequence of float
            Rising inverse temperatures above 0, 4096 at most.
        initial_states : as dimod.as_samples takes them
        initial_states_generator : str
            Where they are fewer than num_reads: "random" states, "tile": from the first again, "none": an error.
        randomize_order : bool
            Sweeps visit the variables in an order drawn for this call; else in theirs.
        interrupt_function : callable
            Called after each read; the reads so far are returned once it returns True. Reads then have seeds seed,
            seed + 1, ...
        seed : int
            [drawn; ``info["seed"]``]

        Returns
        -------
        dimod.SampleSet

        Raises
        ------
        ValueError, LbpError
            For what makes no sense.
        """
        if initial_states_generator not in ("none", "tile", "random"):
            raise ValueError(f"initial_states_generator: 'none', 'tile' or 'random', not {initial_states_generator!r}")
        if interrupt_function is not None and not callable(interrupt_function):
            raise TypeError("interrupt_function: a function without arguments")
        for name in options:
            if name in NOT_HERE:
                raise ValueError(f"{name}: no option of a sample; num_reads and initial_states have chains and starts")
        if num_reads is None:
            num_reads = 1 if initial_states is None else max(1, len(dimod.as_samples(initial_states)[0]))
        timed = num_sweeps is None and "seconds" in options
        betas = checked_betas(beta_schedule_type, beta_range, beta_schedule, 1000 if num_sweeps is None else num_sweeps, num_sweeps_per_beta)
        if betas is not None and beta_schedule_type == "custom" and num_sweeps not in (None, len(betas) * num_sweeps_per_beta):
            raise ValueError(f"num_sweeps: {len(betas)} inverse temperatures of beta_schedule with num_sweeps_per_beta {num_sweeps_per_beta} "
                             f"are {len(betas) * num_sweeps_per_beta} sweeps, not {num_sweeps}")
        if betas is not None:
            options["tempering.ladder"] = betas[::-1]
            options["annealing.sweeps"] = len(betas) * num_sweeps_per_beta
        elif beta_range is not None:
            options["annealing.hot"], options["annealing.cold"] = checked_range(beta_range)
        if bqm.num_variables == 0:
            return dimod.SampleSet.from_samples_bqm(np.empty((num_reads, 0), np.int8), bqm)
        if seed is None:
            seed = int(np.random.default_rng().integers(2**62))
        rng = np.random.default_rng([seed, 1])
        order = list(bqm.variables)
        if randomize_order:
            order = [order[k] for k in rng.permutation(len(order))]
        start = None
        if initial_states is not None:
            start = start_of(bqm, order, initial_states, initial_states_generator, num_reads, rng)
        if not timed and betas is None:
            options["annealing.sweeps"] = 1000 if num_sweeps is None else num_sweeps
        if "schedule" not in (options.get("annealing") or {}) and "annealing.schedule" not in options and betas is None:
            options["annealing.schedule"] = beta_schedule_type
        it = model(bqm, order)
        found: list[Array] = []
        info: dict[str, Any] = {}
        batch = num_reads if interrupt_function is None else 1
        for first in range(0, num_reads, batch):
            begun = None if start is None else start[first:first + batch]
            given: dict[str, Any] = {"check": 0, **options, "chains": batch, "seed": seed + first, "start": begun}
            run = it.anneal(**given)
            found.append(run.best.copy())
            info = {"num_sweeps": int(run.sweeps), "beta_range": (float(run.hot), float(run.cold)), "seconds": float(run.seconds)}
            if interrupt_function is not None and interrupt_function():
                break
        states = np.concatenate(found).astype(np.int8)
        if bqm.vartype is dimod.SPIN:
            states = 2 * states - 1
        return dimod.SampleSet.from_samples_bqm((states, order), bqm, info={"seed": seed, **info})
