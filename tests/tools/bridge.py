"""Part of bridge.sh: examples/python as its users call it. Arguments: the prefix that tools/bridge_field.c has written to,
a folder for figures. The last line is the sum."""
import gc
import os
import pathlib
import re
import runpy
import signal
import sys
import tempfile
import threading
import time
import warnings

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "examples", "python"))
import lbp  # noqa: E402

passed, failed, skipped = 0, 0, 0
prefix, folder = sys.argv[1:3]


warnings.simplefilter("ignore")  # runs here are short


def check(what, ok):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what}")


def skip(what):
    global skipped
    skipped += 1
    print(f"skipped: {what}")


def refuses(what, sentence, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except (lbp.LbpError, ValueError) as error:
        check(f"{what}: {error}", sentence in str(error))
    else:
        check(f"{what} is refused", False)


def model_file(name):
    return os.path.join(ROOT, "examples", "bridge", name + ".c")


h = 0.2 * np.arange(21) - 2
field = lbp.compile(model_file("field"))
model = field(h=h)


def same_draws():
    """As the C program's, byte for byte."""
    run = model.run(seed=11, chains=3, draws=500, thin=2)
    for chain in range(3):
        packed = np.load(f"{prefix}_{chain + 1}_states.npy")
        check(f"states of chain {chain}", np.array_equal(np.unpackbits(packed, axis=1)[:, :21], run.x[chain]))
        with open(f"{prefix}_{chain + 1}.csv", encoding="ascii") as file:
            rows = np.array([line.split(",") for line in file if line[0] in "-0123456789"], float)
        check(f"log pi of chain {chain}", np.array_equal(rows[:, 0], run.lp[chain]))
        check(f"acceptance of chain {chain}", np.array_equal(rows[:, 1], run.accept[chain]))
    check("names", {"x", "lp", "accept", "draws", "best"} <= set(run.names) and run.draws == 500)
    check("dtype", run.x.dtype == np.uint8 and run["x"].shape == (3, 500, 21))
    x = run.x.copy()
    views = run.x, run.lp
    del run
    gc.collect()
    model.run(chains=1, draws=10, warmup=100)
    check("a view outlives its run", np.array_equal(views[0], x))


def bad_input():
    refuses("a wrong length", "h: 21 numbers, not n, where n = 20", field, h=h, n=20)
    refuses("NaN", "h[1] is not a number", field, h=[1, np.nan])
    refuses("complex numbers", "h: ", field, h=np.ones(3, complex))
    refuses("words", "h: ", field, h=["a"])
    refuses("a missing array", "h: it is missing", field)
    refuses("another array", "k: the model has no such array, but h (float64, n)", field, h=h, k=h)
    refuses("no site", "n: ", field, h=[])
    refuses("half a site", "n: it is a size: one whole number", field, h=h, n=0.5)
    refuses("a misspelt option", "chians: there is no such option; the nearest: chains", model.run, chians=4)
    refuses("a misspelt member", "tempering.rung: there is no such option; the nearest: tempering.rungs", model.run,
            tempering={"rung": 4})
    refuses("a member without its group", "rungs: there is no such option; the nearest: tempering.rungs", model.run, rungs=4)
    refuses("an array without its group", "ladder: there is no such option; the nearest: tempering.ladder", model.run,
            ladder=[1, 0.5])
    refuses("a member of another group", "annealing.rungs: there is no such option; the nearest: tempering.rungs", model.run,
            annealing=dict(rungs=4))
    refuses("a group in a group", "tempering.tempering.rungs: there is no such option", model.run,
            tempering={"tempering": {"rungs": 4}})
    refuses("a number for a group", "tempering: this is a group of options; set tempering.rungs, ", model.run, tempering=8)
    refuses("no such group", "temper.rungs: there is no such option; the nearest: tempering.rungs", model.run, temper={"rungs": 4})
    refuses("no such group, of nothing", "temper: there is no such option", model.run, temper={})
    refuses("an option twice", "tempering.rungs: it is given twice", model.run, tempering={"rungs": 4}, **{"tempering.rungs": 4})
    refuses("a name that is no text", "an option's name is text, not 3", model.run, tempering={3: 4})
    refuses("a parameter for a sweep", "parameter: Gibbs has none; leave it 0, not 2", model.run, sampler="gibbs", parameter=2)
    refuses("a last parameter for a sweep", "annealing.parameter_end: Gibbs does not take R sites", model.anneal, sampler="gibbs",
            annealing={"parameter_end": 2})
    refuses("no number", "parameter: 'x' is not a finite number", model.run, parameter="x")
    refuses("too large R", "parameter: R is 0 (tuned), or 1 to n, not 100", model.run, parameter=100)
    refuses("no sampler", "sampler: 'swap' is not one of", model.run, sampler="swap")
    refuses("a short start", "start: it needs a state of 21 items", model.run, start=[1, 0])
    refuses("no state", "start: ", model.run, start=np.full(21, 2))
    refuses("half a state", "start: ", model.run, start=np.full(21, 0.5))
    refuses("a rising ladder", "tempering.ladder: ", model.run, tempering={"ladder": [0.5, 1]})
    refuses("a negative number", "draws: '-1' is not a whole number", model.run, draws=-1)
    for name in ("prefix", "checkpoint", "metric", "name", "sampler", "parameter"):
        refuses(f"a zero character in {name}", f"{name}: 'x\\x00y' has a zero character", model.run, **{name: "x\0y"}, draws=2)
    refuses("zero bytes in a path", "prefix: b'x\\x00y' has a zero character", model.run, prefix=b"x\0y", draws=2)
    refuses("a zero character in an option's name", "an option's name: 'seed\\x00' has", model.run, **{"seed\0": 3})
    refuses("a zero character in an array's name", "an array's name: 'h\\x00' has", field, **{"h\0": h})
    refuses("bytes for a name", "name: no number or text: b'x'; of bytes and paths there are prefix, ", model.run, name=b"x", draws=2)
    refuses("bytes for a number", "draws: no number or text: b'2'", model.run, draws=b"2")
    refuses("a path for a sampler", "sampler: no number or text: ", model.run, sampler=pathlib.Path("gibbs"))
    with tempfile.TemporaryDirectory() as at:
        for k, given in enumerate((os.fsencode(at) + b"/b\xff", pathlib.Path(at) / "p", os.path.join(at, "s\udcfe"))):
            model.run(prefix=given, checkpoint=os.fsencode(given) + b".ckpt", draws=5, chains=2)
            made = os.listdir(os.fsencode(at))
            stem = os.path.basename(os.fsencode(given))
            check(f"files at a path of {type(given)}", {stem + b"_1.csv", stem + b"_2.csv", stem + b".ckpt"} <= set(made))
    got = model.run(draws=100, parameter=2)
    check("a doubt by its name", "half of" in got.warnings["LBP_WARN_PARITY"] and list(got.warnings) == sorted(
        got.warnings, key=list(got.warnings).index))
    try:
        check("a result's name with a zero", got["lp\0x"] is None)
    except lbp.LbpError as error:
        check("a result's name with a zero", "a result's name" in str(error))
    refuses("a file that is not C", "error", lbp.compile, os.path.abspath(__file__))
    refuses("a short position", "position: a state of 21", model.sampling(parameter=1).init, [0, 1])
    refuses("steps without R", "parameter: single steps need R", model.sampling().step, 1, lbp.State(np.zeros(21, np.uint8), 0.0))
    init, step = model.sampling(parameter=1)
    state = init(np.zeros(21, int))

    def wrong(what, sentence, *arguments, **options):
        try:
            step(*arguments, **options)
            check(f"{what}: not refused", False)
        except ValueError as error:
            check(f"{what}: {error}", str(error).startswith(sentence))

    wrong("half a key", "key: ", 1.5, state)
    wrong("a negative key", "key: ", -1, state)
    wrong("a large key", "key: ", 2**64, state)
    wrong("a key of three words", "key: ", [1, 2, 3], state)
    wrong("a large word", "key: ", [1, 2**32], state)
    wrong("steps below 0", "steps: ", 1, state, steps=-1)
    wrong("half a step", "steps: ", 1, state, steps=0.5)
    wrong("a short state", "state: its position is 21 numbers of uint8", 1, lbp.State(np.zeros(4, np.uint8), 0.0))
    wrong("a state of reals", "state: ", 1, lbp.State(np.zeros(21), 0.0))
    check("the largest key", step(2**64 - 1, state)[0].position.shape == (21,))
    refuses("more rungs than the ladder's", "tempering.ladder: 3 inverse", model.run, tempering={"ladder": [1, 0.5, 0], "rungs": 4})
    refuses("three starts of four", "start: a state, or one", model.run, start=np.zeros((3, 21), int), chains=4)
    check("rungs by the ladder", model.run(tempering={"ladder": [1, 0.5, 0]}, draws=10).ladder.shape == (3,))
    nested = model.run(draws=10, thin=4, tempering=dict(rungs=3, swap_every=2), annealing={}).lp
    dotted = model.run(draws=10, **{"tempering.rungs": 3, "tempering.swap_every": 2, "thin": 4}).lp
    mixed = model.run(draws=10, thin=4, tempering={"rungs": 3}, **{"tempering.swap_every": 2}).lp
    check("nested and dotted names", np.array_equal(nested, dotted) and np.array_equal(nested, mixed))
    check("they do something", not np.array_equal(nested, model.run(draws=10, thin=4, tempering={"rungs": 3}).lp))
    check("annealing's", model.anneal(annealing={"sweeps": 7, "hot": 0.5, "cold": 2}).sweeps == 7)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        lone = model.ais(chains=1, tempering={"rungs": 5})
    check("log Z by one chain: no error, and warnings", np.isnan(lone.log_z_se) and len(told) == 2)
    check("their names", set(lone.warnings) == {"LBP_WARN_AIS_WEIGHTS", "LBP_WARN_AIS_CHAINS"})
    check("whole numbers for real ones", field(h=np.arange(3)).n == 3)
    strided = field(h=h[::-2]).sampling(parameter=1).init(np.arange(11) < 3).logdensity
    check("a strided array", abs(strided - h[::-2][:3].sum()) < 1e-12)


def law():
    """Steps one by one, against the model: 60 000 of them, a false alarm in 10^-7."""
    small = field(h=[0.5, -1.0, 0.25])
    init, step = small.sampling(parameter=1.5)
    state, counts = init(np.zeros(3, int)), np.zeros(8)
    for key in range(60000):
        state, _ = step(key, state)
        counts[state.position @ [4, 2, 1]] += 1
    states = np.array([[k >> 2 & 1, k >> 1 & 1, k & 1] for k in range(8)])
    exact = np.exp(states @ [0.5, -1.0, 0.25])
    mean = 60000 * exact / exact.sum()
    chi = ((counts - mean) ** 2 / mean).sum()
    check(f"steps: chi^2 = {chi:.1f} of 7", chi / 3 < 7 + 6 * np.sqrt(14))
    check("log pi is kept up to date", abs(state.logdensity - small.sampling(parameter=1).init(state.position).logdensity) < 1e-9)
    again, info = step((1, 2), state), step(np.array([1, 2], np.uint32), state)
    check("a key decides", np.array_equal(again[0].position, info[0].position) and again[1] == info[1])
    many, _ = step(5, state, steps=1000)
    check("many steps", many.position.shape == (3,))
    mean, p = model.run(draws=20000, seed=3).x.mean((0, 1)), 1 / (1 + np.exp(-h))
    check("a run's means", np.abs(mean - p).max() < 0.03)


def interruption():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who is started in the background ignores it
    begun = time.time()
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    run = model.run(draws=10**15, keep=False, thin=100, seconds=60)
    check("Ctrl-C ends a run", 0.9 < time.time() - begun < 30 and run.ended == 3 and 0 < run.draws == run.lp.shape[1])


def threads():
    alone = [model.run(seed=k, draws=3000, chains=2).x.copy() for k in range(4)]
    found = [None] * 4

    def work(k):
        found[k] = model.run(seed=k, draws=3000, chains=2).x.copy()

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    check("four runs at the same time", all(np.array_equal(a, b) for a, b in zip(alone, found)))
    other = lbp.compile(model_file("field"))
    check("two libraries", np.array_equal(other(h=h).run(seed=1, draws=3000, chains=2).x, alone[1]))


def resident():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def leaks():
    if not os.path.exists("/proc/self/statm"):
        return skip("leaks: there is no /proc/self/statm")

    def calls(count):
        for key in range(count // 10):
            some = field(h=h)
            init, step = some.sampling(parameter=2, start=np.zeros(21, int))
            state = init(np.zeros(21, int))
            for k in range(5):
                state, _ = step(key + k, state)
            try:
                field(h=[np.nan])
            except lbp.LbpError:
                pass
            if key % 20 == 0:
                some.run(chains=2, draws=50, warmup=50, parameter=2)

    calls(20000)
    before = resident()
    calls(100000)
    check(f"10^5 calls take {(resident() - before) / 1e6:.1f} MB more", resident() - before < 2e6)


def as_many_draws_as_sites():  # then the best states have the draws' shape
    groups = model.run(chains=4, draws=model.n).groups()
    check("groups: states alone, where there are as many draws as sites", list(groups["posterior"]) == ["x"])


def ecosystem():
    run = model.run(chains=4, draws=500, seed=2)
    try:
        import arviz
        groups = run.groups()
        data = arviz.from_dict(groups) if int(arviz.__version__.split(".")[0]) > 0 else arviz.from_dict(**groups)
        check("ArviZ: the states", np.array_equal(data.posterior["x"], run.x))
        check("ArviZ: the acceptance rate", np.array_equal(data.sample_stats["acceptance_rate"], run.accept))
        check("ArviZ: R-hat", float(arviz.rhat(data.posterior)["x"].max()) < 1.1)
    except ImportError:
        skip("there is no arviz")
    try:
        import dimod
        import dimod.testing
    except ImportError:
        return skip("there is no dimod")
    import lbp_dimod
    sampler, qubo = lbp_dimod.LbpSampler(), lbp_dimod.library(4)
    refuses("half an end", "ends: the type is uint32, not float64", qubo, n=2, ends=[0, 0.5], value=[1.0])
    refuses("a negative end", "ends: the type is uint32, not int64", qubo, n=2, ends=[0, -1], value=[1.0])
    refuses("an end that is too large", "ends: the type is uint32, not int64", qubo, n=2, ends=[0, 2**32], value=[1.0])
    refuses("a whole number that no double is", "value: the type is float64, not int64", qubo, n=2, ends=[0, 1],
            value=[2**53 + 1])
    refuses("no site", "ends[1]: site 2 of 0 to n - 1 = 1", qubo, n=2, ends=[0, 2], value=[1])
    refuses("a lone end", "ends: 3 numbers, not m * 2, where n = 2, m = 1", qubo, n=2, ends=[0, 1, 0], value=[1.0])
    check("ends as floats", qubo(n=2, ends=[0.0, 1.0], value=[1.0]).n == 2)
    dimod.testing.assert_sampler_api(sampler)
    for vartype in ("SPIN", "BINARY"):
        bqm = dimod.generators.gnm_random_bqm(12, 30, vartype, random_state=3)
        bqm.relabel_variables({v: f"v{(v * 5) % 12}" for v in range(12)})  # in an order of their own
        found = sampler.sample(bqm, num_reads=20, num_sweeps=200, seed=1)
        dimod.testing.assert_response_energies(found, bqm)
        check(f"dimod, {vartype}: the ground state", abs(found.first.energy - dimod.ExactSolver().sample(bqm).first.energy) < 1e-9)
        check("dimod: a seed decides", np.array_equal(sampler.sample(bqm, num_reads=20, num_sweeps=200, seed=1).record, found.record))
        begun = sampler.sample(bqm, num_reads=2, initial_states=found.first.sample, num_sweeps=1, seed=1)
        check("dimod: initial states", begun.first.energy <= found.first.energy + 1e-9)
    check("dimod: nothing to do", len(sampler.sample(dimod.BQM("SPIN"))) == 1)
    check("dimod: one site", sampler.sample_ising({"a": 1}, {}).first.sample == {"a": -1})
    refuses("dimod: a range from 0", "beta_range: two inverse", sampler.sample_ising, {"a": 1}, {}, beta_range=(0, 5))
    refuses("dimod: states of no spins", "are -1 and 1, not 0", sampler.sample_ising, {0: 1, 1: 1}, {}, initial_states=[0, 10])
    refuses("dimod: a misspelt option", "sweep: there is no such option", sampler.sample_ising, {"a": 1}, {}, sweep=3)


def pages():
    """The blocks of Python in docs/python.md, one after another; and the scripts, with their figures."""
    os.environ["MPLBACKEND"] = "Agg"
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return skip("there is no matplotlib")
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf8") as file:
        text = file.read()
    here = os.getcwd()
    os.chdir(folder)
    if not os.path.exists("lbp"):
        os.symlink(ROOT, "lbp")
    for name, block in re.findall(r"```c\n/\* (\w+\.c).*?\*/\n(.*?)```", text, re.S):
        with open(name, "w", encoding="utf8") as file:
            file.write(block)
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    known = {}
    for block in blocks:
        exec(block, known)  # pylint: disable=exec-used
    check("docs/python.md has code, and a figure", len(blocks) >= 3 and os.path.exists("rain.png"))
    for script in ("spin_glass", "selection", "maxcut"):
        sys.argv = [script, f"{script}.png"]
        runpy.run_path(os.path.join(ROOT, "examples", "python", script + ".py"), run_name="__main__")
        check(f"{script}.py draws its figure", os.path.getsize(f"{script}.png") > 5000)
    os.chdir(here)


for part in (same_draws, bad_input, law, interruption, threads, leaks, as_many_draws_as_sites, ecosystem, pages):
    part()
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(failed > 0)
