"""Writes networks as UAI files with evidence and exact answers by pyAgrum: python3 networks.py TO FILE.bif[.gz] ...

Each FILE becomes TO/NAME.uai, .uai.evid (one site in ten is observed, with a value that the network itself drew, seed
1), .uai.MAR and .uai.PR. What pyAgrum can't read or solve is left out with a line. pgmpy's package brings such files,
in pgmpy/utils/example_models.
"""
import gzip
import math
import pathlib
import random
import sys

import pyagrum as gum


def table_of(network, site):
    """P(site | its parents): the sites, parents first, and its cells with the last site fastest."""
    cpt = network.cpt(site)
    node, *parents = cpt.names
    order = [*parents, node]
    cells, at = [], gum.Instantiation()
    for name in reversed(order):  # pyAgrum's first variable is the fastest
        at.add(network.variable(name))
    at.setFirst()
    while not at.end():
        cells.append(cpt[at])
        at.inc()
    return [network.idFromName(name) for name in order], cells


def write(path, text):
    path.write_text(text, encoding="ascii")


def convert(bif, to):
    """Writes one network; returns a line about it."""
    name = pathlib.Path(bif).name.split(".")[0]
    text = gzip.open(bif, "rt").read() if bif.endswith(".gz") else open(bif).read()
    plain = to / f"{name}.bif"
    write(plain, text)
    network = gum.loadBN(str(plain))
    plain.unlink()
    n = network.size()
    if sorted(network.nodes()) != list(range(n)):
        return f"{name}: left out: its sites have no numbers 0 to {n - 1}"
    values = [network.variable(i).domainSize() for i in range(n)]
    tables = [table_of(network, i) for i in range(n)]
    lines = ["BAYES", str(n), " ".join(map(str, values)), str(n)]
    lines += [f"{len(sites)} " + " ".join(map(str, sites)) for sites, _ in tables]
    for _, cells in tables:
        lines += ["", str(len(cells)), " ".join(f"{cell:.17g}" for cell in cells)]

    dice, drawn = random.Random(1), {}
    for i in network.topologicalOrder():
        at = network.cpt(i)[{network.variable(p).name(): drawn[p] for p in network.parents(i)}]
        drawn[i] = dice.choices(range(values[i]), weights=list(at))[0]
    seen = sorted(dice.sample(range(n), max(1, n // 10)))

    engine = gum.LazyPropagation(network)
    engine.setEvidence({network.variable(i).name(): drawn[i] for i in seen})
    engine.makeInference()
    posteriors = [engine.posterior(i).tolist() for i in range(n)]
    marginals = " ".join(f"{len(p)} " + " ".join(f"{cell:.12g}" for cell in p) for p in posteriors)
    write(to / f"{name}.uai", "\n".join(lines) + "\n")
    write(to / f"{name}.uai.evid", f"{len(seen)} " + " ".join(f"{i} {drawn[i]}" for i in seen) + "\n")
    write(to / f"{name}.uai.MAR", f"MAR\n{n} {marginals}\n")
    write(to / f"{name}.uai.PR", f"PR\n{math.log10(engine.evidenceProbability()):.12g}\n")
    return f"{name}: {n} sites of up to {max(values)} values, {len(seen)} observed"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for file in sys.argv[2:]:
        try:
            print(convert(file, folder), flush=True)
        except gum.GumException as error:
            print(f"{file}: left out: {str(error).splitlines()[0]}", flush=True)
