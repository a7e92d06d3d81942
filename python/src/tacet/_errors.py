"""What can go wrong, by the class of the command's exit code."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ._options import USAGE


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

# Help of a command; a command that is no function here, which stays one up to its end; a flag
# with a value that is more than a word; a flag alone.
_WORDS = re.compile(
    r"tacet (?P<help>\w+) --help(?: all)?"
    r"|tacet (?:order|key|ledger|design|estimate|apply|finish|sign-off|report)\b[^;]*"
    r"|--(?P<name>[a-z][a-z-]*)(?:[ =](?P<value>[\w.]*[,:%/\d](?:[\w,:%/.-]*\w%?)?))?"
)
_FUNCTIONS = {"run": "privatize"}


def in_python(text: str) -> str:
    """A message about flags as one about arguments.

    >>> in_python("leave these columns out with --drop a,b, or with --keep; tacet run --help lists the flags")
    "leave these columns out with drop='a,b', or with keep=; help(tacet.privatize) lists the arguments"
    """

    def word(m: re.Match[str]) -> str:
        if m["help"]:
            return f"help(tacet.{_FUNCTIONS.get(m['help'], m['help'])})"
        name = (m["name"] or "").replace("-", "_")
        if name not in USAGE:
            return m[0]
        return f"{name}={m['value']!r}" if m["value"] else f"{name}="

    return _WORDS.sub(word, text).replace(" lists the flags", " lists the arguments")


def failure(code: int, stderr: str) -> TacetError:
    """The exception that an exit code and what was logged stand for."""
    faults = []
    for line in stderr.splitlines():
        if line.startswith("{"):
            entry = json.loads(line)
            if entry.get("level") == "ERROR":
                faults.append((entry["msg"], entry.get("hint", "")))
        elif line.startswith("tacet: "):
            message, _, hint = line.removeprefix("tacet: ").partition("; hint: ")
            faults.append((message, hint))
    if not faults:
        faults = [(f"tacet ended with {code}", "")]
    message = "; ".join(in_python(m) for m, _ in faults)
    hint = "; ".join(dict.fromkeys(in_python(h) for _, h in faults if h))
    return _CLASSES.get(code, MachineError)(message, hint)
