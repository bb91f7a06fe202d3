"""Part of bridge.sh: packaging/python and examples/python as users call them. Arguments: the prefix that tools/bridge_field.c has written to,
a folder for figures; then, where not all, the parts to run, as graphs. The last line is the sum."""
import concurrent.futures
import copy
import ctypes
import gc
import inspect
import multiprocessing
import os
import pathlib
import pickle
import re
import runpy
import shutil
import signal
import subprocess
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


def summaries():
    """Diagnostics of a run, in its summary and in its warnings."""
    run = model.run(draws=400, chains=3, seed=2, parameter=2)
    found = run.summary()
    check("summary: log pi", list(found) == ["lp"] and found["lp"].mean == run.lp.mean() and found["lp"].r_hat == run.rhat[0] and
          found["lp"].mcse == run.mcse[0] and found["lp"].ess_tail == run.ess_tail[0])
    # an estimate by other means, of blocks of draws
    blocks = run.lp.reshape(3, 20, 20).mean(2)
    mcse = blocks.std(ddof=1) / np.sqrt(60)
    check(f"summary: MCSE {found['lp'].mcse:.3g} and {mcse:.3g}", 0.5 < found["lp"].mcse / mcse < 2)
    check("summary: a table", len(repr(found).splitlines()) == 2 and "r_hat" in repr(found))
    check("summary: of a pickle", pickle.loads(pickle.dumps(run)).summary() == found)
    check("a run's sampler and chains", run.sampler == "LBP" and run.chains == 3 and "21 sites, LBP, 3 chains, seed 2" in repr(run))
    search = model.anneal(annealing={"sweeps": 3})
    check(f"a search's: {search.sampler}", search.sampler == "Metropolis")
    refuses("summary: of a search", "summary: no draws: this is a run of `anneal`", search.summary)
    with tempfile.TemporaryDirectory() as at:
        saved = os.path.join(at, "run.ckpt")
        model.run(draws=390, chains=3, seed=2, parameter=2, checkpoint=saved)
        for left in (10, 0):
            resumed = model.run(draws=400, chains=3, seed=2, parameter=2, checkpoint=saved)
            of_all = resumed.summary()["lp"]
            check(f"summary: no mean of a part, {of_all}", resumed.lp.shape == (3, left) and resumed.draws == 400 and np.isnan(of_all.mean) and
                  of_all[1:] == found["lp"][1:])
    short = model.run(draws=20, start=np.repeat([[0], [1]], 21, 1), chains=2, warmup=0, parameter=1)
    check(f"a warning has figures: {short.warnings}", f"lp: R-hat {short.rhat[0]:.4g}, bulk ESS" in short.warnings["LBP_WARN_RHAT"])


def bad_input():
    for call, given, said in ((model.run, {"annealing": {"sweeps": 9}}, "annealing: `run` ignores this option, which is for `anneal`"),
                              (model.anneal, {"draws": 9, "annealing": {"sweeps": 9}}, "draws: `anneal` ignores this option, which is for `run`"),
                              (model.ais, {"rhat": 1.1, "tempering": {"rungs": 3}}, "rhat: `ais` ignores"),
                              (model.run, {"digits": 3}, "digits: `run` ignores this option without prefix"),
                              (model.anneal, {"prefix": "x", "annealing": {"sweeps": 9}}, "prefix: `anneal` ignores this option without best_states"),
                              (model.run, {"tempering": {"swap_every": 1}}, "tempering.swap_every: `run` ignores this option without tempering.rungs or "),
                              (model.run, {"tempering": {"rungs": 2, "resample": 0.5}}, "tempering.resample: `run` ignores this option, which is for `ais`"),
                              (model.ais, {"seconds": 60, "tempering": {"rungs": 3}}, "seconds: `ais` ignores")):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            call(chains=4, **given)
        check(f"an option of another call: {said}", [str(w.message).startswith(said) and w.filename == __file__ for w in told if "ignores" in str(w.message)]
              == [True])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        eval(compile("model.sampling(parameter=2, progress=True)", "elsewhere", "eval"))  # pylint: disable=eval-used
    check("an option of runs for steps", [(w.filename, str(w.message)) for w in told] == [
        ("elsewhere", "progress: `sampling` ignores this option, which is for `run`, `anneal`, `ais`")])
    refuses("a wrong length", "h: 21 numbers, not n, where n = 20", field, h=h, n=20)
    refuses("NaN", "h[1] is not a number", field, h=[1, np.nan])
    refuses("complex numbers", "h: ", field, h=np.ones(3, complex))
    refuses("words", "h: ", field, h=["a"])
    refuses("a missing array", "h: it is missing", field)
    refuses("another array", "k: the model has no such array, but h (float64, n)", field, h=h, k=h)
    refuses("no site", "n: ", field, h=[])
    refuses("half a site", "n: it is a size: one whole number", field, h=h, n=0.5)
    refuses("a start of spins", "start: a value is -1, where values are from 0; for spins", model.run, start=np.full(21, -1))
    refuses("other programs' names", "num_reads: there is no such option; the nearest: chains", model.run, num_reads=4)
    refuses("what Python calls so", "verbose: there is no such option; the nearest: progress", model.run, verbose=1)
    refuses("no file", "nowhere.c: there is no such file", lbp.compile, "nowhere.c")
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
    refuses("a prefix for log Z", "prefix: `ais` writes no files: leave it out", model.ais, prefix="x", tempering={"rungs": 3})
    refuses("momentum without it", "or take sampler='momentum'", model.run, momentum={"eps": 0.3})
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
    for wrong_place in ([-1] * 21, [256] * 21, [np.nan] * 21, ["0"] * 21, [0.5] * 21, [[0] * 21]):
        refuses(f"a position of {wrong_place[0]}", "position: ", model.sampling(parameter=1).init, wrong_place)
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
    check("a row for each result, with a space", all(len(row.split()) > 1 for row in repr(lone).splitlines()[1:] if "LBP_WARN" not in row))
    check("their names", set(lone.warnings) == {"LBP_WARN_AIS_WEIGHTS", "LBP_WARN_AIS_CHAINS"})
    check("whole numbers for real ones", field(h=np.arange(3)).n == 3)
    strided = field(h=h[::-2]).sampling(parameter=1).init(np.arange(11) < 3).logdensity
    check("a strided array", abs(strided - h[::-2][:3].sum()) < 1e-12)


def no_option_in_vain():
    """An option that is given has an effect, is refused, or warns that it is ignored; but for those that act on time or trouble alone."""
    some = field(h=h[4:16])
    base = {"run": {"draws": 20, "warmup": 40}, "anneal": {"annealing.sweeps": 5}, "ais": {"tempering.rungs": 5},
            "sampling": {"sampler": "lbp", "parameter": 2}}
    given = {"sampler": "gwg", "parameter": 3, "target": 0.3, "shared_tuner": True, "batch": 2, "seed": 5, "chains": 5, "warmup": 77, "draws": 21, "thin": 3,
             "tempering.rungs": 4, "tempering.ladder": [1, 0.4, 0], "tempering.adapt": False, "tempering.adapt_ends": True, "tempering.swap_every": 1,
             "tempering.swap_parts": True, "tempering.replicas": 2, "tempering.resample": 0.5, "annealing.sweeps": 6, "annealing.schedule": "geometric",
             "annealing.hot": 0.2, "annealing.cold": 2, "annealing.parameter_end": 1, "momentum.eps": 0.3, "momentum.relax": 0.3, "rhat": 1.01, "ess": 10,
             "name": "x", "prefix": "p", "save_states": "csv", "marginals": "counted", "digits": 3, "best_states": 2, "checkpoint": "c", "checkpoint_seconds": 3,
             "clock_jumps": 3, "metric": "none", "start": np.ones(12, int), "clamp": np.arange(12) < 6, "keep": False}
    rest = {"seconds", "signals", "check_trials", "values", "progress", "interrupt"}
    options = inspect.signature(lbp.Model.run).parameters
    check("all options", {name.split(".")[0] for name in given} | rest | {"self"} == set(options))

    def done(call, options):
        """What came of it, files too; and whether it said that it ignores an option."""
        with warnings.catch_warnings(record=True) as told, tempfile.TemporaryDirectory() as at:
            warnings.simplefilter("always")
            files = {name: os.path.join(at, value) for name, value in options.items() if name in ("prefix", "checkpoint", "metric")}
            try:
                got = getattr(some, call)(**{**options, **files})
                if call == "sampling":
                    state, info = got.step(3, lbp.State(np.zeros(12, np.uint8), 0.0), steps=20)
                    result = {"x": state.position, "info": info}
                else:
                    result = {name: got[name] for name in got.names if name not in ("seconds", "history")}
            except lbp.LbpError:
                return None, False
            return {**result, "files": os.listdir(at)}, any(f"`{call}` ignores" in str(w.message) and w.filename == __file__ for w in told)

    for call, least in base.items():
        known = done(call, least)[0]
        for name, value in given.items():
            if name == "rhat" and call == "run":
                continue
            result, warned = done(call, {**{key: of for key, of in least.items() if (key, name) != ("tempering.rungs", "tempering.ladder")}, name: value})
            same = result is not None and known.keys() == result.keys() and all(np.array_equal(known[key], result[key]) for key in known)
            check(f"{call}: {name} has an effect, or a warning: {result is not None}, {not same}, {warned}", result is None or same == warned)


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
    check("a few steps as numpy counts them", np.array_equal(step(5, state, steps=np.uint8(200))[0].position, step(5, state, steps=200)[0].position))
    many, _ = step(5, state, steps=1000)
    check("many steps", many.position.shape == (3,))
    mean, p = model.run(draws=20000, seed=3).x.mean((0, 1)), 1 / (1 + np.exp(-h))
    check("a run's means", np.abs(mean - p).max() < 0.03)


