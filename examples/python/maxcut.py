"""Finds a large cut of a graph through dimod's interface, and prints how it was found.

    python maxcut.py [figure.png [graph.txt]]      a graph as the G-set has them: n m, then a line i j weight, or i j, for
                                               each edge, sites from 1
"""
import sys

import dimod
import numpy as np

from lbp.dimod import LbpSampler, model

if len(sys.argv) > 2:
    with open(sys.argv[2], encoding="ascii") as file:
        (n, _), *rows = [line.split() for line in file if line.strip()]
    sites = range(1, int(n) + 1)
    edges = [(int(i), int(j), float(weight[0]) if weight else 1.0) for i, j, *weight in rows]
else:
    sites = range(300)
    random = np.random.default_rng(1)
    edges = np.array([(*random.choice(300, 2, replace=False), 1) for _ in range(3000)])
bqm = dimod.BinaryQuadraticModel("SPIN")
for i, j, weight in edges:  # each edge that is cut has energy -weight
    bqm.add_quadratic(int(i), int(j), weight / 2)
    bqm.offset -= weight / 2
for i in sites:  # also those without edges
    bqm.add_variable(i)

found = LbpSampler().sample(bqm, num_reads=50, num_sweeps=2000, seed=1)
print(f"largest cut {-found.first.energy:.0f}, of {len(found)} reads on average {-found.record.energy.mean():.1f}")

# the same by hand, with options that dimod does not have
run = model(bqm).anneal(chains=50, annealing={"sweeps": 2000}, seed=1)
seconds, _, logp = run.history.T
try:
    from matplotlib import pyplot
except ImportError:
    sys.exit("no figure without matplotlib")
figure, axes = pyplot.subplots(figsize=(6, 4))
axes.step(seconds, logp - bqm.change_vartype("BINARY", inplace=False).offset, where="post")
axes.set(xlabel="seconds", ylabel="largest cut so far", title=f"{bqm.num_variables} sites, {bqm.num_interactions} edges")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "maxcut.png")
