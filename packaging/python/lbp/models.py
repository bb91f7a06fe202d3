"""Ready-made models: no C is written. Each is a `Model`, with its `run`, `anneal`, `ais` and `sampling`; `Potts`
is a `FactorGraph`, which has `marginals`, `log_z` and `map` in the place of `sampling`.

Their C is compiled at first use and kept: that of `QUBO` and `Ising` for each range of how many neighbours a site has at
most (up to 4, 8, 16, ...), that of `FactorGraph` and `Potts` for each range of values, of `DensePotts` for each q.
"""
from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from sys import float_info
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from .bridge import Array, LbpError, Library, Model, _number, _numbers, _plain, _whole
from .build import library
from .graphs import FactorGraph

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

#: The largest size of an entry, as in lbp/models/qubo.h.
LARGEST = 1e12

#: The largest number of sites.
MOST_SITES = 2**31 - 1

#: How many others a site may have terms with.
MOST_NEIGHBOURS = 2**16

#: Formats of files, as lbp/models/qubo.h numbers them.
FORMATS = ("guess", "terms", "max-cut", "sparse")

#: A matrix, dense or of scipy.sparse, or {(i, j): value}.
Pairs = Union[npt.ArrayLike, Mapping[Any, float]]


def quadratic_library(ends: Array, n: int) -> Library:
    """Return qubo.c for terms of these ends, (m, 2): a few libraries, not one a model."""
    degree = int(np.bincount(ends.ravel(), minlength=n).max()) if len(ends) else 1
    others = np.bincount(ends[ends[:, 0] != ends[:, 1]].ravel(), minlength=n)
    if others.max(initial=0) > MOST_NEIGHBOURS:  # lists of neighbours lie on the stack
        raise LbpError(-1, f"site {others.argmax()} has {others.max()} neighbours: at most {MOST_NEIGHBOURS} are allowed")
    return library("qubo.c", f"-DMOST_NEIGHBOURS={1 << max(2, (max(degree, 1) - 1).bit_length())}")


def _by_pair(given: Pairs) -> TypeGuard[Mapping[Any, float]]:
    """Whether it is {(i, j): value}. SciPy's dok matrices are dicts, too, but matrices."""
    return isinstance(given, Mapping) and not hasattr(given, "tocoo")


def _entries(name: str, given: Pairs, n: Optional[int]) -> tuple[Array, Array, int]:
    """Places (m, 2) and values (m,) of all entries that are not 0, and how many rows there are."""
    if hasattr(given, "vartype") or hasattr(given, "num_cases") or hasattr(given, "constraints"):
        raise LbpError(-1, f"{name}: a matrix or a dict is needed; for models of dimod use lbp.dimod.LbpSampler().sample, or lbp.dimod.model(bqm)")
    if isinstance(given, (str, bytes, os.PathLike)):
        raise LbpError(-1, f"{name}: numbers are needed, not {given!r:.60}; QUBO.read reads a file")
    n = None if n is None else _whole("n", n, 1, MOST_SITES)
    if _by_pair(given):
        for key in given:
            if not (isinstance(key, (tuple, list)) and len(key) == 2 and all(isinstance(end, (int, np.integer)) and 0 <= end < 2**31 for end in key)):
                raise LbpError(-1, f"{name}: keys are pairs of sites, whole numbers from 0, such as (0, 1), not {key!r:.60}")
        places = np.array([tuple(key) for key in given], np.int64).reshape(-1, 2)
        values = _numbers(name, list(given.values())) if given else np.zeros(0)
        if values.ndim != 1:
            raise LbpError(-1, f"{name}: a number for each pair is needed, not an array of shape {values.shape[1:]}")
        least = int(places.max()) + 1 if len(places) else 0
        rows = least if n is None else n
        if least > rows:
            raise LbpError(-1, f"{name}: there is no site {least - 1}; sites are 0 to {rows - 1}")
    else:
        if hasattr(given, "tocoo"):
            coo = given.tocoo()
            shape, places, values = coo.shape, np.stack([coo.row, coo.col], 1).astype(np.int64), _numbers(name, coo.data)
        else:
            matrix = _numbers(name, given)
            shape = matrix.shape
            places = np.argwhere(matrix != 0) if matrix.ndim == 2 else np.zeros((0, 2), np.int64)
            values = matrix[tuple(places.T)] if matrix.ndim == 2 else np.zeros(0)
        if len(shape) != 2 or shape[0] != shape[1] or (n is not None and shape[0] != n):
            raise LbpError(-1, f"{name}: a matrix of n x n{'' if n is None else f' = {n} x {n}'} is needed, not of shape {tuple(shape)}")
        rows = shape[0]
    for wrong, why in ((~np.isfinite(values), "is not a finite number"), (np.abs(values) > LARGEST, "is beyond 1e12")):
        for k in np.flatnonzero(wrong)[:1]:
            raise LbpError(-1, f"{name}[{places[k, 0]}, {places[k, 1]}]: {values[k]} {why}")
    if rows < 1:
        raise LbpError(-1, f"{name}: it has no sites")
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
        if len(apart) and not _by_pair(given):
            i, j = divmod(int(keys[apart[0]]), rows)
            raise LbpError(-1, f"{name}: neither symmetric nor triangular: [{i}, {j}] is {above[apart[0]]}, [{j}, {i}] is {below[apart[0]]}; "
                           f"use ({name} + {name}.T) / 2, if each is half of a coupling or both are meant to be the same")
        total = above + below if _by_pair(given) else above
    else:
        total = above + below
    return np.stack(np.divmod(keys, max(rows, 1)), 1), total, rows


