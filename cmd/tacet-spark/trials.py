"""Runs tacet_spark.py on Spark with two executors, and compares what it writes with what one machine writes.

    out/spark/bin/python cmd/tacet-spark/trials.py TACET FOLDER [FLIGHTS.parquet [TRIAL...]]      # make spark

Executors, Python workers and the driver are killed while a shard is drawn, a shard is drawn twice at once, and a job fails for
good. Needs pyspark, pyarrow and Java 17. Spark listens on loopback only, and all is written below FOLDER.
"""

import contextlib
import filecmp
import importlib.util
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from datetime import datetime

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(importlib.util.find_spec("pyspark").origin).parent / "bin"
REGIONS = HERE.parents[1] / "testdata/tables/regions.csv"
JOB = f"column: origin\nutility: hierarchy:{REGIONS}\nmax-factor: 12\nkeep: []\nreport: report\nlog-format: errors\n"
FILES, HELD, LIMIT = 80, 2, 600  # files of the data set; the shard that is held; most seconds of a job
RUN = ["--run-key", "run.key", "--run-id", "2026-11-23", "--output", "published"]

# Stands for tacet. It lists its calls, and stops the first try of the held shard while it draws. Later tries wait.
STAND_IN = """#!/bin/sh
echo "$*" >> {folder}/calls
case "$*" in *apply*"--shard {held}/"*)
	if mkdir {folder}/held 2>/dev/null; then
		(until ls -l /proc/$$/fd | grep -q /.shard-; do [ -d /proc/$$ ] || exit; done
		kill -STOP $$ && echo $$ > {folder}/held/pid) > /dev/null 2>&1 &
	else
		until [ -e {folder}/held/on ]; do sleep .1; done
	fi
esac
exec {tacet} "$@"
"""


class Failed(Exception):
    """What a trial saw that must not be."""


def check(holds, text):
    if not holds:
        raise Failed(text)


def wait_for(what, text, seconds=LIMIT):
    """Waits until what() is true, and returns that."""
    end = time.monotonic() + seconds
    while not (found := what()):
        check(time.monotonic() < end, f"{text}: not within {seconds} s")
        time.sleep(.05)
    return found


