"""Models written in C for lbp, from Python: needs a C compiler and NumPy.

    import lbp
    field = lbp.compile("field.c")                 # a model file that ends with #include "lbp_bridge.h"
    model = field(h=[0.5, -1.0, 2.0])              # of its arrays
    run = model.run(chains=4, draws=1000)          # any option of lbp_run, also tempering={"rungs": 8}
    run.x                                          # states: chain, draw, site
    arviz.from_dict(run.groups())

Errors are LbpError, with the library's sentence. Ctrl-C ends a run early, and it returns what it has.
"""
import collections
import collections.abc
import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref

import numpy as np

ABI = 3
HEADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DTYPES = [np.dtype(t) for t in ("uint8", "uint16", "uint32", "uint64", "int32", "int64", "float32", "float64")]
GROUPS = ("tempering", "annealing")  # of options: tempering={"rungs": 8} is {"tempering.rungs": 8}
FILES = ("prefix", "checkpoint", "metric")  # options that are files
INFO = ("acceptance_rate", "parameter", "jump", "proposed", "evaluations", "log_ratio")

State = collections.namedtuple("State", "position logdensity")
Info = collections.namedtuple("Info", INFO)
Sampling = collections.namedtuple("Sampling", "init step")


class LbpError(RuntimeError):
    """What the library says went wrong; `status` is its number."""

    def __init__(self, status, sentence):
        super().__init__(sentence)
        self.status = status


class _Array(ctypes.Structure):  # lbp_bridge_array
    _fields_ = [("name", ctypes.c_char_p), ("length", ctypes.c_char_p), ("type", ctypes.c_int32),
                ("dims", ctypes.c_uint32), ("shape", ctypes.c_uint64 * 3), ("data", ctypes.c_void_p)]


_Tell = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)


def _converted(data, dtype):
    """Data of that type, if no number changes but that floats may be rounded to shorter ones; else as they are."""
    with np.errstate(invalid="ignore", over="ignore"):
        like = data.astype(dtype)
        if data.dtype.kind == dtype.kind == "f":
            same = np.array_equal(np.isfinite(like), np.isfinite(data))
        else:  # there and back: where both are compared, whole numbers may be rounded
            same = np.array_equal(like.astype(data.dtype), data) and np.array_equal(like < 0, data < 0)
    return like if same else data


def _bytes(name, text):
    """The text as C has it, up to a zero byte, which thus must not be in it."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise LbpError(-1, f"{name}: {text!r} has a zero character, which would end it")
    return data


def _option(name, value):
    """An option's value as text. Those that are files may be bytes or paths, as for open(); bytes are nothing else."""
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower().encode()
    if isinstance(value, (bytes, os.PathLike)):
        if name not in FILES:
            raise LbpError(-1, f"{name}: no number or text: {value!r}; of bytes and paths there are {', '.join(FILES)}")
        return _bytes(name, value)
    return _bytes(name, str(value))


def _flat(options, group=""):
    """Pairs of an option's dotted name and its value: {"tempering": {"rungs": 8}} has ("tempering.rungs", 8)."""
    for name, value in options.items():
        if not isinstance(name, str):
            raise LbpError(-1, f"an option's name is text, not {name!r}")
        if isinstance(value, collections.abc.Mapping) and value:
            yield from _flat(value, f"{group}{name}.")
        else:
            yield group + name, value


def _array(name, value, dtype=None):
    """The value as a C array, which keeps its numbers alive."""
    data = np.asarray(value)
    if dtype is not None and data.dtype != dtype and data.dtype.kind in "biuf":
        data = _converted(data, dtype)
    if data.dtype.kind == "b":
        data = data.astype("uint8")
    if data.dtype not in DTYPES or data.ndim > 3:
        raise LbpError(-1, f"{name}: no array of numbers: {data.dtype}, {data.ndim} dimensions")
    data = np.ascontiguousarray(data)
    shape = (ctypes.c_uint64 * 3)(*data.shape)
    array = _Array(_bytes("an array's name", name), None, DTYPES.index(data.dtype), data.ndim, shape, data.ctypes.data)
    array.numbers = data
    return array


