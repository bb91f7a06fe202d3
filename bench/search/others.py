"""Large cuts of the G-set's graphs by other annealers: D-Wave's (dwave-samplers) and OpenJij's, next to
bench/search/search.c.

others.py FOLDER DATA OUT [GRAPH...]: installs both into FOLDER, a virtual environment, unless they are there; DATA is
the folder of G1.txt.gz ...; OUT/search.csv gets a line for each run, below one that says of which versions, and is gone
on with. A run has as many reads as fit into its CPU time, of one thread, at least one; what a solver takes before it
begins to anneal does not count: the difference between calls of one read and of several says what a read takes.
"""
import csv
import gzip
import os
import sys
import time
from importlib import metadata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from environment import install, made  # noqa: E402

KNOWN = {"G1": 11624, "G11": 564, "G14": 3064, "G22": 13359, "G32": 1410, "G55": 10299, "G70": 9595, "G81": 14060}
NEAR = 0.999  # of the largest known cut: what a read has to reach to be counted
BUDGETS = ((1, 1000), (10, 10000))
SEEDS = 20
PACKAGES = ("dwave-samplers", "openjij")
HEAD = ["graph", "solver", "seconds", "seed", "reads", "best", "mean", "sweeps", "cpu", "reached"]
NAME = "bench-search-others"


def read_graph(path):
    with gzip.open(path, "rt") as text:
        n, edges = map(int, text.readline().split()[:2])
        lines = [text.readline().split() for _ in range(edges)]
    return n, {(int(i) - 1, int(j) - 1): float(w) for i, j, w in lines}


def solvers(n, couplings):
    """Of each that is there: a function of reads, sweeps and seed that returns cuts."""
    total, found = sum(couplings.values()), {}
    try:
        import dimod
        import numpy as np
        from dwave.samplers import SimulatedAnnealingSampler
        model = dimod.BinaryQuadraticModel.from_ising({i: 0.0 for i in range(n)}, couplings)

        def dwave(reads, sweeps, seed):
            record = SimulatedAnnealingSampler().sample(model, num_reads=reads, num_sweeps=sweeps, seed=seed).record
            return (total - np.repeat(record.energy, record.num_occurrences)) / 2
        found["dwave"] = dwave
    except ImportError as error:
        print(f"{NAME}: dwave-samplers can't be run: {error}")
    try:
        import numpy as np
        import openjij

        def jij(reads, sweeps, seed):
            del seed  # all reads of a call would be the same one
            record = openjij.SASampler().sample_ising({}, couplings, num_reads=reads, num_sweeps=sweeps).record
            return (total - np.repeat(record.energy, record.num_occurrences)) / 2
        found["openjij"] = jij
    except ImportError as error:
        print(f"{NAME}: OpenJij can't be run: {error}")
    return found


def version_of(package):
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"no {package}"


def timed(solve, reads, sweeps, seed):
    before = time.process_time()
    cuts = solve(reads, sweeps, seed)
    return cuts, time.process_time() - before


def main(data, out, graphs):
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "search.csv")
    rows = list(csv.DictReader(r for r in open(path, encoding="utf-8") if r[0] != "#")) if os.path.exists(path) else []
    known = {(r["graph"], r["solver"], r["sweeps"], r["seed"]) for r in rows}
    begin = time.monotonic()
    said = f"# {made()}; {', '.join(map(version_of, PACKAGES))}\n"  # before the first row that is added
    for graph in graphs:
        source = os.path.join(data, graph + ".txt.gz")
        if not os.path.exists(source):
            print(f"{NAME}: {source} is not there: left out")
            continue
        for name, solve in solvers(*read_graph(source)).items():
            for seconds, sweeps in BUDGETS:
                if all((graph, name, str(sweeps), str(s)) in known for s in range(1, SEEDS + 1)):
                    continue
                solve(1, 1, 999)  # what is done once only
                one = timed(solve, 1, sweeps, 999)[1]
                more = max(2, min(9, int(seconds / one)))
                each = max(1e-6, (timed(solve, 1 + more, sweeps, 999)[1] - one) / more)
                before = max(0, one - each)
                reads = max(1, int(seconds / each))
                for seed in range(1, SEEDS + 1):
                    if (graph, name, str(sweeps), str(seed)) in known:
                        continue
                    cuts, cpu = timed(solve, reads, sweeps, seed)
                    row = [graph, name, seconds, seed, len(cuts), f"{cuts.max():.10g}", f"{cuts.mean():.10g}", sweeps,
                           f"{cpu - before:.3f}", (cuts >= NEAR * KNOWN[graph]).sum()]
                    with open(path, "a", encoding="utf-8") as file:
                        if said:
                            file.write(said + ("" if file.tell() else ",".join(HEAD) + "\n"))
                        file.write(",".join(map(str, row)) + "\n")
                    said = ""
                    print(f"{graph:4} {name} {seconds} s  seed {seed}: best {row[5]}, mean {cuts.mean():.1f} of {len(cuts)} reads, "
                          f"{row[8]} s; {time.monotonic() - begin:.0f} s so far", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        main(sys.argv[2], sys.argv[3], sys.argv[4:] or list(KNOWN))
    elif len(sys.argv) >= 4:
        interpreters = [install(sys.argv[1], [package], NAME) for package in PACKAGES]
        interpreter = interpreters[0] or interpreters[1] or sys.exit(0)
        os.environ["OMP_NUM_THREADS"] = "1"
        os.execv(interpreter, [interpreter, os.path.abspath(__file__), "--run", sys.argv[2], sys.argv[3], *sys.argv[4:]])
    else:
        sys.exit("usage: others.py FOLDER DATA OUT [GRAPH...]")
