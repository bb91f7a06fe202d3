"""The cost of calls through lbp_bridge.h, and LbpSampler compared with dwave-samplers.

    bridge.py overhead BUILD OUT [TURNS]   whole runs and single steps on G1's law, next to a C program (whole.c)
    bridge.py dimod DATA OUT [SECONDS]     mean cuts of reads of 1000 sweeps in SECONDS of CPU time, ten seeds, on G1,
G14,
                                           G22, G32: OUT/dimod.csv

Tables go to the output, as Markdown. CPU times are of this process, all threads, or of the C program."""
import csv
import gzip
import os
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "examples", "python"))
import lbp  # noqa: E402

GRAPHS = ("G1", "G14", "G22", "G32")
KNOWN = {"G1": 11624, "G14": 3064, "G22": 13359, "G32": 1410}


def edges_of(data, graph):
    with gzip.open(os.path.join(data, graph + ".txt.gz"), "rt") as file:
        n, _ = (int(word) for word in file.readline().split()[:2])
        edges = np.loadtxt(file, ndmin=2)
    return n, edges[:, :2].astype(int) - 1, edges[:, 2]


def overhead(build, out, turns=9, data=os.path.join(ROOT, "..", "shared", "data", "gset")):
    os.makedirs(out, exist_ok=True)
    n, pairs, weights = edges_of(os.environ.get("DATA") or data, "G1")
    linear = np.zeros(n)  # log pi = 0.2 times the cut
    np.add.at(linear, pairs.ravel(), np.repeat(-0.2 * weights, 2))
    ends = np.concatenate([pairs.ravel(), np.repeat(np.arange(n), 2)])
    value = np.concatenate([0.4 * weights, linear])
    terms, program = os.path.join(out, "terms.txt"), os.path.join(build, "whole")
    with open(terms, "w", encoding="ascii") as file:
        file.writelines(f"{i} {j} {v}\n" for i, j, v in zip(ends[::2], ends[1::2], value))
    flags = ["-O3", "-march=native", "-DMOST_NEIGHBOURS=128"]
    subprocess.run([os.environ.get("CC", "cc"), *flags, f"-I{ROOT}", os.path.join(HERE, "whole.c"), "-o", program, "-lm"],
                   check=True)
    model = lbp.compile(os.path.join(ROOT, "examples", "bridge", "qubo.c"), flags=flags)(n=n, ends=ends, value=value)
    chains, warmup = 4, 1000

    def by_c(draws, keep):
        told = subprocess.run([program, terms, str(chains), str(draws), str(warmup), "1" if keep else "0"], check=True,
                              capture_output=True, text=True).stdout.split()
        return tuple(float(word) for word in told)

    def by_python(draws, keep):
        begun = time.process_time()
        run = model.run(chains=chains, draws=draws, warmup=warmup, keep=keep)
        _ = run.x[-1, -1, -1] if keep else run.lp[-1, -1]
        return time.process_time() - begun

    print(f"CPU time through Python over that of a C program, G1 (n = {n}), four chains, R tuned: median of {turns} turns, "
          "quartiles.\n")
    print("| draws of a chain | states | C, s | Python / C |")
    print("|---:|---|---:|---:|")
    steps = []
    for draws, keep in ((20000, False), (20000, True), (2000, False), (2000, True)):
        ratios, times = [], []
        for _ in range(turns):
            c = by_c(draws, keep)
            ratios.append(by_python(draws, keep) / c[0])
            times.append(c[0])
            steps.append(c[1:])
        low, middle, high = np.percentile(ratios, [25, 50, 75])
        print(f"| {draws} | {'in memory' if keep else 'none'} | {np.median(times):.2f} | {middle:.3f} ({low:.3f} - {high:.3f}) |",
              flush=True)
    init, step = model.sampling(sampler="lbp", parameter=20)
    state = init(np.zeros(n, int))
    per = {}
    for count, calls in ((1, 3000), (100, 300), (1000, 50)):
        begun = time.process_time()
        for key in range(calls):
            state, _ = step(key, state, steps=count)
        per[count] = (time.process_time() - begun) / calls / count
    loop, bridge = np.median(np.array(steps), axis=0)
    print(f"\nA step of LBP-20 there takes {loop / 1e3:.2f} us in a loop in C; through lbp_bridge_step, which begins with a look "
          f"at all sites, {bridge / 1e3:.2f} us; from Python {1e6 * per[1]:.1f} us a call of one step, {1e6 * per[100]:.2f} us a "
          f"step where a call takes 100, {1e6 * per[1000]:.2f} us where it takes 1000.")


def fronts(data, out, seconds=2.0, seeds=10, sweeps=1000):
    import dimod
    from dwave.samplers import SimulatedAnnealingSampler

    import lbp_dimod
    os.makedirs(out, exist_ok=True)
    samplers = {"lbp": lbp_dimod.LbpSampler(), "dwave-samplers": SimulatedAnnealingSampler()}
    with open(os.path.join(out, "dimod.csv"), "w", encoding="ascii", newline="") as file:
        file.write("# " + subprocess.check_output(["sh", "bench/common/made.sh", "CPython " + sys.version.split()[0]], text=True))
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["graph", "solver", "seconds", "seed", "reads", "best", "mean", "cpu"])
        print(f"Mean cut of reads of {sweeps} sweeps, by dimod's interface in about {seconds:g} s of CPU time a call, {seeds} seeds; "
              "best cut of a call.\n")
        print("| graph | known | solver | reads | CPU s | mean | best |")
        print("|---|---:|---|---:|---:|---:|---:|")
        for graph in GRAPHS:
            n, pairs, weights = edges_of(data, graph)
            bqm = dimod.BQM.from_ising({i: 0.0 for i in range(n)}, {(i, j): w for (i, j), w in zip(pairs, weights)})
            for name, sampler in samplers.items():
                sampler.sample(bqm, num_reads=1, num_sweeps=10, seed=1)
                begun = time.process_time()
                sampler.sample(bqm, num_reads=4, num_sweeps=sweeps, seed=1)
                reads = max(1, round(4 * seconds / (time.process_time() - begun)))
                found = []
                for seed in range(1, seeds + 1):
                    begun = time.process_time()
                    cuts = (weights.sum() - sampler.sample(bqm, num_reads=reads, num_sweeps=sweeps, seed=seed).record.energy) / 2
                    found.append((cuts.mean(), cuts.max(), time.process_time() - begun))
                    rows.writerow([graph, name, seconds, seed, reads, f"{cuts.max():.0f}", f"{cuts.mean():.3f}", f"{found[-1][2]:.3f}"])
                mean, best, cpu = np.mean(found, axis=0)
                error = np.std(found, axis=0, ddof=1) / np.sqrt(seeds)
                print(f"| {graph} | {KNOWN[graph]} | {name} | {reads} | {cpu:.2f} | {mean:.1f} +- {error[0]:.1f} | "
                      f"{best:.1f} +- {error[1]:.1f} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("overhead", "dimod"):
        sys.exit(__doc__)
    if sys.argv[1] == "overhead":
        overhead(sys.argv[2], sys.argv[3], *(int(turns) for turns in sys.argv[4:]))
    else:
        fronts(sys.argv[2], sys.argv[3], *(float(seconds) for seconds in sys.argv[4:]))
