"""Ready-made models: no C is written. Each is a `Model`, with its `run`, `anneal`, `ais` and `sampling`; its C is compiled once."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from .bridge import Array, LbpError, Library, Model, Run
from .build import compile, model_file

#: A matrix, dense or of scipy.sparse, or {(i, j): value}.
Pairs = Union[npt.ArrayLike, Mapping[Any, float]]

#: LBP_E_IMPOSSIBLE; LBP_E_SIZE and LBP_E_MEMORY, where elimination takes more than there is.
IMPOSSIBLE, TOO_LARGE = 20, (2, 8)

_libraries: dict[tuple[str, tuple[str, ...]], Library] = {}


def library(name: str, *defines: str) -> Library:
    """Return one of the library's own model files, compiled: once a process, and once a machine."""
    if (name, defines) not in _libraries:
        _libraries[name, defines] = compile(model_file(name), defines=defines)
    return _libraries[name, defines]


def quadratic_library(ends: Array, n: int) -> Library:
    """Return qubo.c for terms of these ends, (m, 2): a few libraries, not one a model."""
    degree = int(np.bincount(ends.ravel(), minlength=n).max()) if len(ends) else 1
    return library("qubo.c", f"-DMOST_NEIGHBOURS={1 << max(2, (max(degree, 1) - 1).bit_length())}")


def _entries(name: str, given: Pairs, n: Optional[int]) -> tuple[Array, Array, int]:
    """Places (m, 2) and values (m,) of all entries that are not 0, and how many rows there are."""
    if isinstance(given, Mapping):
        ends = np.array([tuple(key) for key in given], dtype=object).reshape(-1, 2)
        if not all(isinstance(end, (int, np.integer)) and end >= 0 for end in ends.flat):
            raise LbpError(-1, f"{name}: keys are pairs of sites, whole numbers from 0, such as (0, 1)")
        values = np.array(list(given.values()), float)
        places = ends.astype(np.int64)
        least = int(places.max()) + 1 if len(places) else 0
        rows = least if n is None else n
        if least > rows:
            raise LbpError(-1, f"{name}: site {least - 1} of 0 to n - 1 = {rows - 1}")
    else:
        if hasattr(given, "tocoo"):
            coo = given.tocoo()
            shape, places, values = coo.shape, np.stack([coo.row, coo.col], 1).astype(np.int64), np.asarray(coo.data, float)
        else:
            matrix = np.asarray(given, float)
            shape = matrix.shape
            places = np.argwhere(matrix != 0) if matrix.ndim == 2 else np.zeros((0, 2), np.int64)
            values = matrix[tuple(places.T)] if matrix.ndim == 2 else np.zeros(0)
        if len(shape) != 2 or shape[0] != shape[1] or (n is not None and shape[0] != n):
            raise LbpError(-1, f"{name}: a matrix of n x n{'' if n is None else f' = {n} x {n}'} is needed, not of shape {tuple(shape)}")
        rows = shape[0]
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        i, j = places[wrong[0]]
        raise LbpError(-1, f"{name}[{i}, {j}]: {values[wrong[0]]} is not a finite number")
    return places, values, rows


def _couplings(name: str, given: Pairs, n: Optional[int]) -> tuple[Array, Array, int]:
    """Pairs i < j (m, 2), their couplings (m,), and n. Of a symmetric matrix each coupling counts once."""
    places, values, rows = _entries(name, given, n)
    itself = np.flatnonzero((places[:, 0] == places[:, 1]) & (values != 0))
    if len(itself):
        i = places[itself[0], 0]
        raise LbpError(-1, f"{name}[{i}, {i}]: a site has no coupling to itself; fields are h")
    flat = places.min(1) * rows + places.max(1)
    upper = places[:, 0] < places[:, 1]
    keys, where = np.unique(flat, return_inverse=True)
    above, below = np.zeros(len(keys)), np.zeros(len(keys))
    np.add.at(above, where[upper], values[upper])
    np.add.at(below, where[~upper], values[~upper])
    if above.any() and below.any():
        apart = np.flatnonzero(above != below)
        if len(apart) and not isinstance(given, Mapping):
            i, j = divmod(int(keys[apart[0]]), rows)
            raise LbpError(-1, f"{name}: neither symmetric nor triangular: [{i}, {j}] is {above[apart[0]]}, [{j}, {i}] is {below[apart[0]]}; "
                           f"use ({name} + {name}.T) / 2, if each is half of a coupling or both are meant to be the same")
        total = above + below if isinstance(given, Mapping) else above
    else:
        total = above + below
    return np.stack(np.divmod(keys, max(rows, 1)), 1), total, rows


