"""python -m lbp: version, compiler, and a self-test of a few seconds, by an exact answer. Status 0: all is well."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import numpy as np

import lbp


def main() -> int:
    """Print the versions and folders of the installation, and test it."""
    print(f"lbp {lbp.__version__}, headers in {lbp.include()}")
    command = os.environ.get("CC") or "cc"
    path = shutil.which(command.split()[0])
    if path is None:
        print(f"compiler: none: there is no {command}; install gcc or clang, or set CC")
        return 1
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()
    print(f"compiler {path}: {told[0] if told else 'unknown'}")
    print(f"compiled models in {lbp.cache_folder()}")
    begun = time.monotonic()
    J = np.diag([0.5, -0.3, 0.2], 1)
    h = np.array([0.1, 0.4, -0.2, 0.3])
    try:
        model = lbp.Ising(J, h)
        compiled = time.monotonic() - begun
        spins = model.spins(model.run(draws=20000, seed=1).x).reshape(-1, 4)
    except lbp.LbpError as error:
        print(f"self-test: FAILED: {error}")
        return 1
    states = 2 * (np.arange(16)[:, None] >> np.arange(4) & 1) - 1
    weights = np.exp(((states @ J) * states).sum(1) + states @ h)
    exact = weights @ states / weights.sum()
    apart = float(np.abs(spins.mean(0) - exact).max())
    print(f"self-test: {'passed' if apart < 0.05 else 'FAILED'}: mean spins within {apart:.4f} of the exact ones; a model is compiled and "
          f"loaded in {compiled:.2f} s")
    return int(apart >= 0.05)


if __name__ == "__main__":
    sys.exit(main())
