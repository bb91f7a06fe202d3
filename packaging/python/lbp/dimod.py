"""A dimod sampler: binary and discrete quadratic models of D-Wave's tools, annealed by lbp. No C is written.

    from lbp.dimod import LbpSampler
    best = LbpSampler().sample(bqm, num_reads=100, num_sweeps=1000).first
"""
from __future__ import annotations

import difflib
import numbers
from collections.abc import Callable, Sequence
from typing import Any, Optional

import dimod
import numpy as np
import numpy.typing as npt

from . import build, models
from .bridge import Array, LbpError, Library, Model, Options, _dotted, _numbers
from .graphs import FactorGraph

#: Arguments of dwave-samplers' SimulatedAnnealingSampler that `LbpSampler.sample` takes, too.
OWN = ("num_reads", "num_sweeps", "num_sweeps_per_beta", "beta_range", "beta_schedule_type", "beta_schedule", "initial_states",
       "initial_states_generator", "randomize_order", "interrupt_function", "seed")
NOT_HERE = ("chains", "start", "draws", "progress", "interrupt", "prefix", "save_states", "keep")  # options that a sample has no use for


def library(most_neighbours: int) -> Library:
    """Return the compiled model for sites with terms of up to so many others."""
    return build.library("qubo.c", f"-DMOST_NEIGHBOURS={most_neighbours}")


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
    n, names = bqm.num_variables, list(bqm.variables if order is None else order)
    for biases, sites in ((values, (rows, columns)), (linear, (np.arange(n),))):
        for k in np.flatnonzero(~(np.abs(biases) <= models.LARGEST))[:1]:
            at = ", ".join(repr(names[site[k]]) for site in sites)
            raise LbpError(-1, f"bqm: the bias of {at}, as of zeros and ones, is {biases[k]:g}: at most {models.LARGEST:g}")
    ends = np.concatenate([np.repeat(np.arange(n), 2).reshape(n, 2), np.stack([rows, columns], 1)])
    terms = np.stack([rows, columns], 1).astype(np.int64)
    return models.quadratic_library(terms, n)(n=n, ends=ends, value=np.concatenate([linear, values]))


def checked_range(beta_range: Sequence[float]) -> tuple[float, float]:
    """hot and cold, two inverse temperatures that rise, both above 0: lbp would take 0 for "find it"."""
    ends = _numbers("beta_range", beta_range)
    if ends.shape != (2,) or not 0 < ends[0] <= ends[1] < np.inf:
        raise ValueError(f"beta_range: two inverse temperatures above 0, the hot one first, not {beta_range!r:.60}; a hot end near 0 "
                         "is a small number, such as 1e-3")
    return float(ends[0]), float(ends[1])


def start_of(kind: str, values: Sequence[Sequence[int]], order: Sequence[Any], initial_states: Any, generator: str, num_reads: int,
             rng: np.random.Generator) -> Array:
    """The states, a row for each read, as places among the values of each variable."""
    states, labels = dimod.as_samples(initial_states)
    labels = list(labels)
    missing = [v for v in order if v not in labels]
    if missing:
        raise ValueError(f"initial_states: they have no value for the variable {missing[0]!r}")
    states = states[:num_reads, [labels.index(v) for v in order]]
    if len(states) == 0:
        raise ValueError("initial_states: there is none")
    made = np.empty((num_reads, len(order)), np.uint8)
    for k, own in enumerate(values):
        wrong = states[~np.isin(states[:, k], own), k]
        if wrong.size:
            has = " and ".join(map(str, own)) if len(own) < 4 else f"{own[0]} to {own[-1]}"
            raise ValueError(f"initial_states: values of a {kind} model are {has}, not {wrong[0]}")
        made[:len(states), k] = states[:, k] if own[0] == 0 else (states[:, k] > 0)
    if generator == "none" and len(states) < num_reads:
        raise ValueError(f"initial_states: {len(states)}, where num_reads is {num_reads}: give as many, or initial_states_generator='tile' "
                         "or 'random'")
    if generator == "random":
        made[len(states):] = rng.integers(0, [len(own) for own in values], (num_reads - len(states), len(order)))
    else:
        made = made[np.arange(num_reads) % len(states)]
    return made


