"""Compiled models as Python objects: `Library`, `Model`, `Run`, over the functions of lbp_bridge.h.

Errors are `LbpError`, with the library's sentence. Ctrl-C ends a run early and raises `Interrupted`, which has what the
run has found so far.
"""
from __future__ import annotations

import ctypes
import inspect
import math
import os
import re
import secrets
import shutil
import sys
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from sys import float_info
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, TypedDict, Union

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from typing_extensions import Unpack

Array = npt.NDArray[Any]

ABI = 4
DTYPES = [np.dtype(t) for t in ("uint8", "uint16", "uint32", "uint64", "int32", "int64", "float32", "float64")]
GROUPS = ("tempering", "annealing", "momentum")  # of options: tempering={"rungs": 8} is {"tempering.rungs": 8}
FILES = ("prefix", "checkpoint", "metric")  # options that are files
ARRAYS = ("start", "clamp", "tempering.ladder")  # options that are arrays
OWN = ("progress", "interrupt")  # options of these functions, not of lbp_run
OTHERS = ("best", "marginal", "marginal_se", "parts", "largest_part")  # results that may have the shape of draws by chance
INFO = 6  # numbers that steps tell
TOO_LONG = 1 << 16  # sites times steps of a call that goes to a thread, so that this one hears Ctrl-C


class State(NamedTuple):
    """Where a chain of single steps is: `position`, (n,) whole numbers, and `logdensity`, its log pi."""

    position: Array
    logdensity: float


class Info(NamedTuple):
    """Report of steps: mean acceptance probability and parameter (such as R), and sums over the steps: distances moved
    and proposed, evaluations, and the change of log pi."""

    acceptance_rate: float
    parameter: float
    jump: float
    proposed: float
    evaluations: float
    log_ratio: float


class Convergence(NamedTuple):
    """Of one variable: mean, its Monte Carlo standard error, effective sample sizes, R-hat."""

    mean: float
    mcse: float
    ess_bulk: float
    ess_tail: float
    r_hat: float


class Summary(dict[str, Convergence]):
    """What `Run.summary` returns: a `Convergence` by variable. Printed, a table."""

    def __repr__(self) -> str:
        rows = [("", *Convergence._fields), *((name, *(f"{number:.6g}" for number in row)) for name, row in self.items())]
        wide = max(len(row[0]) for row in rows)
        return "\n".join(f"{row[0]:{wide}}" + "".join(f"{cell:>12}" for cell in row[1:]) for row in rows)


class Sampling(NamedTuple):
    """`init(position) -> State` and `step(key, state, steps=1) -> (State, Info)`."""

    init: Callable[[npt.ArrayLike], State]
    step: Callable[..., tuple[State, Info]]


class Options(TypedDict, total=False):
    """Options of runs, by name; docs/reference.md (lbp_run) has their ranges and defaults."""

    sampler: str
    parameter: float
    clock_jumps: float
    target: float
    metric: Union[str, bytes, "os.PathLike[str]"]
    shared_tuner: bool
    batch: int
    values: int
    seed: Optional[int]
    chains: int
    warmup: int
    draws: int
    thin: int
    check_trials: int
    tempering: Mapping[str, Any]
    annealing: Mapping[str, Any]
    momentum: Mapping[str, Any]
    seconds: float
    rhat: float
    ess: float
    signals: bool
    name: str
    prefix: Union[str, bytes, "os.PathLike[str]"]
    save_states: str
    marginals: str
    digits: int
    best_states: int
    checkpoint: Union[str, bytes, "os.PathLike[str]"]
    checkpoint_seconds: float
    start: npt.ArrayLike
    clamp: npt.ArrayLike
    keep: bool
    progress: bool
    interrupt: str


# Options and groups that a call ignores, as NAME_anneal, NAME_ais and lbp_bridge_step say.
_OF_SWAPS = ("tempering.adapt_ends", "tempering.swap_every", "tempering.swap_parts", "tempering.replicas")
_OF_DRAWS = ("draws", "warmup", "rhat", "ess", "marginals", "save_states", "keep", "digits", "shared_tuner", *_OF_SWAPS)
_OF_STEPS = ("sampler", "parameter", "clock_jumps", "batch", "values", "check_trials", "momentum", "clamp")
IGNORED = {"run": ("annealing", "tempering.resample"),
           "anneal": (*_OF_DRAWS, "thin", "tempering.adapt", "tempering.resample"),
           "ais": (*_OF_DRAWS, "annealing", "batch", "seconds", "best_states", "checkpoint_seconds"),
           "sampling": tuple(name for name in Options.__annotations__ if name not in _OF_STEPS)}