def _vector(name: str, given: Optional[npt.ArrayLike], n: Optional[int]) -> tuple[Optional[Array], Optional[int]]:
    if given is None:
        return None, n
    vector = _numbers(name, given)
    if vector.ndim == 0 and n is not None:
        vector = np.full(n, float(vector))
    if vector.ndim != 1 or (n is not None and len(vector) != n) or not len(vector):
        raise LbpError(-1, f"{name}: n{'' if n is None else f' = {n}'} numbers in a row, not an array of shape {vector.shape}")
    wrong = np.flatnonzero(~np.isfinite(vector))
    if len(wrong):
        raise LbpError(-1, f"{name}[{wrong[0]}]: {vector[wrong[0]]} is not a finite number")
    return vector, len(vector)


def _table(name: str, given: npt.ArrayLike) -> Array:
    """An array of finite numbers, of whatever shape."""
    table = _numbers(name, given)
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        raise LbpError(-1, f"{name}{wrong[0].tolist()}: {table[tuple(wrong[0])]} is not a finite number")
    return table


def _scaled(name: str, factor: float, values: Array, most: float = float_info.max) -> Array:
    """The values times the factor, which are `name`."""
    with np.errstate(over="ignore"):
        scaled: Array = factor * values
    for place in np.argwhere(~(np.abs(scaled) <= most))[:1]:
        raise LbpError(-1, f"{name}: {scaled[tuple(place)]:g} is too large: at most {most:g}")
    return scaled


class QUBO(Model):
    """log pi(x) = -beta (x^T Q x) over zeros and ones: `anneal` finds the x of least x^T Q x. `read` takes it from a file.

    Parameters
    ----------
    Q : (n, n) array, scipy.sparse matrix, or {(i, j): value}
        All entries count: Q[i, j] and Q[j, i] are added, Q[i, i] is the linear term of x_i.
    beta : float
        Inverse temperature; below 0, large energies are the likely ones.
    n : int, optional
        Number of sites, where Q is a dict that does not name the last ones.

    Raises
    ------
    LbpError
        If Q is not square, has no sites, or an entry is not finite, or beyond 1e12.

    Examples
    --------
    >>> import lbp
    >>> found = lbp.QUBO({(0, 0): -1, (1, 1): -1, (0, 1): 3}).anneal(chains=4, annealing={"sweeps": 100})
    >>> float(found.best_logp[0])
    1.0
    """

    def __init__(self, Q: Pairs, beta: float = 1.0, n: Optional[int] = None) -> None:
        places, values, n = _entries("Q", Q, n)
        beta = _number("beta", beta)
        super().__init__(quadratic_library(places, n), {"n": n, "ends": places, "value": _scaled("beta * Q", beta, values, LARGEST)})

    #: Of a file of spins: its energies less those of the zeros and ones.
    offset = 0.0

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]], beta: float = 1.0, format: str = "guess") -> QUBO:
        """Read energies from a file: D-Wave's .qubo, a list of terms (COO), a graph to be cut as in the G-set, or Biq Mac's.

        A graph's energy is minus its cut. The first compile takes some seconds.

        Parameters
        ----------
        path : path
        beta : float
        format : str
            "guess" from the first lines, "terms" (i j value, sites from 0), "max-cut" (n m, then i j or i j weight, sites from
            1), or "sparse" (Biq Mac's x' A x).

        Raises
        ------
        LbpError
            If the file is wrong; the message has its line.
        OSError
            If it can't be read.
        """
        if format not in FORMATS:
            raise LbpError(-1, f"format: one of {', '.join(FORMATS)}, not {format!r:.60}")
        with open(path, "rb") as file:
            text = file.read()
        c = library("qubo.c", "-DMOST_NEIGHBOURS=4").c
        handle, why, sizes, places = ctypes.c_void_p(), ctypes.create_string_buffer(1024), (ctypes.c_uint64 * 2)(), (ctypes.c_void_p * 3)()
        status = c.lbp_bridge_qubo_parse(FORMATS.index(format), text, ctypes.c_size_t(len(text)), ctypes.byref(handle), why)
        if status:
            raise LbpError(status, f"{os.fspath(path)}: {why.value.decode(errors='replace').replace('LBP_QUBO_SPARSE', 'format=' + repr('sparse'))}")
        try:
            c.lbp_bridge_qubo_look(handle, sizes, places)
            n, count = (int(size) for size in sizes)
            ends, values, offset = (np.frombuffer(ctypes.string_at(place, size) if place and size else b"", kind)
                                    for place, size, kind in zip(places, (8 * count, 8 * count, 8), (np.uint32, np.float64, np.float64)))
            made = cls({(i, j): value for (i, j), value in zip(ends.reshape(-1, 2).tolist(), values.tolist())}, beta, n)
            made.offset = float(beta * offset[0])
            return made
        finally:
            c.lbp_bridge_qubo_drop(handle)

    def energy(self, x: npt.ArrayLike) -> Array:
        """Return beta x^T Q x of states, (..., n), of zeros and ones: minus log pi.

        Raises
        ------
        LbpError
            If it has other numbers, or another length.
        """
        states, ends = _states("x", x, self.n, (0, 1)), self.arrays["ends"].reshape(-1, 2)
        energy: Array = (states[..., ends[:, 0]] * states[..., ends[:, 1]]) @ self.arrays["value"]
        return energy