def _vector(name: str, given: Optional[npt.ArrayLike], n: Optional[int]) -> tuple[Optional[Array], Optional[int]]:
    if given is None:
        return None, n
    vector = np.asarray(given, float)
    if vector.ndim == 0 and n is not None:
        vector = np.full(n, float(vector))
    if vector.ndim != 1 or (n is not None and len(vector) != n) or not len(vector):
        raise LbpError(-1, f"{name}: n{'' if n is None else f' = {n}'} numbers in a row, not an array of shape {vector.shape}")
    wrong = np.flatnonzero(~np.isfinite(vector))
    if len(wrong):
        raise LbpError(-1, f"{name}[{wrong[0]}]: {vector[wrong[0]]} is not a finite number")
    return vector, len(vector)


class QUBO(Model):
    """log pi(x) = -beta (x^T Q x) over zeros and ones: `anneal` finds the x of least x^T Q x.

    Parameters
    ----------
    Q : (n, n) array, scipy.sparse matrix, or {(i, j): value}
        All entries count: Q[i, j] and Q[j, i] are added, Q[i, i] is the linear term of x_i.
    beta : float
        Inverse temperature.
    n : int, optional
        Number of sites, where Q is a dict that does not name the last ones.

    Raises
    ------
    LbpError
        If Q is not square, or an entry not finite.

    Examples
    --------
    >>> import lbp
    >>> found = lbp.QUBO({(0, 0): -1, (1, 1): -1, (0, 1): 3}).anneal(chains=4, annealing={"sweeps": 100})
    >>> float(found.best_logp[0])
    1.0
    """

    def __init__(self, Q: Pairs, beta: float = 1.0, n: Optional[int] = None) -> None:
        places, values, n = _entries("Q", Q, n)
        beta = _temperature(beta)
        super().__init__(quadratic_library(places, n), {"n": n, "ends": places, "value": beta * values})

    def energy(self, x: npt.ArrayLike) -> Array:
        """Return beta x^T Q x of states, (..., n): minus log pi."""
        states = np.asarray(x, float)
        made = self.arrays
        ends = made["ends"].reshape(-1, 2)
        energy: Array = (states[..., ends[:, 0]] * states[..., ends[:, 1]]) @ made["value"]
        return energy


def _temperature(beta: float) -> float:
    if not np.isfinite(beta):
        raise LbpError(-1, f"beta: a finite number, not {beta}")
    return float(beta)


class Ising(Model):
    """log pi(s) = beta (sum over pairs i < j of J_ij s_i s_j + sum of h_i s_i), over spins s = -1, 1.

    States of runs are zeros and ones, x = (1 + s) / 2; `spins` converts them. log pi of runs, and log Z, are those of
    the formula less `offset`: log Z = ``run.log_z + model.offset``.

    Parameters
    ----------
    J : (n, n) array, scipy.sparse matrix, or {(i, j): value}
        Couplings: a symmetric matrix, of which each pair counts once, or a triangular one; its diagonal is 0.
    h : (n,) array or float, optional
        Fields.
    beta : float
        Inverse temperature.

    Attributes
    ----------
    offset : float

    Raises
    ------
    LbpError
        If shapes do not fit, J is neither symmetric nor triangular, or a number is not finite.

    Examples
    --------
    >>> import lbp
    >>> chain = lbp.Ising({(0, 1): 0.5, (1, 2): 0.5}, h=[0.1, 0, 0])
    >>> chain.spins(chain.run(draws=100, seed=1).x).shape
    (4, 100, 3)
    """

    def __init__(self, J: Pairs, h: Optional[npt.ArrayLike] = None, beta: float = 1.0) -> None:
        field, known = (None, None) if h is None or np.ndim(h) == 0 else _vector("h", h, None)
        ends, coupling, n = _couplings("J", J, known)
        field, _ = (field, n) if field is not None else _vector("h", 0.0 if h is None else h, n)
        assert field is not None
        beta = _temperature(beta)
        linear = field.copy()  # J s s' = J (4 x x' - 2 x - 2 x' + 1), h s = h (2 x - 1)
        np.add.at(linear, ends[:, 0], -coupling)
        np.add.at(linear, ends[:, 1], -coupling)
        value = -beta * np.concatenate([2 * linear, 4 * coupling])
        both = np.concatenate([np.repeat(np.arange(n), 2).reshape(n, 2), ends])
        super().__init__(quadratic_library(both, n), {"n": n, "ends": both, "value": value})
        self.offset = float(beta * (coupling.sum() - field.sum()))

    @staticmethod
    def spins(x: npt.ArrayLike) -> Array:
        """Return the spins, -1 and 1, of states of zeros and ones."""
        return 2 * np.asarray(x).astype(np.int8) - 1

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), super().__reduce__(), {"offset": self.offset})


