"""What can go wrong, by the class of the command's exit code."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from . import _options
from ._options import NAMES


class TacetError(Exception):
    """Nothing was published. No message holds a value of a cell.

    hint says what to do, "" where nothing helps.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint

    def __str__(self) -> str:
        return f"{self.message}; hint: {self.hint}" if self.hint else self.message


class UsageError(TacetError):
    """Arguments are wrong or missing (exit code 2)."""


class InputError(TacetError):
    """A frame, column or order cannot be used (exit code 3)."""


class PrivacyError(TacetError):
    """The release would break its promise (exit code 4)."""


class MachineError(TacetError):
    """Disk, memory, another run, or an end of the program that is no answer (exit codes 1, 5, 6)."""


@dataclass(frozen=True)
class Check:
    """A check of a release: outcome is passed, failed or "not checked"."""

    name: str
    outcome: str
    detail: str


class Refuted(PrivacyError):
    """A release is not what its report claims; failed are the checks that say so."""

    def __init__(self, message: str, hint: str, checks: Sequence[Check]) -> None:
        super().__init__(message, hint)
        self.checks = tuple(checks)
        self.failed = tuple(c for c in checks if c.outcome == "failed")


_CLASSES = {2: UsageError, 3: InputError, 4: PrivacyError}

def _choices(name: str) -> tuple[str, ...]:
    """What an argument may be, where it is one of some words."""
    return get_args(getattr(_options, name.title().replace("_", ""), None))


# Help of a command; a function; a command that is none here, which stays one up to its end; a
# flag with a value that is quoted or more than a word; a flag alone.
_FUNCTIONS = {"run": "privatize", "frontier": "frontier", "simulate": "simulate", "recover": "recover"}
_COMMANDS = "|".join(_FUNCTIONS)
_WORDS = re.compile(
    rf"tacet (?P<help>{_COMMANDS}) --help(?: all)? lists the flags"
    rf"|tacet (?P<run>{_COMMANDS}) has no flag"
    rf"|tacet (?!{_COMMANDS})[a-z-]+ [^;]*"
    r"""|--(?P<name>[a-z][a-z-]*)(?:[ =](?P<value>"[^"]*"|\w+(?:[,:/][\w.%/-]*[\w%])+|\d[\d./]*%?|\w+))?"""
)
# Words of a sentence after a flag that takes names.
_STOP = frozenset("all and at by for in is it names needs of or that the to with".split())


def in_python(text: str) -> str:
    """A message about flags as one about arguments.

    >>> in_python("leave it out with --drop a, or give --design blocks with --keep; tacet run --help lists the flags")
    'leave it out with drop="a", or give design="blocks" with keep=; help(tacet.privatize) lists the arguments'
    """

    def word(m: re.Match[str]) -> str:
        if m["help"]:
            return f"help(tacet.{_FUNCTIONS[m['help']]}) lists the arguments"
        if m["run"]:
            return f"tacet.{_FUNCTIONS[m['run']]} has no argument"
        if not m["name"]:
            return m[0]
        name, value = m["name"].replace("-", "_"), m["value"] or ""
        if value.isalpha() and not (name in NAMES and value not in _STOP or value in _choices(name)):
            return f"{name}= {value}"
        return f"{name}={value}" if value.startswith('"') or not value else f'{name}="{value}"'

    return _WORDS.sub(word, text)


def failure(code: int, stderr: str, folder: Path) -> TacetError:
    """The exception that an exit code and what was logged stand for.

    Files of the private folder have no path in it, and no command that reads one is advised.
    """
    faults = []
    for line in stderr.splitlines():
        if line.startswith("{"):
            entry = json.loads(line)
            if entry.get("level") == "ERROR":
                faults.append((entry["msg"], entry.get("hint", "")))
        elif line.startswith("tacet: "):
            message, _, hint = line.removeprefix("tacet: ").partition("; hint: ")
            faults.append((message, hint))

    def told(text: str) -> str:
        return in_python(text).replace(f"{folder}/input.arrow", "the frame").replace(f"{folder}/", "")

    message = "; ".join(told(m) for m, _ in faults) or f"tacet ended with {code}"
    pieces = [p for _, h in faults for p in h.split("; ") if p and not ("tacet " in p and f"{folder}/" in p)]
    return _CLASSES.get(code, MachineError)(message, "; ".join(map(told, dict.fromkeys(pieces))))