def _states(name: str, x: npt.ArrayLike, n: Optional[int], values: tuple[int, int]) -> Array:
    """States, (..., n), of two values."""
    states = _plain(name, x) if isinstance(x, np.ndarray) and x.dtype.kind in "biuf" else _numbers(name, x)
    if n is not None and (states.ndim < 1 or states.shape[-1] != n):
        raise LbpError(-1, f"{name}: states of n = {n} sites are needed, not an array of shape {states.shape}")
    wrong = (states != values[0]) & (states != values[1])
    for place in np.argwhere(wrong)[:1] if wrong.any() else ():
        hint = "; for spins s pass (1 + s) / 2" if values[0] == 0 and (states[tuple(place)] == -1) else ""
        raise LbpError(-1, f"{name}{place.tolist()}: {states[tuple(place)]:g}, where values are {values[0]} and {values[1]}{hint}")
    return states


class Ising(Model):
    """log pi(s) = beta (sum over pairs i < j of J_ij s_i s_j + sum of h_i s_i), over spins s = -1, 1.

    J > 0 aligns spins; dimod's and D-Wave's J has the opposite sign. States of runs are zeros and ones, x = (1 + s) / 2;
    `spins` converts them. log pi of runs, and log Z, are those of the formula less `offset`:
    log Z = ``run.log_z + model.offset``, or ``+ b * model.offset`` where a ladder begins at b = ``run.ladder[0]``, not 1.
    `energy` is that of the formula.

    Parameters
    ----------
    J : (n, n) array, scipy.sparse matrix, or {(i, j): value}
        Couplings: a symmetric matrix, of which each pair counts once, or a triangular one; its diagonal is 0. Of a
        dictionary the values of (i, j) and (j, i) add up.
    h : (n,) array or float, optional
        Fields.
    beta : float
        Inverse temperature; below 0, J and h count with the opposite sign.
    n : int, optional
        Number of sites, where J is a dict that does not name the last ones.

    Attributes
    ----------
    offset : float
        The formula's log pi less that of runs.

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

    def __init__(self, J: Pairs, h: Optional[npt.ArrayLike] = None, beta: float = 1.0, n: Optional[int] = None) -> None:
        field, known = (None, n) if h is None or np.ndim(h) == 0 else _vector("h", h, n)
        ends, coupling, n = _couplings("J", J, known)
        field, _ = (field, n) if field is not None else _vector("h", 0.0 if h is None else h, n)
        assert field is not None
        beta = _number("beta", beta)
        linear = field.copy()  # J s s' = J (4 x x' - 2 x - 2 x' + 1), h s = h (2 x - 1)
        np.add.at(linear, ends[:, 0], -coupling)
        np.add.at(linear, ends[:, 1], -coupling)
        value = _scaled("beta * h, beta * J, as of zeros and ones", -beta, np.concatenate([2 * linear, 4 * coupling]), LARGEST)
        both = np.concatenate([np.repeat(np.arange(n), 2).reshape(n, 2), ends])
        super().__init__(quadratic_library(both, n), {"n": n, "ends": both, "value": value})
        self.offset = float(beta * (coupling.sum() - field.sum()))

    @staticmethod
    def spins(x: npt.ArrayLike) -> Array:
        """Return the spins, -1 and 1, of states of zeros and ones.

        Raises
        ------
        LbpError
            If there are other numbers.
        """
        return 2 * _states("x", x, None, (0, 1)).astype(np.int8) - 1

    def energy(self, spins: npt.ArrayLike) -> Array:
        """Return -beta (sum of J_ij s_i s_j + sum of h_i s_i) of spins, (..., n), of -1 and 1: minus the formula's log pi.

        Raises
        ------
        LbpError
            If there are other numbers, or another length.
        """
        states = (1 + _states("spins", spins, self.n, (-1, 1))) / 2
        ends = self.arrays["ends"].reshape(-1, 2)
        energy: Array = (states[..., ends[:, 0]] * states[..., ends[:, 1]]) @ self.arrays["value"] - self.offset
        return energy


class Selection(Model):
    """Which columns of X explain y: pi(x) is the posterior of linear models with the columns x, by Zellner's prior.

    Parameters
    ----------
    X : (rows, n) array
        The columns, none of which is constant; a constant is always in the model.
    y : (rows,) array
    inclusion : float
        Prior probability of each column, above 0 and below 1.

    Raises
    ------
    LbpError
        If shapes do not fit, or a column or y is constant. Runs that begin with more than rows - 2 columns: if there are many
        columns, begin with none of them, `start=np.zeros(n, int)`.
    """

    def __init__(self, X: npt.ArrayLike, y: npt.ArrayLike, inclusion: float = 0.5) -> None:
        table = _numbers("X", X)
        if table.ndim != 2:
            raise LbpError(-1, f"X: a table of rows and columns, not an array of shape {table.shape}")
        explained = _numbers("y", y)
        if explained.size != len(table):
            raise LbpError(-1, f"y: {explained.size} numbers, where X has {len(table)} rows")
        super().__init__(library("selection.c"), {"X": table, "y": explained, "inclusion": [inclusion]})


class Potts(FactorGraph):
    """log pi(x) = beta (sum over pairs of J_ij [x_i = x_j] + sum of h[i, x_i]), over sites of q values.

    Parameters
    ----------
    J : (n, n) array, scipy.sparse matrix, or {(i, j): value}
        Couplings, as for `Ising`.
    q : int
        Values of a site, 1 to 256.
    h : (n, q) array, optional
    beta : float

    Raises
    ------
    LbpError
        If shapes do not fit, or a number is not finite.
    """

    def __init__(self, J: Pairs, q: int, h: Optional[npt.ArrayLike] = None, beta: float = 1.0) -> None:
        q = _whole("q", q, 1, 256)
        field = None if h is None else _table("h", h)
        if field is not None and (field.ndim != 2 or field.shape[1] != q):
            raise LbpError(-1, f"h: an array of n x q = n x {q} numbers, not of shape {field.shape}")
        ends, coupling, n = _couplings("J", J, None if field is None else len(field))
        super().__init__(np.full(n, q))
        beta = _number("beta", beta)
        for (i, j), value in zip(ends, _scaled("beta * J", beta, coupling)):
            self.add([i, j], value * np.eye(q), log=True)
        for i, row in enumerate([] if field is None else _scaled("beta * h", beta, field)):
            self.add([i], row, log=True)


class RBM(Model):
    """A restricted Boltzmann machine, its hidden units summed out: log pi(x) = b . x + sum over hidden units j of
    log(1 + exp(c_j + sum_i x_i W_ij)), over zeros and ones.

    Parameters
    ----------
    W : (n, hidden) array
        Weights between visible and hidden units.
    b : (n,) array, optional
        Biases of visible units [0].
    c : (hidden,) array, optional
        Biases of hidden units [0].

    Raises
    ------
    LbpError
        If shapes do not fit, or a number is not finite.
    """

    def __init__(self, W: npt.ArrayLike, b: Optional[npt.ArrayLike] = None, c: Optional[npt.ArrayLike] = None) -> None:
        weights = _table("W", W)
        if weights.ndim != 2 or 0 in weights.shape:
            raise LbpError(-1, f"W: a table of visible by hidden units, not an array of shape {weights.shape}")
        visible, hidden = weights.shape
        own, _ = _vector("b", 0.0 if b is None else b, visible)
        others, _ = _vector("c", 0.0 if c is None else c, hidden)
        super().__init__(library("rbm.c"), {"W": weights, "b": own, "c": others})


class DensePotts(Model):
    """log pi(x) = beta (sum over pairs i < j of J[i, j, x_i, x_j] + sum of h[i, x_i]), over sites of q values: every pair of
    sites has a table of couplings, as in models of protein families.

    Parameters
    ----------
    J : (n, n, q, q) array
        Couplings. Those of i < j count; those of i > j are zeros or the same, J[j, i, w, v] = J[i, j, v, w].
    h : (n, q) array, optional
        Fields [0].
    beta : float
        Inverse temperature.

    Raises
    ------
    LbpError
        If shapes do not fit, both halves of J differ, or a number is not finite.
    """

    def __init__(self, J: npt.ArrayLike, h: Optional[npt.ArrayLike] = None, beta: float = 1.0) -> None:
        couplings = _table("J", J)
        if couplings.ndim != 4 or couplings.shape[0] != couplings.shape[1] or couplings.shape[2] != couplings.shape[3] or 0 in couplings.shape:
            raise LbpError(-1, f"J: an array of n x n x q x q numbers, not of shape {couplings.shape}")
        n, q = couplings.shape[1:3]
        upper = np.triu_indices(n, 1)
        below = couplings.transpose(1, 0, 3, 2)[upper]
        if q > 256:
            raise LbpError(-1, f"J: at most 256 values of a site, not {q}")
        if below.any() and not np.array_equal(below, couplings[upper]):
            raise LbpError(-1, "J: J[j, i, w, v] must be J[i, j, v, w], or 0 for all i < j")
        if couplings[np.arange(n), np.arange(n)].any():
            raise LbpError(-1, "J: a site has no coupling to itself; fields are h")
        fields = np.zeros((n, q)) if h is None else _table("h", h)
        if fields.shape != (n, q):
            raise LbpError(-1, f"h: an array of n x q = {n} x {q} numbers, not of shape {fields.shape}")
        beta = _number("beta", beta)
        super().__init__(library("dense_potts.c", f"-DSTATES={q}"), {"h": _scaled("beta * h", beta, fields),
                                                                             "J": _scaled("beta * J", beta, couplings[upper].ravel())})


class Assignment(Model):
    """Permutations: log pi(s) = beta (sum over a of L[a, s_a] + sum over a, b of F[a, b] D[s_a, s_b]).

    With L alone this is linear assignment, with F and D quadratic assignment. Orders of n objects are another case: F
    has ones above its diagonal, and D[p, q] is the worth of object p before object q. Draws are permutations, ``run.x``
    (chains, draws, n) of 0 ... n - 1.

    Parameters
    ----------
    L : (n, n) array, optional
        Worth of giving row a the column s_a [0].
    F, D : (n, n) arrays, optional
        Both or none.
    beta : float
        Inverse temperature.

    Raises
    ------
    LbpError
        If shapes do not fit, or a number is not finite.
    """

    def __init__(self, L: Optional[npt.ArrayLike] = None, F: Optional[npt.ArrayLike] = None, D: Optional[npt.ArrayLike] = None,
                 beta: float = 1.0) -> None:
        if (F is None) != (D is None):
            raise LbpError(-1, "F, D: give both or none")
        given = {name: _table(name, table) for name, table in (("L", L), ("F", F), ("D", D)) if table is not None}
        if not given:
            raise LbpError(-1, "L: give L, or F and D")
        n = len(next(iter(given.values()))) if next(iter(given.values())).ndim else 0
        for name, table in given.items():
            if table.shape != (n, n) or n == 0:
                raise LbpError(-1, f"{name}: an array of n x n{f' = {n} x {n}' if n else ''} numbers, not of shape {table.shape}")
        beta, none = _number("beta", beta), np.zeros(0)
        super().__init__(library("assignment.c"), {"n": n, "L": _scaled("beta * L", beta, given.get("L", np.zeros((n, n)))),
                                                   "F": _scaled("beta * F", beta, given.get("F", none).ravel()),
                                                   "D": given.get("D", none).ravel(), "n2": n * n if F is not None else 0})
