"""Other people's programs on the factor graphs of examples/infer: errors of marginals, and CPU seconds.

others.py BUILD INFER DATA TO.csv: INFER is the compiled example, DATA the folder of testfast.fg and alarm.fg, both
tests of libDAI, with exact answers next to them. pgmpy is installed into BUILD/pgmpy; libDAI is compiled from the
folder of its source (https://github.com/dbtsai/libDAI), which LIBDAI names, by CXXFLAGS, which are those of INFER; it
needs Boost and GMP. What is not there, or fails, is left out, with a line. One thread.

    network, program, version, method (exact: the best of its own; sampled: Gibbs sweeps of all sites), seed,
    seconds (of the CPU: exact, a run from the file to all marginals, the fastest of many; sampled, without the time
    to begin of others), error (the largest of a marginal), mse (the mean square)

Sampled by lbp: infer -exact 0 -cells 1, which eliminates nothing; its warm-up, 16 chains of 12 replicas each, and log
Z, which the others don't find, are in its time.
"""
import glob
import itertools
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from environment import install, made  # noqa: E402

NAME, NETWORKS, SEEDS, SECONDS, TURNS, PATIENCE = "bench-infer-others", ("testfast", "alarm"), range(1, 11), 2, 31, 180
SOURCES = ("graph dag bipgraph varset daialg alldai clustergraph factor factorgraph properties regiongraph util "
           "weightedgraph exceptions exactinf evidence emalg io jtree gibbs").split()


def marginals(path):
    """Of an answer: a list for each site."""
    with open(path, encoding="ascii") as file:
        numbers = file.read().split()[1:]
    n, answer, at = int(numbers[0]), [], 1
    for _ in range(n):
        states = int(numbers[at])
        answer.append([float(x) for x in numbers[at + 1:at + 1 + states]])
        at += 1 + states
    return answer


def errors(got, want):
    """The largest, and the mean square."""
    apart = [abs(a - b) for one, other in zip(got, want) for a, b in zip(one, other)]
    return max(apart), sum(d * d for d in apart) / len(apart)


