"""Sampling and annealing of discrete distributions: the C library lbp from Python.

Ready-made models need no C: `Ising`, `QUBO`, `Potts`, `DensePotts`, `RBM`, `Assignment`, `Selection`, `FactorGraph`.
Others are ten lines of C:

    import lbp
    rain = lbp.compile("rain.c")                   # a model file that ends with #include "lbp_bridge.h"
    model = rain(h=[0.5, -1.0, 2.0], J=[1.2])      # of its arrays
    run = model.run(chains=4, draws=1000)          # any option of lbp_run, also tempering={"rungs": 8}
    run.x                                          # states: chain, draw, site

`lbp.dimod` has a sampler for dimod's models, and `python -m lbp` tests the installation.
"""
from .bridge import (Convergence, Info, Interrupted, LbpError, Library, Model, Options, Run, Sampling, State, Summary)
from .build import cache_folder, clear_cache, compile, include, version
from .graphs import Best, FactorGraph, LogZ, Marginals
from .models import QUBO, RBM, Assignment, DensePotts, Ising, Potts, Selection

__version__ = version()

__all__ = ["Assignment", "Best", "Convergence", "DensePotts", "FactorGraph", "Info", "Interrupted", "Ising", "LbpError", "Library", "LogZ", "Marginals",
           "Model", "Options", "Potts", "QUBO", "RBM", "Run", "Sampling", "Selection", "State", "Summary", "cache_folder", "clear_cache", "compile", "include",
           "version"]
