"""Other people's samplers next to lbp's, at the same model, R and number of chains: a table (see README.md).

peers.py BUILD OUT [PEER...]: each of PEERS is installed into BUILD/peers/NAME, a virtual environment, unless it is
there; BUILD/bench/peers is lbp's program; OUT/peers.csv gets a line for each row, and is gone on with on the same
commit; OUT/peers.md is the table. Code that no registry has is taken from the folders that LBP_SCALE and DISCS name.
One thread, CPU time.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "common"))
from environment import install, made  # noqa: E402

NAME = "bench-peers"
SECONDS = 10  # of CPU time of a row of theirs, about, and as many in which they are watched; of ours a fifth
TABLE1 = ("bernoulli 800", "ising 50", "fhmm 1000", "rbm 400")  # each in configuration C2
SMALL = ("bernoulli 100", "ising 20")
INFORMED, SWEEPS = ("LBP", "GWG", "RWM"), ("Gibbs", "Metropolis")
LETTERS = {"bernoulli": "N", "ising": "p", "fhmm": "L", "rbm": "h"}
TUNED = {"LBP": "ALBP", "GWG": "AGWG", "RWM": "ARWM"}  # in reference.csv and paper.csv
STEPS = {"bernoulli 800": 10000, "ising 50": 40000, "fhmm 1000": 20000, "rbm 400": 40000}  # of the paper's times
# what is installed; which chains, models and samplers; the variable with the folder of the code, and its public address
PEERS = {
    "LBP_Scale": (["torch", "numpy"], 100, TABLE1, INFORMED, "LBP_SCALE", "https://github.com/ha0ransun/LBP_Scale"),
    "DISCS": (["jax==0.4.30", "jaxlib==0.4.30", "flax", "ml_collections", "numpy<2"], 100,
              ("bernoulli 800", "ising 50", "rbm 400"), INFORMED, "DISCS", "https://github.com/google-research/discs"),
    "NumPyro": (["numpyro"], 100, SMALL, SWEEPS, None, None),
    "PyMC": (["pymc"], 10, SMALL, ("Metropolis", "RWM"), None, None),
    "dwave-samplers": (["dwave-samplers"], 100, ("ising 20", "ising 50"), SWEEPS, None, None),
    "OpenJij": (["openjij"], 10, ("ising 20", "ising 50"), ("Metropolis",), None, None)}
KEY = ["peer", "model", "sampler", "R", "chains", "source"]
OURS = ["us", "ejd", "ejd_se", "acceptance", "acceptance_se"]
LAW = ["ones", "ones_se", "law", "law_se"]
HEAD = KEY + ["version", *OURS[:3], *LAW, *("lbp_" + name for name in OURS[:3] + LAW)]


def rows_of(path):
    """Rows of a CSV by their first columns."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def figure(file, model, sampler, column):
    """Of reference.csv or paper.csv, with the weight t/(1+t)."""
    kind, extent = model.split()
    key = kind, "C2", f"{LETTERS[kind]}={extent}", TUNED[sampler], "" if sampler == "RWM" else "t/(1+t)"
    for row in rows_of(os.path.join("bench", "data", file)):
        if tuple(row[name] for name in ("model", "config", "size", "sampler", "weight")) == key:
            return float(row[column])
    raise LookupError(f"{file}: {model} {sampler}")


def settings(model, samplers):
    """With R the odd number next to what the reference tunes it to: an even one keeps the parity of all ones."""
    return [s if s in SWEEPS else f"{s}:{int(figure('reference.csv', model, s, 'R') / 2) * 2 + 1}" for s in samplers]


def ours(program, model, chains, states, wanted):
    """The law's means, and a row for each setting."""
    command = [program, *model.split(), "2", str(chains), str(SECONDS / 5), states, *wanted]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    law = dict(zip(LAW, map(float, lines[0].split(",")[1:])))
    return law, {setting: dict(zip(OURS, map(float, line.split(",")[2:]))) for setting, line in zip(wanted, lines[1:])}


def theirs(python, peer, folder, model, chains, states, wanted):
    """Rows as JSON, as they come; or says why there are none."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "theirs.py")
    command = [python, "-W", "ignore", script, peer, folder, *model.split(), "2", str(chains), str(SECONDS), states]
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen([*command, *wanted], stdout=subprocess.PIPE, stderr=errors, text=True) as program:
            for line in program.stdout:
                if line.startswith("{"):  # it may print lines of its own
                    yield json.loads(line)
        errors.seek(0)
        why = errors.read().strip().splitlines()
    if program.returncode:
        print(f"{NAME}: {peer} can't be run on {model}: {why[-1] if why else 'it failed'}")


def published(model, setting):
    """The paper's own row: its time, of all steps of 100 chains, is a GPU's."""
    sampler = setting.split(":")[0]
    seconds, ejd = (figure("paper.csv", model, sampler, "paper_" + name) for name in ("seconds", "ejd"))
    return {"sampler": setting, "version": "Sun et al. 2022", "us": 1e6 * seconds / STEPS[model] / 100, "ejd": ejd}


def apart(row, name):
    """How many standard errors theirs and ours are apart."""
    if not row[name]:
        return "-"
    a, b, a_se, b_se = (float(row[key]) for key in (name, "lbp_" + name, name + "_se", f"lbp_{name}_se"))
    return f"{(a - b) / (a_se**2 + b_se**2) ** 0.5:.1f}"


def table(rows):
    def value(row, name):
        if not row[name]:
            return "-"
        error = row.get(name + "_se")
        return f"{float(row[name]):.4g}" + (f" +- {float(error):.1g}" if error else "")
    head = "peer|version|model|sampler|R|chains|us|EJD|lbp: us|lbp: EJD|times|ones apart|log pi apart".split("|")
    yield f"| {' | '.join(head)} |\n|{'---|' * 4}{'---:|' * 9}"
    for row in rows:
        peer = row["peer"] + (", published" if row["source"] == "published" else "")
        yield (f"| {peer} | {row['version']} | {row['model']} C2 | {row['sampler']} | {row['R'] or 'sweep'} | "
               f"{row['chains']} | {' | '.join(value(row, name) for name in ('us', 'ejd', 'lbp_us', 'lbp_ejd'))} | "
               f"{float(row['us']) / float(row['lbp_us']):.3g} | {apart(row, 'ones')} | {apart(row, 'law')} |")
    yield """