# Options that do nothing unless one of these is given, too.
_NEEDS = {"tempering.adapt": ("tempering.rungs", "tempering.ladder"), "tempering.swap_every": ("tempering.rungs", "tempering.ladder", "tempering.replicas"),
          "digits": ("prefix",), "checkpoint_seconds": ("checkpoint",), "name": ("prefix", "checkpoint", "progress")}
NEEDS: dict[str, dict[str, tuple[str, ...]]] = {"run": _NEEDS, "anneal": {**_NEEDS, "prefix": ("best_states",)}, "ais": _NEEDS, "sampling": {}}


class LbpError(RuntimeError):
    """An error of the library, with its sentence.

    Attributes
    ----------
    status : int
        Its number, LBP_E_... of lbp.h; -1 for errors that Python found.
    """

    def __init__(self, status: int, sentence: str = "") -> None:
        super().__init__(sentence)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, *self.args)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run.

    Attributes
    ----------
    run : Run or None
        The results so far; None: a run for log Z, or steps, which have none.
    """

    def __init__(self, sentence: str = "", run: Optional[Run] = None) -> None:
        super().__init__(sentence)
        self.run = run

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.run)


class _Array(ctypes.Structure):  # lbp_bridge_array
    _fields_ = [("name", ctypes.c_char_p), ("length", ctypes.c_char_p), ("type", ctypes.c_int32),
                ("dims", ctypes.c_uint32), ("shape", ctypes.c_uint64 * 3), ("data", ctypes.c_void_p)]


_Tell = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)


def _converted(data: Array, dtype: np.dtype[Any]) -> Array:
    """Data of that type, if no number changes but that floats may be rounded to shorter ones; else as they are."""
    with np.errstate(invalid="ignore", over="ignore"):
        like: Array = data.astype(dtype)
        if data.dtype.kind == dtype.kind == "f":
            same = np.array_equal(np.isfinite(like), np.isfinite(data))
        else:  # there and back: where both are compared, whole numbers may be rounded
            same = np.array_equal(like.astype(data.dtype), data) and np.array_equal(like < 0, data < 0)
    return like if same else data


def _said(sentence: bytes) -> str:
    """A sentence of the library, with Python's words for those of C."""
    text = re.sub(r"\bLBP_SAMPLER_([A-Z_]+)", lambda found: f"sampler='{found[1].lower()}'", sentence.decode(errors="replace"))
    return re.sub(r"\bNAME_(run|anneal|ais)\b", r"`\1`", text).replace("set it to NULL", "leave it out")


def _bytes(name: str, text: Union[str, bytes, os.PathLike[str]]) -> bytes:
    """The text as C has it, up to a zero byte, which thus must not be in it."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise LbpError(-1, f"{name}: {text!r} has a zero character, which would end it")
    return data


def _option(name: str, value: Any) -> bytes:
    """An option's value as text. Those that are files may be bytes or paths, as for open(); bytes are nothing else."""
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower().encode()
    if isinstance(value, (bytes, os.PathLike)):
        if name not in FILES:
            raise LbpError(-1, f"{name}: no number or text: {value!r}; of bytes and paths there are {', '.join(FILES)}")
        return _bytes(name, value)
    return _bytes(name, str(value))


def _flat(options: Mapping[str, Any], group: str = "") -> Iterator[tuple[str, Any]]:
    """Pairs of an option's dotted name and its value: {"tempering": {"rungs": 8}} has ("tempering.rungs", 8)."""
    for name, value in options.items():
        if not isinstance(name, str):
            raise LbpError(-1, f"an option's name is text, not {name!r}")
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{group}{name}.")
        else:
            yield group + name, value


