"""The papers' models, as bench/data has them, and how a peer is measured on one."""
import os
import time

import numpy as np

DATA = os.path.join("bench", "data")
BLOCKS, ROUNDS = 5, 20


class Model:
    """model.law(x): log pi of the states in x, chains x n, as lbp_models.h has it."""

    def __init__(self, kind, extent, config):
        self.kind, self.extent, self.config = kind, extent, config
        if kind == "rbm":
            return self.read_rbm(os.path.join(DATA, f"rbm_{extent}.bin"))
        letter = {"bernoulli": "N", "ising": "p", "fhmm": "L"}[kind]
        numbers = np.loadtxt(os.path.join(DATA, f"{kind}_{letter}{extent}_C{config}.txt"))
        if kind == "bernoulli":
            self.logit = np.log(numbers / (1 - numbers))
        elif kind == "ising":
            self.alpha, self.coupling = numbers.reshape(extent, extent), 0.05 + 0.05 * config
        else:
            self.W, self.b, self.Y, self.variance = numbers[:5], numbers[5], numbers[6:], 4 * 0.5**config
        self.n = {"bernoulli": extent, "ising": extent * extent, "fhmm": 5 * extent}[kind]

    def read_rbm(self, path):
        with open(path, "rb") as file:
            head, rest = file.read(24), file.read()
        self.n, hidden, scale = np.frombuffer(head, "<i4", offset=12)
        numbers = np.frombuffer(rest[:-8], "<i2").astype(float) * 0.5 ** float(scale)
        self.W, self.b, self.c = np.split(numbers, [self.n * hidden, self.n * hidden + self.n])
        self.W = self.W.reshape(self.n, hidden)

    def law(self, x):
        x = x.astype(float)
        if self.kind == "bernoulli":
            return x @ self.logit - np.logaddexp(0, self.logit).sum()
        if self.kind == "rbm":
            return x @ self.b + np.logaddexp(0, x @ self.W + self.c).sum(axis=1)
        if self.kind == "ising":
            s = 2 * x.reshape(-1, self.extent, self.extent) - 1
            pairs = (s[:, 1:] * s[:, :-1]).sum(axis=(1, 2)) + (s[:, :, 1:] * s[:, :, :-1]).sum(axis=(1, 2))
            return (s * self.alpha).sum(axis=(1, 2)) + self.coupling * pairs
        x = x.reshape(-1, self.extent, 5)  # LBP_FHMM_AS_RUN
        left = self.Y - x @ self.W - self.b
        changes = (x[:, 1:] != x[:, :-1]).sum(axis=(1, 2))
        return np.log(9) * x[:, 0].sum(axis=1) - 0.2 * changes - (left**2).sum(axis=1) / (2 * self.variance)


def timed(act, *arguments):
    begin = time.process_time()
    act(*arguments)
    return time.process_time() - begin


def over_chains(values):
    return values.mean(), values.std(ddof=1) / len(values) ** 0.5


def pace(advance, count):
    """CPU seconds of a step: the difference between calls is free of what a call costs by itself."""
    return max(1e-12, (timed(advance, 3 * count, False) - timed(advance, count, False)) / (2 * count))


def measure(model, chains, seconds, advance, states):
    """Figures of a row. advance(count, watch) takes so many steps of all chains and, if it is to watch, returns how
    many sites each chain has changed in them, step by step; states() is where they are now. What is compiled in the
    first calls does not count."""
    for watch in (True, False):
        advance(1, watch)
    count = 1
    while 2 * count * pace(advance, count) < 0.02 * seconds:
        count *= 2
    count = max(1, int(seconds / BLOCKS / 4 / pace(advance, count)))
    spent = sorted(pace(advance, count) for _ in range(BLOCKS))[BLOCKS // 2]
    each = max(1, min(count, int(seconds / ROUNDS / max(1e-9, timed(advance, 1, True)))))
    jumps, ones, law = np.zeros(chains), np.zeros(chains), np.zeros(chains)
    for _ in range(ROUNDS):
        advance(max(1, count // BLOCKS), False)
        jumps += advance(each, True) / (each * ROUNDS)
        x = states()
        ones += x.mean(axis=1) / ROUNDS
        law += model.law(x) / ROUNDS
    row = {"us": 1e6 * spent / chains, "watched": each * ROUNDS}
    for name, values in (("ejd", jumps), ("ones", ones), ("law", law)):
        row[name], row[name + "_se"] = over_chains(values)
    return row
