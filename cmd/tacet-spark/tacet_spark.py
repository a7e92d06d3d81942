"""Privatizes a column of a folder of many files on Spark, byte for byte as one machine would.

    spark-submit tacet_spark.py --config job.yaml --input trips --output published \\
        --run-key /etc/tacet/run.key --run-id 2026-11-23

Tasks give paths to the program tacet, and move no cell. They count their shard of the files; the driver makes the
plan; they draw their shard by plan and run key; the driver makes a release of what they wrote. See docs/scale.md.
"""

import argparse
import filecmp
import json
import os
import shutil
import subprocess
import sys
import uuid

class Again(Exception):
    """A failure that may pass: Spark runs the task again, spark.task.maxFailures times in all."""


class Job:
    """What the steps share. Executors get it as it is: it holds the path of the run key, and not the key."""

    def __init__(self, given, shards):
        self.given, self.shards, self.plan = given, shards, given.plan or given.write_plan
        self.own = f".tacet-spark-{uuid.uuid4().hex[:8]}"  # counts and plan, until the plan is in place

    def start(self, step, *flags, **streams):
        """Starts a step in the shared folder. It ends with this process, and then puts nothing in place."""
        given = self.given
        words = [given.tacet, step, *(["--config", given.config] if given.config else []), *flags]
        if step != "design":
            words += ["--input", given.input]
        if step in ("apply", "finish"):
            words += ["--plan", self.plan, "--output", given.output]
            words += ["--run-key", given.run_key, "--run-id", given.run_id]
        return subprocess.Popen(words, cwd=given.folder, stdin=subprocess.DEVNULL, **streams)

    def shard(self, step, i, *flags):
        """Runs a step of shard i in a task. Returns None, or a failure that every try would meet: then Spark must not
        try again, and the driver tells it once. Two tries may run at once: both write the same bytes."""
        try:
            tacet = self.start(step, "--shard", f"{i}/{self.shards}", "--threads", str(self.given.threads),
                               "--log-format", "json", *flags, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, errors="replace")
        except OSError as error:
            return 2, f"{self.given.tacet} cannot be started in {self.given.folder}: {error.strerror}"
        with tacet:
            told = [json.loads(line) for line in tacet.stderr if line.startswith("{")]
        code, told = tacet.returncode, [entry for entry in told if "exit_code" in entry]
        if code == 0:
            return None
        text = "\n".join(entry["msg"] + "; hint: " + entry.get("hint", "") for entry in told)
        if not told or any(entry["retry"] for entry in told):  # without a word: it was killed
            raise Again(f"tacet {step} --shard {i}/{self.shards} ended with exit code {code}: {text or 'killed'}")
        return code, text

    def count(self, i):
        """Counts shard i."""
        return self.shard("estimate", i, "--write-counts", os.path.join(self.own, str(i)))

    def draw(self, i):
        """Draws shard i."""
        return self.shard("apply", i)

    def settle(self):
        """Makes the plan of all counts, and puts it in place. The same plan may be there, from a job that was ended."""
        counts, made = os.path.join(self.own, "counts"), os.path.join(self.own, "plan.json")
        with open(os.path.join(self.given.folder, counts), "w") as f:
            f.writelines(f"{i}\n" for i in range(1, self.shards + 1))
        on_driver(self.start("design", "--log-format", "errors", "--counts", "@" + counts, "--write-plan", made))
        plan = os.path.join(self.given.folder, self.plan)
        for place in os.path.join(os.path.dirname(plan), "order.csv"), plan:
            made = os.path.join(self.given.folder, self.own, "plan.json" if place == plan else "order.csv")
            if not os.path.exists(place):
                os.replace(made, place)
            elif not filecmp.cmp(made, place, shallow=False):
                sys.exit(f"tacet_spark: {place} is there, and of other data or another job; "
                         "hint: give another --write-plan, or --plan to follow it")


def on_executors(sc, task, shards):
    """Runs a task for every shard. Failures that every try would meet end the job, and the first of them is told."""
    failures = sc.parallelize(range(1, shards + 1), shards).map(task).collect()
    failed = [i for i in range(shards) if failures[i] is not None]
    if failed:
        code, text = failures[failed[0]]
        first = f"{len(failed)} of {shards} shards failed, the first is {failed[0] + 1}"
        print(f"tacet_spark: {first}: {text}", file=sys.stderr)
        sys.exit(code)


def on_driver(step):
    """Waits for a step, which tells its errors itself."""
    if step.wait() != 0:
        sys.exit(step.returncode if step.returncode > 0 else 5)


def files_in(folder):
    """The number of files that tacet takes from a folder, 0 where it is none."""
    n = 0
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name[0] not in "_."]
        n += sum(name[0] not in "_." and os.path.getsize(os.path.join(path, name)) > 0 for name in names)
    return n


def release(sc, given):
    """Makes the release on the executors of a SparkContext."""
    given.folder = os.path.abspath(given.folder)
    files = files_in(os.path.join(given.folder, given.input))
    if not (given.shards or files):
        sys.exit(f"tacet_spark: {given.input} is no folder with files; "
                 "hint: give --shards for a list, a pattern or an address")
    job = Job(given, given.shards or min(files, 3 * sc.defaultParallelism))
    if not given.plan:
        own = os.path.join(given.folder, job.own)
        os.mkdir(own, 0o700)
        try:
            on_executors(sc, job.count, job.shards)
            job.settle()
        finally:
            shutil.rmtree(own)
    on_executors(sc, job.draw, job.shards)
    on_driver(job.start("finish"))


def number(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


def arguments(words=None):
    p = argparse.ArgumentParser(prog="tacet_spark.py", description="Privatize a column of a folder of files on Spark.")
    p.add_argument("--config", help="job file of tacet: column, utility, epsilon, keep, report and so on")
    p.add_argument("--input", required=True, help="folder of files; with --shards also a list, a pattern or an address")
    p.add_argument("--output", required=True, help="folder to publish, which all executors can write to")
    p.add_argument("--run-key", required=True, help="file of the run key, at the same path on driver and executors")
    p.add_argument("--run-id", required=True, help="name of the run: another name draws anew")
    p.add_argument("--write-plan", default="plan.json", help="plan to write (default: plan.json)")
    p.add_argument("--plan", help="plan to follow: nothing is counted, and no plan is made")
    p.add_argument("--shards", type=number, metavar="N",
                   help="parts of the work (default: 3 for each core of the executors, at most the number of files)")
    p.add_argument("--threads", type=int, default=1, help="threads of a task, as spark.task.cpus (default: 1)")
    p.add_argument("--folder", default=".", help="folder of all machines, where paths begin (default: this one)")
    p.add_argument("--tacet", default="tacet", help="program, at the same path on driver and executors")
    return p.parse_args(words)


if __name__ == "__main__":
    from pyspark.sql import SparkSession

    options = arguments()
    spark = SparkSession.builder.appName("tacet").getOrCreate()
    try:
        release(spark.sparkContext, options)
    finally:
        spark.stop()
