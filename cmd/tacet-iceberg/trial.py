"""Publishes an Iceberg table on a branch and into another table, and looks at what can be read there.

    out/iceberg/bin/python cmd/tacet-iceberg/trial.py TACET FOLDER      # make iceberg
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time

import pyarrow
import pyarrow.compute
import pyarrow.parquet
from pyiceberg.catalog import load_catalog
from pyiceberg.transforms import IdentityTransform

import tacet_iceberg

HERE = pathlib.Path(__file__).resolve().parent
TABLES = HERE.parents[1] / "testdata/tables"


def script(*words, fails=None):
    """Runs the script, shows it, and returns what it prints. One that must fail says why."""
    p = subprocess.run([sys.executable, HERE / "tacet_iceberg.py", *words], capture_output=True, text=True)
    print("$ python3 tacet_iceberg.py", *words)
    print(p.stdout, end="")
    if fails is not None:
        assert p.returncode != 0 and fails in p.stderr, (p.returncode, p.stderr)
        print(p.stderr.strip().replace(os.getcwd(), "..."))
        return ""
    assert p.returncode == 0, p.stderr
    return p.stdout.strip()


def branch(table, name, rows=None):
    """What is read of a branch."""
    table.refresh()
    scan = table.scan(snapshot_id=table.refs()[name].snapshot_id, **({"row_filter": rows} if rows else {}))
    return scan.to_arrow()


def drawn(folder):
    """What stands in the files, read without Iceberg."""
    files = sorted(pathlib.Path(folder).rglob("*.parquet"))
    return pyarrow.concat_tables([pyarrow.parquet.ParquetFile(f).read() for f in files])


def counts(table, *names):
    return sorted(table.group_by(list(names)).aggregate([([], "count_all")]).to_pylist(), key=str)


def main(tacet, folder):
    tacet = os.path.abspath(tacet)
    os.environ["PATH"] = os.path.dirname(tacet) + os.pathsep + os.environ["PATH"]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "warehouse"))
    os.chdir(folder)
    where = {"type": "sql", "uri": "sqlite:///catalog.db", "warehouse": "file://" + os.path.abspath("warehouse")}
    os.environ |= {"PYICEBERG_CATALOG__DEFAULT__" + key.upper(): value for key, value in where.items()}
    catalog = load_catalog("default", **where)
    catalog.create_namespace("air")
    rows = pyarrow.parquet.read_table(TABLES / "flights.parquet")
    rows = rows.append_column("month", pyarrow.compute.month(rows["date"]).cast(pyarrow.int32()))
    flights = catalog.create_table("air.flights", schema=rows.schema)
    with flights.update_spec() as spec:
        spec.add_field("month", IdentityTransform(), "month")
    flights.append(rows.slice(0, 100_000))
    flights.append(rows.slice(100_000))

    # A release of the files that the table has now; it is committed to a branch of the same table.
    began = time.monotonic()
    snapshot = script("list", "air.flights", "warehouse/files.txt")
    subprocess.run([tacet, "key", "new", "--type", "run", "--output", "run.key"], check=True, capture_output=True)
    release = ["--input", "@warehouse/files.txt", "--column", "origin", "--utility", f"hierarchy:{TABLES}/regions.csv",
               "--max-factor", "12", "--keep", "month,delay", "--run-key", "run.key",
               "--run-id", "snapshot-" + snapshot,
               "--output", "warehouse/published", "--log-format", "errors"]
    print("$ tacet run", *release)
    ran = time.monotonic()
    subprocess.run([tacet, "run", *release], check=True, stdin=subprocess.DEVNULL)
    took = time.monotonic() - ran
    committed = script("commit", "air.flights", "warehouse/published", "--branch", "published")
    files = len(list(pathlib.Path("warehouse/published").rglob("*.parquet")))
    print(f"{rows.num_rows} rows in {files} files: tacet {took:.1f} s, all {time.monotonic() - began:.1f} s")
    got, want = branch(flights, "published"), drawn("warehouse/published")
    assert counts(got, "origin", "delay", "month") == counts(want, "origin", "delay", "month")
    assert got["origin"].null_count == 0 and len(got["origin"].unique()) == 15, got["origin"]
    assert got["date"].null_count == got.num_rows, "a column that was left out can be read"
    april = pyarrow.compute.sum(pyarrow.compute.equal(want["month"], 4)).as_py()
    assert branch(flights, "published", "month = 4").num_rows == april > 0, "the partitions are not those of the rows"
    assert counts(flights.scan().to_arrow(), "origin") == counts(rows, "origin"), "the main branch is another"
    head = flights.refresh().snapshot_by_id(int(committed))
    assert head.parent_snapshot_id is None and "tacet.statement-sha256" in head.summary.additional_properties
    script("commit", "air.flights", "warehouse/published", "--branch", "published", fails="there is a branch published")

    # Into a table of its own: neither its history nor its metadata tell of the private one.
    script("commit", "air.public", "warehouse/published", "--branch", "release", "--like", "air.flights")
    public = catalog.load_table("air.public")
    assert public.scan().to_arrow().num_rows == 0
    public.manage_snapshots().set_current_snapshot(ref_name="release").commit()
    got = public.refresh().scan().to_arrow()
    assert sorted(got.column_names) == ["delay", "month", "origin"]
    assert counts(got, "origin", "delay", "month") == counts(want, "origin", "delay", "month")
    told = b"".join(p.read_bytes() for p in pathlib.Path("warehouse/air/public").rglob("*") if p.is_file())
    assert b"air/flights" not in told.replace(b"published/air/flights", b""), "it names files of the private table"

    # What must not be committed.
    other = catalog.create_table("air.other", schema=want.select(["origin"]).schema)
    other.append(other.schema().as_arrow().empty_table())
    script("commit", "air.other", "warehouse/published", "--branch", "release",
           fails="hint: commit to a table that --like")
    victim = sorted(pathlib.Path("warehouse/published").rglob("*.parquet"))[0]
    changed = bytearray(victim.read_bytes())
    changed[len(changed) // 2] ^= 1
    victim.write_bytes(changed)
    script("commit", "air.flights", "warehouse/published", "--branch", "third", fails="is not what its report says")
    assert set(flights.refresh().refs()) == {"main", "published"}
    deletes()
    print("iceberg: passed")


def deletes():
    """Rows of delete files stand in data files still. pyiceberg writes none: a stand-in has one."""
    class Some:
        delete_files = {"one"}
        file = None

    class Table:
        def scan(self, **_):
            return self

        def plan_files(self):
            return [Some()]

    try:
        tacet_iceberg.list_files(Table(), "list", 1)
    except SystemExit as end:
        assert "have deletes" in str(end), end
        return
    raise AssertionError("files with deletes are listed")


if __name__ == "__main__":
    main(*sys.argv[1:])
