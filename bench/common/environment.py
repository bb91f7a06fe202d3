"""Virtual environments for other people's software."""
import os
import subprocess
import sys


def install(folder, packages, name):
    """The interpreter of a virtual environment in the folder that has these packages; or says why not: None. What
    the interpreter that makes it has already is taken from there."""
    python = os.path.join(os.path.abspath(folder), "bin", "python")
    done = os.path.join(folder, "installed")
    commands = [] if os.path.exists(python) else [[sys.executable, "-m", "venv", "--system-site-packages", folder]]
    if not os.path.exists(done):
        commands.append([python, "-m", "pip", "--no-cache-dir", "install", "-q", *packages])
    for command in commands:
        try:
            made = subprocess.run(command, capture_output=True, text=True, timeout=3600)
            why = (made.stderr.strip() or "it failed").splitlines()[-1] if made.returncode else ""
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error)
        if why:
            print(f"{name}: {', '.join(packages)} can't be installed here: {why}")
            return None
    with open(done, "w", encoding="utf-8") as file:
        file.write("\n".join(packages) + "\n")
    return python