Microseconds of CPU time of a step of a chain, expected jump distance of a step; times: theirs over ours. Apart: theirs
less ours, in standard errors, of the share of ones and of log pi; beyond 4 it is another law. More:
bench/compare/peers/README.md. Again: make bench-peers LBP_SCALE=folder DISCS=folder"""


def plan(build, rows, peers):
    """What there is to do: (peer, python, folder, model, settings to measure, settings that were published)."""
    known = {tuple(row[name] for name in KEY) for row in rows}
    for peer in peers:
        packages, chains, models, samplers, variable, address = PEERS[peer]
        folder = os.environ.get(variable, "") if variable else "-"
        python = install(os.path.join(build, "peers", peer), packages, NAME, "torch" in packages) if folder else None
        if not folder:
            print(f"{NAME}: {peer} is not run: {variable}= is to name a folder with the code of {address}")
        for model in models:
            def new(source):
                return [s for s in settings(model, samplers)
                        if (peer, model, *s.partition(":")[::2], str(chains), source) not in known]
            yield (peer, python, folder, model, new("measured") if python else [],
                   new("published") if peer == "LBP_Scale" else [])


def line_of(peer, model, source, row, law, mine):
    sampler, _, R = row["sampler"].partition(":")
    own = {"lbp_" + name: value for name, value in {**law, **mine}.items()}
    line = {**row, **own, "peer": peer, "model": model, "sampler": sampler, "R": R, "chains": PEERS[peer][1],
            "source": source}
    return {name: f"{v:.6g}" if isinstance(v, float) else v for name, v in line.items()}


def main(build, out, peers):
    os.makedirs(out, exist_ok=True)
    path, states = os.path.join(out, "peers.csv"), os.path.join(out, "states")
    if os.path.exists(path):  # made elsewhere, or of another commit: but for the day it is to be the same
        with open(path, encoding="utf-8") as file:
            if file.readline()[2:].rpartition(";")[0] != made().rpartition(";")[0]:
                os.replace(path, path + ".old")
    work = list(plan(build, rows_of(path), peers))
    left, begin, done = sum(len(measured) for *_, measured, _ in work), time.monotonic(), 0
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"# {made()}\n" + ",".join(HEAD) + "\n")
    for peer, python, folder, model, measured, printed in work:
        if not measured and not printed:
            continue
        chains, wanted = PEERS[peer][1], list(dict.fromkeys(measured + printed))
        law, mine = ours(os.path.join(build, "bench", "peers"), model, chains, states, wanted)
        sources = {"published": (published(model, setting) for setting in printed)}
        if measured:
            sources["measured"] = theirs(python, peer, folder, model, chains, states, measured)
        for source, rows in sources.items():
            for row in rows:
                line = line_of(peer, model, source, row, law if source == "measured" else {}, mine[row["sampler"]])
                with open(path, "a", encoding="utf-8", newline="") as file:
                    csv.DictWriter(file, HEAD, extrasaction="ignore", lineterminator="\n").writerow(line)
                done += source == "measured"
                more = (time.monotonic() - begin) / max(1, done) * (left - done)
                print(f"{peer} {source}, {model} {row['sampler']}: {row['us']:.4g} us, EJD {row['ejd']:.4g}; lbp "
                      f"{line['lbp_us']} us, EJD {line['lbp_ejd']}; some {more / 60:.0f} min left", flush=True)
    with open(path, encoding="utf-8") as file:
        text = f"`make bench-peers`. {file.readline()[2:]}\n" + "\n".join(table(rows_of(path))) + "\n"
    with open(os.path.join(out, "peers.md"), "w", encoding="utf-8") as file:
        file.write(text)
    if os.path.exists(states):
        os.remove(states)
    print(text, end="")


if __name__ == "__main__":
    if len(sys.argv) < 3 or any(peer not in PEERS for peer in sys.argv[3:]):
        sys.exit(__doc__)
    os.environ["OMP_NUM_THREADS"] = "1"
    main(sys.argv[1], sys.argv[2], sys.argv[3:] or list(PEERS))
