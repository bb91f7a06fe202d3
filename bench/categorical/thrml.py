"""Gibbs sweeps of the Potts grid of bench/categorical by thrml (JAX): microseconds a sweep, effective samples of the
energy.

thrml.py FOLDER DATA RESULTS: installs thrml into FOLDER, a virtual environment, unless it is there; DATA is the folder
of cat_potts_30x30_q3.txt.gz; RESULTS is race.csv of `make bench-categorical`, to print ours next to. One core, CPU
time. thrml updates the grid's two colours one after the other, each at once; one chain, and as many at a time as
CHAINS. """
import gzip
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from environment import install, ours  # noqa: E402

BETA, STATES, CHAINS, SWEEPS, BATCH = 0.8, 3, 64, 4000, 500
NAME = "bench-categorical-others"


def read_grid(path):
    with gzip.open(path, "rt") as text:
        n, edges = map(int, text.readline().split()[1:])
        fields = [[float(v) for v in text.readline().split()[1:]] for _ in range(n)]
        pairs = [text.readline().split() for _ in range(edges)]
    return fields, [(int(i), int(j)) for i, j, _ in pairs], [float(J) for _, _, J in pairs]


def figures(energy):
    """Effective samples of a sweep, variance over squared error of batch means, with its jackknife error over chains."""
    import numpy as np
    means = energy.reshape(energy.shape[0], -1, BATCH).mean(axis=2)

    def ess(rows):
        return energy[rows].var() / means[rows].var(ddof=1) / BATCH
    chains = np.arange(len(energy))
    left = np.array([ess(chains != k) for k in chains])
    mean = energy.mean(axis=1)
    return (ess(chains >= 0), left.std(ddof=1) * (len(left) - 1) / np.sqrt(len(left)), mean.mean(),
            mean.std(ddof=1) / np.sqrt(len(mean)))


def measure(path):
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sys.path.pop(1)  # this folder, whose thrml.py is not the package
    import jax
    import jax.numpy as jnp
    import numpy as np
    import thrml
    from thrml import Block, BlockGibbsSpec, CategoricalNode, SamplingSchedule, sample_states
    from thrml.factor import FactorSamplingProgram
    from thrml.models import CategoricalEBMFactor, CategoricalGibbsConditional, SquareCategoricalEBMFactor

    fields, pairs, couplings = read_grid(path)
    n, side = len(fields), round(len(fields) ** 0.5)
    fields, couplings = np.array(fields), BETA * np.array(couplings)
    nodes = [CategoricalNode() for _ in range(n)]
    colour = [[i for i in range(n) if (i // side + i % side) % 2 == c] for c in range(2)]
    factors = [
        CategoricalEBMFactor([Block(nodes)], jnp.array(fields, jnp.float32)),
        SquareCategoricalEBMFactor([Block([nodes[i] for i, _ in pairs]), Block([nodes[j] for _, j in pairs])],
                                   jnp.array(couplings[:, None, None] * np.eye(STATES), jnp.float32))]
    spec = BlockGibbsSpec([Block([nodes[i] for i in c]) for c in colour], [])
    sampler = CategoricalGibbsConditional(STATES)
    program = FactorSamplingProgram(spec, [sampler, sampler], factors, [])

    def run(key, state, sweeps):
        return sample_states(key, program, SamplingSchedule(300, sweeps, 1), state, [], [Block(nodes)])[0]

    def begin(key, chains):
        keys = jax.random.split(key, 2)
        shape = () if chains == 1 else (chains,)
        return [jax.random.randint(k, (*shape, len(c)), 0, STATES).astype(jnp.uint8) for k, c in zip(keys, colour)]

    print(f"thrml {getattr(thrml, '__version__', '')}, jax {jax.__version__}, one core")
    rows = []
    for chains, sweeps in ((1, SWEEPS), (CHAINS, SWEEPS)):
        step = jax.jit(run if chains == 1 else jax.vmap(run, in_axes=(0, 0, None)), static_argnums=2)
        seconds = {}
        for length in (sweeps // 4, sweeps):  # the difference is free of what a call costs by itself
            for turn in range(3):  # the first compiles
                key = jax.random.key(turn)
                keys = key if chains == 1 else jax.random.split(key, chains)
                start = begin(jax.random.key(100 + turn), chains)
                before = time.process_time()
                states = jax.block_until_ready(step(keys, start, length))
                spent = time.process_time() - before
                if turn > 0:
                    seconds[length] = min(spent, seconds.get(length, spent))
        micro = 1e6 * (seconds[sweeps] - seconds[sweeps // 4]) / (sweeps - sweeps // 4) / chains
        rows.append((chains, micro))
        if chains > 1:
            x = np.asarray(states)
            ends = np.array(pairs)
            alike = x[:, :, ends[:, 0]] == x[:, :, ends[:, 1]]
            energy = fields[np.arange(n), x].sum(axis=2) + (couplings * alike).sum(axis=2)
            ess, error, mean, doubt = figures(energy)
    for chains, micro in rows:
        print(f"  {'thrml, ' + str(chains) + (' chain' if chains == 1 else ' chains at once'):28} {micro:9.3f} us a sweep of a chain, "
              f"{1e6 * ess / micro:9.0f} +- {1e6 * error / micro:.0f} effective samples per second")
    return rows, ess, error, mean, doubt


def compare(results, rows, ess, mean, doubt):
    best = max(1e6 * ess / micro for _, micro in rows)
    mine = [r for r in ours(results, NAME, "bench-categorical") if r["target"] == "potts_b0.8"]
    for r in mine:
        rate, error = float(r["ess_per_second"]), float(r["error"])
        print(f"  {r['sampler']:28} {float(r['microseconds_a_step']):9.3f} us a step,               {rate:9.0f} +- {error:.0f} "
              f"effective samples per second, {rate / best:.3g} times thrml's best")
    print(f"  mean log pi {mean:.3f} +- {doubt:.3f}" + (f", ours {float(mine[0]['energy']):.3f} +- "
          f"{float(mine[0]['energy_error']):.3f} (Gibbs)" if mine else ""))


if __name__ == "__main__":
    if len(sys.argv) == 4:
        grid = os.path.join(sys.argv[2] or "../shared/data/instances", "cat_potts_30x30_q3.txt.gz")
        if not os.path.exists(grid):
            print(f"{NAME}: {grid} is not there (DATA is the folder of cat_*.txt.gz)")
            sys.exit(0)
        interpreter = install(sys.argv[1], ["thrml"], NAME)
        if not interpreter:
            sys.exit(0)
        os.execv(interpreter, [interpreter, os.path.abspath(__file__), grid, sys.argv[3]])
    rows, ess, _, mean, doubt = measure(sys.argv[1])
    compare(sys.argv[2], rows, ess, mean, doubt)
