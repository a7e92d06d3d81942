"""Publish a column of a Spark DataFrame: a DataFrame in, a DataFrame out.

Spark reads, counts and writes; its tasks draw by the program, which goes to the executors with the
job. These need pyarrow, and not this package. PySpark 4 on Linux.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _frames
from ._errors import Check, InputError, PrivacyError, UsageError
from ._functions import _documented
from ._options import Privatize
from ._release import Release, files_of
from ._run import call, flags, private, program

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Rows that the other columns are judged on, of all of the table.
_SAMPLE = 500_000
# Flags of the draws; those of the design are all others.
_DRAWN = ("keep", "drop", "allow_linked", "audit")
_TYPES = {"string": "string", "boolean": "boolean", "date": "date", "tinyint": "int8", "smallint": "int16",
          "int": "int32", "bigint": "int64"}  # fmt: skip
# What rows are known by, beside the columns of a frame.
_HASH, _PART = "_tacet_hash", "_tacet_partition"
_ANOTHER = "give a frame that is the same whenever it is read: write it to a table first, or take df.checkpoint()"


@dataclass(frozen=True)
class SparkRelease(Release[Any]):
    """A table to write, and what is known of it.

    table is lazy, and gives the same rows whenever it is read. The report is that of a sample, a part
    of the plan's data; checks are of all rows, and what was not checked has the SQL that does it.
    """

    checks: tuple[Check, ...]


@_documented(Privatize)
def privatize(df: Any, **options: Unpack[Privatize]) -> SparkRelease:
    """Redraws every record of a column of a Spark DataFrame with the best mechanism within epsilon.

    The frame is counted, drawn once to be checked, and drawn again whenever table is read: with the
    same rows, or not at all. A task fails that reads other rows than those that were checked, as
    after a repartition without a checkpoint, or if the source changed. run_key (a file) and run_id
    make another call on the same frame draw the same; without them it draws anew. bins= and
    functions of strata are Spark SQL's to make.

    Raises UsageError, InputError, PrivacyError or MachineError; then nothing was published.
    """
    import pyarrow as pa
    from pyspark import cloudpickle
    from pyspark.sql import functions as F
    from pyspark.sql.types import StringType, StructField, StructType

    given: dict[str, Any] = dict(options)
    _refuse(df, given)
    column, strata = given["column"], given.get("strata")
    run_key, run_id = given.pop("run_key", None), given.pop("run_id", None)
    by = [strata, column] if strata else [column]
    counted = df.groupBy(*(F.col(f"`{name}`").cast("string").alias(f"c{i}") for i, name in enumerate(by))).count()
    counts = counted.limit(1 << 20).toArrow().to_pylist()
    rows = sum(c["count"] for c in counts)
    sample = (df if rows <= _SAMPLE else df.sample(_SAMPLE / rows)).toArrow()
    with private(sample) as folder:
        (folder / "counts.csv").write_text(_counts(counts, column, _TYPES[dict(df.dtypes)[column]], strata))
        drawn = {name: given[name] if strata else given.pop(name) for name in _DRAWN[:2] if name in given}
        drawn |= {name: given.pop(name) for name in _DRAWN[2:] if name in given}
        plan = folder / "plan/plan.json"
        call(folder, "design", f"--counts={folder / 'counts.csv'}", f"--write-plan={plan}", "--log-format=json",
             *flags("run", given, folder))  # fmt: skip
        _frames.write(sample, folder / "input.arrow")
        args = [f"--plan={plan}", "--part-of-plan", *flags("run", drawn, folder)]
        out, report = folder / "out.arrow", folder / "report"
        call(folder, "apply", f"--input={folder / 'input.arrow'}", f"--output={out}", f"--report={report}",
             "--log-format=json", *args)  # fmt: skip
        of_sample = ("release.json", "commitment.key")
        files = {name: f for name, f in files_of(report).items()
                 if name == "public/mechanism.json" or "/" not in name and name not in of_sample}  # fmt: skip
        was, now = sample.schema, pa.ipc.open_file(out).schema
        if run_key is None:
            run_key = folder / "run.key"
            call(folder, "key", "new", "--type", "run", "--output", str(run_key))
        beside = {name: drawn[name] for name in _DRAWN[:2] if name in drawn}
        with open(run_key, "rb") as key:
            job = {"files": {p.name: p.read_bytes() for p in plan.parent.iterdir()} | {"run.key": key.read()},
                   "args": ["--run-id", run_id or "1", *flags("run", beside, folder)], "column": column}  # fmt: skip

    df.sparkSession.addArtifacts(program(), file=True)
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # executors lack this package
    whole = [F.col(f"`{name}`") for name, kind in df.dtypes if "map<" not in kind]
    source = df.select("*", F.xxhash64(*whole).alias(_HASH), F.spark_partition_id().alias(_PART))
    told = source.mapInArrow(lambda batches: _tallied(batches, job),
                             "part int, content string, value string, output string, n long")  # fmt: skip
    lines = told.groupBy("part", "content", "value", "output").sum("n").toArrow().to_pylist()
    seen = {line["part"]: line["content"] for line in lines if line["content"] is not None}
    pairs = {(line["value"], line["output"]): line["sum(n)"] for line in lines if line["content"] is None}
    kinds = [df.schema[f.name] if f.type == was.field(f.name).type else StructField(f.name, StringType()) for f in now]
    checks = _checked(df, now.names, column, counts, pairs, json.loads(files["plan.json"][1]), len(by) - 1)
    text = json.dumps([vars(c) for c in checks], indent=1)
    table = source.mapInArrow(lambda batches: _drawn(batches, job, seen), StructType(kinds))
    return SparkRelease(table, files | {"checks.json": (0o600, text.encode())}, checks)


def _refuse(df: Any, options: Mapping[str, Any]) -> None:
    """What Spark SQL does, and what it does not count as the program would."""
    kinds, column, strata = dict(df.dtypes), options.get("column"), options.get("strata")
    if not isinstance(column, str):
        raise UsageError("column= is missing, or several", "give the name of one private column")
    if (options.get("run_key") is None) != (options.get("run_id") is None):
        raise UsageError("run_key= and run_id= go together", "give both, and another run_id to draw anew")
    for name in (column, *([strata] if strata else [])):
        if name not in kinds:
            raise InputError(f"the frame has no column {name!r}", "a stratum is a column: make one by Spark SQL")
    if kinds[column] not in _TYPES:
        raise InputError(f"column {column!r} is of type {kinds[column]}", 'cast it first: F.col(...).cast("string")')
    if options.get("bins") or options.get("bin_as"):
        raise UsageError("bins= is for frames in memory", "make a column of bins by Spark SQL, and give that")


def _counts(counts: list[dict[str, Any]], column: str, kind: str, strata: str | None) -> str:
    """The file that tacet estimate would write."""
    head = {"format": "tacet.counts/v1", "column": column, "type": kind} | ({"strata": strata} if strata else {})
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["label", "count", "null"] + ["stratum", "stratum_null"] * bool(strata))
    for c in counts:
        labels = [c[f"c{i}"] for i in ((1, 0) if strata else (0,))]
        cells = [cell for label in labels for cell in (label or "", "1" if label is None else "")]
        out.writerow([cells[0], c["count"], *cells[1:]])
    return f"# {json.dumps(head)}\n{text.getvalue()}"


def _redrawn(batches: Iterator[Any], job: dict[str, Any], content: Any) -> Iterator[tuple[int, Any, Any]]:
    """Partition, private column as it was, and batch as it is drawn; content hashes what came. In a task."""
    import pyarrow as pa
    from pyspark import SparkFiles

    batches = (b for b in batches if b.num_rows)
    if (first := next(batches, None)) is None:
        return
    part, width = first.column(first.num_columns - 1)[0].as_py(), first.num_columns - 2
    schema = pa.schema([first.schema.field(i) for i in range(width)])
    waiting: list[Any] = []
    failed: list[BaseException] = []
    with tempfile.TemporaryDirectory(prefix="tacet-") as folder:
        for name, data in job["files"].items():
            with open(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as out:
                out.write(data)
        words = [SparkFiles.get("tacet"), "apply", f"--plan={folder}/plan.json", "--part-of-plan", "--input=-",
                 "--output=-", f"--run-key={folder}/run.key", f"--shard={part + 1}/{1 << 20}", "--log-format=errors",
                 "--threads=1", *job["args"]]  # fmt: skip
        env = {k: v for k, v in os.environ.items() if not k.startswith("TACET_")}
        with open(os.path.join(folder, "errors"), "w+b") as errors:
            tacet = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=env)
            assert tacet.stdin and tacet.stdout
            stdin, stdout = tacet.stdin, tacet.stdout

            def feed() -> None:
                batch = first
                try:
                    with stdin:
                        writer = pa.ipc.new_stream(stdin, schema)
                        while batch is not None:
                            at = batch.column(width)
                            content.update(memoryview(at.buffers()[1])[8 * at.offset : 8 * (at.offset + len(at))])
                            batch = pa.RecordBatch.from_arrays(batch.columns[:width], schema=schema)
                            waiting.append(batch.column(job["column"]))
                            writer.write_batch(batch)
                            batch = next(batches, None)
                        writer.close()  # which says that this is all: not where the source failed
                except BrokenPipeError:
                    pass  # tacet has ended, and says why
                except BaseException as error:
                    failed.append(error)

            feeder = threading.Thread(target=feed, daemon=True)
            feeder.start()
            try:
                try:
                    for batch in pa.ipc.open_stream(stdout):
                        yield part, waiting.pop(0), batch
                except pa.ArrowInvalid:
                    pass  # it is cut off
                code = tacet.wait()
                feeder.join()
                if failed:
                    raise failed[0]
                if code:
                    errors.seek(0)
                    raise RuntimeError(f"tacet ended with {code}: {errors.read().decode(errors='replace')}")
            finally:
                tacet.kill()
                tacet.wait()
                stdout.close()


def _tallied(batches: Iterator[Any], job: dict[str, Any]) -> Iterator[Any]:
    """What a partition holds, and how often each value became each output. In a task."""
    import pyarrow as pa

    content, pairs, part = hashlib.sha256(), Counter[tuple[Any, Any]](), None
    for part, was, now in _redrawn(batches, job, content):
        both = pa.table({"x": was.cast(pa.string()), "y": now.column(job["column"]).cast(pa.string())})
        for line in both.group_by(["x", "y"]).aggregate([([], "count_all")]).to_pylist():
            pairs[line["x"], line["y"]] += line["count_all"]
    if part is not None:
        names = ["part", "content", "value", "output", "n"]
        lines: list[tuple[Any, ...]] = [(part, content.hexdigest(), None, None, pairs.total())]
        lines += [(None, None, x, y, n) for (x, y), n in pairs.items()]
        kinds = [pa.int32(), pa.string(), pa.string(), pa.string(), pa.int64()]
        yield pa.RecordBatch.from_arrays([pa.array(c, k) for c, k in zip(zip(*lines), kinds)], names=names)


def _drawn(batches: Iterator[Any], job: dict[str, Any], seen: Mapping[int, str]) -> Iterator[Any]:
    """The batches of a partition that holds what was checked. In a task."""
    content, part = hashlib.sha256(), None
    for part, _, now in _redrawn(batches, job, content):
        yield now
    if part is not None and seen.get(part) != content.hexdigest():
        raise RuntimeError(f"partition {part} holds other rows than those that were checked; hint: {_ANOTHER}")


def _checked(df: Any, names: list[str], column: str, counts: list[dict[str, Any]], pairs: Mapping[tuple[Any, Any], int],
             plan: dict[str, Any], at: int) -> tuple[Check, ...]:  # fmt: skip
    """What was found of all rows, and what only SQL over the written table can say."""
    was, drawn, now = Counter[Any](), Counter[Any](), Counter[Any]()
    for c in counts:
        was[c[f"c{at}"]] += c["count"]
    for (x, y), n in pairs.items():
        drawn[x] += n
        now[y] += n
    if was != drawn:
        raise InputError("the frame held other rows when it was read again", _ANOTHER)
    allowed = {(x, label) for m in plan["mechanisms"] for r in m.get("rows") or m.get("blocks") or ()
               for x in r.get("inputs") or [r["input"]] for label, _ in r["outputs"]}  # fmt: skip
    known = {x for x, _ in allowed} - {None}  # not those that are merged, or whose rows the plan keeps elsewhere
    if wrong := sum(n for (x, y), n in pairs.items() if x in known and (x, y) not in allowed):
        raise PrivacyError(f"{wrong} rows have an output that the plan forbids")
    held = sum(n for (x, _), n in pairs.items() if x in known)

    def quoted(text: str | None) -> str:
        return "NULL" if text is None else "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    expected = ", ".join(f"({quoted(y)}, {n})" for y, n in sorted(now.items(), key=str))
    beside = ", ".join(f"`{n}`" for n in names if n != column and "map<" not in dict(df.dtypes)[n])
    sql = (f"SELECT * FROM (SELECT CAST(`{column}` AS STRING) AS v, count(*) AS n FROM written GROUP BY 1) AS w "
           f"FULL JOIN (VALUES {expected}) AS t(v, n) ON w.v <=> t.v WHERE NOT w.n <=> t.n")  # fmt: skip
    checks = [
        Check("counts", "passed", f"{was.total()} rows were drawn once, as often of each value as the plan counts"),
        Check("outputs", "passed", f"none of {held} rows has an output that the plan forbids for its value; "
              f"of {was.total() - held} others the program alone says so"),
        Check("written shares", "not checked", f"no row may come of: {sql}"),
    ]
    if beside:
        sql = f"SELECT {beside} FROM source EXCEPT ALL SELECT {beside} FROM written"
        told = f"no row may come of: {sql}; nor with source and written swapped"
        checks.append(Check("other columns", "not checked", told))
    return tuple(checks)