def _again(kind: type[Model], made: tuple[Any, ...], more: dict[str, Any]) -> Model:
    """A model of this class from its arrays."""
    model: Model = made[0](*made[1])
    model.__class__ = kind
    model.__dict__.update(more)
    return model


class Selection(Model):
    """Which columns of X explain y: pi(x) is the posterior of linear models with the columns x, by Zellner's prior.

    Parameters
    ----------
    X : (rows, n) array
        The columns, none of which is constant; a constant is always in the model.
    y : (rows,) array
    inclusion : float
        Prior probability of each column.

    Raises
    ------
    LbpError
        If shapes do not fit, or a column or y is constant.
    """

    def __init__(self, X: npt.ArrayLike, y: npt.ArrayLike, inclusion: float = 0.5) -> None:
        table = np.asarray(X, float)
        if table.ndim != 2:
            raise LbpError(-1, f"X: a table of rows and columns, not an array of shape {table.shape}")
        super().__init__(library("selection.c"), {"X": table, "y": y, "inclusion": [inclusion]})


class Marginals(NamedTuple):
    """Probabilities of each site's values, a row of K_i numbers each; their standard errors, 0 where `exact`."""

    probability: list[Array]
    se: list[Array]
    exact: bool


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


class FactorGraph:
    """Tables over a few sites each, a Markov or a Bayesian network: log pi(x) = sum over tables of log w_t(x at its sites).

    Parameters
    ----------
    cardinalities : sequence of int
        How many values each site has, 1 to 256.

    Examples
    --------
    >>> import lbp
    >>> g = lbp.FactorGraph([2, 3]).add([0, 1], [[1, 2, 0], [4, 5, 6]])
    >>> g.condition({0: 1}).marginals().probability[1].round(3).tolist()
    [0.267, 0.333, 0.4]
    """

    def __init__(self, cardinalities: npt.ArrayLike) -> None:
        values = np.asarray(cardinalities)
        if values.ndim != 1 or not len(values) or values.dtype.kind not in "iu" or values.min() < 1 or values.max() > 256:
            raise LbpError(-1, "cardinalities: how many values each site has: whole numbers from 1 to 256, in a row")
        self.values: Array = values.astype(np.uint32)
        self.observed: Array = np.full(len(values), -1, np.int32)
        self._scopes: list[Array] = []
        self._tables: list[Array] = []
        self._made: Optional[Model] = None

    def __repr__(self) -> str:
        seen = int((self.observed >= 0).sum())
        return f"<lbp.FactorGraph: {len(self.values)} sites, {len(self._tables)} tables, {seen} observed>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}

    def add(self, sites: Sequence[int], table: npt.ArrayLike, log: bool = False) -> FactorGraph:
        """Multiply pi by a table.

        Parameters
        ----------
        sites : sequence of int
            Up to 20 different ones, from 0.
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
        scope, weights = np.asarray(sites), np.asarray(table, float)
        n = len(self.values)
        if scope.ndim != 1 or len(scope) > 20 or (len(scope) and scope.dtype.kind not in "iu"):
            raise LbpError(-1, f"sites: up to 20 whole numbers in a row, not {sites!r}")
        for site in scope:
            if not 0 <= site < n:
                raise LbpError(-1, f"sites: site {site} of 0 to n - 1 = {n - 1}")
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

    def condition(self, observed: Mapping[int, int]) -> FactorGraph:
        """Return this graph with sites observed: {site: value}. This one stays as it is.

        Raises
        ------
        LbpError
            If a site or a value is none, or another value was observed before.
        """
        graph = FactorGraph(self.values)
        graph._scopes, graph._tables, graph.observed = list(self._scopes), list(self._tables), self.observed.copy()
        for site, value in observed.items():
            if not 0 <= site < len(self.values):
                raise LbpError(-1, f"condition: site {site} of 0 to n - 1 = {len(self.values) - 1}")
            if not 0 <= value < self.values[site]:
                raise LbpError(-1, f"condition: site {site} has the values 0 to {self.values[site] - 1}, not {value}")
            if graph.observed[site] not in (-1, value):
                raise LbpError(-1, f"condition: site {site} was observed to have {graph.observed[site]}, not {value}")
            graph.observed[site] = value
        return graph

    @property
    def states(self) -> int:
        """The values of a site that the compiled model has room for: 2, 4, 8, 32 or 256."""
        return next(k for k in (2, 4, 8, 32, 256) if k >= self.values.max())

    @property
    def model(self) -> Model:
        """The model of all sites. What was observed is for its samplers to clamp, as `run` does."""
        if self._made is None:
            at = np.cumsum([0, *(len(scope) for scope in self._scopes)]).astype(np.uint64)
            cell = np.cumsum([0, *(len(table) for table in self._tables)]).astype(np.uint64)
            scopes = np.concatenate([np.zeros(0, np.uint32), *self._scopes])
            cells = np.concatenate([np.zeros(0), *self._tables])
            self._made = library("factors.c", f"-DSTATES={self.states}")(values=self.values, observed=self.observed, scope_at=at, cell_at=cell,
                                                                         scope=scopes, cells=cells)
        return self._made

    def _options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options with clamps for what was observed, and possible states to begin with."""
        given, seen = dict(options), self.observed >= 0
        hard = any(np.isneginf(table).any() for table in self._tables)
        if given.get("start") is None and (hard or seen.any()):
            start = None
            if hard:
                try:
                    start = self._exact(2.0**25, True)[0]
                except LbpError as error:
                    if "no possible state" in str(error):
                        raise
            if start is None:
                rng = np.random.default_rng([given.get("seed") or 1, 2])
                start = rng.integers(0, self.values, (given.get("chains") or 4, len(self.values)))
                start[:, seen] = self.observed[seen]
            given["start"] = start
        if seen.any():
            given["clamp"] = seen if given.get("clamp") is None else seen | (np.asarray(given["clamp"]) != 0)
        return given

    def run(self, **options: Any) -> Run:
        """Draw from pi, given what was observed: as `Model.run`. With weights of 0 chains begin at the best state, if it
        can be found exactly; where zeros part the states, draws stay in one part: see `marginals`."""
        return Run(self.model, "run", self._options(options))

    def anneal(self, **options: Any) -> Run:
        """Search for the best states: as `Model.anneal`."""
        return Run(self.model, "anneal", self._options(options))

    def ais(self, **options: Any) -> Run:
        """Estimate log Z given what was observed: as `Model.ais`."""
        return Run(self.model, "ais", self._options(options))

    def _exact(self, cells: float, best: bool) -> tuple[Array, float]:
        """The best state or marginals, and log pi or log Z."""
        model, log_z = self.model, ctypes.c_double()
        state, rows = np.zeros(model.n, np.uint8), np.zeros((model.n, self.states))
        status = model.library.c.lbp_bridge_factors_exact(
            model.handle, ctypes.c_double(cells), ctypes.byref(log_z), None if best else ctypes.c_void_p(rows.ctypes.data),
            ctypes.c_void_p(state.ctypes.data) if best else None)
        if status:
            ask = model.library.c.lbp_bridge_error
            ask.restype = ctypes.c_char_p
            impossible = "no possible state: tables' zeros contradict each other, or what was observed"
            raise LbpError(status, impossible if status == IMPOSSIBLE else ask(status).decode())
        return (state if best else rows), log_z.value

    def marginals(self, cells: float = 2.0**25, **options: Any) -> Marginals:
        """Return the probabilities of all sites' values: exact ones if elimination takes up to `cells` numbers of 8 bytes,
        else the means of a run with these options.

        Raises
        ------
        LbpError
            If no state is possible.
        """
        try:
            rows, _ = self._exact(cells, False)
            exact = [row[:k].copy() for row, k in zip(rows, self.values)]
            return Marginals(exact, [np.zeros(len(row)) for row in exact], True)
        except LbpError as error:
            if error.status not in TOO_LARGE:
                raise
        run = self.run(**{"marginals": "conditional", "keep": False, **options})
        both = [run.marginal, run.marginal_se]
        if both[0].ndim == 1:
            both = [np.stack([1 - both[0], both[0]], 1), np.stack([both[1], both[1]], 1)]
        return Marginals([row[:k].copy() for row, k in zip(both[0], self.values)], [row[:k].copy() for row, k in zip(both[1], self.values)], False)

    def log_z(self, cells: float = 2.0**25, **options: Any) -> LogZ:
        """Return log Z, the sum over all states with what was observed: exact, or by `ais` with these options."""
        try:
            return LogZ(self._exact(cells, False)[1], 0.0, True)
        except LbpError as error:
            if error.status not in TOO_LARGE:
                raise
        run = self.ais(**{"chains": 64, "tempering": {"rungs": 100}, **options})
        return LogZ(float(run.log_z), float(run.log_z_se), False)

    def map(self, cells: float = 2.0**25, **options: Any) -> Best:
        """Return the state of largest log pi given what was observed: exact, or the best that `anneal` finds."""
        try:
            state, logp = self._exact(cells, True)
            return Best(state, logp, True)
        except LbpError as error:
            if error.status not in TOO_LARGE:
                raise
        run = self.anneal(**{"chains": 16, "annealing": {"sweeps": 1000}, **options})
        return Best(run.best[0].copy(), float(run.best_logp[0]), False)


