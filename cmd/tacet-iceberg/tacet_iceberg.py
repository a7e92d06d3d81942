"""Lists the data files of an Iceberg table for tacet, and commits what tacet published to a branch.

    python3 tacet_iceberg.py list air.flights /warehouse/air/files.txt
    tacet run --input @/warehouse/air/files.txt ... --output /warehouse/published
    python3 tacet_iceberg.py commit air.flights /warehouse/published --branch published

Needs pyiceberg 0.12 and pyarrow. Its configuration says which catalogue is meant. See docs/scale.md.
"""

import argparse
import csv
import hashlib
import os
import subprocess
import sys
import urllib.parse

import pyarrow.parquet
from pyiceberg.catalog import load_catalog


def local(address):
    """The path of a file:// address."""
    url = urllib.parse.urlparse(address)
    if url.scheme not in ("", "file"):
        sys.exit(f"tacet_iceberg: {address} is no file of this machine; hint: mount the warehouse")
    return urllib.parse.unquote(url.path)


def list_files(table, path, snapshot=None):
    """Writes the list of the data files of a snapshot, and returns the id of the snapshot."""
    snapshot = snapshot or table.current_snapshot().snapshot_id
    tasks = list(table.scan(snapshot_id=snapshot).plan_files())
    deleted = sum(bool(task.delete_files) for task in tasks)
    if deleted:
        sys.exit(f"tacet_iceberg: {deleted} data files have deletes, and hold rows that the table does "
                 "not have any more; "
                 "hint: rewrite the data files first")
    files = [local(task.file.file_path) for task in tasks]
    above = os.path.dirname(os.path.abspath(path))
    if outside := [f for f in files if os.path.commonpath([above, f]) != above]:
        sys.exit(f"tacet_iceberg: {outside[0]} is not below {above}; hint: put the list above all data files")
    with open(path, "w") as f:
        f.writelines(file + "\n" for file in sorted(files))
    return snapshot


def create(catalog, name, source, schema):
    """Makes a table for the columns of published files. Their fields have numbers, by which Iceberg reads them: they
    must be those of the table, or every cell would be read as null."""
    table = catalog.create_table(name, schema=source.schema())
    with table.update_schema(allow_incompatible_changes=True) as update:
        for field in source.schema().fields:
            if field.name not in schema.names:
                update.delete_column(field.name)
    # pyiceberg adds to a branch of a table only where its main branch has a snapshot.
    table.append(table.schema().as_arrow().empty_table())
    return catalog.load_table(name)


def numbered(schema):
    """The numbers of fields by name, of the schema of a Parquet file."""
    return {f.name: int((f.metadata or {}).get(b"PARQUET:field_id", -1)) for f in schema}


def commit(table, folder, report, branch):
    """Commits the files of a release to a new branch, which has them alone. Returns the id of the snapshot."""
    if branch in table.refs():  # pyiceberg would add to it, and the same files, too: it looks for these in main alone
        sys.exit(f"tacet_iceberg: there is a branch {branch}; hint: give another --branch, or remove that one")
    with open(os.path.join(report, "files.csv"), newline="") as f:
        files = [os.path.join(os.path.abspath(folder), row["path"]) for row in csv.DictReader(f)]
    numbers = {f.name: f.field_id for f in table.schema().fields}
    for file in files:
        for name, number in numbered(pyarrow.parquet.read_schema(file)).items():
            if numbers.get(name) != number:
                sys.exit(f"tacet_iceberg: field {number} of {file} is {name}, and that of the table is "
                         f"{numbers.get(name)}; "
                         "hint: commit to a table that --like has made")
    with open(os.path.join(report, "public", "release.json"), "rb") as f:
        statement = hashlib.sha256(f.read()).hexdigest()
    table.add_files(["file://" + urllib.parse.quote(f, safe="/=") for f in files], branch=branch,
                    snapshot_properties={"tacet.statement-sha256": statement})
    return table.refresh().refs()[branch].snapshot_id


def main():
    p = argparse.ArgumentParser(prog="tacet_iceberg.py", description="Iceberg tables for tacet.")
    p.add_argument("--catalog", default="default", help="catalogue of pyiceberg's configuration (default: default)")
    commands = p.add_subparsers(dest="command", required=True)
    c = commands.add_parser("list", help="list the data files of a table")
    c.add_argument("table")
    c.add_argument("list", help="file to write, in a folder above all data files")
    c.add_argument("--snapshot", type=int, help="snapshot to list (default: the current one)")
    c = commands.add_parser("commit", help="commit a release to a new branch")
    c.add_argument("table")
    c.add_argument("folder", help="--output of the release, where its files stay")
    c.add_argument("--report", help="folder of the report (default: that beside the output)")
    c.add_argument("--branch", required=True)
    c.add_argument("--like", help="table that was released: makes the table to commit to, with its fields")
    c.add_argument("--tacet", default="tacet", help="program that verifies the release first")
    given = p.parse_args()

    catalog = load_catalog(given.catalog)
    if given.command == "list":
        print(list_files(catalog.load_table(given.table), given.list, given.snapshot))
        return
    report = given.report or given.folder.rstrip("/") + ".report"
    verified = [given.tacet, "verify", "--report", os.path.join(report, "report.json"), "--output", given.folder]
    if subprocess.run(verified, stdout=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"tacet_iceberg: {given.folder} is not what its report says; nothing is committed")
    if given.like and not catalog.table_exists(given.table):
        with open(os.path.join(report, "files.csv"), newline="") as f:
            one = os.path.join(given.folder, next(csv.DictReader(f))["path"])
        create(catalog, given.table, catalog.load_table(given.like), pyarrow.parquet.read_schema(one))
    print(commit(catalog.load_table(given.table), given.folder, report, given.branch))


if __name__ == "__main__":
    main()
