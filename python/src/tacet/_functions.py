"""The functions of the package: each is a command on a frame."""

from __future__ import annotations

import inspect as _inspect
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from . import _frames
from ._errors import Check, Refuted, failure
from ._options import USAGE, Frontier, Privatize, Recover, Simulate
from ._release import PUBLISHED, F, Release, Table, files_of
from ._run import call, flags, private

if TYPE_CHECKING:
    from typing_extensions import Unpack

G = TypeVar("G", bound=Callable[..., Any])


def _documented(options: Any) -> Callable[[G], G]:
    """Gives a function the names of its options, and its docstring a line for each."""

    def document(f: G) -> G:
        own = _inspect.signature(f)
        fixed = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        given = [
            _inspect.Parameter(name, _inspect.Parameter.KEYWORD_ONLY, default=None)
            for name in options.__annotations__
            if name not in own.parameters
        ]
        f.__signature__ = own.replace(parameters=[*fixed, *given])  # type: ignore[attr-defined]
        lines = "\n".join(f"        {p.name}: {USAGE[p.name]}" for p in given)
        f.__doc__ = f"{f.__doc__}\n    Options:\n{lines}\n    "
        return f

    return document


@_documented(Privatize)
def privatize(df: F, *, about: Mapping[str, Any] | None = None, **options: Unpack[Privatize]) -> Release[F]:
    """Redraws every record of a column with the best mechanism within epsilon, and proves it.

    Give column=, utility=, and max_factor= or epsilon= (in nats). Several private columns are
    lists; an option of each column is one value for all, or a list as long. A second call draws
    anew, and two draws of the same data together leak more. about is what people say of the
    release, for the report, such as {"owner": ..., "purpose": ...}; the page names what is missing.

    >>> import pyarrow, random
    >>> df = pyarrow.table({"color": random.Random(1).choices(["red", "green", "blue"], k=400)})
    >>> r = privatize(df, column="color", utility="any", max_factor=2, test_seed=1)
    >>> r.table.column_names, r.table.num_rows
    (['color'], 400)
    >>> r.claims[0].key, r.claims[0].figure["times"]
    ('leakage', 2)

    Raises UsageError, InputError, PrivacyError or MachineError; then nothing was published.
    """
    table, back = _frames.taken(df)
    with private(table) as folder:
        args = flags("run", options, folder)
        if about is not None:
            job = folder / "job.json"  # JSON is YAML
            job.write_text(json.dumps({"about": dict(about)}))
            args.append(f"--config={job}")
        data, out, report = folder / "input.arrow", folder / PUBLISHED, folder / "report"
        _frames.write(table, data)
        call(folder, "run", f"--input={data}", f"--output={out}", f"--report={report}", "--log-format=json", *args)
        published, buffer = _frames.read(out)
        return Release(back(published), files_of(report) | {PUBLISHED: (0o644, buffer)})


def inspect(df: F, *, column: str | None = None, show_values: bool = False) -> Table[F]:
    """What could be private in a frame, what gives it away, and which order would suit.

    A row for each column of the frame. It tells no value unless show_values, which shows the
    commonest; column is the only one to suggest an order for.

    Raises InputError where the frame cannot be read.
    """
    import pyarrow as pa

    table, back = _frames.taken(df, typed=False)
    with private(table) as folder:
        data = folder / "input.arrow"
        _frames.write(table, data)
        args = flags("inspect", {"column": column, "show_values": show_values}, folder)
        told = json.loads(call(folder, "inspect", f"--input={data}", "--format=json", *args)[1])
    names = dict.fromkeys(name for c in told["columns"] for name in c)
    cells = {n: [_cell(c.get(n)) for c in told["columns"]] for n in names}
    return Table(back(pa.table(cells)), told)


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (dict, list)) else value


@_documented(Frontier)
def frontier(df: F, **options: Unpack[Frontier]) -> Table[F]:
    """What every floor costs and keeps: a row for each, the page to choose one in a notebook.

    Nothing is released. Factors are exact fractions as text; columns in nats end in _nats, shares
    are between 0 and 1, utilities in the order's unit. Searches can take up to solve_time=.

    Raises UsageError, InputError or MachineError.
    """
    return _lines("frontier", df, options, page=True)


@_documented(Simulate)
def simulate(df: F, **options: Unpack[Simulate]) -> Table[F]:
    """What analysts would get of a column, before it is released: a row for each common value.

    Lists of epsilon=, max_factor= and max_shift= are simulated one after the other. Nothing is
    released. Shares are between 0 and 1.

    Raises UsageError, InputError or MachineError.
    """
    return _lines("simulate", df, options)


@_documented(Recover)
def recover(
    published: F,
    mechanism: Release[Any] | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    **options: Unpack[Recover],
) -> Table[F]:
    """Shares of true values from a published column, with standard errors and intervals.

    mechanism is that of a release (r.mechanism), a file of it, or a Release, whose plan makes the
    figures as confidential. The column is the mechanism's unless given. A row for each value, or
    group, in each cell of by=. Shares are between 0 and 1; where the column does not tell a value,
    share and standard_error are null, low is 0 and high 1. mean="column" adds the mean of a column of
    numbers over the rows with that true value, in its unit, with a standard error.

    Raises InputError where the mechanism is withheld: method="count" needs none.
    """
    given: dict[str, Any] = dict(options)
    by = given.get("by") or ()
    with private() as folder:
        known = _known(mechanism, folder, given)
        return _lines("recover", published, given, *known, text=[by] if isinstance(by, str) else by)