def _dotted(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options by their dotted names, each of which must be given once."""
    given: dict[str, Any] = {}
    for name, value in _flat(options):
        if name in given:
            raise LbpError(-1, f"{name}: it is given twice")
        given[name] = value
    return given


def _warn_of_ignored(call: str, options: Mapping[str, Any], stacklevel: int) -> None:
    """Warns of options that the call ignores."""
    def ignored(by: str, name: str) -> Optional[str]:
        return next((key for key in (name.split(".")[0], name) if key in IGNORED[by]), None)

    given = [name for name, value in _flat(options) if value is not None and not isinstance(value, Mapping)]
    told = {}
    for name in given:
        key = ignored(call, name)
        if key is not None:
            told[key] = ", which is for " + ", ".join(f"`{other}`" for other in IGNORED if ignored(other, key) is None)
        elif name in NEEDS[call] and not any(other in given for other in NEEDS[call][name]):
            told[name] = f" without {' or '.join(NEEDS[call][name])}"
    for name, why in told.items():
        warnings.warn(f"{name}: `{call}` ignores this option{why}", stacklevel=stacklevel)


def _plain(name: str, given: Any) -> Array:
    """The array, no entry of which is masked."""
    if np.ma.is_masked(given):
        raise LbpError(-1, f"{name}: it has masked entries, which would count as what is behind the mask: fill them, or leave them out")
    return np.asarray(given)


def _numbers(name: str, given: Any) -> Array:
    """The numbers, as float."""
    try:
        found = _plain(name, given)
        if found.dtype.kind in "biuf" or (found.dtype.kind == "O" and not any(isinstance(entry, (str, bytes)) for entry in found.flat)):
            return np.asarray(found, float)
    except (TypeError, ValueError):
        pass
    raise LbpError(-1, f"{name}: real numbers are needed, not {given!r:.60}")


def _number(name: str, given: Any, most: float = float_info.max) -> float:
    """A number, not text, up to `most` and from -most."""
    try:
        value = float("nan" if isinstance(given, (str, bytes)) else given)
    except (TypeError, ValueError):
        value = float("nan")
    if not abs(value) <= most:
        raise LbpError(-1, f"{name}: a {'finite ' * math.isfinite(most)}number, not {given!r:.60}")
    return value


def _whole(name: str, given: Any, least: int, most: int) -> int:
    """A whole number from `least` to `most`."""
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (int, np.integer)) or not least <= given <= most:
        raise LbpError(-1, f"{name}: a whole number from {least} to {most}, not {given!r:.60}")
    return int(given)


def _array(name: str, value: Any, dtype: Optional[np.dtype[Any]] = None) -> tuple[_Array, Array]:
    """The value as a C array, and the numbers that it points to: keep them for as long as it is used."""
    data = _plain(name, value)
    if dtype is not None and data.dtype != dtype and data.dtype.kind in "biuf":
        data = _converted(data, dtype)
    if data.dtype.kind == "b":
        data = data.astype("uint8")
    if data.dtype.kind in "if" and data.dtype.itemsize < 4:  # int8, int16, float16
        data = data.astype("int32" if data.dtype.kind == "i" else "float64")
    if not data.dtype.isnative:
        data = data.astype(data.dtype.newbyteorder("="))
    if data.dtype not in DTYPES or data.ndim > 3:
        raise LbpError(-1, f"{name}: no array of numbers: {data.dtype}, {data.ndim} dimensions")
    data = np.asarray(data, order="C")
    shape = (ctypes.c_uint64 * 3)(*data.shape)
    return _Array(_bytes("an array's name", name), None, DTYPES.index(data.dtype), data.ndim, shape, data.ctypes.data), data


def _view(got: _Array, owner: Any) -> Array:
    """A C array's numbers, which stay for as long as the view does."""
    shape, dtype = tuple(got.shape[:got.dims]), DTYPES[got.type]
    size = int(np.prod(shape, dtype=np.uint64)) * dtype.itemsize
    if not size:
        return np.empty(shape, dtype)
    data = (ctypes.c_char * size).from_address(got.data)
    data.owner = owner
    return np.frombuffer(data, dtype).reshape(shape)


#: Defaults of options, for signatures, that are not 0, false, none, or the sampler's or the model's own.
DEFAULTS: dict[str, Any] = {"seed": 1, "chains": 4, "warmup": 1000, "draws": 1000, "thin": 1, "check_trials": 1, "digits": 8,
                            "checkpoint_seconds": 600.0, "keep": True, "interrupt": "raise"}


def completes(function: Any) -> Any:
    """Gives a function of **options the signature that it has in effect, for help() and completion."""
    signature = inspect.signature(function)
    known = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    some = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS.get(name))
            for name in Options.__annotations__ if name not in signature.parameters]
    function.__signature__ = signature.replace(parameters=[*known, *some])
    return function


#: Files that were loaded, as they were: dlopen knows them by their names.
_loaded: dict[str, tuple[int, ...]] = {}