def timed(command, **more):
    """What a program prints, and its CPU seconds."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more) as program:
        text = program.stdout.read()
        _, status, used = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode:
        raise RuntimeError(f"{command[0]} ended with {program.returncode}")
    return text, used.ru_utime + used.ru_stime


def fastest(command, **more):
    return min(timed(command, **more)[1] for _ in range(TURNS))


def ours(infer, graph):
    """Rows: method, seed, seconds, marginals."""
    with tempfile.TemporaryDirectory() as folder:
        answer, one = os.path.join(folder, "MAR"), dict(os.environ, OMP_NUM_THREADS="1")
        seconds = fastest([infer, graph, "-task", "MAR", "-o", answer], env=one)
        yield "exact", 1, seconds, marginals(answer)
        for seed in SEEDS:
            command = [infer, graph, "-o", answer, "-exact", "0", "-cells", "1", "-time", str(SECONDS)]
            _, seconds = timed([*command, "-seed", str(seed)], env=one)
            yield "sampled", seed, seconds, marginals(answer)


def libdai(program, graph):
    def answer(text):
        rows = [line.split() for line in text.splitlines() if line[:1].isdigit()]
        return [[float(x) for x in row[1:]] for row in sorted(rows, key=lambda row: int(row[0]))]
    yield "exact", 1, fastest([program, graph, "JTREE"]), answer(timed([program, graph, "JTREE"])[0])
    for seed in SEEDS:
        text, _ = timed([program, graph, "GIBBS", str(SECONDS), str(seed)])
        yield "sampled", seed, float(text.split()[-1]), answer(text)


def build_libdai(build):
    """The compiled program, or says why not: None."""
    source, program = os.environ.get("LIBDAI", ""), os.path.join(build, "libdai")
    if not source:
        print(f"{NAME}: libDAI is not run: LIBDAI= is to name a folder with its source")
        return None
    if not os.path.exists(program):
        command = [os.environ.get("CXX") or "c++", *(os.environ.get("CXXFLAGS") or "-O3").split(), "-w",
                   "-I" + os.path.join(source, "include"), "-DDAI_WITH_JTREE", "-DDAI_WITH_GIBBS",
                   "-o", program, os.path.join(os.path.dirname(os.path.abspath(__file__)), "libdai.cc"),
                   *(os.path.join(source, "src", name + ".cpp") for name in SOURCES), "-lgmpxx", "-lgmp"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{NAME}: libDAI can't be compiled: {(done.stderr.splitlines() or ['it failed'])[0]}")
            return None
    return program


def read_fg(path):
    """Its tables: sites, numbers of values, cells with the first site fastest."""
    with open(path, encoding="ascii") as file:
        words = iter(" ".join(line.split("#")[0] for line in file).split())
    for _ in range(int(next(words))):
        k = int(next(words))
        sites = [int(next(words)) for _ in range(k)]
        values = [int(next(words)) for _ in range(k)]
        cells = [0.0] * math.prod(values)
        for _ in range(int(next(words))):
            at = int(next(words))
            cells[at] = float(next(words))
        yield sites, values, cells


def inside_pgmpy(graph):
    """Called by the interpreter that has pgmpy; prints rows as JSON."""
    import numpy as np
    import pgmpy
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.inference import BeliefPropagation
    from pgmpy.models import DiscreteMarkovNetwork
    from pgmpy.sampling import GibbsSampling

    def network():
        model, n = DiscreteMarkovNetwork(), 0
        for sites, values, cells in read_fg(graph):
            n = max(n, 1 + max(sites))
            model.add_nodes_from(map(str, sites))
            model.add_edges_from(itertools.combinations(map(str, sites), 2))
            # its last site is the fastest
            model.add_factors(DiscreteFactor([str(i) for i in reversed(sites)], values[::-1], cells))
        return model, n

    def tell(method, seed, seconds, answer):
        print(json.dumps([pgmpy.__version__, method, seed, seconds, answer]), flush=True)

    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
    spent = []
    for _ in range(3):
        start = time.process_time()
        model, n = network()
        tree = BeliefPropagation(model)
        tree.calibrate()
        answer = [tree.query([str(i)], show_progress=False).values.tolist() for i in range(n)]
        spent.append(time.process_time() - start)
        if spent[-1] > 5:
            break
    tell("exact", 1, min(spent), answer)
    if n > 16:
        return  # its Gibbs sampler begins with a table of all states of all other sites
    gibbs = GibbsSampling(model)
    for seed in SEEDS:
        np.random.seed(seed)
        gibbs.state = gibbs.random_state()
        counts, sweeps = [np.zeros(gibbs.cardinalities[str(i)]) for i in range(n)], 0
        start = time.process_time()
        while time.process_time() - start < SECONDS:
            for draw in gibbs.generate_sample(size=100):
                sweeps += 1
                if sweeps > 100:
                    for var, value in draw:
                        counts[int(var)][value] += 1
        tell("sampled", seed, time.process_time() - start, [(c / c.sum()).tolist() for c in counts])


def pgmpy_rows(python, graph):
    """With its version."""
    command = [python, "-W", "ignore", os.path.abspath(__file__), "--pgmpy", graph]
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
        for line in program.stdout:
            yield json.loads(line)
    if program.returncode:
        print(f"{NAME}: pgmpy can't be run on {graph}, or takes more than {PATIENCE} s")


def main(build, infer, data, to):
    python = install(os.path.join(build, "pgmpy"), ["pgmpy"], NAME)
    dai = build_libdai(build)
    version = made().split()[1].rstrip(",")
    with open(to, "w", encoding="utf-8") as file:
        print("# " + made(), "network,program,version,method,seed,seconds,error,mse", sep="\n", file=file)
        for name in NETWORKS:
            graph = os.path.join(data, name + ".fg")
            if not glob.glob(graph + ".MAR"):
                print(f"{NAME}: {graph}, or its answer, is not there: left out")
                continue
            want = marginals(graph + ".MAR")
            rows = [("lbp", version, *row) for row in ours(infer, graph)]
            try:
                rows += [("libDAI", "0.3.0", *row) for row in libdai(dai, graph)] if dai else []
            except (RuntimeError, ValueError, IndexError) as error:
                print(f"{NAME}: libDAI can't be run on {graph}: {error}")
            rows += [("pgmpy", *row) for row in pgmpy_rows(python, graph)] if python else []
            for program, release, method, seed, seconds, answer in rows:
                worst, mean = errors(answer, want)
                line = f"{name},{program},{release},{method},{seed},{seconds:.4g},{worst:.3g},{mean:.3g}"
                print(line, file=file, flush=True)
                print(line, flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--pgmpy":
        inside_pgmpy(sys.argv[2])
    elif len(sys.argv) == 5:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
