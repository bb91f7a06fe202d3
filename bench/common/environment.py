"""Virtual environments for other people's software, the head of a file of its figures, and lbp's figures next to them."""
import csv
import os
import subprocess
import sys


def install(folder, packages, name, inherit=False):
    """The interpreter of a virtual environment in the folder that has these packages; or says why not: None. inherit:
    what the interpreter that makes the environment has already is taken from there."""
    python = os.path.join(os.path.abspath(folder), "bin", "python")
    record = os.path.join(folder, "installed.txt")
    have = open(record, encoding="utf-8").read().split("\n") if os.path.exists(record) else []
    wanted = [package for package in packages if package not in have]
    commands = []
    if not os.path.exists(python):
        commands.append([sys.executable, "-m", "venv", *["--system-site-packages"] * inherit, folder])
    if wanted:
        commands.append([python, "-m", "pip", "--no-cache-dir", "install", "-q", *wanted])
    for command in commands:
        try:
            made = subprocess.run(command, capture_output=True, text=True, timeout=3600)
            why = (made.stderr.strip() or "it failed").splitlines()[-1] if made.returncode else ""
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error)
        if why:
            print(f"{name}: {', '.join(wanted)} can't be installed here: {why}", flush=True)
            return None
    with open(record, "a", encoding="utf-8") as file:
        file.writelines(package + "\n" for package in wanted)
    return python


def made():
    """Of which version, on which machine and when figures are made."""
    command = ["sh", "bench/common/made.sh", "CPython " + sys.version.split()[0]]
    return subprocess.check_output(command, text=True).strip()


def ours(path, name, target):
    """Rows of lbp's own file, which is to be of this processor, and of what it is; or says why there are none: []."""
    if not os.path.exists(path):
        print(f"{name}: {path} is not there: make {target}")
        return []
    with open(path, encoding="utf-8") as file:
        head, *lines = file
    its, here = head.split("; ")[1], made().split("; ")[1]
    if its != here:
        print(f"{name}: {path} is of another processor, {its}, and this is {here}: make {target}")
        return []
    print(f"  lbp's rows: {head[2:].strip()}")
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))
