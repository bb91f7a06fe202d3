"""Compiles model files, once each: libraries are kept by a hash of their sources, headers and flags."""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

from .bridge import LbpError, Library

Path = Union[str, "os.PathLike[str]"]

#: The flags of `compile` unless `flags` or CFLAGS is given; all but the first where the compiler takes them. Vectorised
#: loops make sweeps and annealing as fast as by -O3, which takes twice as long to compile.
FLAGS = ("-O1", "-ftree-vectorize", "-march=native")

_HERE = pathlib.Path(__file__).resolve().parent
#: Variables of the environment by which compilers find other files.
_PATHS = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "SDKROOT",
          "MACOSX_DEPLOYMENT_TARGET")


def include() -> str:
    """Return the folder of the C headers, for a compiler's -I.

    Returns
    -------
    str
        The folder with ``lbp.h``, ``lbp_run.h`` and ``lbp/``: in the package, next to it, or of the repository it is in.

    Raises
    ------
    LbpError
        If the headers are in none of these.
    """
    for folder in (_HERE / "include", _HERE.parent, _HERE, _HERE.parent.parent.parent):
        if (folder / "lbp_bridge.h").is_file() and (folder / "lbp" / "base").is_dir():
            return str(folder)
    raise LbpError(-1, f"no lbp_bridge.h and lbp/base in {_HERE / 'include'} or {_HERE.parent}: install the package (pip install .), or "
                       "copy lbp*.h and the folder lbp/ there")


def version() -> str:
    """Return the version of the headers, such as "1.2.3"."""
    with open(os.path.join(include(), "lbp.h"), encoding="utf8") as file:
        found = re.search(r"Version ([0-9.]+[0-9])", file.read(1000))
    return found.group(1) if found else "unknown"


def model_file(name: str) -> str:
    """Return the path of one of the library's own model files, such as "qubo.c"."""
    for folder in (_HERE / "models.d", pathlib.Path(include()) / "examples" / "bridge"):
        if (folder / name).is_file():
            return str(folder / name)
    raise LbpError(-1, f"{name}: it is not in {_HERE / 'models.d'} or {include()}/examples/bridge: install the package (pip install .)")


def cache_folder() -> pathlib.Path:
    """Return the folder of compiled models: LBP_CACHE, or ``lbp`` in XDG_CACHE_HOME or ~/.cache."""
    own = os.environ.get("LBP_CACHE")
    if own:
        return pathlib.Path(own)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "lbp"


def clear_cache() -> None:
    """Remove all compiled models from the cache. Those that are in use go on working."""
    folder = cache_folder()
    for path in [*folder.glob("*.so"), *folder.glob("*.json"), *folder.glob("*.part*")]:
        path.unlink(missing_ok=True)


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _file_sum(path: Path) -> str:
    with open(path, "rb") as file:
        return _sum(file.read())


def _machine() -> str:
    """The processor, on which -march=native depends."""
    try:
        with open("/proc/cpuinfo", encoding="utf8", errors="replace") as file:
            seen = {line.split(":")[0].strip(): line for line in file.read().split("\n\n")[0].splitlines()}
        return "".join(seen.get(key, "") for key in ("vendor_id", "cpu family", "model", "flags", "CPU part", "Features"))
    except OSError:
        return platform.processor()


def _compiler(command: Sequence[str]) -> list[Any]:
    """Which compiler it is: its file, size and time, which an update changes."""
    path = shutil.which(command[0]) if command else None
    if path is None:
        raise LbpError(-1, f"there is no C compiler {command[0] if command else ''!r}: install one (gcc, clang), or name one by cc= or CC")
    path = os.path.realpath(path)
    about = os.stat(path)
    return [list(command), path, about.st_size, about.st_mtime_ns]


def _words(value: Union[None, str, Iterable[str]], default: str) -> list[str]:
    if value is None:
        return shlex.split(default)
    return shlex.split(value) if isinstance(value, str) else [str(word) for word in value]


def _prerequisites(made: str) -> list[str]:
    """The files that a compiler's -MD names."""
    with open(made, encoding="utf8", errors="surrogateescape") as file:
        text = file.read().replace("\\\n", " ")
    words = re.findall(r"(?:\\.|[^\s\\])+", re.split(r":(?=\s)", text, maxsplit=1)[1])
    return [re.sub(r"\\(.)", r"\1", word).replace("$$", "$") for word in words]


