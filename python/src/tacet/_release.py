"""What comes out: releases, and tables with what the command tells of them."""

from __future__ import annotations

import html
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

F = TypeVar("F")

PUBLISHED = "published.arrow"


@dataclass(frozen=True)
class Claim:
    """A sentence of the report and its figure.

    key names it in every release, such as leakage, floor, shift; words is the sentence; figure
    has the numbers by name: times, factor and nats of a leakage, rank of a floor, share of all
    records. column is the private column, "" of all together. public: the public report has it.
    """

    key: str
    words: str
    figure: Mapping[str, Any]
    column: str
    public: bool


@dataclass(frozen=True)
class Release(Generic[F]):
    """A published table and the proof of what it leaks.

    table is of the kind that went in. The report, its page and the plan are as confidential as
    the data; what lies under public/ in a saved folder is for readers.
    """

    table: F
    _files: Mapping[str, tuple[int, Any]] = field(repr=False)

    def _json(self, name: str) -> Any:
        return json.loads(self._files[name][1])

    @property
    def _parts(self) -> list[str]:
        """The folders of the private columns."""
        if "report.json" in self._files:
            return [""]
        return sorted((n.removesuffix("report.json") for n in self._files if n.count("/") == 1
                       and n.endswith("/report.json") and not n.startswith("public/")), key=len)  # fmt: skip

    @property
    def report(self) -> dict[str, Any]:
        """report.json, or joint.json of several private columns; epsilons are in nats."""
        whole: dict[str, Any] = self._json("report.json" if "report.json" in self._files else "joint.json")
        return whole

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All that the report claims, column by column."""
        out = []
        for part in self._parts:
            told = self._json(part + "report.json")
            for c in told["claims"]:
                out.append(Claim(c["key"], c["words"], c.get("figure", {}), told["column"], c.get("public", False)))
        return tuple(out)

    @property
    def mechanism(self) -> dict[str, Any]:
        """The public mechanism, for recover; "withheld" says why it is not told.

        The mechanism of the first private column, if there are several.
        """
        public: dict[str, Any] = self._json(self._parts[0] + "public/mechanism.json")
        return public

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes table, report and plan to a new folder, which tacet.verify takes.

        published.arrow and public/ are for readers, the rest is not. Raises FileExistsError where
        the folder exists. Killed, it leaves no half of it.
        """
        to = Path(folder)
        if to.exists():
            raise FileExistsError(f"{to} exists")
        part = to.with_name(f".{to.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700, parents=True)
        for name, (mode, data) in self._files.items():
            path = part / name
            path.parent.mkdir(exist_ok=True, parents=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as out:
                out.write(data)
        part.rename(to)
        return to

    def _repr_html_(self) -> str:
        """Page one of the internal report, of every private column."""
        return "\n".join(framed(page_one(self._files[p + "report.html"][1].decode())) for p in self._parts)


@dataclass(frozen=True)
class Table(Generic[F]):
    """Figures that were asked for, as confidential as the data.

    table is of the kind that went in, a row for each line of what the command tells; told is its
    JSON, None where there is none.
    """

    table: F
    told: Any = field(default=None, repr=False)
    _page: str = field(default="", repr=False)

    def _repr_html_(self) -> str:
        """The page of the command if it has one, else the table."""
        if self._page:
            return framed(self._page)
        show = getattr(self.table, "_repr_html_", None)
        return str(show()) if show else f"<pre>{html.escape(str(self.table))}</pre>"


def files_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes of every file below a folder, by its path there."""
    return {
        str(p.relative_to(folder)): (p.stat().st_mode & 0o777, p.read_bytes())
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def page_one(page: str) -> str:
    """A report up to the list of its other sections; all of it where there is none."""
    sheet, end, _ = page.partition('<nav aria-label="Sections"')
    return sheet + "</main></body></html>" if end else page


def framed(page: str) -> str:
    """A page in a frame of its own, so that its styles and scripts stay there."""
    return (f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(page)}" title="Tacet" '
            'style="width:100%;height:36rem;border:1px solid #8b95a1"></iframe>')  # fmt: skip
