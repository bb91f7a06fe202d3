"""Bayesian variable selection: prints the inclusion probability of each column of a table.

    python selection.py [figure.png]
"""
import os
import sys

import numpy as np
from matplotlib import pyplot

import lbp

ROWS, COLUMNS, HERE = 120, 60, os.path.dirname(os.path.abspath(__file__))

# a table whose columns 5, 20, 21 and 40 count, 21 being much like 20
random = np.random.default_rng(3)
X = random.normal(size=(ROWS, COLUMNS))
X[:, 21] = 0.9 * X[:, 20] + 0.44 * X[:, 21]
y = X[:, 5] - 0.8 * X[:, 20] + 0.5 * X[:, 21] + 0.6 * X[:, 40] + random.normal(size=ROWS)

selection = lbp.compile(os.path.join(HERE, "..", "bridge", "selection.c"))
run = selection(X=X, y=y, inclusion=0.05).run(chains=4, warmup=500, draws=5000, marginals="conditional", seed=1)
print(f"{run.x.sum(-1).mean():.2f} columns; acceptance rate {run.mean_accept:.2f} with R = {run.mean_parameter:.2f}")

figure, axes = pyplot.subplots(figsize=(6, 4))
axes.bar(np.arange(COLUMNS), run.marginal, yerr=2 * run.marginal_se)
axes.set(xlabel="column", ylabel="probability that it is in", title="Columns 5, 20, 21 and 40 made y")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "selection.png")
