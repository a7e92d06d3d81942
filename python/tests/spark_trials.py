"""Tries tacet.spark on two executors that lack it, and holds what is written to the input by plain SQL.

    out/spark/bin/python python/tests/spark_trials.py FOLDER EXECUTORS_PYTHON [FLIGHTS.parquet]      # make spark

An executor is killed while a partition is drawn, a partition is drawn twice at once, and a source gives other rows when
it is read again. Needs pyspark and Java 17. Spark listens on loopback only, and all is written below FOLDER.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parents[2]
PARTS = 8
CONF = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
        "spark.executor.memory": "1g", "spark.cores.max": "2", "spark.sql.session.timeZone": "UTC",
        "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2",
        "spark.sql.files.openCostInBytes": "134217728"}  # a file a partition  # fmt: skip


def wait_for(what, name, seconds=180):
    end = time.monotonic() + seconds
    while not (got := what()):
        if time.monotonic() > end:
            raise TimeoutError(name)
        time.sleep(0.05)
    return got


def parent(pid):
    return int(re.search(r"(?m)^PPid:\s*(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


def holding(folder):
    """A source's step: where FOLDER/hold is, the first try of partition 3 says who it is, and waits."""

    def step(batches):
        from pyspark import TaskContext

        for batch in batches:
            if TaskContext.get().partitionId() == 3 and os.path.exists(f"{folder}/hold"):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(f"{folder}/held")
                    with open(f"{folder}/held/new", "w") as f:
                        f.write(str(os.getpid()))
                    os.rename(f"{folder}/held/new", f"{folder}/held/pid")
                    while not os.path.exists(f"{folder}/on"):
                        time.sleep(0.05)
            yield batch

    return step


def shuffled(batches):
    """A source's step that gives the rows in another order each time."""
    import random

    for batch in batches:
        yield batch.take(random.sample(range(batch.num_rows), batch.num_rows))


