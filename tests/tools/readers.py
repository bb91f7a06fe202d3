# Reads files of draws by Python's readers: readers.py PREFIX TABLE N CSV... where PREFIX_K_states.npy may be there too.
# Prints a line per check, then the sum; packages that aren't there are skipped.
import importlib
import json
import os
import struct
import sys

prefix, table, n, files = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
passed = failed = skipped = 0


def check(what, good):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(("ok: " if good else "FAILED: ") + what)


def have(package):
    global skipped
    try:
        return importlib.import_module(package)
    except ImportError:
        skipped += 1
        print("skipped: Python has no package " + package)


ours = {line.split()[0]: line.split()[1:] for line in open(table)}
rows = [[line for line in open(f) if not line.startswith("#")] for f in files]
names = rows[0][0].strip().split(",")
draws = [[[float(v) for v in line.split(",")] for line in chain[1:]] for chain in rows]

cmdstanpy = have("cmdstanpy")
if cmdstanpy:
    fit = cmdstanpy.from_csv(files)
    check("cmdstanpy reads all draws", fit.draws().shape == (len(draws[0]), len(files), len(names)))
    check("cmdstanpy has our numbers", all(fit.draws()[d, c, names.index("ones")] == draws[c][d][names.index("ones")]
                                           for c in range(len(files)) for d in range(len(draws[0]))))
    check("cmdstanpy knows how R was tuned", list(fit.step_size) == [float(
        next(line for line in open(f) if "Step size" in line).split("=")[1]) for f in files])
arviz = have("arviz")
if arviz and cmdstanpy:
    data = arviz.from_cmdstanpy(fit)
    check("arviz reads all draws", data.posterior["ones"].shape == (len(files), len(draws[0])))
    rhat = float(arviz.rhat(data, var_names=["ones"])["ones"])
    check("arviz's R-hat is ours: %.6f" % rhat, abs(rhat - float(ours["ones"][6])) < 1e-6)
    bulk = float(arviz.ess(data, var_names=["ones"], method="bulk")["ones"])
    check("arviz's bulk ESS is ours: %.2f" % bulk, abs(bulk / float(ours["ones"][7]) - 1) < 1e-3)
numpy = have("numpy")
if numpy and os.path.exists(prefix + "_1_states.npy"):
    for k in range(len(files)):
        packed = numpy.load("%s_%d_states.npy" % (prefix, k + 1))
        states = numpy.unpackbits(packed, axis=1)[:, :n]
        column = [row[names.index("ones")] for row in draws[k]]
        check("numpy's states of chain %d" % (k + 1), states.shape == (len(column), n) and
              list(states.sum(axis=1)) == column)

def members(pairs):
    check.twice = check.twice or len({k for k, _ in pairs}) != len(pairs)
    return dict(pairs)


check.twice = False
config, metric = (json.load(open("%s_%s.json" % (prefix, name)), object_pairs_hook=members,
                            parse_constant=lambda word: check("%s is no JSON" % word, False)) for name in ("config", "metric"))
head = {line.split("=")[0].strip("# "): line.split("=")[1].split()[0] for line in open(files[0]) if line.startswith("#") and "=" in line}
check("json: no name twice", not check.twice)
check("json: the options of the CSV's head", config["options"]["seed"] == int(head["seed"]) and config["n"] == n and
      config["options"]["warmup"] == int(head["num_warmup"]) and config["draws"] == len(draws[0]) and
      config["sampler"] == metric["sampler"] == head["algorithm"] and config["options"]["chains"] == len(files))
check("json: times", config["start_datetime"] <= config["end_datetime"] and config["ended"] == "complete")
check("json: how R was tuned", all(abs(it["stepsize"] - float(
    next(line for line in open(f) if "Step size" in line).split("=")[1])) < 1e-6 * it["stepsize"] for it, f in zip(metric["chains"], files)))
hashed, prime = 0xcbf29ce484222325, 0x100000001b3
for v in [metric["fixed"] or 0] + (metric["ladder"] or []) + [w for it in metric["chains"] for w in it["tuner"]]:
    hashed = (hashed ^ struct.unpack("<Q", struct.pack("<d", v))[0]) * prime % 2**64
check("json: the checksum of numbers read back", metric["checksum"] == "%016x" % hashed)
print("%d passed, %d failed%s" % (passed, failed, ", %d skipped" % skipped if skipped else ""))
sys.exit(failed > 0)
