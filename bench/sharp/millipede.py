"""Inclusion probabilities by millipede (weighted tempered Gibbs sampling, Rao-Blackwellised) against those known.

millipede.py TARGET DATA TRUTH RESULTS CHAINS STEPS, see millipede.sh. The prior is lbp_selection's of bench/sharp: a
g-prior with g = rows (c), four columns expected (S), columns and responses centred, sigma^2 ~ 1/sigma^2. An intercept
with a flat prior takes one of the rows' degrees of freedom, which millipede has as N_nu0.
"""
import csv
import os
import sys
import time
from importlib.metadata import version

import numpy as np
import torch

sys.path[0] = os.path.join(sys.path[0], "..", "common")  # this folder's millipede.py is not the package
from environment import ours  # noqa: E402
from millipede import NormalLikelihoodSampler  # noqa: E402

target, data, truth, results, chains, steps = sys.argv[1:5] + [int(v) for v in sys.argv[5:]]
torch.set_num_threads(1)
table = np.loadtxt(data, delimiter=",", skiprows=2)
table -= table.mean(axis=0)
rows = len(table)
rows_of_truth = csv.DictReader(line for line in open(truth) if not line.startswith("#"))
known = np.array([(float(r["inclusion"]), float(r["error"])) for r in rows_of_truth if r["target"] == target])
p, doubt = known[:, 0], known[:, 1]
variance = (p * (1 - p)).sum()

means, seconds = [], []
for seed in range(chains):
    sampler = NormalLikelihoodSampler(torch.tensor(table[:, 1:]), torch.tensor(table[:, 0]), S=4.0, prior="gprior",
                                      c=float(rows), include_intercept=False, precompute_XX=True,
                                      verbose_constructor=False)
    sampler.N_nu0 = rows - 1.0
    total, weight, begin = torch.zeros(len(p), dtype=torch.float64), 0.0, 0.0
    for counts, sample in sampler.mcmc_chain(steps // 4, steps, seed=seed):
        if not counts:
            begin = time.thread_time()
            continue
        total += sample.weight * sample.pip
        weight += float(sample.weight)
    seconds.append(time.thread_time() - begin)
    means.append((total / weight).numpy())

means = np.array(means)
error = ((means - p) ** 2).sum(axis=1) - (doubt ** 2).sum()
middle = means.mean(axis=0)
bias = ((middle - p) ** 2).sum() / (means.var(axis=0, ddof=1) / chains + doubt ** 2).sum()
second = np.mean(seconds)
rate = variance / error.mean() / second
share = error.std(ddof=1) / np.sqrt(chains) / error.mean()
print(f"{target}: millipede-regression {version('millipede-regression')}, PyTorch {torch.__version__}, {chains} chains of {steps} "
      f"steps, {1e3 * second / steps:.3f} ms each")
print(f"  squared error of their mean {bias:.2f} times what their spread lets expect (1 but for chance), "
      f"largest difference {abs(middle - p).max():.4f}")
print(f"  effective samples per 1000 steps {1e3 * variance / error.mean() / steps:.3g} +- {100 * share:.0f} %, "
      f"per second {rate:.4g}; squared error after a second {variance / rate:.3g}")
for r in ours(results, "bench-sharp-others", "bench-sharp"):
    if r["target"] == target and r["ess_per_second"]:
        mine = float(r["ess_per_second"])
        print(f"  {r['sampler']:18} {r['marginals']:6} squared error after a second {variance / mine:9.3g}, "
              f"{mine / rate:8.3g} times as many effective samples per second")
