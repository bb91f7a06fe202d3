"""Factor graphs (Markov networks, Bayesian networks): exact answers by elimination, others by sampling."""
from __future__ import annotations

import copy
import ctypes
import os
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from .bridge import Array, LbpError, Model, Options, Run, _array, _dotted, _number, _numbers, _plain, _Sampler, _whole, completes
from .build import library

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: LBP_E_IMPOSSIBLE; LBP_E_SIZE and LBP_E_MEMORY, where elimination takes more than there is.
IMPOSSIBLE, TOO_LARGE = 20, (2, 8)

#: Formats of files, by the end of their names, as lbp/models/factors.h numbers them.
FORMATS = {".uai": 0, ".fg": 1}


class Marginals(NamedTuple):
    """Probabilities of each site's values, a row of K_i numbers each; their standard errors, 0 where `exact`, NaN if not
    known (counted marginals, or fewer than 16 draws a chain); and the largest R-hat of them, 1 where `exact`, NaN if it
    is not known (``keep=False``, or a resume from a checkpoint whose draws show nothing)."""

    probability: list[Array]
    se: list[Array]
    exact: bool
    r_hat: float


class LogZ(NamedTuple):
    """The logarithm of the sum over all states, and its standard error, 0 where `exact`."""

    value: float
    se: float
    exact: bool


class Best(NamedTuple):
    """A state, (n,), and its log pi: the best one where `exact`, else the best found."""

    state: Array
    logp: float
    exact: bool


#: R-hat of a site's probabilities above which `FactorGraph.marginals` warns.
MOST_R_HAT = 1.05