class Potts(FactorGraph):
    """log pi(x) = beta (sum over pairs of J_ij [x_i = x_j] + sum of h[i, x_i]), over sites of q values.

    Parameters
    ----------
    J : (n, n) array, scipy.sparse matrix, or {(i, j): value}
        Couplings, as for `Ising`.
    q : int
        Values of a site.
    h : (n, q) array, optional
    beta : float

    Raises
    ------
    LbpError
        If shapes do not fit, or a number is not finite.
    """

    def __init__(self, J: Pairs, q: int, h: Optional[npt.ArrayLike] = None, beta: float = 1.0) -> None:
        field = None if h is None else np.asarray(h, float)
        if field is not None and (field.ndim != 2 or field.shape[1] != q):
            raise LbpError(-1, f"h: an array of n x q = n x {q} numbers, not of shape {field.shape}")
        ends, coupling, n = _couplings("J", J, None if field is None else len(field))
        super().__init__(np.full(n, q))
        beta = _temperature(beta)
        for (i, j), value in zip(ends, coupling):
            self.add([i, j], beta * value * np.eye(q), log=True)
        for i in range(0 if field is None else n):
            self.add([i], beta * np.asarray(field)[i], log=True)


def read_uai(path: Union[str, os.PathLike[str]]) -> FactorGraph:
    """Return the graph of a UAI file, MARKOV or BAYES.

    Raises
    ------
    LbpError
        If it is none.
    """
    with open(path, encoding="utf8", errors="replace") as file:
        words = iter(file.read().split())
    try:
        kind = next(words)
        if kind not in ("MARKOV", "BAYES"):
            raise LbpError(-1, f"{path}: a UAI file begins with MARKOV or BAYES, not {kind:.20}")
        graph = FactorGraph([int(next(words)) for _ in range(int(next(words)))])
        scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
        for t, scope in enumerate(scopes):
            count = int(next(words))
            table = np.array([float(next(words)) for _ in range(count)])
            if not all(0 <= i < len(graph.values) for i in scope) or count != np.prod(graph.values[scope], dtype=float):
                raise LbpError(-1, f"{path}: table {t} has {count} entries, which its sites {scope} do not have")
            graph.add(scope, table.reshape(graph.values[scope]))
    except StopIteration:
        raise LbpError(-1, f"{path}: it ends too early") from None
    except ValueError as error:
        raise LbpError(-1, f"{path}: {error}") from None
    if next(words, None) is not None:
        raise LbpError(-1, f"{path}: there is more than its tables")
    return graph