@_documented(Recover)
def crosstab(
    published: F,
    a: str,
    b: str,
    mechanism: Release[Any] | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    **options: Unpack[Recover],
) -> Table[F]:
    """The true values of a private column by those of a column that was published as it was.

    A row for each pair: b, a, count and its standard_error, both in rows and corrected for the draws,
    low and high ends of the interval, and published, the count as it stands. Counts are unbiased and
    may be below 0; where the column does not tell one, count and standard_error are null.
    told["test"] is a chi-square test of independence in the population (statistic, degrees, p), and
    told["cells"] has a covariance of shares for each value of b, whose square root times the rows of
    the cell is a standard error; cells are independent.

    >>> import pyarrow, random
    >>> rng = random.Random(1)
    >>> rows = [rng.choice(["a:x", "a:x", "a:y", "b:y"]).split(":") for _ in range(400)]
    >>> df = pyarrow.table({"v": [r[0] for r in rows], "w": [r[1] for r in rows]})
    >>> r = privatize(df, column="v", utility="any", max_factor=2, prefer="recovery", audit="off", test_seed=1)
    >>> t = crosstab(r.table, "v", "w", r)
    >>> t.table.num_rows, sum(t.table["count"].to_pylist()) - 400 < 1e-6, t.told["test"]["degrees"]
    (4, True, 1)

    Raises InputError where the mechanism is withheld, UsageError where a was not privatized by it.
    """
    import pyarrow as pa

    given: dict[str, Any] = {**options, "column": a, "by": [b]}
    table, back = _frames.taken(published, typed=False)
    with private(table) as folder:
        args = [*_known(mechanism, folder, given), *flags("recover", given, folder)]
        data = folder / "input.arrow"
        _frames.write(table, data)
        out = call(folder, "recover", f"--input={data}", "--format=json", "--log-format=json", *args)[1]
    told = json.loads(out)
    names = ("share", "standard_error", "published", "low", "high")
    cells: dict[str, list[Any]] = {b: [], a: []} | {"count" if n == "share" else n: [] for n in names}
    for cell in told["cells"]:
        for figure in cell["figures"]:
            cells[b].append(cell["by"][0])
            cells[a].append(figure["label"])
            for n in names:
                share = figure.get(n)
                cells["count" if n == "share" else n].append(None if share is None else share * cell["rows"])
    kinds = [pa.string(), pa.string()] + [pa.float64()] * len(names)
    columns = [pa.array(v, kind) for v, kind in zip(cells.values(), kinds, strict=True)]
    return Table(back(pa.table(columns, names=list(cells))), told)


def _known(mechanism: Any, folder: Path, given: dict[str, Any]) -> list[str]:
    """The flag of a mechanism, whose column is the one that is meant unless another is given."""
    if mechanism is None:
        return []
    if isinstance(mechanism, Release):
        (folder / "plan").mkdir()
        for name, (_, data) in mechanism._files.items():
            if name.startswith("plan.") or name == "order.csv":
                (folder / "plan" / name).write_bytes(data)
        given.setdefault("column", mechanism.report["column"])
        return [f"--mechanism={folder / 'plan' / 'plan.json'}"]
    if isinstance(mechanism, Mapping):
        (folder / "mechanism.json").write_text(json.dumps(mechanism))
        given.setdefault("column", mechanism["column"])
        return [f"--mechanism={folder / 'mechanism.json'}"]
    return [f"--mechanism={os.fspath(mechanism)}"]


# Columns that may be empty, or hold fractions and labels that look like numbers.
_TEXT = ("label", "name", "safe_here", "epsilon")
_SHARES = (
    "share", "published", "standard_error", "low", "high", "interval", "mean", "mean_standard_error",
)  # fmt: skip


def _lines(command: str, df: F, options: Mapping[str, Any], *more: str, page: bool = False, text: Any = ()) -> Table[F]:
    """The CSV that a command prints, as a frame; columns of text are never taken for numbers."""
    import pyarrow as pa
    from pyarrow import csv

    table, back = _frames.taken(df, typed=False)
    with private(table) as folder:
        args = [*flags(command, options, folder), *more]
        data, html = folder / "input.arrow", folder / "page.html"
        _frames.write(table, data)
        if page:
            args.append(f"--html={html}")
        _, out, _ = call(folder, command, f"--input={data}", "--format=csv", "--log-format=json", *args)
        shown = html.read_text() if page else ""
    names = out.partition("\n")[0].split(",")
    exact = [n for n in names if n in _TEXT or n.endswith("factor") or n.endswith("shift") and command == "simulate"]
    types = {n: pa.float64() for n in names if n in _SHARES} | {n: pa.string() for n in exact}
    convert = csv.ConvertOptions(column_types=types | {n: pa.string() for n in text}, null_values=[""])
    return Table(back(csv.read_csv(pa.py_buffer(out.encode()), convert_options=convert)), None, shown)


def verify(folder: str | os.PathLike[str], *, input: Any = None, **options: Any) -> tuple[Check, ...]:
    """Proves what a saved release promises from its files, and returns all checks.

    Without input, the frame that was privatized, some checks are "not checked". trust= and
    approver= are public keys, key_file= repeats keyed draws, ledger= and history= check a series.

    Raises Refuted with the checks that failed; InputError where a file cannot be read.
    """
    source = Path(folder)
    table = None if input is None else _frames.taken(input)[0]
    with private(table) as place:
        args = flags("verify", options, place)
        if table is not None:
            _frames.write(table, place / "input.arrow")
            args.append(f"--input={place / 'input.arrow'}")
        paths = [f"--report={source}", f"--output={source / PUBLISHED}"]
        code, out, err = call(place, "verify", *paths, "--format=json", *args, allowed=(0, 4))
    if code and not out:
        raise failure(code, err, place)
    checks = tuple(Check(c["name"], c["outcome"], c.get("detail", "")) for c in json.loads(out)["checks"])
    if code:
        fault = failure(code, err, place)
        raise Refuted(fault.message, fault.hint, checks)
    return checks