def _largest_r_hat(x: Array, states: int) -> tuple[float, int]:
    """The largest split R-hat of whether a site has a value, over all sites and values, and that site."""
    half = x.shape[1] // 2
    if half < 2:
        return float("nan"), 0
    halves = np.concatenate([x[:, :half], x[:, -half:]])
    largest, at = 1.0, 0
    for value in range(states):
        means = np.stack([(part == value).mean(0) for part in halves])  # part by part, as all at once takes much memory
        within, between = (means * (1 - means)).mean(0) * half / (half - 1), means.var(0, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            r_hat = np.sqrt(np.where(between > 0, (half - 1) / half + between / within, 1.0))
        if r_hat.max() > largest:
            largest, at = float(r_hat.max()), int(r_hat.argmax())
    return largest, at


def _constant(array: Array) -> Array:
    """The array, which nobody can change any more."""
    array.flags.writeable = False
    return array


class FactorGraph:
    """Tables over a few sites each, a Markov or a Bayesian network: log pi(x) = sum over tables of log w_t(x at its sites).

    Parameters
    ----------
    cardinalities : sequence of int
        How many values each site has, 1 to 256.
    names : sequence, optional
        Names of the sites, all different. `add` and `condition` then take names in place of numbers. [0, 1, ...]
    state_names : sequence of sequences, optional
        Names of each site's values. `condition` then takes them in place of numbers. [0, 1, ... for each site]

    Attributes
    ----------
    values : (n,) array
        The cardinalities.
    observed : (n,) array
        The value that each site was observed to have, or -1: `condition` makes a graph with others.
    names, state_names : list

    Examples
    --------
    >>> import lbp
    >>> g = lbp.FactorGraph([2, 3]).add([0, 1], [[1, 2, 0], [4, 5, 6]])
    >>> g.condition({0: 1}).marginals().probability[1].round(3).tolist()
    [0.267, 0.333, 0.4]
    """

    def __init__(self, cardinalities: npt.ArrayLike, names: Optional[Iterable[Hashable]] = None,
                 state_names: Optional[Iterable[Sequence[Hashable]]] = None) -> None:
        values = _plain("cardinalities", cardinalities)
        if values.ndim != 1 or not len(values) or values.dtype.kind not in "iu" or values.min() < 1 or values.max() > 256:
            raise LbpError(-1, "cardinalities: how many values each site has: whole numbers from 1 to 256, in a row")
        self.values: Array = _constant(values.astype(np.uint32))
        self.observed: Array = _constant(np.full(len(values), -1, np.int32))
        self.names: list[Hashable] = list(range(len(values))) if names is None else list(names)
        self.state_names: list[list[Hashable]] = [list(range(k)) for k in values] if state_names is None else [list(row) for row in state_names]
        if len(self.names) != len(values) or len(set(self.names)) < len(values):
            raise LbpError(-1, f"names: {len(values)} different ones are needed, not {len(self.names)} of which {len(set(self.names))} differ")
        if [len(set(row)) for row in self.state_names] != values.tolist():
            raise LbpError(-1, "state_names: as many different ones for each site as it has values")
        self._named = names is not None
        self._states_named = state_names is not None
        self._sites = {name: i for i, name in enumerate(self.names)}
        self._scopes: list[Array] = []
        self._tables: list[Array] = []
        self._made: Optional[Model] = None

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]], evidence: Union[None, str, os.PathLike[str]] = None,
             sample: Optional[int] = None) -> FactorGraph:
        """Read a graph from a UAI file (.uai, MARKOV or BAYES) or one of libDAI (.fg).

        Parameters
        ----------
        path : path
        evidence : path, optional
            An .evid file: the observed sites and their values.
        sample : int, optional
            Which sample of an .evid file that has several, from 0.

        Raises
        ------
        LbpError
            If a file is wrong; the message has its line.
        OSError
            If it can't be read.
        """
        kind = FORMATS.get(os.path.splitext(os.fspath(path))[1].lower())
        if kind is None:
            raise LbpError(-1, f"{os.fspath(path)}: the name of a graph's file ends with .uai or .fg")
        which = -1 if sample is None else _whole("sample", sample, 0, 2**31 - 1)
        with open(path, "rb") as file:
            text = file.read()
        seen = None
        if evidence is not None:
            with open(evidence, "rb") as file:
                seen = file.read()
        c = library("factors.c", "-DSTATES=4").c
        handle, of, why = ctypes.c_void_p(), ctypes.c_int(), ctypes.create_string_buffer(1024)
        status = c.lbp_bridge_factors_parse(kind, text, ctypes.c_size_t(len(text)), seen, ctypes.c_size_t(len(seen or b"")),
                                            ctypes.c_int64(which), ctypes.byref(handle), ctypes.byref(of), why)
        told = f"{os.fspath(evidence if of.value and evidence is not None else path)}: {why.value.decode(errors='replace')}"
        if status:
            raise LbpError(status, told)
        if why.value:
            warnings.warn(told, stacklevel=2)
        try:
            return cls._from_handle(c, handle)
        finally:
            c.lbp_bridge_factors_drop(handle)

    @classmethod
    def _from_handle(cls, c: Any, handle: ctypes.c_void_p) -> FactorGraph:
        sizes, places = (ctypes.c_uint64 * 4)(), (ctypes.c_void_p * 6)()
        c.lbp_bridge_factors_look(handle, sizes, places)
        n, tables, scopes, entries = (int(k) for k in sizes)
        kinds: tuple[tuple[Any, int], ...] = ((np.uint32, n), (np.int32, n), (np.uintp, tables + 1), (np.uintp, tables + 1), (np.uint32, scopes),
                                              (np.float64, entries))
        values, observed, scope_at, cell_at, scope, cells = (
            np.frombuffer(ctypes.string_at(place, count * np.dtype(kind).itemsize) if place and count else b"", kind)
            for place, (kind, count) in zip(places, kinds))
        graph = FactorGraph(values)
        graph.observed = _constant(observed.copy())
        for t in range(tables):
            sites = scope[scope_at[t]:scope_at[t + 1]]
            table = cells[cell_at[t]:cell_at[t + 1]].reshape(values[sites], order="F")
            graph.add(sites.tolist(), table, log=True)
        return graph

    @classmethod
    def from_pgmpy(cls, model: Any) -> FactorGraph:
        """Return the graph of a model of pgmpy: a Bayesian network, a Markov network or a factor graph.

        Its variables and their states keep their names and are in the order of the model's nodes.

        Raises
        ------
        LbpError
            If the model has no tables, or they disagree about a variable's states.
        """
        tables = model.get_cpds() if hasattr(model, "get_cpds") else model.get_factors()
        factors = [table.to_factor() if hasattr(table, "to_factor") else table for table in tables]
        states: dict[Hashable, list[Hashable]] = {}
        found = []
        for factor in factors:
            weights = np.asarray(factor.values, float)
            for axis, name in enumerate(factor.variables):
                own = list(factor.state_names[name])
                known = states.setdefault(name, own)
                if set(own) != set(known):
                    raise LbpError(-1, f"variable {name!r}: one table has the states {own}, another {known}")
                weights = np.take(weights, [own.index(state) for state in known], axis)  # tables may order them in their own way
            found.append((list(factor.variables), weights))
        nodes = [name for name in model.nodes() if isinstance(name, Hashable) and name in states]
        return cls._from_tables([*nodes, *(name for name in states if name not in nodes)], states, found)

    @classmethod
    def from_pyagrum(cls, model: Any) -> FactorGraph:
        """Return the graph of a model of pyAgrum: a Bayesian network or a Markov random field.

        Its variables and their labels keep their names and are in the order of the model's node numbers.

        Raises
        ------
        LbpError
            If the model has no tables.
        """
        nodes = sorted(model.nodes())
        tensors = [model.cpt(node) for node in nodes] if hasattr(model, "cpt") else [model.factor(nodes) for nodes in model.factors()]
        names = [model.variable(node).name() for node in nodes]
        states = {name: list(model.variable(node).labels()) for name, node in zip(names, nodes)}
        # toarray() has the axes of `names` in reverse
        return cls._from_tables(names, states, [(list(tensor.names), np.asarray(tensor.toarray(), float).T) for tensor in tensors])

    @classmethod
    def _from_tables(cls, names: Sequence[Hashable], states: Mapping[Hashable, Sequence[Hashable]],
                     tables: Sequence[tuple[Sequence[Any], Array]]) -> FactorGraph:
        if not names:
            raise LbpError(-1, "the model has no tables: add CPDs or factors to it first")
        graph = FactorGraph([len(states[name]) for name in names], names, [states[name] for name in names])
        for sites, table in tables:
            graph.add(sites, table)
        return graph

    def site(self, name: Any) -> int:
        """Return the number of a site, given its name, or its number where the sites have no names.

        Raises
        ------
        LbpError
            If there is no such site.
        """
        try:
            return self._sites[name]
        except (KeyError, TypeError):
            has = f"{str(self.names[:6])[1:-1]:.200}" + " ..." * (len(self.names) > 6) if self._named else f"0 to {len(self.values) - 1}"
            raise LbpError(-1, f"sites: there is no site {name!r:.60}; sites are {has}") from None

    def __repr__(self) -> str:
        seen = int((self.observed >= 0).sum())
        return f"<lbp.FactorGraph: {len(self.values)} sites, {len(self._tables)} tables, {seen} observed>"

    def __getstate__(self) -> dict[str, Any]:
        return {name: None if name == "_made" else copy.copy(value) for name, value in self.__dict__.items()}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self.values, self.observed = _constant(self.values), _constant(self.observed)

    def add(self, sites: Sequence[int], table: npt.ArrayLike, log: bool = False) -> FactorGraph:
        """Multiply pi by a table.

        Parameters
        ----------
        sites : sequence of int
            Up to 20 different ones, from 0; or their names, if the sites have names.
        table : array, of shape (cardinalities[i] for i in sites)
            Weights, not all 0; or their logarithms.
        log : bool

        Returns
        -------
        FactorGraph
            This graph.

        Raises
        ------
        LbpError
            If a site is none or comes twice, the shape is another, or a weight is negative, infinite or NaN.
        """
        weights = _numbers("table", table)
        if not isinstance(log, (bool, np.bool_)):
            raise LbpError(-1, f"log: True or False, not {log!r:.60}")
        if isinstance(sites, (str, bytes)) or (not isinstance(sites, (list, tuple)) and np.ndim(sites) == 0) or len(sites) > 20:
            raise LbpError(-1, f"sites: up to 20 sites in a row, not {sites!r:.60}")
        scope = np.array([self.site(name) for name in sites], np.int64)
        if len(set(scope.tolist())) < len(scope):
            raise LbpError(-1, f"sites: one comes twice in {scope.tolist()}")
        shape = tuple(int(self.values[i]) for i in scope)
        if weights.shape != shape:
            raise LbpError(-1, f"table: its shape is {weights.shape}, where the sites {scope.tolist()} have {shape} values")
        if np.isnan(weights).any() or (weights == np.inf).any() or (not log and (weights < 0).any()):
            raise LbpError(-1, "table: " + ("logarithms below infinity" if log else "finite weights from 0"))
        with np.errstate(divide="ignore"):
            logs = weights.copy() if log else np.log(weights)
        if not np.isfinite(logs).any():
            raise LbpError(-1, "table: all weights are 0: no state is possible")
        self._scopes.append(scope.astype(np.uint32))
        self._tables.append(logs.ravel())
        self._made = None
        return self

    def condition(self, observed: Mapping[Any, Any]) -> FactorGraph:
        """Return this graph with sites observed: {site: value}, numbers or names. This one stays as it is.

        Raises
        ------
        LbpError
            If a site or a value is none, or another value was observed before.
        """
        if not isinstance(observed, Mapping):
            raise LbpError(-1, f"condition: a dict {{site: value}} is needed, not {observed!r:.60}")
        graph = FactorGraph(self.values, self.names if self._named else None, self.state_names if self._states_named else None)
        graph._scopes, graph._tables, seen = list(self._scopes), list(self._tables), self.observed.copy()
        for name, state in observed.items():
            i = self.site(name)
            try:
                value = self.state_names[i].index(state)
            except ValueError:
                has = f"0 to {self.values[i] - 1}" if not self._states_named else f"{str(self.state_names[i])[1:-1]:.200}"
                raise LbpError(-1, f"condition: site {name} has the values {has}, not {state!r:.60}") from None
            if seen[i] not in (-1, value):
                raise LbpError(-1, f"condition: site {name} was observed to have {self.state_names[i][seen[i]]}, not {state}")
            seen[i] = value
        graph.observed = _constant(seen)
        return graph

    @property
    def states(self) -> int:
        """The values of a site that the compiled model has room for: 4, 8, 32 or 256; 2 if all sites have two."""
        if (self.values == 2).all():
            return 2
        return next(k for k in (4, 8, 32, 256) if k >= self.values.max())

    @property
    def model(self) -> Model:
        """The model of all sites. Its samplers have to clamp observed sites, as `run` does."""
        if self._made is None:
            at = np.cumsum([0, *(len(scope) for scope in self._scopes)]).astype(np.uint64)
            cell = np.cumsum([0, *(len(table) for table in self._tables)]).astype(np.uint64)
            scopes = np.concatenate([np.zeros(0, np.uint32), *self._scopes])
            cells = np.concatenate([np.zeros(0), *self._tables])
            self._made = library("factors.c", f"-DSTATES={self.states}")(values=self.values, observed=self.observed, scope_at=at, cell_at=cell,
                                                                         scope=scopes, cells=cells)
            self._made._label = type(self).__name__
        return self._made

    def _has_observed(self, start: Any) -> None:
        """States to begin with that have other values than were observed would be clamped there."""
        n, (_, begin) = len(self.values), _array("start", start)
        if begin.size % n:
            return  # the library refuses them
        wrong = np.argwhere((begin.reshape(-1, n) != self.observed) & (self.observed >= 0))
        for row, site in wrong[:1]:
            value = begin.reshape(-1, n)[row, site]
            raise LbpError(-1, f"start: site {self.names[site]} has {value}, where {self.observed[site]} was observed: begin with that")

    def _options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options with clamps for observed sites, and possible states to begin with."""
        sampler = _Sampler(self.model, options)  # refuses options that are wrong, and draws a seed of None
        seed, chains = int(sampler.setting("seed")), int(sampler.setting("chains"))
        given, seen = {**options, "seed": seed}, self.observed >= 0
        clamp = np.zeros(len(seen), bool) if given.get("clamp") is None else np.ravel(np.asarray(given["clamp"])) != 0
        if given.get("start") is None and (clamp & ~seen).any():
            raise LbpError(-1, "clamp: clamped sites need values: set them in start, or condition the graph on them")
        hard = any(np.isneginf(table).any() for table in self._tables)
        if given.get("start") is not None:
            self._has_observed(given["start"])
        elif hard or seen.any():
            start = None
            if hard:
                try:
                    start = self._exact(2.0**25, True)[0]
                except LbpError as error:
                    if "no possible state" in str(error):
                        raise
            if start is None:
                start = np.random.default_rng([seed, 2]).integers(0, self.values, (max(chains, 1), len(self.values)))
                start[:, seen] = self.observed[seen]
            given["start"] = start
        if seen.any():
            given["clamp"] = seen | clamp
        return given

    @completes
    def run(self, **options: Unpack[Options]) -> Run:
        """Draw from pi, given the observed sites: as `Model.run`. With weights of 0 chains begin at the best state,
        if it can be found exactly; where zeros part the states, draws stay in one part: see `marginals`."""
        return self._labelled(Run(self.model, "run", self._options(options)))

    def _labelled(self, run: Run) -> Run:
        run.sites = [str(name) for name in self.names] if self._named else None
        return run

    @completes
    def anneal(self, **options: Unpack[Options]) -> Run:
        """Search for the best states: as `Model.anneal`."""
        return Run(self.model, "anneal", self._options(options))

    @completes
    def ais(self, **options: Unpack[Options]) -> Run:
        """Estimate log Z given the observed sites: as `Model.ais`."""
        return Run(self.model, "ais", self._options(options))

    def _checked(self, options: Mapping[str, Any]) -> None:
        """Refuses options that are wrong, also where the answer is exact and has no use for them; and clamps, of which exact
        answers would not know."""
        if options.get("clamp") is not None:
            raise LbpError(-1, "clamp: exact answers take none: condition the graph on these values")
        _Sampler(self.model, options)

    def _exact(self, cells: float, best: bool) -> tuple[Array, float]:
        """The best state or marginals, and log pi or log Z."""
        model, log_z = self.model, ctypes.c_double()
        state, rows = np.zeros(model.n, np.uint8), np.zeros((model.n, self.states))
        status = model.library.c.lbp_bridge_factors_exact(
            model.handle, ctypes.c_double(_number("cells", cells, np.inf)), ctypes.byref(log_z), None if best else ctypes.c_void_p(rows.ctypes.data),
            ctypes.c_void_p(state.ctypes.data) if best else None)
        if status:
            ask = model.library.c.lbp_bridge_error
            ask.restype = ctypes.c_char_p
            impossible = "no possible state: tables' zeros contradict each other, or what was observed"
            raise LbpError(status, impossible if status == IMPOSSIBLE else ask(status).decode())
        return (state if best else rows), log_z.value

    def _warn_of_zeros(self, what: str) -> None:
        if any(np.isneginf(table).any() for table in self._tables):
            warnings.warn(f"{what}: sampled, and tables have zeros, which may keep chains from some of the possible states without any sign of it; "
                          "raise `cells` for exact answers, or use examples/infer.c, whose zeros are soft", stacklevel=3)

    def marginals(self, cells: float = 2.0**25, **options: Any) -> Marginals:
        """Return the probabilities of all sites' values: exact ones if elimination takes up to `cells` numbers of 8 bytes,
        else the means of a run with these options. Warns if its chains disagree at a site, of which R-hat of log pi
        need not show anything; with ``keep=False`` that is not known. After a resume from a checkpoint this call's draws
        can show that chains disagree, but not that they agree: it warns of that.

        Raises
        ------
        LbpError
            If no state is possible.
        """
        self._checked(options)
        try:
            rows, _ = self._exact(cells, False)
            exact = [row[:k].copy() for row, k in zip(rows, self.values)]
            return Marginals(exact, [np.zeros(len(row)) for row in exact], True, 1.0)
        except LbpError as error:
            if error.status not in TOO_LARGE:
                raise
        self._warn_of_zeros("marginals")
        run = self.run(**{"marginals": "conditional", **options})
        r_hat, site = _largest_r_hat(run.x, self.states) if "x" in run.names else (np.nan, 0)
        if r_hat > MOST_R_HAT:
            warnings.warn(f"marginals: chains disagree at site {self.names[site]} (R-hat {r_hat:.3f}), so do not trust them: run longer (warmup, draws, "
                          "thin), or temper (tempering={'rungs': ...})", stacklevel=2)
        elif run.lp.shape[1] < run.draws:  # no sign of it in the last of them
            r_hat = np.nan
            warnings.warn(f"marginals: whether chains disagree is not known, as this call made {run.lp.shape[1]} of the {run.draws} draws: see the "
                          "warnings of the calls before it", stacklevel=2)
        if "marginal" not in run.names:
            raise LbpError(-1, "marginals: the run has no draws: take more (draws, seconds)")
        both = [run.marginal, run.marginal_se if "marginal_se" in run.names else np.full_like(run.marginal, np.nan)]
        if both[0].ndim == 1:
            both = [np.stack([1 - both[0], both[0]], 1), np.stack([both[1], both[1]], 1)]
        cut = [[row[:k].copy() for row, k in zip(part, self.values)] for part in both]
        return Marginals(cut[0], cut[1], False, r_hat)

    def log_z(self, cells: float = 2.0**25, **options: Any) -> LogZ:
        """Return log Z, the sum over all states with the observed values: exact, or by `ais` with these options."""
        self._checked(options)
        try:
            return LogZ(self._exact(cells, False)[1], 0.0, True)
        except LbpError as error:
            if error.status not in TOO_LARGE:
                raise
        self._warn_of_zeros("log Z")
        given = _dotted(options)
        if given.get("tempering.ladder") is None:  # a ladder says how many rungs there are
            given.setdefault("tempering.rungs", 100)
        run = self.ais(**{"chains": 64, **given})
        return LogZ(float(run.log_z), float(run.log_z_se), False)

    def map(self, cells: float = 2.0**25, **options: Any) -> Best:
        """Return the state of largest log pi given the observed sites: exact, or the best that `anneal` finds."""
        self._checked(options)
        try:
            state, logp = self._exact(cells, True)
            return Best(state, logp, True)
        except LbpError as error:
            if error.status not in TOO_LARGE:
                raise
        run = self.anneal(**{"chains": 16, "annealing.sweeps": 1000, **_dotted(options)})
        return Best(run.best[0].copy(), float(run.best_logp[0]), False)