def cut(source, folder):
    """Cuts a table into files of 1 to 23 shares of its rows, the one in the middle empty. Prints the rows."""
    import pyarrow.parquet  # in a process of its own: its memory would be taken for that of the programs that follow

    rows = pyarrow.parquet.read_table(source)
    shares = [0 if i == FILES // 2 else i * 7919 % 23 + 1 for i in range(FILES)]
    for i in range(FILES):
        begin, end = (rows.num_rows * sum(shares[:n]) // sum(shares) for n in (i, i + 1))
        path = folder / f"month={i * 12 // FILES + 1:02d}" / f"part-{i:04d}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(rows.slice(begin, end - begin), path, row_group_size=100_000)
    print(f"{rows.num_rows} rows in {FILES} files")


class Used:
    """Wall time, CPU time and largest memory of programs."""

    def __init__(self):
        self.wall = self.cpu = self.peak = 0

    def run(self, words, folder, **more):
        """Runs a program that must succeed."""
        began = time.monotonic()
        p = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, **more)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        check(p.returncode == 0, f"{' '.join(map(str, words))}: exit code {p.returncode}")
        self.wall += time.monotonic() - began
        self.cpu += usage.ru_utime + usage.ru_stime
        self.peak = max(self.peak, usage.ru_maxrss)

    def __str__(self):
        return f"{self.wall:.1f} s, {self.cpu:.1f} s of CPU, {self.peak / 1024:.0f} MiB"


class Trials:
    def __init__(self, tacet, folder):
        self.tacet, self.folder = os.path.abspath(tacet), pathlib.Path(folder).absolute()
        self.env = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable,
                    "SPARK_LOCAL_DIRS": str(self.folder / "local"), "SPARK_WORKER_DIR": str(self.folder / "worker")}

    def begin(self, name):
        """A folder with the input, the job file and the run key."""
        folder = self.folder / name
        shutil.copytree(self.folder / "in", folder / "in", copy_function=os.link)
        (folder / "job.yaml").write_text(JOB)
        shutil.copy(self.folder / "run.key", folder)
        return folder

    def alone(self):
        """One machine: the folder in one run, and then by the shards that Spark has."""
        one, folder = self.begin("one"), self.begin("shards")
        data, config = ["--input", "in"], ["--config", "job.yaml"]
        run, count, draw, finish = Used(), Used(), Used(), Used()
        run.run([self.tacet, "design", *config, *data, "--write-plan", "plan.json"], one)
        run.run([self.tacet, "apply", *config, *data, "--plan", "plan.json", *RUN], one)
        shards = [["--shard", f"{i}/6", "--threads", "1"] for i in range(1, 7)]
        for i, shard in enumerate(shards, 1):
            count.run([self.tacet, "estimate", *config, *data, *shard, "--write-counts", str(i)], folder)
        count.run([self.tacet, "design", *config, "--counts", "1,2,3,4,5,6", "--write-plan", "plan.json"], folder)
        for shard in shards:
            draw.run([self.tacet, "apply", *config, *data, *shard, "--plan", "plan.json", *RUN], folder)
        finish.run([self.tacet, "finish", *config, *data, "--plan", "plan.json", *RUN], folder)
        print("one machine, design and apply:", run)
        print(f"the same in 6 shards, one after the other: counts and plan {count}; draws {draw}; finish {finish}")
        self.same(folder)

    def same(self, folder):
        """Holds what a trial wrote to what one machine wrote, to the byte."""
        for name in "published", "report", "plan.json", "order.csv":
            tree = {p.relative_to(folder): p for p in [folder / name, *sorted((folder / name).rglob("*"))]}
            one = self.folder / "one"
            check(tree.keys() == {p.relative_to(one) for p in [one / name, *(one / name).rglob("*")]},
                  f"{name}: other files than those of one machine")
            for rel, path in tree.items():
                check(path.is_dir() or filecmp.cmp(path, one / rel, shallow=False), f"{rel} is not that of one machine")
        check(not list(folder.glob(".tacet*")), "something is left over")

    def stand_in(self, folder, held=0):
        path = folder / "tacet"
        path.write_text(STAND_IN.format(folder=folder, held=held, tacet=self.tacet))
        path.chmod(0o700)
        return path

    def submit(self, folder, *words, master="local-cluster[2,1,1024]", conf=()):
        """Starts the job, with all that Spark says in the file log."""
        conf = ["spark.driver.host=127.0.0.1", "spark.driver.bindAddress=127.0.0.1", "spark.ui.enabled=false", *conf]
        with open(folder / "log", "w") as log:
            return subprocess.Popen(
                [BIN / "spark-submit", "--master", master,
                 *(word for c in conf for word in ("--conf", c)), HERE / "tacet_spark.py", "--config", "job.yaml",
                 "--input", "in", *RUN, *words],
                cwd=folder, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def ended(self, job, folder, code=0):
        """Waits for the job, which must have written what one machine writes, or have ended with a code."""
        try:
            got = job.wait(LIMIT)
        finally:
            job.kill()
        check(got == code, f"exit code {got}: see {folder}/log")
        if code == 0:
            self.same(folder)

    def plain(self):
        """Six shards on two executors, and what they cost."""
        folder = self.begin("plain")
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        self.ended(self.submit(folder, "--tacet", self.tacet), folder)
        wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = sum(getattr(after, f) - getattr(before, f) for f in ("ru_utime", "ru_stime"))
        log = (folder / "log").read_text()
        stage = [float(ms) / 1000 for ms in re.findall(r"Job \d finished: .* took ([0-9.]+) ms", log)]
        marks = r"Running Spark version|Starting task 0.0 in stage 0.0"
        times = [datetime.strptime(t, "%y/%m/%d %H:%M:%S")
                 for t in re.findall(rf"(?m)^(\S+ \S+) INFO .*(?:{marks})", log)]
        tasks = [int(ms) / 1000 for ms in re.findall(r"Finished task \S+ in stage \S+ \(TID \d+\) in (\d+) ms", log)]
        check(len(stage) == 2 and len(tasks) == 12, f"it has {len(stage)} stages and {len(tasks)} tasks")
        print(f"Spark: {wall:.1f} s, {cpu:.1f} s of CPU; first task after {(times[-1] - times[0]).seconds} s; "
              f"stages of {stage[0]:.1f} and {stage[1]:.1f} s; tasks of {', '.join(f'{s:.1f}' for s in tasks)} s")

    def killed(self, name, who):
        """Kills what is above tacet while it draws the held shard: tacet must end and have published nothing."""
        folder = self.begin(name)
        job = self.submit(folder, "--tacet", self.stand_in(folder, HELD), "--shards", "6")
        try:
            tacet = held(folder)
            worker = parent(tacet)
            above = {"worker": worker, "executor": parent(parent(worker))}[who]
            words = pathlib.Path(f"/proc/{above}/cmdline").read_text()
            check({"worker": "pyspark/daemon", "executor": "CoarseGrainedExecutorBackend"}[who] in words
                  .replace("pyspark.daemon", "pyspark/daemon"), f"process {above} is not the {who}: {words[:200]!r}")
            os.kill(above, signal.SIGKILL)
            wait_for(lambda: parent(tacet) != worker, f"the end of the worker, whose {who} was killed", 60)
            go_on(tacet)
            began = time.monotonic()
            wait_for(lambda: not alive(tacet), f"the end of tacet, whose {who} was killed", 60)
            print(f"{name}: tacet ended {time.monotonic() - began:.2f} s after its {who}")
            files = sorted(p.relative_to(folder / "in") for p in (folder / "in").rglob("*.parquet"))[HELD - 1::6]
            there = [f for f in files if any((p / f).exists() for p in folder.glob("published/.tacet-shards-*"))]
            check(files and not there, f"{len(there)} of {len(files)} files were put in place")
            (folder / "held/on").touch()
        except BaseException:
            job.kill()
            raise
        self.ended(job, folder)
        check(tries(folder, "apply", HELD) >= 2, "the held shard was not tried again")

    def worker(self):
        """A Python worker is killed."""
        self.killed("worker", "worker")

    def executor(self):
        """The JVM of an executor is killed, as by the kernel where memory ends."""
        self.killed("executor", "executor")

    def driver(self):
        """The driver is killed, and the same job is started again."""
        folder = self.begin("driver")
        program = self.stand_in(folder, HELD)
        job = self.submit(folder, "--tacet", program, "--shards", "6")
        try:
            tacet = held(folder)
            worker = parent(tacet)
        finally:
            job.kill()
            job.wait()
        wait_for(lambda: parent(tacet) != worker, "the end of the worker, whose driver was killed", 120)
        go_on(tacet)
        wait_for(lambda: not alive(tacet), "the end of tacet, whose driver was killed", 60)
        check(not (folder / "report").exists(), "it is published")
        (folder / "held/on").touch()
        self.ended(self.submit(folder, "--tacet", program, "--shards", "6"), folder)
        print("driver: the same job, started again, made the release")

    def speculation(self):
        """Spark tries a slow shard again beside the first try, which it does on another host only."""
        folder = self.begin("speculation")
        stand_in = self.stand_in(folder, HELD)
        with self.cluster() as master:
            job = self.submit(folder, "--tacet", stand_in, "--shards", "6", master=master, conf=[
                "spark.speculation=true", "spark.speculation.quantile=0.5", "spark.speculation.minTaskRuntime=1s",
                "spark.executor.memory=1g", "spark.cores.max=2"])
            try:
                tacet = held(folder)
                (folder / "held/on").touch()
            except BaseException:
                job.kill()
                raise
            self.ended(job, folder)
            go_on(tacet)
            wait_for(lambda: not alive(tacet), "the end of the slower try", 30)
            self.same(folder)
        check(tries(folder, "apply", HELD) == 2, "the held shard was not tried twice")
        print("speculation: the slow try was overtaken, and ended")

    @contextlib.contextmanager
    def cluster(self):
        """A standalone cluster with two hosts, both of which are loopback."""
        (self.folder / "cluster").mkdir()
        started = []

        def start(name, kind, host, *words):
            with open(self.folder / "cluster" / name, "w") as log:
                started.append(subprocess.Popen(
                    [BIN / "spark-class", "org.apache.spark.deploy." + kind, "--host", host, "--webui-port", "0",
                     *words], stdout=log, stderr=log, env={**self.env, "SPARK_LOCAL_IP": host},
                    cwd=self.folder / "cluster"))

        try:
            start("master", "master.Master", "127.0.0.1", "--port", "0")
            master = wait_for(lambda: re.search(r"spark://127.0.0.1:\d+", (self.folder / "cluster/master").read_text()),
                              "the master of the cluster", 120)[0]
            for host in "127.0.0.1", "127.0.0.2":
                start(host, "worker.Worker", host, "--cores", "1", "--memory", "1g", master)
            for host in "127.0.0.1", "127.0.0.2":
                log = self.folder / "cluster" / host
                wait_for(lambda: "Successfully registered" in log.read_text(), "a worker", 120)
            yield master
        finally:
            for p in reversed(started):
                p.terminate()
                p.wait(60)

    def permanent(self):
        """A plan that lacks values of the data: every shard fails with exit code 4, once, and one of them is told."""
        folder = self.begin("permanent")
        for words in (["estimate", "--input", "in", "--shard", f"1/{FILES}", "--write-counts", "few"],
                      ["design", "--counts", "few", "--write-plan", "few.json"]):
            subprocess.run([self.tacet, *words, "--config", "job.yaml"], cwd=folder, check=True)
        job = self.submit(folder, "--tacet", self.stand_in(folder), "--shards", "6", "--plan", "few.json")
        self.ended(job, folder, 4)
        told = [line for line in (folder / "log").read_text().splitlines() if "values that the plan lacks" in line]
        check(len(told) == 1, f"it is told {len(told)} times")
        check([tries(folder, "apply", i) for i in range(1, 7)] == [1] * 6, "a shard was tried again")
        check(not list(folder.glob("published/**/*.parquet")) and not (folder / "report").exists(), "it is published")
        print(told[0])


def parent(pid):
    """The parent of a process, 0 once it is gone."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return int(re.search(r"(?m)^PPid:\s*(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])
    return 0


def go_on(pid):
    """Lets a stopped process go on, if it is there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def alive(pid):
    """Whether a process runs or is stopped; one that ended and that nobody waited for is not."""
    try:
        return not re.search(r"(?m)^State:\s*[ZX]", pathlib.Path(f"/proc/{pid}/status").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return False


def held(folder):
    """The process of the held shard, once it is stopped."""
    pid = folder / "held/pid"
    return int(wait_for(lambda: pid.exists() and pid.read_text(), "a shard is held"))


def tries(folder, step, i):
    return sum(f"{step} " in call and f"--shard {i}/" in call for call in (folder / "calls").read_text().splitlines())


def main(tacet, folder, flights=HERE.parents[1] / "testdata/tables/flights.parquet", *names):
    t = Trials(tacet, folder)
    shutil.rmtree(t.folder, ignore_errors=True)
    t.folder.mkdir(parents=True)
    subprocess.run([sys.executable, __file__, "cut", flights, t.folder / "in"], check=True)
    subprocess.run([t.tacet, "key", "new", "--type", "run", "--output", "run.key"], cwd=t.folder, check=True,
                   capture_output=True)
    t.alone()
    failed = 0
    for name in names or ("plain", "worker", "executor", "driver", "speculation", "permanent"):
        began = time.monotonic()
        try:
            getattr(t, name)()
            print(f"{name}: passed in {time.monotonic() - began:.0f} s")
        except (Failed, subprocess.SubprocessError, OSError) as error:
            failed += 1
            print(f"{name}: FAILED: {error}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    if sys.argv[1] == "cut":
        cut(sys.argv[2], pathlib.Path(sys.argv[3]))
    else:
        main(*sys.argv[1:])
