"""A spin glass in three dimensions by parallel tempering: prints the overlap of two replicas of the same glass.

    python spin_glass.py [figure.png]
"""
import os
import sys

import numpy as np
from matplotlib import pyplot

import lbp

SIDE, HERE = 4, os.path.dirname(os.path.abspath(__file__))

# couplings of +1 or -1 between neighbours on a periodic cube: log pi = sum of J s s', s = 2 x - 1
sites = np.arange(SIDE**3).reshape(SIDE, SIDE, SIDE)
pairs = np.concatenate([np.stack([sites, np.roll(sites, -1, axis)], -1).reshape(-1, 2) for axis in range(3)])
J = np.random.default_rng(1).choice([-1.0, 1.0], len(pairs))

# J s s' = 4 J x x' - 2 J x - 2 J x' + J, and a qubo's log pi is minus its energy
ends = np.concatenate([pairs.ravel(), np.repeat(pairs.ravel(), 2)])
value = np.concatenate([-4 * J, np.repeat(2 * J, 2)])
glass = lbp.compile(os.path.join(HERE, "..", "bridge", "qubo.c"))(n=SIDE**3, ends=ends, value=value)

figure, axes = pyplot.subplots(figsize=(6, 4))
for temperature in (2.0, 1.3, 0.8):
    run = glass.run(sampler="metropolis", chains=8, warmup=2000, draws=4000, thin=2, seed=1,
                    tempering={"ladder": np.linspace(1 / temperature, 0.2, 8)})
    s = 2.0 * run.x - 1
    overlap = (s[::2] * s[1::2]).mean(-1)  # of chains 0 and 1, 2 and 3, ...
    axes.hist(overlap.ravel(), 33, range=(-1, 1), density=True, histtype="step", label=f"T = {temperature}")
    print(f"T = {temperature}: mean square of the overlap {np.mean(overlap**2):.3f}, round trips {run.round_trips}")
axes.set(xlabel="overlap of two replicas", ylabel="density", title=f"A spin glass of {SIDE}$^3$ sites")
axes.legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "spin_glass.png")