def interrupted(call):
    """What the call returns or raises when Ctrl-C comes after half a second, and how long it takes from there."""
    begun = time.time()
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        got = call()
    except KeyboardInterrupt as error:
        got = error
    return got, time.time() - begun - 0.5


class Slow(threading.Event):
    """A thread that tells its last has some time to go."""

    def set(self):
        super().set()
        time.sleep(0.2)


def late_at_work(*_):
    raise TimeoutError("time is up")


def interruption():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who is started in the background ignores it
    endless = dict(draws=10**15, keep=False, thin=100, seconds=60)
    run, late = interrupted(lambda: model.run(interrupt="return", **endless))
    check("Ctrl-C ends a run", 0 <= late < 15 and run.ended == 3 and 0 < run.draws == run.lp.shape[1])
    error, late = interrupted(lambda: model.run(**endless))
    check("Ctrl-C raises", 0 <= late < 15 and isinstance(error, lbp.Interrupted) and "Ctrl-C after" in str(error))
    check("with what it has", error.run.ended == 3 and 0 < error.run.draws == error.run.lp.shape[1])
    again = pickle.loads(pickle.dumps(error))
    check("as a pickle", str(again) == str(error) and np.array_equal(again.run.lp, error.run.lp))
    error, _ = interrupted(lambda: model.ais(chains=64, tempering={"rungs": 4000}, thin=4000))
    check("Ctrl-C in a run for log Z", isinstance(error, lbp.Interrupted) and error.run is None)
    init, step = field(h=np.zeros(800)).sampling(parameter=20)
    state = init(np.zeros(800, int))
    error, late = interrupted(lambda: step(1, state, steps=2**32 - 1))
    check(f"Ctrl-C in steps: {late:.2f} s", isinstance(error, lbp.Interrupted) and late < 1)
    check("the next steps are not", step(1, state, steps=1000)[0].position.shape == (800,))
    threads_before, event = threading.active_count(), threading.Event
    threading.Event = Slow
    step(1, state, steps=1000)
    threading.Event = event
    check("no call leaves its thread behind", threading.active_count() == threads_before)
    was = signal.signal(signal.SIGALRM, late_at_work)
    for what, call in (("a run", lambda: model.run(**endless)), ("a run that tells", lambda: model.run(progress=True, **endless)),
                       ("steps", lambda: step(1, state, steps=2**32 - 1))):
        begun, threads_before = time.time(), threading.active_count()
        signal.setitimer(signal.ITIMER_REAL, 0.7)
        try:
            call()
            error = None
        except TimeoutError as late:
            error = late
        took = time.time() - begun
        check(f"an exception of a signal's handler ends {what}: {error!r}, {took:.1f} s, {threading.active_count()} threads",
              str(error) == "time is up" and took < 15 and threading.active_count() == threads_before)
        time.sleep(0.6)  # its next line would come now
    signal.signal(signal.SIGALRM, was)
    with tempfile.TemporaryDirectory() as at:
        saved = os.path.join(at, "run.ckpt")
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()  # it ends Python where the option is lost
        run = model.run(signals=True, checkpoint=saved, **endless)
        check("SIGTERM ends a run with its checkpoint", run.ended == 3 and run.draws > 0 and os.path.getsize(saved) > 0)
        again = model.run(signals=True, checkpoint=saved, **{**endless, "seconds": 0.2})
        check("and the next goes on", again.resumed == 1 and again.draws > run.draws and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.run(draws=100, parameter=2)
    check("a warning has the caller's line", told and all(w.filename == __file__ for w in told))
    refuses("another word", "interrupt: 'raise' or 'return', not 'x'", model.run, interrupt="x")


def fails(_):
    return field(h=[np.nan])


def draws(seed):
    return model.run(seed=seed, draws=20, chains=2, warmup=50, parameter=2)


def pickles():
    """Errors and results, to and from other processes."""
    error = pickle.loads(pickle.dumps(lbp.LbpError(-3, "a sentence")))
    check("an error", type(error) is lbp.LbpError and (error.status, str(error)) == (-3, "a sentence"))
    run = draws(3)
    again = pickle.loads(pickle.dumps(run))
    check("a run", again.names == run.names and all(np.array_equal(again[name], run[name]) for name in run.names))
    check("its rest", (again.warnings, again.seed, again.driver, repr(again)) == (run.warnings, 3, "run", repr(run)))
    check("its groups", np.array_equal(again.groups()["posterior"]["x"], run.x))
    refuses("a result that it has not", "no such result", lambda: pickle.loads(pickle.dumps(again))["y"])
    state = model.sampling(parameter=1).init(np.zeros(21, int))
    check("a state", np.array_equal(pickle.loads(pickle.dumps(state)).position, state.position))
    copy = pickle.loads(pickle.dumps(model))
    check("a model", np.array_equal(copy.run(seed=3, draws=20, chains=2, warmup=50, parameter=2).x, run.x))
    check("its arrays", np.array_equal(copy.arrays["h"], h) and not copy.arrays["h"].flags.writeable)
    fork = multiprocessing.get_context("fork")
    with fork.Pool(2) as pool:
        refuses("a pool's error", "h[0] is not a number", pool.map_async(fails, [0]).get, 60)
        found = pool.map_async(draws, [3, 4]).get(60)
        check("a pool's runs", np.array_equal(found[0].x, run.x) and found[1].seed == 4)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=fork) as pool:
        refuses("an executor's error", "h[0] is not a number", pool.submit(fails, 0).result, 60)


