"""Runs of the program, in private folders."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from ._errors import UsageError, failure
from ._options import NAMES
from ._orders import Order

_MEMORY = Path("/dev/shm")
_SPARE = 64 << 20  # bytes of a report and its plan
# Flags that the functions give themselves.
_OURS = frozenset("input output report config overwrite log_format format html plot counts mechanism".split())


def program() -> str:
    """The path of the program of this wheel."""
    return str(Path(__file__).with_name("bin") / "tacet")


@contextmanager
def private(table: Any = None) -> Iterator[Path]:
    """A folder that no other user can read, for a table in and out; it goes on every path.

    It lies in memory where there is room. One that a killed process left is removed by the
    next call.
    """
    need = _SPARE + (3 * table.nbytes if table is not None else 0)
    room = os.access(_MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(_MEMORY).free > need
    base = _MEMORY if room else Path(tempfile.gettempdir())
    _sweep(base)
    with tempfile.TemporaryDirectory(prefix=f"tacet-{os.getuid()}-", dir=base, ignore_cleanup_errors=True) as folder:
        lock = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield Path(folder)
        finally:
            os.close(lock)


def _sweep(base: Path) -> None:
    """Removes folders that nobody holds any more."""
    for folder in base.glob(f"tacet-{os.getuid()}-*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(lock).st_uid == os.getuid() and time.time() - os.fstat(lock).st_mtime > 60:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass
        finally:
            os.close(lock)


def call(folder: Path, *args: str, allowed: tuple[int, ...] = (0,)) -> tuple[int, str, str]:
    """Exit code, output and errors of the program; codes that are not allowed are raised.

    Variables TACET_* set nothing, and its temporary files lie in the folder. An interrupt
    ends it.
    """
    env = {k: v for k, v in os.environ.items() if not k.startswith("TACET_")}
    pipe = subprocess.PIPE
    child = subprocess.Popen([program(), *args], stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe,
                             env=env | {"TMPDIR": str(folder)}, text=True, encoding="utf-8")  # fmt: skip
    lines: list[str] = []
    reader = threading.Thread(target=_follow, args=(child.stderr, lines), daemon=True)
    reader.start()
    try:
        assert child.stdout is not None
        out = child.stdout.read()
        child.wait()
    finally:
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        reader.join(5)
    err = "".join(lines)
    if child.returncode not in allowed:
        raise failure(child.returncode, err, folder)
    return child.returncode, out, err


def _follow(errors: Iterable[str], lines: list[str]) -> None:
    """Keeps what a command says, but for its progress, which tqdm shows where it is installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        tqdm = None
    bars: dict[str, Any] = {}  # by phase
    for line in errors:
        told = json.loads(line) if line.startswith("{") else {}
        if told.get("msg") != "progress":
            lines.append(line)
        elif tqdm:
            of, unit = told["of"], f" {told['unit']}"
            if (phase := told["phase"]) not in bars:
                bars[phase] = tqdm(total=of, desc=phase, unit=unit, leave=False, mininterval=0)
            bars[phase].update(told["done"] - bars[phase].n)
    for bar in bars.values():
        bar.close()


def flags(command: str, options: Mapping[str, Any], folder: Path) -> list[str]:
    """The flags that arguments stand for; what is None or False is not given.

    A name that is not known goes on to the program, which says what may be meant.
    """
    out = []
    for name, value in options.items():
        if name in _OURS:
            raise UsageError(f"there is no argument {name}=", "frames go in, and what comes out is returned")
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            out.append(flag)
        elif not isinstance(value, (list, tuple)):
            out.append(f"{flag}={_text(value, folder)}")
        elif name in NAMES:
            out.append(f"{flag}={_names(value)}")
        elif command == "run":  # once for each private column
            out += [f"{flag}={_text(v, folder)}" for v in value]
        else:
            out.append(f"{flag}={','.join(_text(v, folder) for v in value)}")
    return out


def _names(names: Any) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def _text(value: Any, folder: Path) -> str:
    if isinstance(value, Order):
        return value.write(folder)
    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, Decimal):
        return format(value, "f")
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