class Trials:
    def __init__(self, folder, executors, flights):
        self.folder, self.flights = pathlib.Path(folder).absolute(), str(flights)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=os.path.abspath(executors),
                          SPARK_LOCAL_DIRS=str(self.folder / "local"), SPARK_WORKER_DIR=str(self.folder / "worker"))
        lacks = subprocess.run([executors, "-c", "import tacet"], capture_output=True).returncode
        assert lacks, "the executors have the package"

    @contextlib.contextmanager
    def spark(self, master, **conf):
        from pyspark.sql import SparkSession

        build = SparkSession.builder.master(master)
        for name, value in {**CONF, **conf}.items():
            build = build.config(name, value)
        self.session = build.getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")
        self.session.sparkContext.setCheckpointDir(str(self.folder / "checkpoints"))
        try:
            yield
        finally:
            self.session.stop()

    def source(self):
        """The flights with an id, in PARTS partitions; those of the input where it is written first."""
        from pyspark.sql import functions as F

        at = self.folder / "in"
        if not at.exists():
            df = self.session.read.parquet(self.flights).withColumn("id", F.monotonically_increasing_id())
            df.repartition(PARTS).write.parquet(str(at))
        df = self.session.read.parquet(str(at))
        return df.mapInArrow(holding(str(self.folder)), df.schema)

    def privatize(self, df, **options):
        import tacet
        import tacet.spark

        given = {"column": "origin", "utility": f"hierarchy:{HERE}/testdata/tables/regions.csv", "max_factor": 12,
                 "keep": ["id", "delay"], "run_key": self.folder / "run.key", "run_id": "tonight"}  # fmt: skip
        return tacet.spark.privatize(df, **{**given, **options})

    def held_to_input(self, release, name):
        """What is written, by SQL: the checks of the release, and every row's output by the order and the floor."""
        sql = self.session.sql
        self.session.read.parquet(str(self.folder / "in")).createOrReplaceTempView("source")
        self.session.read.parquet(str(self.folder / name)).createOrReplaceTempView("written")
        for check in release.checks:
            if check.outcome == "not checked":
                found = sql(re.match(r"no row may come of: (SELECT .*?)(; nor .*)?$", check.detail)[1]).count()
                assert found == 0, (name, check.name, found)
        plan = json.loads(release._files["plan.json"][1])
        pairs = [(r["input"], y) for r in plan["mechanisms"][0]["rows"] for y, _ in r["outputs"]] if (
            "rows" in plan["mechanisms"][0]) else [
            (x, y) for b in plan["mechanisms"][0]["blocks"] for x in b["inputs"] for y, _ in b["outputs"]]  # fmt: skip
        self.session.createDataFrame(pairs, "x string, y string").createOrReplaceTempView("allowed")
        rows, allowed = sql("SELECT count(*), count(a.x) FROM source s JOIN written w USING (id) LEFT JOIN allowed a "
                            "ON a.x = s.origin AND a.y = w.origin").first()  # fmt: skip
        n = sql("SELECT count(*) FROM source").first()[0]
        assert rows == allowed == n, (name, rows, allowed, n)

    def same(self, name, as_name="plain"):
        a, b = (self.session.read.parquet(str(self.folder / x)) for x in (name, as_name))
        return a.count() == b.count() and a.exceptAll(b).count() == 0

    def write(self, table, name):
        table.write.parquet(str(self.folder / name))

    def plain(self):
        """Written, and held to the input; read through coalesce and union, a part of it, and by the same run again."""
        from pyspark.sql import functions as F

        began = time.monotonic()
        r = self.privatize(self.source())
        made = time.monotonic()
        self.write(r.table, "plain")
        print(f"plain: {made - began:.1f} s to count, design and check; {time.monotonic() - made:.1f} s to write")
        self.held_to_input(r, "plain")
        assert len(r.table.limit(5).collect()) == 5
        self.write(r.table.coalesce(1).union(r.table.filter(F.col("id") < 0)), "one")
        assert self.same("one"), "coalesce(1) gives other rows"
        self.write(self.privatize(self.source()).table, "again")
        assert self.same("again"), "the same run gives other rows"
        self.write(self.privatize(self.source(), run_id="another").table, "another")
        assert not self.same("another"), "another run gives the same rows"
        assert not list((self.folder / "local").rglob("tacet-*/plan.json")), "a plan is left over"
        r.save(self.folder / "release")

    def refused(self):
        """Columns that tell the private one; bins; a source that gives other rows when it is read again."""
        import tacet

        for options, kind in (({"keep": ["destination", "distance"]}, tacet.PrivacyError),
                              ({"bins": "1,2"}, tacet.UsageError), ({"column": "date"}, tacet.InputError)):  # fmt: skip
            try:
                self.privatize(self.source(), **options)
            except kind as error:
                print(f"refused: {str(error)[:110]}")
            else:
                raise AssertionError(f"{options} is not refused")
        df = self.source().mapInArrow(shuffled, self.source().schema)
        try:
            self.write(self.privatize(df).table, "moved")
        except Exception as error:
            assert "other rows than those that were checked" in str(error), error
        else:
            raise AssertionError("rows in another order are not refused")
        r = self.privatize(df.checkpoint())
        self.write(r.table, "checkpoint")
        self.held_to_input(r, "checkpoint")

    def hold(self, r, name, then):
        """Writes a table while the first try of a partition is held, and does something to it."""
        import threading

        (self.folder / "hold").touch()
        failed = []

        def work():
            try:
                self.write(r.table, name)
            except BaseException as error:
                failed.append(error)

        writer = threading.Thread(target=work)
        writer.start()
        try:
            pid = int(wait_for(lambda: (p := self.folder / "held/pid").exists() and p.read_text(), "a held task"))
            then(pid, writer)
        finally:
            (self.folder / "on").touch()
            writer.join(300)
            for left in "hold", "on":
                (self.folder / left).unlink()
            shutil.rmtree(self.folder / "held")
        assert not failed, failed
        self.held_to_input(r, name)
        assert self.same(name), f"{name} has other rows"

    def executor(self):
        """The JVM of an executor is killed."""

        def kill(pid, _):
            jvm = parent(parent(pid))
            assert "CoarseGrainedExecutorBackend" in pathlib.Path(f"/proc/{jvm}/cmdline").read_text()
            os.kill(jvm, signal.SIGKILL)
            time.sleep(1)

        self.hold(self.privatize(self.source()), "killed", kill)

    def speculation(self):
        """Spark tries a slow partition again beside the first try, which it does on another host only."""

        def wait(_, writer):
            writer.join(400)
            assert not writer.is_alive(), "the held try was not overtaken"

        self.hold(self.privatize(self.source()), "speculated", wait)

    @contextlib.contextmanager
    def cluster(self):
        """A standalone cluster with two hosts, both of which are loopback."""
        import pyspark

        started, logs = [], self.folder / "cluster"
        logs.mkdir()

        def start(name, kind, host, *words):
            with open(logs / name, "w") as log:
                started.append(subprocess.Popen(
                    [pathlib.Path(pyspark.__file__).parent / "bin/spark-class", "org.apache.spark.deploy." + kind,
                     "--host", host, "--webui-port", "0", *words], stdout=log, stderr=log,
                    env={**os.environ, "SPARK_LOCAL_IP": host}))  # fmt: skip

        try:
            start("master", "master.Master", "127.0.0.1", "--port", "0")
            said = logs / "master"
            master = wait_for(lambda: re.search(r"spark://127.0.0.1:\d+", said.read_text()), "the master")[0]
            for host in "127.0.0.1", "127.0.0.2":
                start(host, "worker.Worker", host, "--cores", "1", "--memory", "1g", master)
            for host in "127.0.0.1", "127.0.0.2":
                wait_for(lambda: "Successfully registered" in (logs / host).read_text(), "a worker")  # noqa: B023
            yield master
        finally:
            for p in reversed(started):
                p.terminate()
                p.wait(60)


def main(folder, executors, flights=HERE / "testdata/tables/flights.parquet"):
    t = Trials(folder, executors, flights)
    from tacet._run import program

    new = [program(), "key", "new", "--type", "run", "--output", t.folder / "run.key"]
    subprocess.run(new, check=True, capture_output=True)

    def trial(name):
        began = time.monotonic()
        getattr(t, name)()
        print(f"{name}: passed in {time.monotonic() - began:.0f} s", flush=True)

    with t.spark("local-cluster[2,1,1024]"):
        for name in "plain", "refused", "executor":
            trial(name)
    eager = {"": "true", ".quantile": "0.5", ".minTaskRuntime": "1s"}
    with t.cluster() as master, t.spark(master, **{"spark.speculation" + k: v for k, v in eager.items()}):
        trial("speculation")


if __name__ == "__main__":
    main(*sys.argv[1:])