def compiling():
    """The cache, output=, and what a compile leaves."""
    with tempfile.TemporaryDirectory() as at:
        was, temporary = os.environ.get("LBP_CACHE"), tempfile.tempdir
        os.environ["LBP_CACHE"], tempfile.tempdir = os.path.join(at, "cache"), os.path.join(at, "tmp")
        os.mkdir(tempfile.tempdir)
        source = os.path.join(at, "my own.c")
        with open(model_file("field"), encoding="utf8") as file, open(source, "w", encoding="utf8") as copy:
            copy.write('#include "more.h"\n' + file.read())
        more = os.path.join(at, "more.h")
        pathlib.Path(more).write_text("/* nothing */\n", encoding="utf8")
        first = lbp.compile(source, flags="-O0 -w")
        begun = time.time()
        second = lbp.compile(source, flags=["-O0", "-w"])
        took = time.time() - begun
        check(f"a second compile: {1000 * took:.0f} ms", took < 0.5 and second.path == first.path)
        check("no temporary folder", os.listdir(tempfile.tempdir) == [])
        pathlib.Path(more).write_text("static int unlike_before;\n", encoding="utf8")
        check("another header", lbp.compile(source, flags="-O0 -w").path != first.path)
        check("another define", lbp.compile(source, flags="-O0 -w", defines=["-DX=3"]).name == "field" and
              len(list(lbp.cache_folder().glob("*.json"))) == 2)
        os.unlink(first.path)  # cut short by a full disk: another file, since this process has the old one mapped
        pathlib.Path(first.path).write_bytes(b"short")
        pathlib.Path(more).write_text("/* nothing */\n", encoding="utf8")
        check("a broken file in the cache", lbp.compile(source, flags="-O0 -w")(h=h).n == 21)
        made = os.path.join(at, "made.so")
        check("output=", lbp.compile(source, flags="-O0 -w", output=made).path == made and lbp.Library(made)(h=h).n == 21)
        text = pathlib.Path(source).read_text(encoding="utf8")
        anew = pathlib.Path(at, "anew.c")
        for name in ("field", "other"):  # the loader knows the first by its file's name
            anew.write_text(re.sub(r"(#define LBP_NAME +)field", rf"\1{name}", text), encoding="utf8")
            check(f"output= again: {name}", lbp.compile(anew, flags="-O0 -w", output=os.path.join(at, "anew.so")).name == name)
        check("a copy is not left behind", os.listdir(tempfile.tempdir) == [])
        dollar = pathlib.Path(at, "a $1")
        dollar.mkdir()
        shutil.copy(model_file("field"), dollar)
        check("a folder with $", lbp.compile(dollar / "field.c", flags="-O0 -w", defines="-DX=3 -DY=4", libs="-lm")(h=h).n == 21)
        other = lbp.compile(source, flags="-O0 -w", cache=False)
        check("without the cache", other(h=h).n == 21 and os.listdir(tempfile.tempdir) == [])
        refuses("a pickle of what is gone", "this library was not kept", pickle.dumps, other)
        refuses("no compiler", "there is no C compiler 'no-such-cc'", lbp.compile, source, cc="no-such-cc")
        plain = pathlib.Path(at, "plain-cc")  # one that refuses -march=native
        plain.write_text('#!/bin/sh\ncase " $* " in *" -march=native "*) exit 1 ;; esac\n'
                         f'echo "$*" > {at}/plain-words\nexec {os.environ.get("CC") or "cc"} "$@"\n', encoding="utf8")
        plain.chmod(0o755)
        flags = os.environ.pop("CFLAGS", None)
        check("a compiler without -march=native", lbp.compile(source, cc=str(plain))(h=h).n == 21 and
              "-O1 -ftree-vectorize" in pathlib.Path(at, "plain-words").read_text(encoding="utf8"))
        if flags is not None:
            os.environ["CFLAGS"] = flags
        refuses("flags of one's own", "-march=native", lbp.compile, source, cc=str(plain), flags="-O0 -march=native")
        names = ("RTLD_LOCAL", "RTLD_NOW", "RTLD_LAZY", "RTLD_GLOBAL")
        values = [getattr(os, name) for name in names]
        for name in names:  # os has none of them on Windows
            delattr(os, name)
        try:
            check("loaded as on Windows", lbp.Library(made)(h=h).n == 21)
        finally:
            for name, value in zip(names, values):
                setattr(os, name, value)
        refuses("no library", "it can't be loaded as a library", lbp.Library, source)
        alone = os.path.join(at, "alone")  # the headers and the package in one folder, and the models
        shutil.copytree(os.path.join(ROOT, "packaging", "python", "lbp"), os.path.join(alone, "lbp"), ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(os.path.join(ROOT, "lbp"), os.path.join(alone, "lbp"), dirs_exist_ok=True)
        for header in pathlib.Path(ROOT).glob("lbp*.h"):
            shutil.copy(header, alone)
        own = {**os.environ, "PYTHONPATH": alone}
        done = subprocess.run([sys.executable, "-c", "import lbp; print(lbp.include(), lbp.compile('my own.c', flags='-O0 -w').name)"], cwd=at,
                              env=own, capture_output=True, text=True, check=False)
        check(f"copied into a folder: {done.stderr}", done.stdout.split() == [os.path.realpath(alone), "field"])
        shutil.copy(os.path.join(ROOT, "examples", "python", "lbp.py"), at)
        done = subprocess.run([sys.executable, "-c", "import lbp"], cwd=at, capture_output=True, text=True, check=False)
        check(f"lbp.py by itself: {done.stderr}", "ImportError: lbp.py finds the package only in a checkout" in done.stderr)
        os.unlink(os.path.join(at, "lbp.py"))
        lbp.clear_cache()
        check("an empty cache", os.listdir(lbp.cache_folder()) == [])
        tempfile.tempdir = temporary
        os.environ.pop("LBP_CACHE")
        if was is not None:
            os.environ["LBP_CACHE"] = was


def promises():
    """What is said of names, seeds, shapes and sizes."""
    with open(os.path.join(ROOT, "lbp.h"), encoding="utf8") as file:
        check("the version", f"Version {lbp.__version__}. " in file.read(1000))
    refuses("a flattened array", "h: its shape is 5 x 73, not n", field, h=np.zeros((5, 73)))
    check("a column", field(h=np.zeros((5, 1))).n == 5)
    refuses("rows that are no states", "start: it needs a state of 21", model.run, start=np.zeros((21, 2), int), chains=2)
    refuses("10^12 draws", "draws: 1000000000000 of 4 chains take", model.run, draws=10**12)
    options = inspect.signature(lbp.Model.run).parameters
    sampler = model.run()._sampler
    k, named, text, defaults = 0, set(), ctypes.create_string_buffer(1024), {}
    while (name := sampler.c.lbp_bridge_option(sampler.handle, k, text)) is not None:
        named.add(name.decode().split(".")[0])
        defaults[name.decode()] = text.value.decode()
        k += 1
    own = {"keep", "interrupt"}  # which lbp_run does not have
    check(f"signatures: defaults: {defaults}", all(float(defaults[name]) == value if isinstance(value, (int, float)) else defaults[name] == value
                                      for name, value in lbp.bridge.DEFAULTS.items() if name not in own))
    check("signatures: those without one", all(defaults[name] in ("0", "", "false", "none", "default", "field") for name in set(options) - set(lbp.bridge.DEFAULTS)
                                               if name in defaults))
    check(f"signatures: {named ^ set(options)}",
          named | {"self", "start", "clamp", "keep", "progress", "interrupt"} == set(options) and options["seed"].default == 1)
    for call in (lbp.FactorGraph.run, lbp.FactorGraph.anneal, lbp.FactorGraph.ais, lbp.Model.anneal, lbp.Model.ais):
        check(f"the signature of {call.__qualname__}", set(inspect.signature(call).parameters) == set(options))
    check("a library's signature", str(inspect.signature(field)).startswith("(*, h, n=None)"))
    check("signatures: short", str(inspect.signature(lbp.Model.run)).startswith("(self, *, sampler=None, ") and "seed=1, chains=4, warmup=1000"
          in str(inspect.signature(lbp.Model.anneal)))
    check("the seed by default", model.run(draws=2, chains=1, warmup=1).seed == 1 and "seed 1" in repr(model.run(draws=2, chains=1, warmup=1)))
    some = [model.run(draws=2, chains=1, warmup=1, seed=None).seed for _ in range(2)]
    check("a drawn seed", some[0] != some[1])
    check("repr", repr(field) == "<lbp.Library field(h: float64[n], n: size)>" and "21 sites of uint8" in repr(model))


def ready_made():
    """Models without C, against all their states."""
    J = np.triu(np.random.default_rng(1).normal(size=(5, 5)) / 2, 1)
    fields, states = np.array([0.3, -0.2, 0.5, 0.0, -0.4]), (np.arange(32)[:, None] >> np.arange(5) & 1)
    spins = 2 * states - 1
    logp = 0.7 * ((spins @ J * spins).sum(1) + spins @ fields)
    weights = np.exp(logp)
    exact = weights @ spins / weights.sum()
    for given in (J, J.T, J + J.T, {(i, j): J[i, j] for i in range(5) for j in range(i + 1, 5)}):
        ising = lbp.Ising(given, fields, beta=0.7)
        at = [ising.sampling(parameter=1).init(x).logdensity + ising.offset for x in states]
        check("Ising: log pi", np.allclose(at, logp, atol=1e-12))
    run = ising.run(draws=20000, seed=2)
    check("Ising: mean spins", np.abs(ising.spins(run.x).mean((0, 1)) - exact).max() < 0.03)
    z = ising.ais(chains=200, tempering={"rungs": 20})
    check("Ising: log Z", abs(z.log_z + ising.offset - np.log(weights.sum())) < 6 * z.log_z_se + 1e-6)
    again = pickle.loads(pickle.dumps(ising))
    check("Ising: a pickle", type(again) is lbp.Ising and again.offset == ising.offset)
    refuses("Ising: neither symmetric nor triangular", "J: neither symmetric nor triangular", lbp.Ising, np.ones((3, 3)) - np.eye(3) + J[:3, :3])
    refuses("Ising: a diagonal", "J[1, 1]: a site has no coupling to itself", lbp.Ising, np.diag([0, 1.0]))
    refuses("Ising: a flat h", "h: n numbers in a row", lbp.Ising, J, np.zeros((5, 1)))
    refuses("Ising: no number", "J[0, 1]: nan", lbp.Ising, np.array([[0, np.nan], [0, 0]]))
    check("Ising: energies", np.allclose(ising.energy(spins), -logp))
    check("Ising: its name", repr(run).startswith("lbp.Run: run of Ising,") and "lbp.Model Ising" in repr(ising))
    cut = lbp.Ising(-J)  # weights J: a cut is (their sum + log pi) / 2, of the formula
    found = cut.anneal(chains=4, annealing={"sweeps": 50})
    x = found.best[0]
    value = (found.best_logp[0] + cut.offset + J.sum()) / 2
    check("Ising: a cut", np.isclose(value, (J * (x[:, None] != x)).sum()) and np.isclose(-found.best_logp[0] - cut.offset, cut.energy(cut.spins(x))))
    refuses("Ising: no spins", "spins[2]: 0, where values are -1 and 1", ising.energy, [1, 1, 0, 1, 1])
    refuses("Ising: no zeros and ones", "x[1]: 2, where values are 0 and 1", ising.spins, [0, 2])
    refuses("Ising: no sites", "J: it has no sites", lbp.Ising, {})
    refuses("Ising: a beta of text", "beta: a finite number, not '1'", lbp.Ising, J, beta="1")
    Q = np.random.default_rng(2).normal(size=(5, 5))
    energy = (states @ Q * states).sum(1)
    qubo = lbp.QUBO(Q)
    check("QUBO: energies", np.allclose(qubo.energy(states), energy))
    check("QUBO: the least", abs(qubo.anneal(chains=8, annealing={"sweeps": 200}).best_logp[0] + energy.min()) < 1e-9)
    again = pickle.loads(pickle.dumps(qubo))
    check("QUBO: a pickle", type(again) is lbp.QUBO and np.array_equal(again.energy(states), qubo.energy(states)) and repr(again) == repr(qubo))
    refuses("QUBO: spins", "x[0]: -1, where values are 0 and 1; for spins s pass (1 + s) / 2", qubo.energy, [-1, 1, 1, 1, 1])
    refuses("QUBO: a short state", "x: states of n = 5 sites are needed, not an array of shape (2,)", qubo.energy, [1, 0])
    refuses("QUBO: no sites", "Q: it has no sites", lbp.QUBO, {})
    refuses("QUBO: a large number", "Q[0, 1]: 10000000000000.0 is beyond 1e12", lbp.QUBO, {(0, 1): 1e13})
    refuses("QUBO: three sites", "Q: keys are pairs of sites, whole numbers from 0, such as (0, 1), not (0, 1, 2)", lbp.QUBO, {(0, 1, 2): 1})
    refuses("QUBO: complex", "Q: real numbers are needed", lbp.QUBO, np.ones((2, 2)) * 1j)
    refuses("QUBO: words", "Q: real numbers are needed, not [['a'", lbp.QUBO, [["a", "b"], ["c", "d"]])
    refuses("QUBO: a word", "Q: real numbers are needed, not ['a']", lbp.QUBO, {(0, 1): "a"})
    refuses("QUBO: a beta of text", "beta: a finite number, not '1'", lbp.QUBO, Q, beta="1")
    refuses("QUBO: a file's name", "Q: numbers are needed, not 'g.txt'; QUBO.read reads a file", lbp.QUBO, "g.txt")
    refuses("QUBO: too few sites", "Q: there is no site 3; sites are 0 to 1", lbp.QUBO, {(0, 3): 1}, n=2)
    refuses("QUBO: no square", "Q: a matrix of n x n", lbp.QUBO, np.zeros((2, 3)))
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 6))
    chosen = lbp.Selection(X, X @ [2, 0, 0, -1, 0, 0] + rng.normal(size=60) / 2)
    mean = chosen.run(draws=500).x.mean((0, 1))
    check("Selection: the columns", mean[0] > 0.9 < mean[3] and mean[[1, 2, 4, 5]].max() < 0.6)
    for rows, columns, given in ((20, 1, 10), (20, 1, 5), (1, 20, 10), (20, 3, 5), (20, 3, 40)):
        refuses(f"Selection: {rows} x {columns}, {given} to explain", f"y: {given} numbers, where X has {rows} rows", lbp.Selection,
                rng.normal(size=(rows, columns)), rng.normal(size=given))
    check("Selection: a column to explain, of objects", lbp.Selection(X, X[:, :1].astype(object)).n == 6)
    far, big = np.array([[0, 1e11], [1e11, 0]]), 1e300
    for sentence, call in (("beta * h, beta * J, as of zeros and ones: -2e+13 is too large: at most 1e+12", lambda: lbp.Ising({(0, 1): 1.0}, h=[1e13, 0])),
                           ("beta * h, beta * J, as of zeros and ones: ", lambda: lbp.Ising({(0, 1): 1.0}, beta=1e13)),
                           ("beta * Q: inf is too large: at most 1e+12", lambda: lbp.QUBO(far, beta=big)),
                           ("beta * J: inf is too large", lambda: lbp.Potts(far, 2, beta=big)),
                           ("beta * h: inf is too large", lambda: lbp.Potts(J, 2, h=np.full((5, 2), 1e11), beta=big)),
                           ("beta * J: inf is too large", lambda: lbp.DensePotts(np.array([[0, 1e11], [0, 0]])[..., None, None] * np.ones((2, 2)), beta=big)),
                           ("beta * h: inf is too large", lambda: lbp.DensePotts(np.zeros((2, 2, 2, 2)), h=np.full((2, 2), 1e11), beta=big)),
                           ("beta * L: inf is too large", lambda: lbp.Assignment(far, beta=big)),
                           ("beta * F: inf is too large", lambda: lbp.Assignment(F=far, D=far, beta=big)),
                           ("n: a whole number from 1 to ", lambda: lbp.QUBO({(0, 1): 1}, n=-3)), ("n: a whole number", lambda: lbp.QUBO({(0, 1): 1}, n=3.0)),
                           ("n: a whole number", lambda: lbp.QUBO({(0, 1): 1}, n="3")), ("n: a whole number", lambda: lbp.Ising({(0, 1): 1}, n=0)),
                           ("J: there is no site 1; sites are 0 to 0", lambda: lbp.Ising({(0, 1): 1}, n=1)),
                           ("h: n = 3 numbers", lambda: lbp.Ising({}, [1, 2], n=3)),
                           ("q: a whole number from 1 to 256, not 300", lambda: lbp.Potts(J, 300)), ("q: a whole number", lambda: lbp.Potts(J, 3.0)),
                           ("q: a whole number", lambda: lbp.Potts(J, "3")),
                           ("h[0, 1]: nan is not", lambda: lbp.Potts(J, 2, h=np.where(np.arange(10).reshape(5, 2) == 1, np.nan, 0))),
                           ("h[0, 0]: -inf is not", lambda: lbp.Potts(J, 2, h=np.full((5, 2), -np.inf)))):
        refuses("ready-made models", sentence, call)
    longer = lbp.Ising({(0, 1): 0.5}, h=0.25, n=4)
    check("Ising: sites that no pair names", longer.n == 4 and np.isclose(longer.energy([[1, 1, 1, -1]])[0], -(0.5 + 0.25 * 2)))

    class Dok(dict):  # as SciPy's dok matrix, which is a dict, too
        def tocoo(self):
            return type("Coo", (), {"shape": (3, 3), "row": np.array([i for i, _ in self]), "col": np.array([j for _, j in self]), "data": list(self.values())})

    check("a dok matrix", np.array_equal(lbp.Ising(Dok({(0, 1): 0.5, (1, 0): 0.5})).arrays["value"], lbp.Ising({(0, 1): 0.5}, n=3).arrays["value"]))
    masked, words = np.ma.masked_array([[0, 9.0], [9.0, 0]], mask=[[0, 1], [1, 0]]), np.array([[0, "1.5"], ["1.5", 0]], object)
    graph = lbp.FactorGraph([2, 2])
    for what, call in (("J", lbp.Ising), ("J", lambda J: lbp.Potts(J, 2)), ("Q", lbp.QUBO), ("W", lbp.RBM), ("L", lbp.Assignment),
                       ("X", lambda X: lbp.Selection(X, [1, 2])), ("y", lambda y: lbp.Selection([[1], [2], [5], [3]], y)),
                       ("table", lambda table: graph.add([0, 1], table)), ("position", lbp.Ising(J).sampling(parameter=1).init)):
        refuses("masked entries", f"{what}: it has masked entries", call, masked)
        refuses("text among objects", f"{what}: real numbers are needed", call, words)
    refuses("a mask of a model's own", "h: it has masked entries", field, h=np.ma.masked_array([1.0, 2], mask=[0, 1]))
    refuses("a mask of states", "spins: it has masked entries", lbp.Ising(J).energy, np.ma.masked_array([1.0, 1, 1, 1, 1], mask=[0, 1, 0, 0, 0]))
    check("a mask of nothing", lbp.Ising(np.ma.masked_array(J, mask=False)).n == 5)
    refuses("Selection: turned", "y: 60 numbers, where X has 6 rows", lbp.Selection, X.T, np.arange(60.0))
    for inclusion in (0, 1, -0.5):
        refuses("Selection: no prior", f"inclusion: a probability above 0 and below 1, not {inclusion:g}", lbp.Selection, X, X[:, 0], inclusion)
    wide = lbp.Selection(rng.normal(size=(6, 9)), rng.normal(size=6))
    for sampler in ("gibbs", "metropolis"):  # from more columns than rows
        init, step = wide.sampling(sampler=sampler, check_trials=0)
        state = init(np.ones(9, int))
        check("an impossible start", state.logdensity == -np.inf)
        for key in range(200):
            state, _ = step(key, state)
        check(f"log pi after an impossible start: {sampler}, {state}", abs(state.logdensity - init(state.position).logdensity) < 1e-9)