def _fresh(record: pathlib.Path) -> Optional[str]:
    """The library of a record, if all files it was made from are as they were."""
    try:
        known = json.loads(record.read_text(encoding="utf8"))
        for path, was in known["files"].items():
            if _file_sum(path) != was:
                return None
        library = record.parent / str(known["library"])
        return str(library) if _file_sum(library) == known["sum"] else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _takes(command: Sequence[str]) -> bool:
    """Whether a compiler accepts these words, tried on an empty program."""
    words = [*command, "-E", "-x", "c", os.devnull]
    return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def _build(command: Sequence[str], source: str, output: str, libs: Sequence[str], default: bool) -> None:
    for flag in FLAGS[1:] if default else ():  # some compilers refuse -march=native on ARM and on RISC-V
        if not _takes([word for word in command if word == flag or word not in FLAGS[1:]]):
            command = [word for word in command if word != flag]
    words = [*command, source, "-o", output, *libs]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise LbpError(-1, f"{shlex.join(words)}:\n{done.stderr}")


def _cached(command: Sequence[str], source: str, libs: Sequence[str], default: bool,
            identity: list[Any]) -> Optional[str]:
    """The library of a source, made if need be; None: the cache's folder can't be written to."""
    folder = cache_folder()
    record = folder / f"{_sum(json.dumps(identity).encode())}.json"
    found = _fresh(record)
    if found:
        return found
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(suffix=".part", dir=folder)
    except OSError:
        return None
    os.close(handle)
    rules = part + ".d"
    try:
        _build([*command, "-MD", "-MF", rules], source, part, libs, default)
        files = {os.path.abspath(path): _file_sum(path) for path in _prerequisites(rules)}
        whole = _file_sum(part)
        library = folder / f"{whole}.so"
        os.replace(part, library)
        with open(rules, "w", encoding="utf8") as file:
            json.dump({"library": library.name, "sum": whole, "files": files}, file)
        os.replace(rules, record)
        return str(library)
    finally:
        for left in (part, rules):
            if os.path.exists(left):
                os.unlink(left)


def compile(source: Path, cc: Union[None, str, Sequence[str]] = None, flags: Union[None, str, Sequence[str]] = None,
            defines: Union[str, Sequence[str]] = (), libs: Union[str, Sequence[str]] = ("-lm",), output: Optional[Path] = None,
            cache: bool = True) -> Library:
    """Compile a model file and load it; the second time it is only loaded.

    Parameters
    ----------
    source : path
        A C file that ends with ``#include "lbp_bridge.h"``.
    cc : str or sequence of str, optional
        The compiler, with words that always follow it. By default the environment's CC, or ``cc``.
    flags : str or sequence of str, optional
        By default the environment's CFLAGS, or ``-O1 -ftree-vectorize -march=native``, without the last two where the
        compiler refuses them. ``["-O3", "-march=native"]`` takes about twice as long to compile and makes long runs of
        some models faster; ``-fopenmp`` runs chains on all cores.
    defines : str or sequence of str
        More flags, such as ``-DSTATES=4``.
    libs : str or sequence of str
        Arguments after the source.
    output : path, optional
        Write the library to this file, always anew, instead of the cache. ``Library(output)`` loads it again without
        a compiler.
    cache : bool
        Whether to keep the library, in `cache_folder`, by the contents of the source and of all files that it includes,
        the compiler, flags and version. False: compile, load, and leave nothing behind.

    Returns
    -------
    Library
        Call it with the model's arrays.

    Raises
    ------
    LbpError
        If there is no compiler, or the source has errors: the compiler's message.
    """
    source = os.path.abspath(os.fspath(source))
    if not os.path.isfile(source):
        raise LbpError(-1, f"{source}: there is no such file")
    command = _words(cc, os.environ.get("CC") or "cc")
    default, some, libs = flags is None and "CFLAGS" not in os.environ, " ".join(FLAGS), _words(libs, "")
    rest = [*_words(flags, os.environ.get("CFLAGS", some)), *_words(defines, ""), "-shared", "-fPIC", f"-I{include()}"]
    identity = [version(), _compiler(command), rest, libs, source, [os.environ.get(name) for name in _PATHS], sys.platform,
                platform.machine(), _machine() if any("native" in word for word in rest) else ""]
    if output is not None:
        output = os.path.abspath(os.fspath(output))
        _build([*command, *rest], source, output, libs, default)
        return Library(output)
    found = _cached([*command, *rest], source, libs, default, identity) if cache else None
    if found:
        return Library(found)
    with tempfile.TemporaryDirectory(prefix="lbp-") as folder:
        found = os.path.join(folder, "model.so")
        _build([*command, *rest], source, found, libs, default)
        return Library(found)


_libraries: dict[tuple[str, tuple[str, ...]], Library] = {}


def library(name: str, *defines: str) -> Library:
    """Return one of the library's own model files, compiled: once a process, and once a machine."""
    if (name, defines) not in _libraries:
        _libraries[name, defines] = compile(model_file(name), defines=defines)
    return _libraries[name, defines]