def checked_betas(kind: str, beta_range: Optional[Sequence[float]], schedule: Optional[npt.ArrayLike], num_sweeps: int,
                  per_beta: int) -> Optional[Array]:
    """The inverse temperatures, each for `per_beta` sweeps; None: lbp makes them, one for each sweep, or beta_range is to
    be found first."""
    if not isinstance(per_beta, (int, np.integer)) or per_beta < 1:
        raise ValueError(f"num_sweeps_per_beta: a whole number from 1, not {per_beta!r}")
    if kind not in ("linear", "geometric", "custom"):
        raise ValueError(f"beta_schedule_type: 'linear', 'geometric' or 'custom', not {kind!r}")
    if kind == "custom":
        if schedule is None or beta_range is not None:
            raise ValueError("beta_schedule_type: 'custom' needs beta_schedule, and no beta_range")
        betas = _numbers("beta_schedule", schedule)
        if betas.ndim != 1 or not len(betas) or not np.all(np.diff(betas, prepend=0) > 0) or not np.isfinite(betas[-1]):
            raise ValueError(f"beta_schedule: inverse temperatures above 0 that rise, in a row, not {schedule!r:.60}")
        return betas
    if schedule is not None:
        raise ValueError(f"beta_schedule: it is for beta_schedule_type='custom', not {kind!r}")
    if per_beta == 1:
        return None
    if num_sweeps % per_beta:
        raise ValueError(f"num_sweeps_per_beta: {num_sweeps} sweeps are no multiple of {per_beta}")
    if beta_range is None:
        return None
    hot, cold = checked_range(beta_range)
    betas = np.asarray((np.linspace if kind == "linear" else np.geomspace)(hot, cold, num_sweeps // per_beta), float)
    return betas


def discrete_model(dqm: Any, order: Optional[Sequence[Any]] = None) -> FactorGraph:
    """Return a graph whose log pi is minus the energy of dqm, less its offset.

    Parameters
    ----------
    dqm : dimod.DiscreteQuadraticModel
        With up to 256 cases a variable.
    order : sequence, optional
        Its variables, in the order of the sites [that of dqm.variables].
    """
    names = list(dqm.variables if order is None else order)
    place = {v: i for i, v in enumerate(names)}
    cases = [dqm.num_cases(v) for v in names]
    graph = FactorGraph(cases)
    vectors = dqm.to_numpy_vectors()
    begin = np.asarray(vectors.case_starts, np.int64)
    labels = [place[v] for v in vectors.labels]
    of = np.searchsorted(begin, np.arange(dqm.num_cases()), side="right") - 1  # the variable of each case
    for k, i in enumerate(labels):
        graph.add([i], -np.asarray(vectors.linear_biases[begin[k]:begin[k] + cases[i]], float), log=True)
    rows, columns, biases = (np.asarray(part) for part in vectors.quadratic)
    tables: dict[tuple[int, int], Array] = {}
    for row, column, bias in zip(rows.tolist(), columns.tolist(), biases.tolist()):
        u, v = int(of[row]), int(of[column])
        i, j = labels[u], labels[v]
        table = tables.setdefault((i, j), np.zeros((cases[i], cases[j])))
        table[row - begin[u], column - begin[v]] -= bias
    for (i, j), table in tables.items():
        graph.add([i, j], table, log=True)
    return graph


class _Reads:
    """Shared by `sample` and `sample_dqm`: their arguments, checked, and annealing by them."""

    #: The inverse temperatures between a hot and a cold one, where those are first to be found from the model.
    find_betas: Optional[Callable[[float, float], Optional[Array]]] = None

    def __init__(self, order: list[Any], num_reads: Optional[int], num_sweeps: Optional[int], num_sweeps_per_beta: int,
                 beta_range: Optional[Sequence[float]], beta_schedule_type: str, beta_schedule: Optional[npt.ArrayLike], initial_states: Any,
                 initial_states_generator: str, randomize_order: bool, interrupt_function: Optional[Callable[[], bool]], seed: Optional[int],
                 options: dict[str, Any]) -> None:
        if initial_states_generator not in ("none", "tile", "random"):
            raise ValueError(f"initial_states_generator: 'none', 'tile' or 'random', not {initial_states_generator!r}")
        if interrupt_function is not None and not callable(interrupt_function):
            raise TypeError("interrupt_function: a function without arguments")
        for name in options:
            if name in NOT_HERE:
                raise ValueError(f"{name}: no option of a sample; num_reads and initial_states have chains and starts")
            if name.split(".")[0] not in LbpSampler.parameters:
                near = difflib.get_close_matches(name, LbpSampler.parameters, 3) or [own for own in LbpSampler.parameters if name in own][:3]
                raise ValueError(f"{name}: there is no such option; " + (f"the nearest: {', '.join(near)}" if near else
                                                                         f"there are {', '.join(LbpSampler.parameters)}"))
        options = _dotted(options)
        for name, ours in (("annealing.sweeps", "num_sweeps"), ("annealing.hot", "beta_range"), ("annealing.cold", "beta_range"),
                           ("tempering.ladder", "beta_schedule")):
            if options.get(name) is not None and (ours != "beta_range" or beta_range is not None or beta_schedule is not None or num_sweeps_per_beta != 1):
                raise ValueError(f"{name}: of a sample this is {ours}")
        for name, count, least in (("num_reads", num_reads, 1), ("num_sweeps", num_sweeps, 1), ("seed", seed, 0)):
            if count is not None and (isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < least):
                raise ValueError(f"{name}: a whole number from {least}, not {count!r:.60}")
        if interrupt_function is not None and options.get("checkpoint") is not None:
            raise ValueError("checkpoint: with interrupt_function each read is a search of its own: leave one of them out")
        if initial_states is not None:
            initial_states = dimod.as_samples(initial_states)  # once: it may be an iterator
        if num_reads is None:
            num_reads = 1 if initial_states is None else max(1, len(initial_states[0]))
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
        if not timed and betas is None:
            options["annealing.sweeps"] = 1000 if num_sweeps is None else num_sweeps
        if "annealing.schedule" not in options and betas is None:
            options["annealing.schedule"] = beta_schedule_type
        if betas is None and beta_range is None and num_sweeps_per_beta > 1:
            if timed:
                raise ValueError("num_sweeps_per_beta: with seconds it needs num_sweeps or beta_range")
            self.find_betas = lambda hot, cold: checked_betas(beta_schedule_type, (hot, cold), None, 1000 if num_sweeps is None else num_sweeps,
                                                              num_sweeps_per_beta)
        self.seed = int(np.random.default_rng().integers(2**62)) if seed is None else int(seed)
        self.rng = np.random.default_rng([self.seed, 1])
        places = self.rng.permutation(len(order)) if randomize_order else np.arange(len(order))
        self.order = [order[k] for k in places]
        clamp: Any = options.get("clamp")
        if np.shape(clamp) == (len(order),):  # others are refused later
            options["clamp"] = np.asarray(clamp)[places]
        self.count, self.options, self.interrupt, self.timed = num_reads, options, interrupt_function, timed
        seconds = options.get("seconds") if interrupt_function is not None else None
        # of all reads; what is no number above 0 is left to the run, which refuses it
        self.seconds = float(seconds) if isinstance(seconds, numbers.Real) and float(seconds) > 0 else None
        self.initial_states, self.generator = initial_states, initial_states_generator

    def anneal(self, it: Model, kind: str, values: Sequence[Sequence[int]]) -> tuple[Array, dict[str, Any]]:
        """The best state of each read, (reads, n), and the information of the sample set."""
        start = None
        if self.initial_states is not None:
            start = start_of(kind, values, self.order, self.initial_states, self.generator, self.count, self.rng)
        if self.find_betas is not None:
            probe = it.anneal(chains=1, seed=self.seed, check_trials=0, annealing={"sweeps": 1})
            betas = self.find_betas(float(probe.hot), float(probe.cold))
            assert betas is not None
            self.options["tempering.ladder"] = betas[::-1]
        found: list[Array] = []
        info: dict[str, Any] = {}
        batch, sweeps, spent = self.count if self.interrupt is None else 1, [], 0.0
        for first in range(0, self.count, batch):
            begun = None if start is None else start[first:first + batch]
            given: dict[str, Any] = {"check_trials": 0, **self.options, "chains": batch, "seed": self.seed + first, "start": begun}
            if self.seconds is not None:  # where it decides on the reads' sweeps, in equal parts
                left = max(self.seconds - spent, 1e-3)
                given["seconds"] = left * batch / (self.count - first) if self.timed else left
            run = it.anneal(**given)
            found.append(run.best.copy())
            sweeps.append(int(run.sweeps))
            spent += float(run.seconds)
            info = {"num_sweeps": min(sweeps), "beta_range": (float(run.hot), float(run.cold)), "seconds": spent}
            if self.interrupt is not None and self.interrupt():
                break
        return np.concatenate(found), {"seed": self.seed, **info}


class LbpSampler(dimod.Sampler):  # type: ignore[misc]
    """Simulated annealing by sweeps; each read returns the best state it has seen.

    `parameters` lists all that `sample` takes: those of dwave-samplers' SimulatedAnnealingSampler, and options of
    lbp_run such as ``sampler="gibbs"``, ``seconds=10`` in the place of num_sweeps. `sample_dqm` takes the same, for
    discrete quadratic models.
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
            Sweeps at each inverse temperature, of which num_sweeps is a multiple.
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
            For arguments that make no sense.
        """
        if not isinstance(bqm, dimod.BinaryQuadraticModel):
            raise ValueError(f"sample takes a BinaryQuadraticModel, not {type(bqm).__name__}; for Q as a dict use sample_qubo, for h and J sample_ising, for a "
                             "DiscreteQuadraticModel sample_dqm; of a ConstrainedQuadraticModel make one by dimod.cqm_to_bqm")
        if isinstance(initial_states, dimod.SampleSet) and {initial_states.vartype, bqm.vartype} == {dimod.BINARY, dimod.SPIN}:
            initial_states = initial_states.change_vartype(bqm.vartype, inplace=False)
        read = _Reads(list(bqm.variables), num_reads, num_sweeps, num_sweeps_per_beta, beta_range, beta_schedule_type, beta_schedule, initial_states,
                      initial_states_generator, randomize_order, interrupt_function, seed, options)
        if bqm.num_variables == 0:
            return dimod.SampleSet.from_samples_bqm(np.empty((read.count, 0), np.int8), bqm, info={"seed": read.seed})
        values = (-1, 1) if bqm.vartype is dimod.SPIN else (0, 1)
        states, info = read.anneal(model(bqm, read.order), bqm.vartype.name, [values] * len(read.order))
        states = states.astype(np.int8)
        if bqm.vartype is dimod.SPIN:
            states = 2 * states - 1
        return dimod.SampleSet.from_samples_bqm((states, read.order), bqm, info=info)

    def sample_dqm(self, dqm: Any, num_reads: Optional[int] = None, num_sweeps: Optional[int] = None, num_sweeps_per_beta: int = 1,
                   beta_range: Optional[Sequence[float]] = None, beta_schedule_type: str = "geometric",
                   beta_schedule: Optional[npt.ArrayLike] = None, initial_states: Any = None, initial_states_generator: str = "random",
                   randomize_order: bool = False, interrupt_function: Optional[Callable[[], bool]] = None, seed: Optional[int] = None,
                   **options: Any) -> Any:
        """Sample states of low energy of a discrete quadratic model, by sweeps over all cases of a variable at once.

        Parameters
        ----------
        dqm : dimod.DiscreteQuadraticModel
            With up to 256 cases a variable.

        The others are those of `sample`; values of initial_states are cases, from 0.

        Returns
        -------
        dimod.SampleSet

        Raises
        ------
        ValueError, LbpError
            For arguments that make no sense.
        """
        if not hasattr(dqm, "num_cases"):
            raise ValueError(f"sample_dqm takes a DiscreteQuadraticModel, not {type(dqm).__name__}; a BinaryQuadraticModel is for sample")
        read = _Reads(list(dqm.variables), num_reads, num_sweeps, num_sweeps_per_beta, beta_range, beta_schedule_type, beta_schedule, initial_states,
                      initial_states_generator, randomize_order, interrupt_function, seed, options)
        if dqm.num_variables() == 0:
            return dimod.SampleSet.from_samples(np.empty((read.count, 0), np.uint8), "DISCRETE", energy=[dqm.offset] * read.count)
        states, info = read.anneal(discrete_model(dqm, read.order).model, "DISCRETE", [range(dqm.num_cases(v)) for v in read.order])
        energies = dqm.energies((states, read.order))
        return dimod.SampleSet.from_samples((states, read.order), "DISCRETE", energy=energies, info=info)
