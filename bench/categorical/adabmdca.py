"""Training of a Potts model on a protein and an RNA family by adabmDCA (PyTorch), next to examples/protein.c.

adabmdca.py FOLDER ALIGNMENTS MINUTES PROTEIN: installs adabmDCA into FOLDER, a virtual environment, unless it is there;
ALIGNMENTS is the folder of PF00014.txt.gz and RF00379.fasta.gz; each training has MINUTES; PROTEIN is the program that
examples/protein.c makes. adabmDCA's settings are its own, once as they are and once with CHAINS chains.
"""
import gzip
import os
import resource
import subprocess
import sys
import time

CHAINS, LETTERS, GOALS = 1000, "ACDEFGHIKLMNPQRSTVWY-", (0.9, 0.95)
FAMILIES = (("PF00014", "PF00014.txt.gz"), ("RF00379", "RF00379.fasta.gz"))
NAME = "bench-categorical-others"


def install(folder):
    """The program in a virtual environment that has it; or says why not, and ends."""
    program = os.path.join(folder, "bin", "adabmDCA")
    python = os.path.join(folder, "bin", "python")
    for command, made in (([sys.executable, "-m", "venv", folder], python),
                          ([python, "-m", "pip", "install", "-q", "adabmDCA"], program)):
        if os.path.exists(made):
            continue
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
            why = (done.stderr.strip() or "it failed").splitlines()[-1] if done.returncode else ""
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error)
        if why:
            print(f"{NAME}: adabmDCA can't be installed here: {why}")
            sys.exit(0)
    return program


def versions(folder):
    """Of what is in the virtual environment."""
    code = "from importlib.metadata import version as v; print(f'adabmDCA {v(\"adabmDCA\")}, PyTorch {v(\"torch\")}')"
    done = subprocess.run([os.path.join(folder, "bin", "python"), "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "adabmDCA"


def write_fasta(source, path):
    with gzip.open(source, "rt") as text, open(path, "w", encoding="ascii") as out:
        if source.endswith(".fasta.gz"):
            out.write(text.read())
            return
        text.readline()
        for k, line in enumerate(text):
            out.write(f">{k}\n{''.join(LETTERS[int(v)] for v in line.split())}\n")


def core_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def follow(command, minutes, rows_of, out):
    """Runs a program for so long at most; (rows of (seconds, correlation), cores that it had)."""
    before, begin = core_seconds(), time.monotonic()
    with open(out, "w", encoding="utf-8") as to, subprocess.Popen(command, stdout=to, stderr=subprocess.STDOUT) as program:
        while program.poll() is None and time.monotonic() - begin < 60 * minutes:
            time.sleep(0.2)
            if sys.stderr.isatty():
                print(f"\r{command[0].split('/')[-1]}: {time.monotonic() - begin:.0f} s of at most {60 * minutes:.0f} ", end="",
                      file=sys.stderr, flush=True)
        ended = program.poll()
        wall = time.monotonic() - begin
        if ended is None:
            program.terminate()
    if sys.stderr.isatty():
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    rows = rows_of()
    if ended and not rows:
        with open(out, encoding="utf-8") as text:
            print(f"{NAME}: {' '.join(command)} ended with {ended}: {(text.read().strip() or '?').splitlines()[-1]}")
    return rows, (core_seconds() - before) / wall


def rows_of_log(folder):
    """Of adabmDCA's log: (seconds, correlation, steps so far)."""
    rows, columns = [], None
    path = os.path.join(folder, "adabmDCA.log")
    if os.path.exists(path):
        for line in open(path, encoding="utf-8"):
            words = line.split()
            if words[:1] == ["Step"]:
                columns = words
            elif columns and len(words) == len(columns):
                rows.append((float(words[columns.index("Elapsed_s")]), float(words[columns.index("Pearson")]),
                             int(words[columns.index("Grad_steps")])))
    return rows


def rows_of_ours(path):
    rows = []
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if len(words) == 5 and words[1] == "s" and words[3] == "steps":
            rows.append((float(words[0]), float(words[4]), int(words[2])))
    return rows


def tell(name, rows, cores):
    if not rows:
        return
    reached = []
    for goal in GOALS:
        when = [seconds for seconds, pearson, _ in rows if pearson >= goal]
        reached.append(f"{goal} " + (f"in {when[0]:.4g} s" if when else "not reached"))
    print(f"  {name:34}{rows[-1][0]:8.1f} s{cores:6.2f} cores{rows[-1][2]:7} steps   {', '.join(reached)}; best "
          f"{max(r[1] for r in rows):.4f}, last {rows[-1][1]:.4f}", flush=True)


def main(folder, alignments, minutes, ours):
    alignments = alignments or "../shared/data/alignments"
    families = [(name, os.path.join(alignments, path)) for name, path in FAMILIES]
    for _, path in families:
        if not os.path.exists(path):
            print(f"{NAME}: {path} is not there (ALIGNMENTS is its folder)")
            return
    program = install(os.path.abspath(folder))
    work = os.path.join(os.path.abspath(folder), "lbp")
    os.makedirs(work, exist_ok=True)
    print(f"{versions(folder)}: correlation of pair frequencies in training, {minutes:g} minutes at most; time to "
          f"{GOALS[0]}, {GOALS[1]}")
    for name, path in families:
        fasta = os.path.join(work, name + ".fasta")
        write_fasta(path, fasta)
        text = os.path.join(work, name + ".txt")
        rows, cores = follow([ours, fasta], minutes, lambda: rows_of_ours(text), text)
        tell(f"{name}, examples/protein.c", rows, cores)
        for label, options in (("as it is", []), (f"{CHAINS} chains", ["--nchains", str(CHAINS)])):
            to = os.path.join(work, f"{name}-{len(options)}")
            log = os.path.join(to, "adabmDCA.log")
            if os.path.exists(log):
                os.remove(log)
            command = [program, "train", "-m", "bmDCA", "-d", fasta, "-o", to, "--device", "cpu", "--no-progress"]
            rows, cores = follow(command + options, minutes, lambda: rows_of_log(to), os.path.join(work, "adabmDCA.out"))
            tell(f"{name}, adabmDCA, {label}", rows, cores)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("usage: adabmdca.py FOLDER ALIGNMENTS MINUTES PROTEIN")
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4])
