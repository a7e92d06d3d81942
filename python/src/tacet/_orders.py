"""Utility orders from objects: which value may replace which, and how well."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Union

from ._frames import taken


@dataclass(frozen=True)
class Order:
    """An order as the command takes it; {} in spec is the file that text is written to."""

    spec: str
    text: str = ""

    def write(self, folder: Path) -> str:
        """The specification, with its file in a folder."""
        if not self.text:
            return self.spec
        path = folder / f"order-{len(os.listdir(folder))}.csv"
        path.write_text(self.text, encoding="utf-8", newline="")
        return self.spec.format(path)


# A number that keeps what was written, such as 0.85, "log(7/3)", "5%" or Fraction(7, 3).
Bound = Union[int, float, str, Decimal, Fraction]
# A file, or what is written to one.
File = Union[str, "os.PathLike[str]", Order]


def ordered(values: Iterable[str]) -> Order:
    """Values in steps, from one end to the other: the utility is minus the difference in place.

    >>> ordered(["small", "large"]).text
    'small\\nlarge\\n'
    """
    return Order("ordered:@{}", _lines(values))


def circular(values: Iterable[str]) -> Order:
    """Values on a circle, such as weekdays: the last is next to the first."""
    return Order("circular:@{}", _lines(values))


def hierarchy(frame: Any) -> Order:
    """Groups in levels: a row for each value, the value first, then its groups, the widest last.

    The utility is minus the level of the lowest common group. A last column of one value, such
    as "*", is the root, and may be left out.
    """
    table = taken(frame)[0]
    rows = list(zip(*table.to_pydict().values()))
    if len({r[-1] for r in rows}) > 1:
        rows = [(*r, "*") for r in rows]
    return Order("hierarchy:{}", _csv(rows, ";"))


def positions(frame: Any) -> Order:
    """Places: column label (else the first), and latitude, longitude in degrees or other coordinates.

    The utility is minus the great-circle distance in km, or else the Euclidean distance.
    """
    return Order("positions:{}", _table(frame))


def matrix(frame: Any) -> Order:
    """A utility for every pair: values in the first column, a column for each output; -inf forbids."""
    return Order("matrix:{}", _table(frame))


def pairs(frame: Any) -> Order:
    """Columns from, to, utility; a pair that is missing is forbidden."""
    return Order("pairs:{}", _table(frame))


def tree(frame: Any) -> Order:
    """Columns code and parent; a null parent is a root."""
    return Order("tree:{}", _table(frame))


def numeric() -> Order:
    """Numbers: the utility is minus their difference."""
    return Order("numeric")


def prefix(*lengths: int) -> Order:
    """Codes whose first characters are groups, at these lengths, or at every one.

    >>> prefix(1, 3).spec
    'prefix:1,3'
    """
    return Order("prefix" + (":" + ",".join(map(str, lengths)) if lengths else ""))


def any() -> Order:
    """No order: a value itself has utility 0, every other -1."""
    return Order("any")


def values(labels: Iterable[str]) -> Order:
    """Labels for domain= or labels=, which are files of the command."""
    return Order("{}", _lines(labels))


def _lines(labels: Iterable[str]) -> str:
    return _csv([(label,) for label in labels], ",")


def _table(frame: Any) -> str:
    table = taken(frame)[0]
    return _csv([table.column_names, *zip(*table.to_pydict().values())], ",")


def _csv(rows: Iterable[Iterable[Any]], delimiter: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()
