"""A dimod sampler: binary quadratic models of D-Wave's tools, annealed by lbp. You write no C.

    from lbp_dimod import LbpSampler
    best = LbpSampler().sample(bqm, num_reads=100, num_sweeps=1000).first
"""
import functools
import os

import dimod
import numpy as np

import lbp

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bridge", "qubo.c")


@functools.lru_cache(maxsize=None)
def library(most_neighbours):
    return lbp.compile(MODEL, defines=(f"-DMOST_NEIGHBOURS={most_neighbours}",))


def model(bqm):
    """A model whose log pi is minus the energy of the zeros and ones of bqm, less its offset; and its variables."""
    bqm = bqm.change_vartype("BINARY", inplace=False)
    linear, (rows, columns, values), _ = bqm.to_numpy_vectors(variable_order=list(bqm.variables))[:3]
    n = bqm.num_variables
    degree = int(np.bincount(np.concatenate([rows, columns]), minlength=n).max()) if len(rows) else 1
    most = 1 << max(2, (degree - 1).bit_length())  # a few libraries, not one a model
    ends = np.concatenate([np.repeat(np.arange(n), 2), np.stack([rows, columns], 1).ravel()])
    return library(most)(n=n, ends=ends, value=np.concatenate([linear, values]))


def checked_range(beta_range):
    """hot and cold, two inverse temperatures that rise, both above 0: lbp would take 0 for "find it"."""
    hot, cold = beta_range
    if not (np.isfinite(hot) and np.isfinite(cold) and 0 < hot <= cold):
        raise ValueError(f"beta_range: two inverse temperatures above 0, the hot one first, not {hot}, {cold}; a hot end near 0 "
                         "is a small number, such as 1e-3")
    return hot, cold


def start_of(bqm, initial_states, num_reads):
    """The states, a row for each read, as zeros and ones; from the first again where there are fewer."""
    states, labels = dimod.as_samples(initial_states)
    labels = list(labels)
    missing = [v for v in bqm.variables if v not in labels]
    if missing:
        raise ValueError(f"initial_states: they have no value for the variable {missing[0]!r}")
    states = states[:, [labels.index(v) for v in bqm.variables]]
    values = (-1, 1) if bqm.vartype is dimod.SPIN else (0, 1)
    wrong = states[~np.isin(states, values)]
    if wrong.size:
        raise ValueError(f"initial_states: values of a {bqm.vartype.name} model are {values[0]} and {values[1]}, not {wrong[0]}")
    if len(states) == 0:
        raise ValueError("initial_states: there is none")
    return (states[np.arange(num_reads) % len(states)] > 0).astype(np.uint8)


class LbpSampler(dimod.Sampler):
    """Simulated annealing by sweeps. Parameters of sample, beside num_reads, num_sweeps, beta_range and seed, are options
    of lbp_run: sampler="gibbs", annealing={"schedule": "geometric"}, seconds=10 in the place of num_sweeps, ..."""

    properties = {}
    parameters = {name: [] for name in ("num_reads", "num_sweeps", "beta_range", "initial_states", "seed")}

    def sample(self, bqm, num_reads=1, num_sweeps=None, beta_range=None, initial_states=None, seed=None, **options):
        if bqm.num_variables == 0:
            return dimod.SampleSet.from_samples_bqm(np.empty((num_reads, 0), np.int8), bqm)
        order = list(bqm.variables)
        if initial_states is not None:
            options["start"] = start_of(bqm, initial_states, num_reads)
        if num_sweeps is None and "seconds" not in options:
            num_sweeps = 1000
        if beta_range is not None:
            options["annealing.hot"], options["annealing.cold"] = checked_range(beta_range)
        if num_sweeps is not None:
            options["annealing.sweeps"] = num_sweeps
        if seed is None:
            seed = int(np.random.default_rng().integers(2**63))
        run = model(bqm).anneal(chains=num_reads, seed=seed, check=0, **options)
        states = run.best.astype(np.int8)
        if bqm.vartype is dimod.SPIN:
            states = 2 * states - 1
        return dimod.SampleSet.from_samples_bqm((states, order), bqm, info={
            "seed": seed, "num_sweeps": int(run.sweeps), "beta_range": (float(run.hot), float(run.cold)),
            "seconds": float(run.seconds)})
