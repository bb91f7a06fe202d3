"""Networks of 30 nodes, 60 edges, at most 8 of a node, by pyERGM, whose means are set next to those of examples/ergm.c.

pyergm.py FOLDER ERGM: installs pyERGM into FOLDER, a virtual environment, unless it is there; ERGM is the program.
pyERGM flips pairs and knows no hard constraints, nor two-stars, which are added here. So its networks are of the free
model, whose coefficient of edges makes 60 a usual number, and those that happen to have 60 edges, and no node of more
than 8, are kept: given these the coefficient does not matter. Standard errors are by jackknife over batches. Times are
CPU seconds of one thread. A minute or two.
"""
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from environment import install  # noqa: E402

NODES, EDGES, CAP, STAR, TRIANGLE = 30, 60, 8, -0.1, 0.5
FREE, BATCHES, SAMPLES, STEPS = -1.35, 25, 1600, 100  # the coefficient of edges; a batch's networks, flips between them
NAME = "bench-constraints-others"


def ours(program):
    """Mean and standard error by statistic, as the program prints them."""
    model = [str(v) for v in (NODES, EDGES, CAP, STAR, TRIANGLE)]
    before = os.times().children_user
    text = subprocess.run([program, *model], capture_output=True, text=True, check=True, timeout=900).stdout
    print(f"{text.splitlines()[0]}\nlbp: {os.times().children_user - before:.1f} s")
    return {name: (float(mean), float(se)) for name, mean, se in re.findall(r"(\S.*?) +(\S+) \+- (\S+)", text)}


def theirs():
    """The same by pyERGM, how many networks are kept, and the seconds that all took."""
    import numpy as np
    from pyERGM.ergm import ERGM
    from pyERGM.metrics import Metric, NumberOfEdgesUndirected, NumberOfTrianglesUndirected

    class TwoStars(Metric):
        def __init__(self, name=None):
            super().__init__(name=name)
            self._is_directed = False
            self._is_dyadic_independent = False

        def __str__(self):
            return "two_stars"

        def calculate_for_sample(self, networks_sample):
            degree = networks_sample.sum(axis=0)
            return (degree * (degree - 1) / 2).sum(axis=0)

        def calc_change_score(self, current_network, indices):
            i, j = indices
            ends = current_network[i].sum() + current_network[j].sum()
            return 2 - ends if current_network[i, j] else ends

    np.random.seed(1)
    thetas = {"num_edges_undirected": FREE, "two_stars": STAR, "num_triangles": TRIANGLE}
    model = ERGM(NODES, [NumberOfEdgesUndirected(), TwoStars(), NumberOfTrianglesUndirected()], is_directed=False,
                 verbose=False, initial_thetas=thetas)
    begin, rows, last = time.process_time(), [], np.zeros((NODES, NODES))
    for batch in range(BATCHES):
        nets = model.generate_networks_for_sample(SAMPLES, seed_network=last, burn_in=0 if batch else 20000,
                                                  mcmc_steps_per_sample=STEPS)
        last, degree = nets[:, :, -1], nets.sum(axis=0)
        kept = (degree.sum(axis=0) == 2 * EDGES) & (degree.max(axis=0) <= CAP)
        shares = [(degree == d).mean(axis=0) for d in range(CAP + 1)]
        of_free = model.calculate_sample_statistics(nets)
        rows.append(np.vstack([kept, *(kept * row for row in (of_free[1], of_free[2], *shares))]).sum(axis=1))
    sums = np.array(rows)
    mean = sums[:, 1:].sum(axis=0) / sums[:, 0].sum()
    left = (sums[:, 1:].sum(axis=0) - sums[:, 1:]) / (sums[:, 0].sum() - sums[:, :1])
    error = np.sqrt((BATCHES - 1) / BATCHES * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    return list(zip(mean, error)), int(sums[:, 0].sum()), time.process_time() - begin


def main(program):
    rows = ours(program)
    other, kept, seconds = theirs()
    print(f"pyERGM: {kept} networks kept of {BATCHES * SAMPLES}, {seconds:.0f} s\n\n"
          "| statistic | lbp | pyERGM | apart, in standard errors |\n|---|---:|---:|---:|")
    for (name, (a, a_se)), (b, b_se) in zip(rows.items(), other):
        apart = (b - a) / (a_se**2 + b_se**2) ** 0.5
        print(f"| {name} | {a:.4f} +- {a_se:.4f} | {b:.4f} +- {b_se:.4f} | {apart:.1f} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        main(sys.argv[2])
    elif len(sys.argv) == 3:
        interpreter = install(sys.argv[1], ["pyERGM"], NAME)
        if not interpreter:
            sys.exit(0)
        os.environ["OMP_NUM_THREADS"] = "1"
        os.execv(interpreter, [interpreter, os.path.abspath(__file__), "--run", os.path.abspath(sys.argv[2])])
    else:
        sys.exit("usage: pyergm.py FOLDER ERGM")
