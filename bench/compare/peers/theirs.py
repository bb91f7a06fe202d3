"""Other people's samplers on the models of measure.py, one function for each.

theirs.py PEER CHECKOUT MODEL EXTENT CONFIG CHAINS SECONDS STATES SAMPLER:R ... prints a line of JSON for each sampler.
peers.py runs it where the peer is installed.
"""
import contextlib
import io
import json
import os
import subprocess
import sys
import types
from importlib.metadata import version
from unittest.mock import MagicMock

import numpy as np
from measure import Model, measure

SEED = 1


def stand_in(*names):
    """For modules that a peer imports and does not use here."""
    for name in names:
        sys.modules[name] = MagicMock()


def commit(folder):
    command = ["git", "-C", folder, "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "no commit"


# Each of these takes (model, checkout) and returns its version, and a function of (sampler, R, states) that makes
# advance and states for `measure`, or None: it has no such sampler.

def lbp_scale(model, checkout):
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    torch.types.Tuple = None
    stand_in("torch_scatter", "PAS", "PAS.common", "PAS.common.config", "networkx", "numba", "igraph", "tqdm")
    sys.path.insert(0, checkout)
    from lbp.sampling.sampler import get_sampler

    def tensor(values, *shape):
        return torch.tensor(np.asarray(values).reshape(*shape or np.shape(values)), dtype=torch.float32)
    if model.kind == "bernoulli":
        from lbp.model.bernoulli import Bernoulli
        law = Bernoulli(model.n)
        law.n_w = tensor(model.logit)
    elif model.kind == "ising":
        from lbp.model.ising import Ising
        law = Ising(model.extent, lamda=model.coupling)
        law.n_w = tensor(-model.alpha)
    elif model.kind == "fhmm":
        from lbp.model.fhmm import FHMM
        law = FHMM(model.extent, 5, model.variance**0.5)
        law.W, law.b, law.Y = tensor(model.W, 5, 1), tensor(model.b, 1, 1), tensor(model.Y, model.extent, 1)
    else:
        from lbp.model.rbm import BernoulliRBM
        law = BernoulliRBM(model.n, len(model.c))
        law.W.data, law.b_v.data, law.b_h.data = tensor(model.W.T), tensor(model.b), tensor(model.c)
    args = types.SimpleNamespace(g_func="tdtp1", input_type="binary", ess_ratio=0.5)

    def begin(sampler, R, x):
        with contextlib.redirect_stdout(io.StringIO()):
            name = {"LBP": "lbp", "GWG": "GWG", "RWM": "rw"}[sampler]
            steps = get_sampler(args, f"{name}-{R}", model.n)
        now = [tensor(x)]

        def advance(count, watch):
            jumps = torch.zeros(len(x))
            for _ in range(count):
                after = steps.step(now[0], law)
                if watch:
                    jumps += (after != now[0]).sum(dim=1)
                now[0] = after
            return jumps.numpy()
        return advance, lambda: now[0].numpy()
    return f"{commit(checkout)}, torch {torch.__version__}", begin


def discs(model, checkout):
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    import jax
    import jax.numpy as jnp
    from ml_collections import ConfigDict
    utils = types.ModuleType("discs.common.utils")
    utils.copy_pytree = lambda tree: jax.tree_util.tree_map(jnp.array, tree)
    sys.modules["discs.common.utils"] = utils
    sys.path.insert(0, checkout)
    from discs.samplers import gwg, path_auxiliary, randomwalk
    about = {"shape": (model.n,), "num_categories": 2, "init_sigma": 0.0}
    if model.kind == "bernoulli":
        from discs.models import bernoulli as module
        params = {"params": jnp.array(model.logit, jnp.float32)}
    elif model.kind == "ising":
        from discs.models import ising as module
        about.update(shape=model.alpha.shape, lambdaa=model.coupling, mu=0.0)
        pairs = np.full(model.alpha.shape, -model.coupling)
        params = {"params": jnp.array([pairs, pairs, -model.alpha], jnp.float32)}
    elif model.kind == "rbm":
        from discs.models import rbm as module
        about.update(num_visible=model.n, num_hidden=len(model.c))
        params = {"w": model.W, "b_v": model.b, "b_h": model.c}
        params = {name: jnp.array(values, jnp.float32) for name, values in params.items()}
    else:
        return "", lambda *_: None  # its FHMM is another law, and its log-ratios there are estimates
    law = module.build_model(ConfigDict({"model": about}))

    def begin(sampler, R, x):
        how = {"adaptive": False, "num_flips": R, "balancing_fn_type": "RATIO", "use_fast_path": True,
               "approx_with_grad": True, "target_acceptance_rate": 0.0}
        module = {"LBP": path_auxiliary, "GWG": gwg, "RWM": randomwalk}[sampler]
        steps = module.build_sampler(ConfigDict({"model": about, "sampler": how}))
        fresh = steps.make_init_state(jax.random.key(0))
        if sampler == "RWM":
            fresh["radius"] = jnp.float32(R)  # the mean number of sites: each is flipped with this over n

        def step(state, watch):
            key, x, jumps = state
            key, own = jax.random.split(key)
            # as floats: its Ising model makes integers of sums over neighbours, where states are integers
            after = steps.step(law, own, x, params, dict(fresh))[0].astype(jnp.float32)
            return key, after, jumps + (after != x).reshape(len(x), -1).sum(axis=1) if watch else jumps
        return jax_loop(step, (jax.random.key(SEED), jnp.array(x, jnp.float32).reshape(len(x), *about["shape"]),
                               jnp.zeros(len(x))), 1)
    return f"{commit(checkout)}, jax {jax.__version__}", begin


def jax_loop(step, state, where):
    """advance and states of a step(state, watch) whose state has the states at `where` and jumps at the end."""
    import jax
    now = [state]
    loop = jax.jit(lambda state, count, watch: jax.lax.fori_loop(0, count, lambda _, s: step(s, watch), state),
                   static_argnums=2)

    def advance(count, watch):
        before = now[0][-1]
        now[0] = jax.block_until_ready(loop(now[0], count, watch))
        return np.asarray(now[0][-1] - before, float)
    return advance, lambda: np.asarray(now[0][where]).reshape(len(now[0][where]), -1)


def numpyro(model, _):
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    import jax
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import HMC, DiscreteHMCGibbs

    def law():
        numpyro.sample("unused", dist.Normal(0, 1))  # it wants a continuous site
        if model.kind == "bernoulli":
            numpyro.sample("x", dist.Bernoulli(logits=jnp.array(model.logit)))
        else:
            s = 2.0 * numpyro.sample("x", dist.Bernoulli(jnp.full(model.n, 0.5))).reshape(model.alpha.shape) - 1
            pairs = (s[1:] * s[:-1]).sum() + (s[:, 1:] * s[:, :-1]).sum()
            numpyro.factor("energy", (s * jnp.array(model.alpha)).sum() + model.coupling * pairs)

    def begin(sampler, _, x):
        kernel = DiscreteHMCGibbs(HMC(law, num_steps=1, trajectory_length=None), modified=sampler == "Metropolis")
        keys = jax.random.split(jax.random.key(SEED), len(x))
        first = jax.vmap(lambda key, x: kernel.init(key, 0, {"x": x, "unused": jnp.zeros(())}, (), {}))
        chains = first(keys, jnp.array(x, jnp.int32))

        def step(state, watch):
            chains, x, jumps = state
            chains = jax.vmap(lambda chain: kernel.sample(chain, (), {}))(chains)
            return chains, chains.z["x"], jumps + (chains.z["x"] != x).sum(axis=1) if watch else jumps
        return jax_loop(step, (chains, chains.z["x"], jnp.zeros(len(x))), 1)
    return f"{version('numpyro')}, jax {jax.__version__}", begin


def pymc(model, _):
    import pymc as pm
    with pm.Model() as whole:
        if model.kind == "bernoulli":
            pm.Bernoulli("x", logit_p=model.logit)
        else:
            s = 2.0 * pm.Bernoulli("x", 0.5, shape=model.n).reshape(model.alpha.shape) - 1
            pairs = (s[1:] * s[:-1]).sum() + (s[:, 1:] * s[:, :-1]).sum()
            pm.Potential("energy", (s * model.alpha).sum() + model.coupling * pairs)

    def begin(sampler, R, x):
        with whole:
            if sampler == "RWM":
                # each site is flipped with 1 - 2^-scaling, here R over n
                steps = pm.BinaryMetropolis([whole["x"]], scaling=-np.log2(1 - R / model.n), tune=False, rng=SEED)
            else:
                steps = pm.BinaryGibbsMetropolis([whole["x"]], transit_p=1, rng=SEED)
        points = [{"x": row.astype(np.int64)} for row in x]

        def advance(count, watch):
            jumps = np.zeros(len(x))
            for chain, point in enumerate(points):
                for _ in range(count):
                    before = point["x"].copy() if watch else None
                    point = steps.step(point)[0]
                    if watch:
                        jumps[chain] += (point["x"] != before).sum()
                points[chain] = point
            return jumps
        return advance, lambda: np.array([point["x"] for point in points])
    return version("pymc"), begin


def ising_terms(model):
    """log pi as minus an energy of spins, for annealers that stay at beta = 1."""
    site = np.arange(model.n).reshape(model.alpha.shape)
    ends = [*zip(site[1:].flat, site[:-1].flat), *zip(site[:, 1:].flat, site[:, :-1].flat)]
    return {i: -a for i, a in enumerate(model.alpha.flat)}, {(int(a), int(b)): -model.coupling for a, b in ends}


def annealed(sample, x):
    """advance and states of sample(spins, sweeps), which returns spins; watching takes a call for each sweep."""
    now = [2 * x.astype(np.int8) - 1]

    def advance(count, watch):
        jumps = np.zeros(len(x))
        for sweeps in [1] * count if watch else [count]:
            after = sample(now[0], sweeps)
            jumps += (after != now[0]).sum(axis=1)
            now[0] = after
        return jumps
    return advance, lambda: (now[0] + 1) // 2


def dwave(model, _):
    import dimod
    from dwave.samplers import SimulatedAnnealingSampler
    bqm = dimod.BinaryQuadraticModel.from_ising(*ising_terms(model))

    def begin(sampler, _, x):
        seed = np.random.default_rng(SEED)

        def sample(spins, sweeps):
            found = SimulatedAnnealingSampler().sample(
                bqm, num_reads=len(x), initial_states=(spins, range(model.n)), beta_schedule_type="custom",
                beta_schedule=[1.0], num_sweeps_per_beta=sweeps, num_sweeps=sweeps,
                proposal_acceptance_criteria=sampler, seed=int(seed.integers(2**31)))
            return found.record.sample[:, np.argsort(found.variables)]
        return annealed(sample, x)
    return version("dwave-samplers"), begin


def openjij(model, _):
    from openjij import SASampler
    linear, quadratic = ising_terms(model)

    def begin(_, __, x):
        def sample(spins, sweeps):
            rows = []
            for row in spins:
                found = SASampler().sample_ising(linear, quadratic, schedule=[[1.0, sweeps]], num_reads=1,
                                                 initial_state=dict(enumerate(map(int, row))))
                rows.append(found.record.sample[0, np.argsort(found.variables)])
            return np.array(rows)
        return annealed(sample, x)
    return version("openjij"), begin


PEERS = {"LBP_Scale": lbp_scale, "DISCS": discs, "NumPyro": numpyro, "PyMC": pymc, "dwave-samplers": dwave,
         "OpenJij": openjij}

if __name__ == "__main__":
    name, folder, kind, extent, config, chains, seconds, path, *samplers = sys.argv[1:]
    target = Model(kind, int(extent), int(config))
    first = np.fromfile(path, np.uint8).reshape(int(chains), target.n)
    release, start = PEERS[name](target, folder)
    for sampler in samplers:
        which, _, size = sampler.partition(":")
        made = start(which, int(size or 0), first)
        if made:
            row = measure(target, int(chains), float(seconds), *made)
            print(json.dumps({"version": release, "sampler": sampler, **row}), flush=True)