def compile(source, cc=None, flags=None, defines=(), libs=("-lm",), output=None):
    """Compiles a model file, and loads it, by the environment's CC and CFLAGS if others are not given. With
    flags=["-O3", "-march=native", "-fopenmp"] chains run on all cores."""
    flags = os.environ.get("CFLAGS", "-O3 -march=native").split() if flags is None else flags
    output = output or os.path.join(tempfile.mkdtemp(prefix="lbp-"), "model.so")
    command = [*(cc or os.environ.get("CC", "cc")).split(), *flags, *defines, "-shared", "-fPIC", f"-I{HEADERS}", source, "-o",
               output, *libs]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LbpError(-1, f"{' '.join(command)}:\n{done.stderr}")
    return Library(output)


class Library:
    """A compiled model file; called with its arrays, it makes a model of them."""

    def __init__(self, path):
        self.c = ctypes.CDLL(os.path.abspath(path), mode=os.RTLD_LOCAL)
        self.c.lbp_bridge_name.restype = self.c.lbp_bridge_message.restype = ctypes.c_char_p
        self.c.lbp_bridge_option.restype = self.c.lbp_bridge_result.restype = ctypes.c_char_p
        self.c.lbp_bridge_warning.restype = self.c.lbp_bridge_warning_name.restype = ctypes.c_char_p
        if self.c.lbp_bridge_abi() != ABI:
            raise LbpError(-1, f"{path}: interface {self.c.lbp_bridge_abi()}, not {ABI}")
        self.name = self.c.lbp_bridge_name().decode()
        self.wants, wanted = {}, _Array()
        while self.c.lbp_bridge_wants(len(self.wants), ctypes.byref(wanted)) == 0:
            self.wants[wanted.name.decode()] = DTYPES[wanted.type], wanted.length.decode()

    def __call__(self, **arrays):
        return Model(self, arrays)


class Model:
    """A model: run, anneal, ais and sampling are its samplers, with options of lbp_run by name; those of a group as
    tempering={"rungs": 8} or by their dotted names, **{"tempering.rungs": 8}."""

    def __init__(self, library, arrays):
        self.library, c = library, library.c
        given = [_array(name, value, library.wants.get(name, (None,))[0]) for name, value in arrays.items()]
        handle, why = ctypes.c_void_p(), ctypes.create_string_buffer(1024)
        status = c.lbp_bridge_model_make((_Array * len(given))(*given), len(given), ctypes.byref(handle), why)
        if status:
            raise LbpError(status, why.value.decode())
        self.handle = handle
        weakref.finalize(self, c.lbp_bridge_model_free, handle)
        self.n = c.lbp_bridge_sites(handle)
        self.dtype = np.dtype(f"uint{8 * c.lbp_bridge_item_bytes(handle)}")

    def run(self, **options):
        """Draws from pi."""
        return Run(self, "run", options)

    def anneal(self, **options):
        """The best states; chains are reads of annealing={"sweeps": ...} sweeps."""
        return Run(self, "anneal", options)

    def ais(self, **options):
        """log Z."""
        return Run(self, "ais", options)

    def sampling(self, **options):
        """init(position) -> state and step(key, state, steps=1) -> (state, info), for loops of your own. A key is a whole
        number, or two of 32 bits, and decides the steps."""
        sampler, logp, info = _Sampler(self, options), ctypes.c_double(), (ctypes.c_double * len(INFO))()

        def init(position):
            x = np.array(position, self.dtype)
            if x.shape != (self.n,) or not np.array_equal(x, position):
                raise LbpError(-1, f"position: a state of {self.n} whole numbers")
            sampler.call("logp", x.ctypes.data_as(ctypes.c_void_p), ctypes.byref(logp))
            return State(x, logp.value)

        def step(key, state, steps=1):
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
            sampler.call("step", ctypes.c_uint64(seed), ctypes.c_uint64(0), ctypes.c_uint32(steps), x.ctypes.data_as(ctypes.c_void_p), info)
            told = Info(*info)
            return State(x, state.logdensity + told.log_ratio), told

        return Sampling(init, step)