def _load(path: str) -> Any:
    """The library in a file. Another one in the place of a loaded one is loaded as a copy."""
    about = os.stat(path)
    now = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)
    if _loaded.setdefault(path, now) == now:
        return ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL)
    folder = tempfile.mkdtemp(prefix="lbp-")
    try:
        return ctypes.CDLL(shutil.copy(path, folder), mode=ctypes.RTLD_LOCAL)
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # Windows keeps what is loaded


class Library:
    """A compiled model file: called with its arrays, it makes a `Model` of them.

    Parameters
    ----------
    path : path
        A file that `compile` has written to its `output`, or ``cc -shared -fPIC`` elsewhere.

    Attributes
    ----------
    name : str
        The model's LBP_NAME.
    path : str
        Where the file was. Pickles load it from there.
    wants : dict
        The type and the length of each array; sizes have the length "".

    Raises
    ------
    LbpError
        If the file can't be loaded, is no model, or is of another version's interface.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = os.path.abspath(os.fspath(path))
        try:
            self.c: Any = _load(self.path)
            self.c.lbp_bridge_abi.restype = ctypes.c_uint32
        except OSError as error:
            raise LbpError(-1, f"{self.path}: it can't be loaded as a library: {error}") from None
        except AttributeError:
            raise LbpError(-1, f"{self.path}: no model of lbp: its source must end with #include \"lbp_bridge.h\"") from None
        if self.c.lbp_bridge_abi() != ABI:
            raise LbpError(-1, f"{self.path}: interface {self.c.lbp_bridge_abi()}, not {ABI}: compile it again, with this version's headers")
        for function in ("name", "message", "option", "result", "warning", "warning_name", "sampler_name"):
            if hasattr(self.c, f"lbp_bridge_{function}"):  # libraries of before have no sampler_name
                getattr(self.c, f"lbp_bridge_{function}").restype = ctypes.c_char_p
        self.c.lbp_bridge_sites.restype = self.c.lbp_bridge_item_bytes.restype = ctypes.c_uint32
        self.name: str = self.c.lbp_bridge_name().decode()
        self.wants: dict[str, tuple[np.dtype[Any], str]] = {}
        wanted = _Array()
        while self.c.lbp_bridge_wants(ctypes.c_uint32(len(self.wants)), ctypes.byref(wanted)) == 0:
            self.wants[wanted.name.decode()] = DTYPES[wanted.type], wanted.length.decode()
        # for help() and completion: sizes follow from arrays where these tell them
        self.__signature__ = inspect.Signature([inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY,
                                                                  default=inspect.Parameter.empty if length else None)
                                                for name, (_, length) in self.wants.items()], return_annotation=Model)

    def __call__(self, **arrays: npt.ArrayLike) -> Model:
        return Model(self, arrays)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}: {dtype}[{length}]" if length else f"{name}: size" for name, (dtype, length) in self.wants.items())
        return f"<lbp.Library {self.name}({given})>"

    def __reduce__(self) -> tuple[Any, ...]:
        if not os.path.exists(self.path):
            raise LbpError(-1, f"{self.path}: this library was not kept: compile with output=, or with the cache, to pickle its models")
        return Library, (self.path,)


class _Memory:
    """A model's memory in C. The finalizers of its samplers refer to it, so that it goes after them, in whatever order
    they are found to be garbage."""


def _free(free: Any, handle: ctypes.c_void_p, *_: Any) -> None:
    free(handle)


def _frees(it: Any, free: Any, handle: ctypes.c_void_p, *after: Any) -> None:
    """Frees a handle once nothing refers to `it`, and before `after`; not at the exit, where views and other threads may
    still use it."""
    weakref.finalize(it, _free, free, handle, *after).atexit = False


def _model(library: Library, arrays: Mapping[str, Any], kind: Optional[type[Model]] = None, more: Optional[Mapping[str, Any]] = None) -> Model:
    """A model, of this class, from its arrays."""
    model = library(**arrays)
    model.__class__ = kind or Model
    model.__dict__.update(more or {})
    return model


class Model:
    """A model: `run`, `anneal`, `ais` and `sampling` are its samplers.

    Options of these are those of lbp_run by name; a group's as ``tempering={"rungs": 8}`` or by their dotted names,
    ``**{"tempering.rungs": 8}``.

    Attributes
    ----------
    library : Library
    n : int
        Items of a state.
    dtype : numpy.dtype
        Of a state's items.
    arrays : dict
        The model's data: views, which must not be written to.
    """

    def __init__(self, library: Library, arrays: Mapping[str, Any]) -> None:
        self.library, c = library, library.c
        made = [_array(name, value, library.wants.get(name, (None, ""))[0]) for name, value in arrays.items()]
        given = (_Array * len(made))(*(array for array, _ in made))
        handle, why = ctypes.c_void_p(), ctypes.create_string_buffer(1024)
        status = c.lbp_bridge_model_make(given, ctypes.c_uint32(len(made)), ctypes.byref(handle), why)
        if status:
            raise LbpError(status, why.value.decode(errors="replace"))
        self.handle = handle
        self._memory = _Memory()
        _frees(self._memory, c.lbp_bridge_model_free, handle)
        self.n: int = c.lbp_bridge_sites(handle)
        self.dtype = np.dtype(f"uint{8 * c.lbp_bridge_item_bytes(handle)}")
        self._sizes = {name: value for name, value in arrays.items() if library.wants[name][1] == ""}
        self._own = set(self.__dict__)
        self._label = library.name if type(self) is Model else type(self).__name__

    @property
    def arrays(self) -> dict[str, Array]:
        found: dict[str, Array] = {}
        got = _Array()
        while self.library.c.lbp_bridge_model_array(self.handle, ctypes.c_uint32(len(found)), ctypes.byref(got)) == 0:
            array = _view(got, self)
            array.flags.writeable = False
            found[got.name.decode()] = array
        return found

    def __repr__(self) -> str:
        return f"<lbp.Model {self._label}: {self.n} sites of {self.dtype}>"

    def __reduce__(self) -> tuple[Any, ...]:
        more = {name: value for name, value in self.__dict__.items() if name not in self._own and name != "_own"}
        return _model, (self.library, {**self.arrays, **self._sizes}, type(self), more)

    @completes
    def run(self, **options: Unpack[Options]) -> Run:
        """Draw from pi.

        Parameters
        ----------
        **options
            Options of lbp_run. `seed` is 1 unless you give another: the same call draws the same; with None a seed is
            drawn, and ``run.seed`` has it. `keep` : whether to keep states in memory [True]. `progress` : True shows
            how far the run is. `interrupt` : the effect of Ctrl-C: "raise" `Interrupted` ["raise"], or "return" the
            draws so far.

        Returns
        -------
        Run
            ``run.x`` has the states, (chains, draws, n); ``run.names`` lists all results. A run that goes on from a
            checkpoint has this call's draws only; ``run.draws`` counts all.

        Raises
        ------
        LbpError
            If an option is unknown or makes no sense, or the model gives NaN, contradicts itself, ...
        Interrupted
            On Ctrl-C, with the draws so far in its `run`.
        """
        return Run(self, "run", options)

    @completes
    def anneal(self, **options: Unpack[Options]) -> Run:
        """Search for the best states, by annealing: each of `chains` is a read of ``annealing={"sweeps": ...}`` sweeps.

        Parameters
        ----------
        **options
            As for `run`.

        Returns
        -------
        Run
            ``best``, (reads, n), the best one first, and ``best_logp``, (reads,). ``hits``, (reads,): how many reads
            ended in this state, 0 where it repeats an earlier row; states may tie in log pi, so
            ``np.isclose(run.best_logp, run.best_logp[0]).sum()`` counts the reads that found the best value.
            ``different``: how many states differ.
        """
        return Run(self, "anneal", options)

    @completes
    def ais(self, **options: Unpack[Options]) -> Run:
        """Estimate log Z by annealed importance sampling, with ``tempering={"rungs": ...}``.

        Parameters
        ----------
        **options
            As for `run`.

        Returns
        -------
        Run
            ``log_z`` and its standard error ``log_z_se``.
        """
        return Run(self, "ais", options)

    @completes
    def sampling(self, **options: Unpack[Options]) -> Sampling:
        """Return functions for loops of your own: ``init(position) -> State``, ``step(key, state, steps=1) -> (State, Info)``.

        A key is a whole number from 0 to 2^64 - 1, or two of 32 bits, and decides the steps.

        Parameters
        ----------
        **options
            As for `run`: sampler, parameter, clamp, momentum, check_trials, ... Samplers with a parameter need it given.
            Others, as those of draws, are ignored, with a warning.

        Returns
        -------
        Sampling
        """
        _warn_of_ignored("sampling", options, 3)
        sampler = _Sampler(self, options)
        logp, info, lock = ctypes.c_double(), (ctypes.c_double * INFO)(), threading.Lock()

        def init(position: npt.ArrayLike) -> State:
            x = _converted(_numbers("position", position), self.dtype)
            if x.shape != (self.n,) or x.dtype != self.dtype:
                raise LbpError(-1, f"position: a state of {self.n} whole numbers")
            with lock:  # a handle is for one thread at a time
                sampler.call("logp", x.ctypes.data_as(ctypes.c_void_p), ctypes.byref(logp))
                return State(x, logp.value)

        def step(key: Any, state: State, steps: int = 1) -> tuple[State, Info]:
            words = np.ravel(np.array(key)).tolist()
            most = 2**64 if len(words) == 1 else 2**32
            if len(words) not in (1, 2) or not all(isinstance(word, int) and 0 <= word < most for word in words):
                raise ValueError("key: a whole number from 0 to 2^64 - 1, or two from 0 to 2^32 - 1")
            if not isinstance(steps, (int, np.integer)) or not 0 <= steps < 2**32:
                raise ValueError("steps: a whole number from 0 to 2^32 - 1")
            x = np.array(state.position, order="C")
            if x.shape != (self.n,) or x.dtype != self.dtype:
                raise ValueError(f"state: its position is {self.n} numbers of {self.dtype}, as init has made it")
            seed = words[0] if len(words) == 1 else words[0] << 32 | words[1]

            def take(count: int) -> None:
                sampler.call("step", ctypes.c_uint64(seed), ctypes.c_uint64(0), ctypes.c_uint32(count), x.ctypes.data_as(ctypes.c_void_p), info)

            steps = int(steps)
            with lock:
                if steps * self.n <= TOO_LONG:
                    take(steps)
                elif sampler.interruptible(lambda: take(steps)):
                    take(0)  # forgets an interrupt that has come too late
                    raise Interrupted(f"Ctrl-C during {steps} steps: the state is what it was")
                told = Info(*info)
                logdensity = state.logdensity + told.log_ratio
                if not math.isfinite(logdensity):  # from an impossible state
                    sampler.call("logp", x.ctypes.data_as(ctypes.c_void_p), ctypes.byref(logp))
                    logdensity = logp.value
            return State(x, logdensity), told

        return Sampling(init, step)


class _Sampler:
    """A handle of lbp_bridge_sampler, with these options. A seed of None is drawn."""

    def __init__(self, model: Model, options: Mapping[str, Any]) -> None:
        self.model, self.c, self.handle = model, model.library.c, ctypes.c_void_p()
        self.tell: Any = None  # what hears of progress
        if self.c.lbp_bridge_sampler_make(model.handle, ctypes.byref(self.handle)):
            raise MemoryError("lbp_bridge_sampler_make")
        _frees(self, self.c.lbp_bridge_sampler_free, self.handle, model._memory)
        for name, value in _dotted(options).items():
            if name == "seed" and value is None:
                value = secrets.randbits(63)
            if value is None or name in OWN:
                continue
            if name in ARRAYS:
                array, numbers = _array(name, value)
                if name == "start" and (numbers.astype(float) == -1).any():
                    raise LbpError(-1, "start: a value is -1, where values are from 0; for spins s pass (1 + s) / 2")
                self.call("give", ctypes.byref(array))
                del numbers
            elif isinstance(value, Mapping):  # a group without options: its name must exist
                if name not in GROUPS:
                    self.call("set", _bytes("an option's name", name), b"")
            else:
                self.call("set", _bytes("an option's name", name), _option(name, value))

    def call(self, function: str, *arguments: Any) -> None:
        status = getattr(self.c, f"lbp_bridge_{function}")(self.handle, *arguments)
        if status:
            raise LbpError(status, _said(self.c.lbp_bridge_message(self.handle)))

    def setting(self, name: str) -> str:
        text, k = ctypes.create_string_buffer(1024), 0
        while (option := self.c.lbp_bridge_option(self.handle, ctypes.c_uint32(k), text)) is not None:
            if option.decode() == name:
                return text.value.decode()
            k += 1
        raise LbpError(-1, f"{name}: there is no such option")

    def interruptible(self, work: Callable[[], None]) -> bool:
        """Does the work, in a new thread if this one must see signals. Returns whether Ctrl-C came; then errors are those
        of the interrupted work, and are not raised. Whatever else a signal's handler raises ends the work, too, and is
        raised once the thread has ended."""
        if threading.current_thread() is not threading.main_thread():
            work()
            return False
        failed: list[BaseException] = []
        done = threading.Event()
        stopped: Optional[BaseException] = None

        def run() -> None:
            try:
                work()
            except BaseException as error:  # pylint: disable=broad-except
                failed.append(error)
            finally:
                done.set()

        thread = threading.Thread(target=run)
        thread.start()
        while thread.is_alive():
            try:
                if done.is_set():  # it has only to end; a join that a signal interrupts can hang before Python 3.9.8
                    time.sleep(0)
                    continue
                if stopped is not None:  # again and again: the first may come before it has begun
                    self.c.lbp_bridge_interrupt(self.handle)
                done.wait(None if stopped is None else 0.1)
            except BaseException as error:  # pylint: disable=broad-except
                stopped = error if stopped is None or isinstance(stopped, KeyboardInterrupt) else stopped
        if stopped is not None and not isinstance(stopped, KeyboardInterrupt):
            raise stopped
        if failed and not (stopped is not None and isinstance(failed[0], LbpError)):
            raise failed[0]
        return stopped is not None

    def texts(self, what: str) -> list[str]:
        ask = getattr(self.c, f"lbp_bridge_{what}")
        texts: list[str] = []
        while (text := ask(self.handle, ctypes.c_uint32(len(texts)))) is not None:
            texts.append(_said(text))
        return texts


class _Progress:
    """Shows how far a run is: in a terminal in one line, in a notebook in one output."""

    def __init__(self) -> None:
        self.shown: Any = None
        self.notebook = False
        try:
            shell = sys.modules["IPython"].get_ipython()
            self.notebook = shell is not None and hasattr(shell, "kernel")
        except (KeyError, AttributeError):
            pass

    def __call__(self, _: Any, line: bytes, last: int) -> None:
        text = line.decode(errors="replace")
        if self.notebook:
            display = sys.modules["IPython.display"].display
            if self.shown is None:
                self.shown = display({"text/plain": text}, raw=True, display_id=True)
            else:
                self.shown.update({"text/plain": text}, raw=True)
            return
        sys.stderr.write(f"\r{text:79.79}" + "\n" * last)
        sys.stderr.flush()


def _run(state: dict[str, Any]) -> Run:
    run = Run.__new__(Run)
    run.__dict__.update(state)
    return run


class Run:
    """The results of a run, as attributes or by name (``run["lp"]``). Pickles keep all of them.

    Attributes
    ----------
    names : list of str
        Of all results. Arrays are views. After a resume from a checkpoint those of draws, ``x``, ``lp``, ``accept``, ...,
        have this call's; ``draws`` counts all, and ``mcse``, ``ess_bulk``, ``ess_tail``, ``rhat`` are of all.
    warnings : dict
        Reasons for distrust, a sentence each by its name, such as "LBP_WARN_RHAT"; each is a Python warning, too.
    seed : int
        The seed, given, drawn or 1.
    driver : str
        "run", "anneal" or "ais".
    sampler : str
        The sampler's name, also of a default one.
    chains : int
    sites : list of str or None
        Names of the sites, which `to_arviz` takes for the states' coordinates; None: their numbers.
    """

    _sampler: Any
    sampler: str
    chains: int
    names: list[str]
    warnings: dict[str, str]
    sites: Optional[list[str]] = None

    def __init__(self, model: Model, driver: str, options: Mapping[str, Any]) -> None:
        progress, on_interrupt = options.get("progress", False), options.get("interrupt") or "raise"
        if on_interrupt not in ("raise", "return"):
            raise LbpError(-1, f"interrupt: 'raise' or 'return', not {on_interrupt!r}")
        _warn_of_ignored(driver, options, 4)
        self._model_name, self._n, self._values = model._label, model.n, None
        self.driver, self.names, self.warnings = driver, [], {}
        self._sampler = sampler = _Sampler(model, options)
        self.seed = int(sampler.setting("seed"))
        if progress:
            sampler.tell = _Tell(_Progress())  # C calls it for as long as the sampler runs
            sampler.c.lbp_bridge_listen(sampler.handle, sampler.tell, None)
        begun = time.monotonic()
        interrupted = sampler.interruptible(lambda: sampler.call("run", driver.encode()))
        sampler.c.lbp_bridge_listen(sampler.handle, None, None)
        self.names = sampler.texts("result")
        self.warnings = dict(zip(sampler.texts("warning_name"), sampler.texts("warning")))
        used = sampler.c.lbp_bridge_sampler_name(sampler.handle) if hasattr(sampler.c, "lbp_bridge_sampler_name") else None
        self.sampler, self.chains = used.decode() if used else sampler.setting("sampler"), int(sampler.setting("chains"))
        for name in self.warnings.keys() & {"LBP_WARN_RHAT", "LBP_WARN_ESS"} if "rhat" in self.names else ():
            figures = "; ".join(f"{variable}: R-hat {of.r_hat:.4g}, bulk ESS {of.ess_bulk:.4g}, tail ESS {of.ess_tail:.4g}"
                                for variable, of in self.summary().items())
            self.warnings[name] += f" ({figures})"
        if interrupted and (on_interrupt == "raise" or not self.names):
            raise Interrupted(f"Ctrl-C after {time.monotonic() - begun:.1f} s: " +
                              ("what was found so far is in this exception's run" if self.names else "nothing was found so far"),
                              self if self.names else None)
        for sentence in self.warnings.values():
            warnings.warn(sentence.replace("\n ", ""), stacklevel=3)  # the line that calls run

    def __getitem__(self, name: str) -> Any:
        if self._values is not None:
            if name not in self._values:
                raise LbpError(-1, f"{name:.60}: the run has no such result")
            return self._values[name]
        got = _Array()
        self._sampler.call("get", _bytes("a result's name", name), ctypes.byref(got))
        array = _view(got, self._sampler)
        return array if array.shape else array[()]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.__dict__.get("names", ()):
            raise AttributeError(f"{name!r}: the run has no such result" + (f"; it has {', '.join(self.__dict__['names'])}"
                                                                            if self.__dict__.get("names") else ""))
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.names]

    def __repr__(self) -> str:
        rows = [f"lbp.Run: {self.driver} of {self._model_name}, {self._n} sites, {self.sampler}, {self.chains} chains, seed {self.seed}"]
        for name in self.names:
            value = self[name]
            rows.append(f"  {name:17} " + (f"{value.dtype} {list(value.shape)}" if np.ndim(value) else str(value)))
        return "\n".join([*rows, *(f"  {name}" for name in self.warnings)])

    def __reduce__(self) -> tuple[Any, ...]:
        state = {key: value for key, value in self.__dict__.items() if key != "_sampler"}
        state["_values"] = {name: self[name] for name in self.names}
        return _run, ({**state, "_sampler": None},)

    def summary(self) -> Summary:
        """Return the mean of log pi and of the model's columns, with Monte Carlo standard error, bulk and tail ESS, and
        rank-normalised split R-hat of all chains, NaN where not known: ``run.summary()["lp"].r_hat``. Printed, a table.
        All are of all draws: the mean is NaN where this call, after a resume from a checkpoint, has only the last of them.

        Raises
        ------
        LbpError
            If the run has no draws, as those of `anneal` and `ais`.
        """
        if "rhat" not in self.names:
            raise LbpError(-1, f"summary: no draws: this is a run of `{self.driver}`")
        stats = ("accept", "parameter", "evaluations", "jump")
        shape = self["lp"].shape
        names = [name for name in self.names if name not in stats and name not in OTHERS and self[name].shape == shape]
        columns = [self[name] for name in ("mcse", "ess_bulk", "ess_tail", "rhat")]
        whole = 0 < shape[1] == self["draws"]
        return Summary({name: Convergence(float(self[name].mean()) if whole else float("nan"), *(float(column[k]) for column in columns))
                        for k, name in enumerate(names)})

    def groups(self) -> dict[str, dict[str, Array]]:
        """Return the draws as arviz.from_dict takes them: {group: {variable: (chain, draw, ...)}}. After a resume, this
        call's."""
        of_draws = [name for name in self.names if self[name].shape[:2] == self["lp"].shape and name not in OTHERS]
        stats = {"accept": "acceptance_rate", **{name: name for name in ("lp", "parameter", "evaluations", "jump")}}
        return {"posterior": {name: self[name] for name in of_draws if name not in stats},
                "sample_stats": {stats[name]: self[name] for name in of_draws if name in stats}}

    def to_arviz(self) -> Any:
        """Return the draws as ArviZ has them, an InferenceData or DataTree; needs arviz. The states' last dimension is
        ``site``."""
        import arviz  # pylint: disable=import-outside-toplevel
        groups, names = self.groups(), {}
        if "x" in groups["posterior"]:
            names = {"dims": {"x": ["site"]}, "coords": {"site": self.sites if self.sites is not None else np.arange(self._n)}}
        return arviz.from_dict(groups, **names) if int(arviz.__version__.split(".")[0]) > 0 else arviz.from_dict(**groups, **names)


__all__: Sequence[str] = ("Convergence", "Info", "Interrupted", "LbpError", "Library", "Model", "Options", "Run", "Sampling", "State", "Summary")