def more_models():
    """RBM, dense Potts models and permutations, against all their states: log pi, and a run's law."""
    import itertools
    rng = np.random.default_rng(8)

    def compare(what, model, states, logp, **options):
        init = model.sampling(**{} if isinstance(model, lbp.Assignment) else {"parameter": 1}).init
        at = np.array([init(x).logdensity for x in states])
        check(f"{what}: log pi", np.allclose(at - at[0], logp - logp[0], atol=1e-9))
        run = model.run(draws=10000, seed=2, **options)
        drawn = np.unique(run.x.reshape(-1, model.n), axis=0, return_counts=True)
        share = {tuple(x): count / 40000 for x, count in zip(drawn[0].tolist(), drawn[1])}
        law = np.exp(logp - logp.max())
        law /= law.sum()
        apart = max(abs(share.get(tuple(x), 0) - p) for x, p in zip(states.tolist(), law))
        check(f"{what}: a run's law, {apart:.4f} apart", apart < 0.02)
        again = pickle.loads(pickle.dumps(model))
        check(f"{what}: a pickle", np.array_equal(again.run(draws=20, seed=2, **options).x, model.run(draws=20, seed=2, **options).x))

    W, b, c = rng.normal(size=(4, 3)), rng.normal(size=4), rng.normal(size=3)
    states = np.array(list(itertools.product([0, 1], repeat=4)))
    logp = states @ b + np.log1p(np.exp(states @ W + c)).sum(1)
    rbm = lbp.RBM(W, b, c)
    compare("RBM", rbm, states, logp)
    z = rbm.ais(chains=100, tempering={"rungs": 20})
    check("RBM: log Z", abs(z.log_z - np.log(np.exp(logp).sum())) < 6 * z.log_z_se + 1e-6)
    check("RBM: without biases", np.isclose(lbp.RBM(W).sampling(parameter=1).init([0] * 4).logdensity, 3 * np.log(2)))
    refuses("RBM: a flat W", "W: a table of visible by hidden units", lbp.RBM, np.zeros(4))
    refuses("RBM: turned", "b: n = 4 numbers in a row, not an array of shape (3,)", lbp.RBM, W, c)
    refuses("RBM: infinite", "W[1, 2]: inf", lbp.RBM, np.where(np.arange(12).reshape(4, 3) == 5, np.inf, W))

    J, h = np.zeros((3, 3, 3, 3)), rng.normal(size=(3, 3))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        J[i, j] = rng.normal(size=(3, 3))
    states = np.array(list(itertools.product(range(3), repeat=3)))
    logp = 0.8 * np.array([sum(J[i, j, x[i], x[j]] for i in range(3) for j in range(i)) + sum(J[i, j, x[i], x[j]] for j in range(3) for i in range(j)) +
                           sum(h[i, x[i]] for i in range(3)) for x in states])
    compare("DensePotts", lbp.DensePotts(J, h, beta=0.8), states, logp)
    both = J + J.transpose(1, 0, 3, 2)
    check("DensePotts: both halves", np.array_equal(lbp.DensePotts(both, h).arrays["J"], lbp.DensePotts(J, h).arrays["J"]))
    refuses("DensePotts: unlike halves", "J[j, i, w, v] must be J[i, j, v, w]", lbp.DensePotts, J + 2 * J.transpose(1, 0, 3, 2))
    refuses("DensePotts: other fields", "h: an array of n x q = 3 x 3 numbers, not of shape (3, 2)", lbp.DensePotts, J, h[:, :2])

    L, F, D = rng.normal(size=(3, 4, 4))
    states = np.array(list(itertools.permutations(range(4))))
    worth = np.array([L[np.arange(4), s].sum() for s in states]), np.array([(F * D[np.ix_(s, s)]).sum() for s in states])
    compare("Assignment: both", lbp.Assignment(L, F, D, beta=0.6), states, 0.6 * (worth[0] + worth[1]))
    compare("Assignment: linear", lbp.Assignment(L), states, worth[0])
    compare("Assignment: quadratic", lbp.Assignment(F=F, D=D, beta=0.5), states, 0.5 * worth[1], sampler="exchange")
    for n in (1, 2, 3):
        shares = lbp.Assignment(L[:n, :n]).run(marginals="counted").marginal
        check(f"Assignment: marginals of {n} rows: {shares}", shares.shape == (n, n) and np.allclose(shares.sum(0), 1))
    refuses("Assignment: one of two", "F, D: give both or none", lbp.Assignment, L, F)
    refuses("Assignment: nothing", "L: give L, or F and D", lbp.Assignment)
    refuses("Assignment: no square", "L: an array of n x n = 4 x 4 numbers, not of shape (4, 3)", lbp.Assignment, L[:, :3])
    refuses("Assignment: another size", "D: an array of n x n = 4 x 4 numbers, not of shape (3, 3)", lbp.Assignment, L, F, D[:3, :3])