class _Sampler:
    def __init__(self, model, options):
        self.model, self.c, self.handle = model, model.library.c, ctypes.c_void_p()
        if self.c.lbp_bridge_sampler_make(model.handle, ctypes.byref(self.handle)):
            raise MemoryError("lbp_bridge_sampler_make")
        weakref.finalize(self, self.c.lbp_bridge_sampler_free, self.handle)
        given = set()
        for name, value in _flat(options):
            if name in given:
                raise LbpError(-1, f"{name}: it is given twice")
            given.add(name)
            if name in ("start", "clamp", "tempering.ladder"):
                self.call("give", ctypes.byref(_array(name, value)))
            elif isinstance(value, collections.abc.Mapping):  # none of a group's; what is no group's name is refused
                if name not in GROUPS:
                    self.call("set", _bytes("an option's name", name), b"")
            elif value is not None:
                self.call("set", _bytes("an option's name", name), _option(name, value))

    def call(self, function, *arguments):
        status = getattr(self.c, f"lbp_bridge_{function}")(self.handle, *arguments)
        if status:
            raise LbpError(status, self.c.lbp_bridge_message(self.handle).decode())


class Run:
    """What a run has found: an attribute each, or by name, as run["lp"]; `names` lists them. Arrays are views. `warnings`: what
    is not to be trusted, a sentence each by its name, such as "LBP_WARN_RHAT"; each is a warning, too."""

    def __init__(self, model, driver, options):
        progress = options.pop("progress", False)
        self.sampler = _Sampler(model, options)
        tell = _Tell(self._tell)
        if progress:
            self.sampler.c.lbp_bridge_listen(self.sampler.handle, tell, None)
        self._run(driver)
        self.sampler.c.lbp_bridge_listen(self.sampler.handle, None, None)
        self.names = self._list("result")
        self.warnings = dict(zip(self._list("warning_name"), self._list("warning")))
        for sentence in self.warnings.values():
            warnings.warn(sentence.replace("\n ", ""), stacklevel=3)

    @staticmethod
    def _tell(_, line, last):
        sys.stderr.write(f"\r{line.decode():79.79}" + "\n" * last)
        sys.stderr.flush()

    def _run(self, driver):
        """In a thread of its own, so that this one hears Ctrl-C."""
        failed, done = [], threading.Event()

        def work():
            try:
                self.sampler.call("run", driver.encode())
            except LbpError as error:
                failed.append(error)
            finally:
                done.set()

        threading.Thread(target=work).start()
        while not done.is_set():
            try:
                done.wait()
            except KeyboardInterrupt:
                self.sampler.c.lbp_bridge_interrupt(self.sampler.handle)
        if failed:
            raise failed[0]

    def _list(self, what):
        ask, texts = getattr(self.sampler.c, f"lbp_bridge_{what}"), []
        while (text := ask(self.sampler.handle, len(texts))) is not None:
            texts.append(text.decode())
        return texts

    def __getitem__(self, name):
        got = _Array()
        self.sampler.call("get", _bytes("a result's name", name), ctypes.byref(got))
        shape, dtype = tuple(got.shape[:got.dims]), DTYPES[got.type]
        size = int(np.prod(shape, dtype=np.uint64)) * dtype.itemsize
        data = (ctypes.c_char * size).from_address(got.data) if size else bytearray()
        if size:
            data.owner = self.sampler
        array = np.frombuffer(data, dtype).reshape(shape)
        return array if shape else array[()]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.__dict__.get("names", ()):
            raise AttributeError(name)
        return self[name]

    def groups(self):
        """As arviz.from_dict wants it: {group: {variable: (chain, draw, ...)}}."""
        others = ("best", "marginal", "marginal_se")  # which may have as many sites as there are draws
        of_draws = [name for name in self.names if self[name].shape[:2] == self["lp"].shape and name not in others]
        stats = {"accept": "acceptance_rate"} | {name: name for name in ("lp", "parameter", "evaluations", "jump")}
        return {"posterior": {name: self[name] for name in of_draws if name not in stats},
                "sample_stats": {stats[name]: self[name] for name in of_draws if name in stats}}
