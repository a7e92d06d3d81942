"""Measures how what a run costs grows with rows, columns, files, values and row groups,
beside DuckDB's plain copy of the same files, and writes the tables of docs/growth.md.

growth.py TACET FOLDER [AXIS ...]

FOLDER takes one file or folder of data at a time, up to 6 GB, and is emptied. DuckDB writes
the data. CPU is user and system time of the whole process; the copy is DuckDB's
COPY (FROM read_parquet) TO, with one thread for each processor, as Tacet has.
"""
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

# Of each axis: what grows, and its sizes.
AXES = {
    "rows": ("rows of two columns", [10**5, 10**6, 10**7, 10**8, 2 * 10**9]),
    "columns": ("columns beside the private one, 200,000 rows", [4, 40, 150, 300, 600]),
    "files": ("files of 100 rows", [100, 1000, 10_000, 100_000]),
    "values": ("values of the private column, 1 M rows", [2, 16, 256, 4096, 65_000]),
    "groups": ("row groups of 10 M rows", [10, 100, 1000]),
}
COPY = """import duckdb, sys
duckdb.sql(f"COPY (FROM read_parquet('{sys.argv[1]}')) TO '{sys.argv[2]}' (FORMAT parquet)")"""


def data(axis, size):
    """The SELECT that makes the data of a size, and the options of COPY."""
    rows = {"rows": size, "columns": 200_000, "files": 100 * size, "values": 10**6, "groups": 10**7}[axis]
    values = size if axis == "values" else 16
    # A hash, and not i itself, so that neither another column nor the place of a row tells the value.
    columns = [f"(hash(i) % {values})::INTEGER AS v"]
    beside = size if axis == "columns" else 1 if axis == "rows" else 3
    columns += [f"(hash(i * {2 * k + 3} + {k}) % {(100, 1000, 7, 50_000)[k % 4]})::BIGINT AS c{k}"
                for k in range(beside)]
    source = f"SELECT {', '.join(columns)} FROM range({rows}) t(i)"
    group = 10**7 // size if axis == "groups" else 122_880
    return source, f"FORMAT parquet, ROW_GROUP_SIZE {group}"


def make(axis, size, folder):
    """The path of new data of a size."""
    import duckdb
    source, options = data(axis, size)
    if axis != "files":
        path = os.path.join(folder, "in.parquet")
        duckdb.sql(f"COPY ({source}) TO '{path}' ({options})")
        return path
    import pyarrow.parquet as pq
    path = os.path.join(folder, "in")
    os.mkdir(path)
    table = duckdb.sql(source).to_arrow_table()
    for k in range(size):
        pq.write_table(table.slice(100 * k, 100), os.path.join(path, f"{k:06}.parquet"))
    return path


def made(axis, size, folder):
    """The same, by a process of its own: what a child takes at most counts what its parent has."""
    return subprocess.run([sys.executable, __file__, "make", axis, str(size), folder], check=True, capture_output=True,
                          text=True).stdout.strip()


def measured(command):
    """Seconds of CPU, seconds, and MiB at most, of a command."""
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"growth: {command[0]} ends with {os.waitstatus_to_exitcode(status)}: {said.decode()[-400:]}")
    return used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss / 1024


def runs(tacet, path, factor, folder):
    """What the default run, the bare run and the copy take: the least CPU of up to three."""
    out = os.path.join(folder, "out" if os.path.isdir(path) else "out.parquet")
    run = [tacet, "run", "--input", path, "--column", "v", "--utility", "numeric", "--max-factor", factor,
           "--output", out, "--report", os.path.join(folder, "report"), "--log-format", "errors"]
    copy = [sys.executable, "-c", COPY, os.path.join(path, "*.parquet") if os.path.isdir(path) else path,
            os.path.join(folder, "copy.parquet")]
    for command in (run, [*run, "--audit", "off", "--hash", "none"], copy):
        best = None
        for _ in range(3):
            got = measured(command)
            best = min(best or got, got)
            for name in os.listdir(folder):
                if not name.startswith("in"):
                    at = os.path.join(folder, name)
                    shutil.rmtree(at) if os.path.isdir(at) else os.remove(at)
            if got[1] > 20:
                break
        yield best


def exponent(sizes, cpu):
    """By which power CPU grows over the upper half of the sizes, where fixed costs are small."""
    at = len(sizes) - max(2, (len(sizes) + 1) // 2)
    return math.log(cpu[-1] / cpu[at]) / math.log(sizes[-1] / sizes[at])


def main():
    tacet, parent, *axes = sys.argv[1:]
    print(f"load {os.getloadavg()[0]:.1f} before; {os.cpu_count()} processors")
    for axis in axes or AXES:
        what, sizes = AXES[axis]
        print(f"\n## By {axis}\n\n```\n{what:45}  default: CPU  wall, s    MiB   bare: CPU    MiB   copy: CPU    MiB")
        grown = [[], [], []]
        for size in sizes:
            folder = tempfile.mkdtemp(dir=parent)
            factor = "3/2" if (axis, size) == ("values", 2) else "4"
            try:
                all_three = list(runs(tacet, made(axis, size, folder), factor, folder))
            finally:
                shutil.rmtree(folder)
            (cpu, wall, peak), bare, copy = all_three
            print(f"{size:<45,}  {cpu:12.2f}  {wall:7.2f}  {peak:5.0f}  {bare[0]:10.2f}  {bare[2]:5.0f}  "
                  f"{copy[0]:10.2f}  {copy[2]:5.0f}", flush=True)
            for k, one in enumerate(all_three):
                grown[k].append(one[0])
        print("CPU grows as the power                         " + "          ".join(
            f"{name}: {exponent(sizes, g):.2f}" for name, g in zip(("default", "bare", "copy"), grown)) + "\n```")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        print(make(sys.argv[2], int(sys.argv[3]), sys.argv[4]))
    else:
        main()