def graphs():
    """Factor graphs against all their states: exact answers, and sampled ones; with evidence, zeros, and from a file."""
    rng = np.random.default_rng(4)
    for values in ([2, 3, 4, 2, 3], [2, 2, 2, 2, 2]):
        scopes = [[0, 1], [2, 1], [2, 3, 4], [4, 0], [3], [0, 1]]
        tables = [rng.random([values[i] for i in scope]) + 0.2 for scope in scopes]
        states = np.array(list(np.ndindex(*values)))

        def weights(chosen=tables, at=states, of=scopes):
            return np.prod([table[tuple(at[:, scope].T)] for scope, table in zip(of, chosen)], 0)

        graph = lbp.FactorGraph(values)
        for scope, table in zip(scopes[:-1], tables):
            graph.add(scope, table)
        graph.add(scopes[-1], np.log(tables[-1]), log=True)
        x = states[len(states) // 2]
        logp = graph.model.sampling(sampler="gibbs").init(x).logdensity
        check("a graph's log pi", abs(logp - np.log(weights()[len(states) // 2])) < 1e-12)
        for seen in ({}, {2: 1}, {4: 0, 1: 1}):
            given = graph.condition(seen)
            w = weights() * np.all([states[:, i] == v for i, v in seen.items()] or [np.ones(len(states), bool)], 0)
            law = [np.bincount(states[:, i], w, values[i]) / w.sum() for i in range(5)]
            exact, drawn = given.marginals(), given.marginals(cells=0, draws=5000, seed=3)
            check(f"exact marginals given {seen}", exact.exact and all(np.allclose(a, b, atol=1e-12) for a, b in zip(exact.probability, law)))
            check(f"drawn marginals given {seen}", not drawn.exact and max(np.abs(a - b).max() for a, b in zip(drawn.probability, law)) < 0.03)
            z, guess, best, found = given.log_z(), given.log_z(cells=0), given.map(), given.map(cells=0)
            check(f"log Z given {seen}", z.exact and abs(z.value - np.log(w.sum())) < 1e-10)
            check(f"log Z by AIS given {seen}: {guess}", not guess.exact and abs(guess.value - z.value) < 6 * guess.se + 1e-9)
            check(f"the best state given {seen}", best.exact and np.array_equal(best.state, states[w.argmax()]) and abs(best.logp - np.log(w.max())) < 1e-10)
            check(f"by annealing {seen}", not found.exact and abs(found.logp - best.logp) < 1e-9)
            run = given.run(draws=50)
            check(f"a run keeps to {seen}", all((run.x[..., i] == v).all() for i, v in seen.items()))
    try:
        graph.condition({0: 1}).observed[0] = 0
        check("what was observed can be changed", False)
    except ValueError:
        check("what was observed stays", not graph.observed.flags.writeable and not pickle.loads(pickle.dumps(graph)).values.flags.writeable)
    for options in ({"tempering.rungs": 60}, {"tempering": {"rungs": 60}}, {"tempering": {"resample": 0.5}},
                    {"tempering": {"ladder": np.linspace(1, 0, 60, dtype=np.float16)}}):
        z = graph.log_z(cells=0, **options)
        check(f"log Z with options: {options}", abs(z.value - graph.log_z().value) < 6 * z.se + 1e-9)
    check("the best state with options", abs(graph.map(cells=0, **{"annealing.sweeps": 500}).logp - graph.map().logp) < 1e-9)
    refuses("an option twice", "tempering.rungs: it is given twice", graph.log_z, cells=0, tempering={"rungs": 3}, **{"tempering.rungs": 3})
    check("a start of int8", graph.run(draws=5, start=np.zeros(5, np.int8)).x.shape[1] == 5)
    check("names of several lengths", lbp.FactorGraph([2, 2], names=[(1, 2), "b"]).add([(1, 2), "b"], np.ones((2, 2))).log_z().exact)
    single = lbp.FactorGraph([1, 2, 2]).add([0, 1], [[1, 3]]).add([1, 2], [[2, 2], [1, 5]])
    told = single.marginals(cells=0, draws=4000)
    check("a site of one value among those of two", single.states == 4 and told.probability[0].tolist() == [1.0] and
          all(np.abs(a - b).max() < 0.05 for a, b in zip(told.probability, single.marginals().probability)))
    check("conditioned elsewhere", repr(graph) == "<lbp.FactorGraph: 5 sites, 6 tables, 0 observed>")
    check("a graph's pickle", pickle.loads(pickle.dumps(graph)).log_z() == graph.log_z())
    hard = lbp.FactorGraph([3] * 4)
    for i in range(3):
        hard.add([i, i + 1], np.eye(3)[[1, 2, 0]] + 0.5 * np.eye(3))
    check("zeros: runs begin where it is possible", np.isfinite(hard.run(draws=20).lp).all())
    refuses("nothing is possible", "no possible state", hard.condition({0: 0, 1: 2}).marginals)
    refuses("nothing to begin with", "no possible state", hard.condition({0: 0, 1: 2}).run)
    for call in (hard.run, graph.condition({4: 0}).run):
        refuses("clamps without values", "clamp: clamped sites need values: set them in start", call, clamp=np.arange(len(call.__self__.values)) == 1)
    some = graph.condition({4: 0})
    for clamp in ([0], [[0]], False, [np.nan, 0, 0, 0, 0], [0] * 4, np.zeros((2, 5))):
        refuses(f"a clamp that does not fit: {clamp}", "clamp", some.run, clamp=clamp, draws=10)
    refuses("a clamp that is NaN, with a start", "clamp[1] is not a number", some.run, clamp=[0, np.nan, 0, 0, 0], start=[1, 0, 0, 0, 0], draws=10)
    held = some.run(clamp=[0, 1, 0, 0, 0], start=[0, 1, 0, 0, 0], draws=50).x.reshape(-1, 5)
    check("a clamp next to what is observed", (held[:, [1, 4]] == [1, 0]).all() and held[:, 0].any())
    wide = lbp.FactorGraph([2] * 40).add([0], [1, 2]).condition({0: 0})
    for seed in (None, 0):
        first = [wide.run(draws=1, warmup=0, parameter=1, chains=20, seed=seed if k else 1).x for k in range(3)]
        check(f"starts of another seed: {seed}", (first[0] != first[1]).mean() > 0.3 and ((first[1] != first[2]).mean() > 0.3) == (seed is None))
    for options in ({"seed": -1}, {"seed": "abc"}, {"seed": 1.5}, {"chains": -1}, {"chains": 2.5}, {"chains": "x"}, {"chains": 0}):
        refuses(f"an option of a graph: {options}", f"{list(options)[0]}: ", some.run, draws=5, **options)
    for call in (hard.marginals, hard.log_z, hard.map):
        refuses("exact answers with an unknown option", "chians: there is no such option; the nearest: chains", call, chians=4)
        check("exact answers with a known option", call(chains=4, draws=7, tempering={"rungs": 3}, progress=True, interrupt="return").exact)
    copied = copy.copy(graph).add([0], [1] + [7] * (values[0] - 1))
    check("a copy shares no tables", len(copied._tables) == len(graph._tables) + 1 and graph.condition({0: 0}).log_z() == copied.condition({0: 0}).log_z() and
          abs(graph.condition({0: 1}).log_z().value + np.log(7) - copied.condition({0: 1}).log_z().value) < 1e-9)
    for call in (hard.marginals, hard.log_z, hard.map):
        refuses("exact answers with clamps", "clamp: exact answers take none", call, clamp=[1, 0, 0, 0], start=[0] * 4)
    for options in ({"draws": 100, "marginals": "counted"}, {"draws": 10}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            few = graph.marginals(cells=0, **options)
        check(f"no standard errors: {options}", all(np.isnan(row).all() for row in few.se) and all(abs(row.sum() - 1) < 1e-9 for row in few.probability))
    refuses("another start", "start: site 4 has 1, where 0 was observed", graph.condition({4: 0}).run, start=[[0] * 5, [0, 0, 0, 0, 1]], chains=2)
    refuses("another shape", "table: its shape is (2, 3), where the sites [0, 1] have (3, 3) values", hard.add, [0, 1], np.ones((2, 3)))
    refuses("no site", "sites: there is no site 4; sites are 0 to 3", hard.add, [0, 4], np.ones((3, 3)))
    refuses("a site twice", "sites: one comes twice", hard.add, [1, 1], np.ones((3, 3)))
    refuses("negative weights", "table: finite weights from 0", hard.add, [1], [1, -1, 0])
    refuses("no weight", "table: all weights are 0", hard.add, [1], [0, 0, 0])
    for table in ([1, 1j, 2], [[1, 2], [3]], ["a", "b", "c"]):
        refuses("no numbers", "table: real numbers are needed", hard.add, [1], table)
    refuses("a word for a flag", "log: True or False, not 'no'", hard.add, [1], [1, 2, 3], log="no")
    refuses("no dict", "condition: a dict {site: value} is needed, not [0, 1]", hard.condition, [0, 1])
    refuses("cells of text", "cells: a number, not 'x'", hard.marginals, cells="x")
    check("cells without end", hard.marginals(cells=np.inf).exact)
    refuses("no value", "condition: site 1 has the values 0 to 2, not 3", hard.condition, {1: 3})
    refuses("two values", "condition: site 1 was observed", hard.condition({1: 1}).condition, {1: 2})
    refuses("no cardinality", "cardinalities: ", lbp.FactorGraph, [2, 0])
    potts = lbp.Potts({(0, 1): 0.7, (1, 2): -0.4}, 3, h=np.arange(9).reshape(3, 3) / 10, beta=1.5)
    states = np.array(list(np.ndindex(3, 3, 3)))
    logp = 1.5 * (0.7 * (states[:, 0] == states[:, 1]) - 0.4 * (states[:, 1] == states[:, 2]) + (states / 10 + [0, 0.3, 0.6]).sum(1))
    check("Potts", abs(potts.log_z().value - np.log(np.exp(logp).sum())) < 1e-10)
    names = lbp.FactorGraph([2, 3], names=["wet", "sky"], state_names=[["no", "yes"], ["clear", "clouds", "rain"]])
    names.add(["sky", "wet"], [[3, 0], [2, 1], [1, 5]])
    wet = names.condition({"wet": "yes"}).marginals().probability[1]
    check("names", np.allclose(wet, [0, 1 / 6, 5 / 6]) and names.map().state.tolist() == [1, 2])
    refuses("another name", "sites: there is no site 0; sites are 'wet', 'sky'", names.add, [0, 1], np.ones((2, 3)))
    refuses("another state", "condition: site sky has the values 'clear', 'clouds', 'rain', not 'snow'", names.condition, {"sky": "snow"})
    refuses("a name for all", "sites: up to 20 sites in a row, not 'wet'", names.add, "wet", [1, 2])
    refuses("a name twice", "names: 2 different ones are needed, not 2 of which 1 differ", lbp.FactorGraph, [2, 3], names=["a", "a"])
    refuses("too few states", "state_names: as many", lbp.FactorGraph, [2, 3], state_names=["ab", "ab"])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        names.marginals(cells=0, draws=200)
    check("sampled where there are zeros: a warning", any("tables have zeros" in str(w.message) for w in told))
    side = 6  # a magnet whose chains stay where they begin, all with the same log pi
    pairs = {(i, j): 3.0 for i in range(side * side) for j in (i + side, i + 1 if (i + 1) % side else side * side) if j < side * side}
    magnet, start = lbp.Potts(pairs, 2), np.repeat([[0], [1], [0], [1]], side * side, 1)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        stuck = magnet.marginals(cells=0, draws=400, start=start)
    check(f"chains that disagree: {stuck.r_hat}", stuck.r_hat > 2 and any("chains disagree at site" in str(w.message) for w in told))
    free = lbp.Potts({pair: 0.1 for pair in pairs}, 2)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        moving = free.marginals(cells=0, draws=2000)
    check(f"chains that agree: {moving.r_hat}", 1 <= moving.r_hat < 1.05 and not any("chains disagree" in str(w.message) for w in told))
    with tempfile.TemporaryDirectory() as at:
        for graph, count, begin, sign in ((magnet, 400, start, "chains disagree at site"), (magnet, 400, start, "this call made 0 of the 400 draws"),
                                          (magnet, 500, start, "chains disagree at site"), (free, 2000, None, ""),
                                          (free, 2500, None, "this call made 500 of the 2500 draws")):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                again = graph.marginals(cells=0, draws=count, start=begin, checkpoint=os.path.join(at, "free" if graph is free else "magnet"))
            said = [str(w.message) for w in told if "chains disagree" in str(w.message)]
            check(f"marginals after a resume: {count} draws: {said}", len(said) == (sign != "") and all(sign in sentence for sentence in said) and
                  np.isnan(again.r_hat) == ("this call" in sign))
    check("exact: R-hat is 1", magnet.marginals().r_hat == 1 and np.isnan(free.marginals(cells=0, draws=100, keep=False).r_hat))


def files():
    """Graphs of files: the same as by calls."""
    rng = np.random.default_rng(5)
    table, other = rng.random((2, 3)), rng.random((3, 2, 2))
    table[1, 2] = 0
    graph = lbp.FactorGraph([2, 3, 2]).add([0, 1], table).add([1, 2, 0], other)
    seen = graph.condition({2: 1})
    with tempfile.TemporaryDirectory() as at:
        def write(name, *words):
            path = os.path.join(at, name)
            pathlib.Path(path).write_text(" ".join(map(str, words)) + "\n", encoding="utf8")
            return path

        def entries(cells):  # those that are not 0, by number
            return [cells.size - (cells == 0).sum(), *(word for k, w in enumerate(cells) if w for word in (k, repr(float(w))))]

        uai = write("g.uai", "MARKOV 3 2 3 2 2\n2 0 1 3 1 2 0\n6", *table.ravel(), "12", *other.ravel())
        fg = write("g.fg", "2\n2\n0 1\n2 3\n", *entries(table.ravel("F")), "\n3\n1 2 0\n3 2 2\n", *entries(other.ravel("F")))
        evidence, several = write("g.evid", "1 2 1"), write("s.evid", "2 1 2 0 1 2 1")
        for path in (uai, fg):
            found = lbp.FactorGraph.read(pathlib.Path(path))
            check(f"{path}: log Z", abs(found.log_z().value - graph.log_z().value) < 1e-12)
            check(f"{path}: marginals", all(np.allclose(a, b) for a, b in zip(found.marginals().probability, graph.marginals().probability)))
            given = lbp.FactorGraph.read(path, evidence)
            check("its evidence", given.observed.tolist() == [-1, -1, 1] and abs(given.log_z().value - seen.log_z().value) < 1e-12)
            for sample in ("1", -1, 0.0):
                refuses("no number of a sample", "sample: a whole number from 0 to ", lbp.FactorGraph.read, path, several, sample=sample)
            check("a sample of some", lbp.FactorGraph.read(path, several, sample=0).observed.tolist() == [-1, -1, 0])
        cut = write("g.txt", "3 2\n1 2\n2 3 4")
        found = lbp.QUBO.read(cut)
        states = np.array(list(np.ndindex(2, 2, 2)))
        check("a graph to be cut", np.array_equal(found.energy(states), -1.0 * (states[:, 0] != states[:, 1]) - 4 * (states[:, 1] != states[:, 2])))
        check("an isolated site", lbp.QUBO.read(write("i.txt", "4 1\n1 2 3")).n == 4)
        terms = lbp.QUBO.read(pathlib.Path(write("t.qubo", "c a comment\np qubo 0 3 1 1\n0 0 2.5\n0 2 -1")), beta=2)
        check("terms", terms.n == 3 and np.array_equal(terms.energy(states), 2 * (2.5 * states[:, 0] - states[:, 0] * states[:, 2])))
        spins = lbp.QUBO.read(write("s.coo", "# vartype=SPIN\n0 0 0.5\n0 1 -1\n"))
        two = states[::2, :2]
        check("spins", np.allclose(spins.energy(two) + spins.offset, 0.5 * (2 * two[:, 0] - 1) - (2 * two[:, 0] - 1) * (2 * two[:, 1] - 1)))
        sparse = write("b.sparse", "2 2\n1 1 3\n1 2 1")
        check("Biq Mac's", np.array_equal(lbp.QUBO.read(sparse, format="sparse").energy([[1, 0], [1, 1]]), [3, 5]))
        refuses("Biq Mac's, guessed", "b.sparse: line 2: an edge goes from a site to itself: if these are entries of x' A x to be minimised, as in Biq Mac's "
                ".sparse files, pass format='sparse'", lbp.QUBO.read, sparse)
        refuses("a wrong term", "w.qubo: line 1: a line has more than three numbers", lbp.QUBO.read, write("w.qubo", "0 1 2 3"), format="terms")
        refuses("no format", "format: one of guess, terms, max-cut, sparse, not 'x'", lbp.QUBO.read, cut, format="x")
        refuses("one sample of two", "s.evid: line 1: ", lbp.FactorGraph.read, uai, several)
        refuses("a short file", "short.uai: line 2: the file ends", lbp.FactorGraph.read, write("short.uai", "MARKOV 2 2 3 2 1 0 2 0 1 2\n0.5"))
        refuses("no such site", "g.evid: line 1: ", lbp.FactorGraph.read, uai, write("g.evid", "1 9 0"))
        refuses("another name", "ends with .uai or .fg", lbp.FactorGraph.read, write("g.txt", "1"))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            lbp.FactorGraph.read(write("b.uai", "BAYES 1 2 1 1 0 2 0.5 0.6"))
        check("rows that do not add up", ["1 rows of a Bayesian network" in str(w.message) for w in told] == [True])


def networks():
    """Models of pgmpy and pyAgrum: exact marginals as theirs, with evidence, and states in orders of their own."""
    try:
        from pgmpy.factors.discrete import DiscreteFactor, TabularCPD
        from pgmpy.inference import VariableElimination
        from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork
    except ImportError as error:
        skip(f"there is no pgmpy: {error}")
    else:
        names = {"a": ["x", "y", "z"], "b": ["no", "yes"], "c": ["low", "high"]}
        net = DiscreteBayesianNetwork([("a", "b"), ("c", "b")])
        net.add_cpds(TabularCPD("a", 3, [[0.2], [0.3], [0.5]], state_names={"a": names["a"]}), TabularCPD("c", 2, [[0.4], [0.6]], state_names={"c": ["low", "high"]}),
                     TabularCPD("b", 2, [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]], ["a", "c"], [3, 2],
                                state_names={"b": ["no", "yes"], "a": ["z", "x", "y"], "c": ["high", "low"]}))
        graph = lbp.FactorGraph.from_pgmpy(net)
        check("pgmpy: log Z of a Bayesian network", abs(graph.log_z().value) < 1e-12 and set(graph.names) == {"a", "b", "c"})
        # P(b = no | a, c): a is z, x, y and c high, low, the last fastest
        no = {(a, c): [0.1, 0.2, 0.3, 0.4, 0.5, 0.6][2 * "zxy".index(a) + ["high", "low"].index(c)] for a in "xyz" for c in ("low", "high")}
        prior = {"x": 0.2, "y": 0.3, "z": 0.5, "low": 0.4, "high": 0.6}
        exact = np.array([sum(no[a, c] * prior[a] * prior[c] for c in ("low", "high")) for a in "xyz"])
        found = graph.condition({"b": "no"}).marginals().probability[graph.site("a")]
        check("pgmpy: states in other orders", np.allclose(found, exact / exact.sum(), atol=1e-12))
        markov = DiscreteMarkovNetwork([("u", "v"), ("v", 3)])
        rng = np.random.default_rng(6)
        markov.add_factors(DiscreteFactor(["v", "u"], [2, 3], rng.random(6)), DiscreteFactor([3, "v"], [4, 2], rng.random(8)))
        graph = lbp.FactorGraph.from_pgmpy(markov).condition({"u": 2})
        query = VariableElimination(markov).query([3], evidence={"u": 2}, show_progress=False)
        check("pgmpy: a Markov network", np.allclose(graph.marginals().probability[graph.site(3)], query.values / query.values.sum(), atol=1e-9))
        run = graph.run(draws=20)
        check("pgmpy: a run's sites", run.sites == [str(name) for name in graph.names])
    try:
        import pyagrum
    except ImportError:
        return skip("there is no pyagrum")
    for model in (pyagrum.fastBN("a{x|y|z}->b[2];c[4]->b->d[3]"), pyagrum.fastMRF("a{x|y|z}--b[2]--c[4];c--d[3]")):
        graph = lbp.FactorGraph.from_pyagrum(model)
        infer = pyagrum.LazyPropagation(model) if hasattr(model, "cpt") else pyagrum.ShaferShenoyMRFInference(model)
        infer.setEvidence({"a": "y"})
        infer.makeInference()
        found = graph.condition({"a": "y"}).marginals().probability
        check(f"pyAgrum: {type(model).__name__}", all(np.allclose(found[graph.site(v)], infer.posterior(v).toarray(), atol=1e-9) for v in "bcd"))


def package():
    """The wheel, without the repository, in another folder."""
    try:
        import hatchling  # noqa: F401
    except ImportError:
        return skip("there is no hatchling, which makes the package")
    with tempfile.TemporaryDirectory() as at:
        subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", at, ROOT], check=True)
        wheel = os.listdir(at)
        check(f"the wheel: {wheel}", wheel == [f"lbp-{lbp.__version__}-py3-none-any.whl"])
        shutil.unpack_archive(os.path.join(at, wheel[0]), os.path.join(at, "site"), "zip")
        own = {**os.environ, "PYTHONPATH": os.path.join(at, "site")}
        done = subprocess.run([sys.executable, "-m", "lbp"], cwd=at, env=own, capture_output=True, text=True, check=False)
        check(f"python -m lbp: {done.stdout}{done.stderr}", done.returncode == 0 and f"headers in {at}" in done.stdout and
              "self-test: passed" in done.stdout)
    try:
        import mypy  # noqa: F401
    except ImportError:
        return skip("there is no mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", os.path.join(folder, "mypy")], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    check(f"mypy --strict: {done.stdout}", done.returncode == 0)


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
    init, step = field(h=np.linspace(-2, 2, 400)).sampling(parameter=20)
    start = init(np.zeros(400, int))

    def walk(key):
        state = start
        for k in range(300):
            state, _ = step((key, k), state)
        return state

    one = [walk(key) for key in range(4)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        several = list(pool.map(walk, range(4)))
    check("one function of steps in four threads", all(np.array_equal(a.position, b.position) and a.logdensity == b.logdensity
                                                       for a, b in zip(one, several)))
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


def garbage():
    """C's memory, of what is left at Python's exit and of what goes in cycles."""
    begin = f"""
import atexit, gc, sys, threading
import numpy as np
seen = dict(x=np.zeros(1))
atexit.register(lambda: print(seen["x"].mean()))  # before any model: it is called after whatever theirs call
sys.path.insert(0, {os.path.join(ROOT, "examples", "python")!r})
import lbp
field = lbp.compile({model_file("field")!r})
"""
    cycle = """
class Loop: pass
def once():
    it = Loop()
    it.me, it.model = it, field(h=np.full(50, 0.5))
    it.init, it.step = it.model.sampling(parameter=3)
    it.step(0, it.init(np.zeros(50, int)))
for k in range(20):
    once()
    gc.collect()
"""
    run = "threading.Thread(target=lambda: field(h=np.ones(400)).run(draws=10**12, seconds=60, keep=False), daemon=True).start()\n"
    for what, end in (("a view at the exit", "seen['x'] = field(h=np.ones(400)).run(draws=500).x\n"),
                      ("a thread at the exit", run + "threading.Event().wait(0.5)\n"), ("a cycle", cycle)):
        done = subprocess.run([sys.executable, "-c", begin + end], env={**os.environ, "MALLOC_PERTURB_": "165"}, capture_output=True, text=True,
                              check=False)
        check(f"{what}: status {done.returncode}: {done.stderr[-300:]}", done.returncode == 0 and done.stdout != "")


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
    for call, given, said in ((sampler.sample, {}, "sample takes a BinaryQuadraticModel, not dict; for Q as a dict use sample_qubo"),
                              (sampler.sample, dimod.ConstrainedQuadraticModel(), "make one by dimod.cqm_to_bqm"),
                              (sampler.sample_dqm, bqm, "sample_dqm takes a DiscreteQuadraticModel, not "),
                              (lbp.QUBO, bqm, "Q: a matrix or a dict is needed; for models of dimod use lbp.dimod.LbpSampler().sample")):
        refuses("dimod: another model", said, call, given)
    refuses("dimod: reads below 0", "num_reads: a whole number from 1, not -1", sampler.sample, bqm, num_reads=-1)
    refuses("dimod: half a sweep", "num_sweeps: a whole number from 1, not 0.5", sampler.sample, bqm, num_sweeps=0.5)
    for seed in (-1, 1.5, "x"):
        refuses("dimod: no seed", f"seed: a whole number from 0, not {seed!r}", sampler.sample, bqm, seed=seed)
    for ends in ((1,), "ab", (2, 1)):
        refuses("dimod: no range", "beta_range: ", sampler.sample, bqm, beta_range=ends)
    for schedule in ([3, 2, 1], [1, 1], [0, 1], "ab"):
        refuses("dimod: a schedule that does not rise", "beta_schedule: ", sampler.sample, bqm, beta_schedule_type="custom", beta_schedule=schedule)
    refuses("dimod: a checkpoint of reads by themselves", "checkpoint: with interrupt_function each read", sampler.sample, bqm,
            checkpoint=os.path.join(folder, "c"), interrupt_function=lambda: False)
    for biases, at in (({"a": np.nan}, "'a'"), ({"a": 0, "b": 1e13}, "'b'")):
        refuses("dimod: no finite bias", f"bqm: the bias of {at}, as of zeros and ones, is ", sampler.sample, dimod.BQM(biases, {}, 0, "BINARY"))
    refuses("dimod: no finite coupling", "bqm: the bias of 'b', 'a', as of zeros and ones, is inf", sampler.sample,
            dimod.BQM({}, {("a", "b"): np.inf}, 0, "SPIN"))
    refuses("dimod: another's name", "sweeps: there is no such option; the nearest: num_sweeps", sampler.sample, bqm, sweeps=5)
    check("dimod: nothing to do", len(sampler.sample(dimod.BQM("SPIN"))) == 1)
    check("dimod: one site", sampler.sample_ising({"a": 1}, {}).first.sample == {"a": -1})
    refuses("dimod: a range from 0", "beta_range: two inverse", sampler.sample_ising, {"a": 1}, {}, beta_range=(0, 5))
    refuses("dimod: states of no spins", "are -1 and 1, not 0", sampler.sample_ising, {0: 1, 1: 1}, {}, initial_states=[0, 10])
    refuses("dimod: a misspelt option", "sweep: there is no such option", sampler.sample_ising, {"a": 1}, {}, sweep=3)
    own = inspect.signature(sampler.sample).parameters
    check("dimod: all parameters", set(own) - {"bqm", "options"} < set(sampler.parameters) and "sampler" in sampler.parameters)
    few = sampler.sample(bqm, num_reads=9, num_sweeps=10, interrupt_function=lambda: True, seed=1)
    check("dimod: an interrupt function", len(few) == 1 and len(sampler.sample(bqm, num_reads=3, interrupt_function=lambda: False)) == 3)
    for seconds in (1, np.int64(1)):
        spent = sampler.sample(bqm, num_reads=4, seconds=seconds, interrupt_function=lambda: False).info["seconds"]
        check(f"dimod: seconds of all reads, with an interrupt function: {type(seconds).__name__}", spent < 2)
    refuses("dimod: too few states", "initial_states: 1, where num_reads is 3", sampler.sample, bqm, num_reads=3, num_sweeps=1,
            initial_states=found.first.sample, initial_states_generator="none")
    check("dimod: as many reads as states", len(sampler.sample(bqm, num_sweeps=1, initial_states=[dict(s) for s in found.samples(2)])) == 2)
    lowest = dimod.ExactSolver().sample(bqm).first.energy
    for more in (dict(beta_schedule_type="linear", beta_range=(0.1, 5), num_sweeps_per_beta=4), dict(randomize_order=True), dict(num_sweeps_per_beta=4),
                 dict(beta_schedule_type="custom", beta_schedule=np.geomspace(0.1, 5, 40), num_sweeps=None, num_sweeps_per_beta=5)):
        got = sampler.sample(bqm, **{"num_reads": 20, "num_sweeps": 200, "seed": 1, **more})
        check(f"dimod: {more}", abs(got.first.energy - lowest) < 1e-9 and got.info["num_sweeps"] == 200)
    refuses("dimod: no schedule", "beta_schedule_type: 'custom' needs", sampler.sample, bqm, beta_schedule_type="custom")
    refuses("dimod: another schedule", "beta_schedule_type: 'linear', ", sampler.sample, bqm, beta_schedule_type="square")
    for given, ours in (({"annealing.sweeps": 7}, "num_sweeps"), ({"annealing": {"sweeps": 7}}, "num_sweeps"),
                        ({"annealing.hot": 0.1, "beta_range": (1, 2)}, "beta_range"), ({"annealing": {"cold": 9}, "num_sweeps_per_beta": 2}, "beta_range"),
                        ({"tempering.ladder": [9, 4]}, "beta_schedule")):
        refuses(f"dimod: an option that a sample sets: {given}", f": of a sample this is {ours}", sampler.sample, bqm, **given)
    refuses("dimod: an option twice", "annealing.hot: it is given twice", sampler.sample, bqm, annealing={"hot": 1}, **{"annealing.hot": 2})
    hot = sampler.sample(bqm, annealing={"hot": 0.01}, seed=np.int64(1))
    check("dimod: an option of annealing", hot.info["beta_range"][0] == 0.01 and type(hot.info["seed"]) is int)
    held = np.zeros(12, int)
    held[3] = 1
    third = list(bqm.variables)[3]
    for seed in range(5):
        got = sampler.sample(bqm, num_sweeps=5, randomize_order=True, clamp=held, initial_states=found.first.sample, seed=seed)
        check("dimod: a clamped variable in any order", got.first.sample[third] == found.first.sample[third])
    spins = dimod.SampleSet.from_samples([{v: 2 * x - 1 for v, x in found.first.sample.items()}], "SPIN", 0)
    one, other = (sampler.sample(bqm, initial_states=begin, num_sweeps=1, seed=1) for begin in (spins, found.first.sample))
    check("dimod: initial states of the other kind", np.array_equal(one.record.sample, other.record.sample))
    check("dimod: an iterator of initial states", len(sampler.sample(bqm, num_sweeps=1, initial_states=(dict(s) for s in found.samples(2)))) == 2)
    check("dimod: no variables, and a seed", sampler.sample(dimod.BQM("SPIN"), seed=3).info["seed"] == 3)
    refuses("a site with too many neighbours", "site 0 has 70000 neighbours: at most 65536", lbp.QUBO, {(0, k): 1.0 for k in range(1, 70001)})
    refuses("dimod: no multiple", "num_sweeps_per_beta: 10 sweeps are no multiple of 3", sampler.sample, bqm, num_sweeps=10,
            num_sweeps_per_beta=3, beta_range=(1, 2))


def discrete():
    """dimod's discrete quadratic models."""
    try:
        import dimod
    except ImportError:
        return skip("there is no dimod")
    import lbp.dimod
    rng, dqm = np.random.default_rng(7), dimod.DiscreteQuadraticModel()
    cases = {"a": 3, "b": 2, "c": 4, "d": 3, "lone": 1}
    for name, count in cases.items():
        dqm.add_variable(count, name)
        dqm.set_linear(name, rng.normal(size=count))
    for u, v in (("a", "b"), ("c", "a"), ("d", "b"), ("d", "c")):
        dqm.set_quadratic(u, v, {(i, j): rng.normal() for i in range(cases[u]) for j in range(cases[v]) if rng.random() < 0.7})
    dqm.offset = 2.5
    sampler, exact = lbp.dimod.LbpSampler(), dimod.ExactDQMSolver().sample_dqm(dqm)
    for order in (None, ["d", "lone", "c", "b", "a"]):
        graph = lbp.dimod.discrete_model(dqm, order)
        states = exact.record.sample[:, [list(exact.variables).index(v) for v in order or dqm.variables]]
        init = graph.model.sampling(sampler="gibbs").init
        at = [init(x).logdensity for x in states]
        check("dimod, discrete: log pi is minus the energy", np.allclose(at, 2.5 - exact.record.energy, atol=1e-9))
    for more in ({}, {"randomize_order": True, "num_sweeps": 200}, {"sampler": "gibbs", "num_sweeps": 100}):
        found = sampler.sample_dqm(dqm, num_reads=10, seed=1, **more)
        check(f"dimod, discrete: the least energy, {more}", abs(found.first.energy - exact.first.energy) < 1e-9 and len(found) == 10)
        check("dimod, discrete: energies", np.allclose(found.record.energy, dqm.energies((found.record.sample, found.variables))))
    check("dimod, discrete: a seed decides", np.array_equal(sampler.sample_dqm(dqm, num_reads=3, num_sweeps=1, seed=4).record,
                                                            sampler.sample_dqm(dqm, num_reads=3, num_sweeps=1, seed=4).record))
    begun = sampler.sample_dqm(dqm, initial_states=exact.first.sample, num_sweeps=1, seed=1)
    check("dimod, discrete: initial states", begun.first.energy <= exact.first.energy + 1e-9)
    refuses("dimod, discrete: no case", "values of a DISCRETE model are 0 and 1, not 2", sampler.sample_dqm, dqm, initial_states={**exact.first.sample, "b": 2})
    check("dimod, discrete: nothing to do", len(sampler.sample_dqm(dimod.DiscreteQuadraticModel(), num_reads=2)) == 2)


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
    was = sys.argv
    for script in ("spin_glass", "selection", "maxcut"):
        sys.argv = [script, f"{script}.png"]
        runpy.run_path(os.path.join(ROOT, "examples", "python", script + ".py"), run_name="__main__")
        check(f"{script}.py draws its figure", os.path.getsize(f"{script}.png") > 5000)
    pathlib.Path("cut.txt").write_text("4 2\n1 2\n2 3 4\n", encoding="utf8")
    sys.argv = ["maxcut", "cut.png", "cut.txt"]
    known = runpy.run_path(os.path.join(ROOT, "examples", "python", "maxcut.py"), run_name="__main__")
    check("maxcut.py: edges without weights, and a site without edges", known["bqm"].num_variables == 4 and known["found"].first.energy == -5)
    os.chdir(here)
    sys.argv = was


def notebooks():
    """Those of examples/python, run again; and what they keep is small and of no machine."""
    folder_of = os.path.join(ROOT, "examples", "python")
    names = sorted(name for name in os.listdir(folder_of) if name.endswith(".ipynb"))
    check("there are notebooks", len(names) == 2)
    for name in names:
        text = pathlib.Path(folder_of, name).read_text(encoding="utf8")
        check(f"{name}: small", len(text) < 60000)
        check(f"{name}: no folder, warning or error in what it prints", not re.search(r'/home/|/root/|/tmp/|site-packages|"stderr"|"error"', text))
        check(f"{name}: run whole", '"execution_count": null' not in text and text.count('"image/png"') >= 1)
    try:
        import arviz  # noqa: F401
        import ipykernel  # noqa: F401
        import nbclient
        import nbformat
    except ImportError as error:
        return skip(f"notebooks are not run: {error}")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import lbp\nrun = lbp.Ising({(0, 1): 0.5}).run(draws=1000, progress=True)")])
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder_of}}).execute()
    outputs = [output for output in book.cells[0].outputs if output.output_type == "display_data"]
    check("progress in a notebook: one output", len(outputs) == 1 and "draw 1000/1000" in outputs[0]["data"]["text/plain"])
    for name in names:
        book = nbformat.read(os.path.join(folder_of, name), 4)
        try:
            nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder_of}}).execute()
            failure = ""
        except nbclient.exceptions.CellExecutionError as error:
            failure = str(error)
        check(f"{name}: {failure}", not failure and any("image/png" in output.get("data", {}) for cell in book.cells
                                                        for output in cell.get("outputs", [])))


parts = (same_draws, summaries, bad_input, no_option_in_vain, promises, law, interruption, pickles, compiling, ready_made, more_models, graphs, files, networks,
         package, threads, leaks, garbage, as_many_draws_as_sites, ecosystem, discrete, pages, notebooks)
for part in parts:
    if part.__name__ in sys.argv[3:] or not sys.argv[3:]:
        part()
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(failed > 0)
