"""Tests of tacet_spark.py without Spark: tasks run one after the other in this process. make spark runs them on Spark.

    python3 cmd/tacet-spark/tacet_spark_test.py      # needs tacet on the path
"""

import contextlib
import filecmp
import io
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import tacet_spark

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOB = f"""column: origin
utility: hierarchy:{ROOT}/testdata/tables/regions.csv
max-factor: 12
drop: [destination, distance]
audit: "off"
report: report
log-format: errors
"""


class Tasks(list):
    """An RDD, and the SparkContext that makes it."""

    defaultParallelism = 1

    def parallelize(self, values, _):
        return Tasks(values)

    def map(self, task):
        return Tasks(map(task, self))

    def collect(self):
        return list(self)


class TestRelease(unittest.TestCase):
    def setUp(self):
        self.was, self.folder = os.getcwd(), pathlib.Path(tempfile.mkdtemp())
        os.chdir(self.folder)
        for name in "dt=1/a", "dt=1/b", "dt=2/a", "dt=3/_left_out":
            path = self.folder / f"in/{name}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "testdata/tables/flights.parquet", path)
        (self.folder / "in/dt=2/empty.parquet").touch()
        (self.folder / "job.yaml").write_text(JOB)
        self.tacet("key", "new", "--type", "run", "--output", "run.key")

    def tearDown(self):
        os.chdir(self.was)
        shutil.rmtree(self.folder)

    def tacet(self, *words):
        subprocess.run(["tacet", *words], check=True, capture_output=True, stdin=subprocess.DEVNULL)

    def release(self, *words):
        """Exit code and what is told, of a release in this process."""
        run = "--config job.yaml --input in --output out --run-key run.key --run-id one"
        given = tacet_spark.arguments([*run.split(), *words])
        told, code = io.StringIO(), 0
        with contextlib.redirect_stderr(told):
            try:
                tacet_spark.release(Tasks(), given)
            except SystemExit as end:
                code = end.code
        return code, told.getvalue()

    def program(self, text):
        path = self.folder / "program"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o700)
        return str(path)

    def same(self, a, b):
        found = filecmp.dircmp(a, b, ignore=[])
        self.assertFalse(found.left_only + found.right_only + found.funny_files)
        self.assertFalse(filecmp.cmpfiles(a, b, found.common_files, shallow=False)[1:] != ([], []))
        for name in found.common_dirs:
            self.same(os.path.join(a, name), os.path.join(b, name))

    def test_release_is_that_of_one_machine(self):
        self.assertEqual(self.release("--tacet", "tacet"), (0, ""))
        spark = self.folder / "spark"
        spark.mkdir()
        for name in "out", "report", "plan.json", "order.csv":
            os.rename(name, spark / name)
        self.assertEqual(sorted(os.listdir()), ["in", "job.yaml", "run.key", "spark"])
        one = self.folder / "one"
        one.mkdir()
        self.tacet("design", "--config", "job.yaml", "--input", "in", "--write-plan", "plan.json")
        self.tacet("apply", "--config", "job.yaml", "--input", "in", "--output", "out", "--plan", "plan.json",
                   "--run-key", "run.key", "--run-id", "one")
        for name in "out", "report", "plan.json", "order.csv":
            os.rename(name, one / name)
        self.same(one, spark)
        self.assertEqual(sorted(os.listdir(spark / "out/dt=1")), ["a.parquet", "b.parquet"])

    def test_plan_of_a_job_that_was_ended_is_taken_and_another_is_not(self):
        self.tacet("design", "--config", "job.yaml", "--input", "in", "--write-plan", "plan.json")
        self.assertEqual(self.release("--shards", "2"), (0, ""))
        shutil.rmtree("out")
        shutil.rmtree("report")
        (self.folder / "job.yaml").write_text(JOB.replace("12", "5"))
        code, told = self.release()
        self.assertRegex(str(code), "plan.json is there, and of other data or another job")
        self.assertFalse(os.path.exists("out"))
        (self.folder / "job.yaml").write_text(JOB)
        self.assertEqual(self.release("--plan", "plan.json"), (0, ""))

    def test_permanent_failure_is_told_once(self):
        (self.folder / "job.yaml").write_text(JOB.replace("origin", "orign"))
        code, told = self.release()
        self.assertEqual(code, 3)
        self.assertRegex(told, '^tacet_spark: 3 of 3 shards failed, the first is 1: .*no column "orign"; hint: '
                               'did .*\n$')
        code, told = self.release("--tacet", "/nowhere/tacet")
        self.assertEqual(code, 2)
        self.assertIn("3 of 3 shards failed, the first is 1: /nowhere/tacet cannot be started", told)
        self.assertEqual(sorted(os.listdir()), ["in", "job.yaml", "run.key"])

    def test_what_may_pass_is_raised(self):
        held = """echo '{"level":"ERROR","msg":"held","exit_code":5,"retry":true}' >&2; exit 5"""
        for text, says in (held, "exit code 5: held"), ("kill -9 $$", "exit code -9: killed"):
            with self.assertRaisesRegex(tacet_spark.Again, says):
                self.release("--tacet", self.program(text))

    def test_files(self):
        self.assertEqual(tacet_spark.files_in("in"), 3)
        self.assertEqual(tacet_spark.files_in("nowhere"), 0)
        self.assertRegex(str(self.release("--input", "@list")[0]), "give --shards")


if __name__ == "__main__":
    unittest.main()
