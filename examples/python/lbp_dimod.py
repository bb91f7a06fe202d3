"""A dimod sampler: binary quadratic models of D-Wave's tools, annealed by lbp. No C is written.

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


class LbpSampler(dimod.Sampler):
    """Simulated annealing by sweeps. Parameters of sample, beside num_reads, num_sweeps, beta_range and seed, are options
    of lbp_run: sampler="gibbs", seconds=10 in the place of num_sweeps, ..."""

    properties = {}
    parameters = {name: [] for name in ("num_reads", "num_sweeps", "beta_range", "initial_states", "seed")}

    def sample(self, bqm, num_reads=1, num_sweeps=None, beta_range=None, initial_states=None, seed=None, **options):
        if bqm.num_variables == 0:
            return dimod.SampleSet.from_samples_bqm(np.empty((num_reads, 0), np.int8), bqm)
        order = list(bqm.variables)
        if initial_states is not None:
            states, labels = dimod.as_samples(initial_states)
            states = states[:, [list(labels).index(v) for v in order]]
            options["start"] = (states[np.arange(num_reads) % len(states)] > 0).astype(np.uint8)  # fewer: from the first again
        if num_sweeps is None and "seconds" not in options:
            num_sweeps = 1000
        if beta_range is not None:
            options["hot"], options["cold"] = beta_range
        if seed is None:
            seed = int(np.random.default_rng().integers(2**63))
        run = model(bqm).anneal(chains=num_reads, sweeps=num_sweeps, seed=seed, check=0, **options)
        states = run.best.astype(np.int8)
        if bqm.vartype is dimod.SPIN:
            states = 2 * states - 1
        return dimod.SampleSet.from_samples_bqm((states, order), bqm, info={
            "seed": seed, "num_sweeps": int(run.sweeps), "beta_range": (float(run.hot), float(run.cold)),
            "seconds": float(run.seconds)})
