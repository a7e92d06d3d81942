"""What is tried on the program from outside, each as often as asked: a scene gives how often, and what was wrong."""
import base64
import csv
import fcntl
import glob
import hashlib
import hmac
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from coverage import coverage


SCALE = float(os.environ.get("TORTURE_TIME", 1))


class Missing(Exception):
    """What this machine lacks for a scene."""


class Bench:
    """Runs the program, and notes what was wrong."""

    def __init__(self, program, root, log, seconds, seed):
        self.program, self.root, self.log, self.bad = program, root, log, 0
        self.random, self.begun, self.ends = random.Random(seed), time.time(), time.time() + seconds

    def times(self, n):
        """0 to n-1, or to what can be reached in the time that the scene has."""
        for i in range(n):
            if time.time() > self.ends:
                return
            yield i

    def wrong(self, *what):
        self.bad += 1
        print(*what, file=self.log, flush=True)

    def run(self, folder, *args, code=0, **more):
        done = subprocess.run([self.program, *args], cwd=folder, capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, TACET_AUDIT="off"), **more)
        if code is not None and done.returncode != code:
            self.wrong(args, "ends with", done.returncode, done.stderr[:300])
        return done

    def start(self, folder, *args):
        return subprocess.Popen([self.program, *args], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                env=dict(os.environ, TACET_AUDIT="off"))


def nights(b, folder, rows=4000):
    """A plan, a key, and the inputs of two nights as CSV."""
    values = [b.random.choice("aaabbcd") for _ in range(rows)]
    for n in (1, 2):
        with open(os.path.join(folder, f"in{n}.csv"), "w") as f:
            f.write("id,x\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values)))
        values = [b.random.choice("abcd") if b.random.random() < .02 else v for v in values]
    b.run(folder, "key", "new", "--type", "draw", "--output", "key")
    b.run(folder, "design", "--input", "in1.csv", "--column", "x", "--utility", "ordered:a,b,c,d", "--epsilon", ".7",
          "--headroom", "10%", "--write-plan", "plan.json")


def night(n):
    return ["apply", "--plan", "plan.json", "--input", f"in{n}.csv", "--output", "out.csv", "--report", "report",
            "--overwrite", "--record-id", "id", "--key-file", "key", "--ledger", "ledger", "--dataset", "visits",
            "--on-change", "draw"]


def content(*path):
    try:
        with open(os.path.join(*path), "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def snapshot(folder):
    """All files but those of a ledger, which remembers a night that was interrupted."""
    return {os.path.join(at, f): content(at, f) for at, _, files in os.walk(folder) for f in files
            if not os.path.relpath(os.path.join(at, f), folder).startswith("ledger")}


def leftovers(folder):
    return [os.path.join(at, f) for at, _, files in os.walk(folder) for f in files if f.startswith(".tacet-")]


def power(b, n):
    """power cuts (ext4 shut down without its journal) in a night, half of them as it says that it is done"""
    if os.geteuid() or not shutil.which("mkfs.ext4"):
        raise Missing("needs root and mkfs.ext4")
    work = tempfile.mkdtemp()
    image, disk = os.path.join(work, "image"), os.path.join(work, "disk")
    os.mkdir(disk)
    subprocess.run(["truncate", "-s", "48M", image], check=True)
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    whole = os.path.join(work, "whole")
    os.mkdir(whole)
    nights(b, whole)
    b.run(whole, *night(1))
    first = content(whole, "out.csv")
    before = os.path.join(work, "before")
    shutil.copytree(whole, before)
    start = time.time()
    b.run(whole, *night(2))
    took, second = time.time() - start, content(whole, "out.csv")

    def mount():
        if subprocess.run(["mount", "-o", "loop", image, disk], capture_output=True).returncode:
            raise Missing("loop devices cannot be mounted")

    acknowledged = 0
    for i in b.times(n):
        mount()
        at = os.path.join(disk, str(i))
        shutil.rmtree(os.path.join(disk, str(i - 1)), ignore_errors=True)
        shutil.copytree(before, at)
        os.sync()
        p = b.start(at, *night(2))
        if i % 2:
            time.sleep(b.random.random() * took)
        else:
            p.wait()
        done = p.poll() == 0
        fd = os.open(disk, os.O_RDONLY)
        fcntl.ioctl(fd, 0x8004587D, b"\x02\0\0\0")  # FS_IOC_SHUTDOWN, without the journal
        os.close(fd)
        p.kill()
        p.wait()
        subprocess.run(["umount", disk], check=True)
        mount()
        acknowledged += done
        out, decided = content(at, "out.csv"), content(at, "report", "release.json")
        if out not in (first, second):
            b.wrong("cut", i, "the output is neither")
        if done and (out != second or not decided):
            b.wrong("cut", i, "an acknowledged release is lost")
        listed = b.run(at, "ledger", "--ledger", "ledger", "list").stdout
        if done and listed.count(" committed ") != 2:
            b.wrong("cut", i, "the ledger lost it", listed)
        b.run(at, "ledger", "--ledger", "ledger", "verify")
        if decided:
            b.run(at, "verify", "--report", "report", "--input", f"in{1 + (out == second)}.csv", "--output", "out.csv")
        b.run(at, *night(2))
        if content(at, "out.csv") != second or leftovers(at):
            b.wrong("cut", i, "the same night again gives something else, or leaves", leftovers(at))
        subprocess.run(["umount", disk], check=True)
    shutil.rmtree(work)
    return i + 1, f"{acknowledged} were acknowledged before the cut"


def commands(b, folder, rows=6000):
    """Kinds of command and data: what may be interrupted or killed at any moment."""
    nights(b, folder, rows)
    b.run(folder, "key", "new", "--output", "sign")
    b.run(folder, "run", "--input", "in1.csv", "--column", "x", "--drop", "id", "--utility", "ordered:a,b,c,d",
          "--epsilon", "1", "--output", "done.csv", "--report", "done", "--sign", "sign")
    os.mkdir(os.path.join(folder, "set"))
    for i in range(8):
        shutil.copy(os.path.join(folder, "in1.csv"), os.path.join(folder, "set", f"{i}.csv"))
    job = ["--column", "x", "--drop", "id", "--utility", "ordered:a,b,c,d", "--epsilon", "1"]
    b.run(folder, "key", "new", "--type", "run", "--output", "run.key")
    drawn = ["--plan", "plan.json", "--run-key", "run.key", "--run-id", "1", "--drop", "id", "--input", "set"]
    for shard in ("1/2", "2/2"):
        b.run(folder, "apply", *drawn, "--output", "drawn", "--shard", shard)
    flights = os.path.join(b.root, "testdata", "tables", "flights.parquet")
    places = os.path.join(b.root, "testdata", "tables", "airports.csv")
    return [
        ["run", "--input", "in1.csv", *job, "--output", "o.csv", "--report", "r"],
        ["run", "--input", "in1.csv", *job, "--output", "done.csv", "--report", "done", "--overwrite", "--sign",
         "sign"],
        ["run", "--input", "set", *job, "--output", "os", "--report", "rs"],
        ["run", "--input", flights, "--column", "origin", "--utility", "positions:" + places, "--epsilon", "4",
         "--design", "safe", "--drop", "destination,distance", "--output", "f.parquet", "--report", "f"],
        night(1), ["design", "--input", "in1.csv", *job[:2], *job[4:], "--write-plan", "p/plan.json"],
        ["estimate", "--input", "in1.csv", "--column", "x", "--write-counts", "counts.csv"],
        ["frontier", "--input", "in1.csv", *job[:2], *job[4:6], "--html", "page.html"],
        ["simulate", "--input", "in1.csv", *job[:2], *job[4:]],
        ["inspect", "--input", flights], ["verify", "--report", "done", "--input", "in1.csv", "--output", "done.csv"],
        ["recover", "--input", "done.csv", "--column", "x", "--mechanism", "done/plan.json"],
        ["key", "rotate", "--key", "key"],
        ["order", "--input", "in1.csv", "--column", "x", "--new", "hierarchy:levels.csv"],
        ["apply", *drawn, "--output", "shards", "--shard", "1/2"],
        ["estimate", "--input", "set", "--column", "x", "--shard", "2/2", "--write-counts", "part.csv"],
        ["finish", *drawn, "--output", "drawn", "--report", "finished", "--overwrite"],
    ]


def again_well(b, folder, args):
    """The same command again, over what a killed one left."""
    if args[0] == "order":  # never replaces a file
        b.run(folder, *args[:-1], "hierarchy:again.csv")
    elif args[0] == "finish":  # is refused once it has ended
        whole = content(folder, "finished", "release.json")
        if (code := b.run(folder, *args, code=None).returncode) and not (code == 2 and whole):
            b.wrong(args, "ends with", code)
    else:
        no = {"key", "inspect", "recover", "simulate", "verify", "--overwrite", "--shard"} & {*args}
        b.run(folder, *args, *["--overwrite"] * (not no))


def interrupted(b, n, kill=False):
    """SIGINT and SIGTERM at random moments of 17 kinds of command: at most a second to end, nothing left"""
    given = tempfile.mkdtemp()
    todo, slowest = commands(b, given), 0
    took = []
    for args in todo:
        folder = given + ".copy"
        shutil.copytree(given, folder)
        start = time.time()
        b.run(folder, *args)
        took.append(time.time() - start)
        shutil.rmtree(folder)
    for i in b.times(n):
        args, folder = todo[i % len(todo)], given + ".copy"
        shutil.copytree(given, folder)
        before = snapshot(folder)
        p = b.start(folder, *args)
        time.sleep(b.random.random() * took[i % len(todo)])
        sent = signal.SIGKILL if kill else (signal.SIGINT, signal.SIGTERM)[i % 2]
        p.send_signal(sent)
        start = time.time()
        said = p.communicate()[1].decode()
        slowest = max(slowest, time.time() - start)
        if kill:
            again_well(b, folder, args)
        elif p.returncode not in (0, 6, -sent, 128 + sent) or said.count("\n") > 2:
            b.wrong(args, "ends with", p.returncode, said[:300])
        elif p.returncode == 128 + sent:
            now = snapshot(folder)  # files that a shard has finished wait for its next task
            left = {f for f in {*now, *before} if now.get(f) != before.get(f) and "/.tacet-shards-" not in f}
            if left:
                b.wrong(args, "was interrupted and left", left)
        if leftovers(folder):
            b.wrong(args, "left", leftovers(folder))
        shutil.rmtree(folder)
    shutil.rmtree(given)
    return i + 1, "what was killed was run again" if kill else f"slowest end {slowest:.2f} s, busy machine included"


def killed(b, n):
    """kill -9 at random moments of 17 kinds of command: the same command again ends well, nothing left"""
    return interrupted(b, n, kill=True)


CALLS = "write pwrite64 openat mkdirat unlinkat renameat linkat fsync ftruncate fallocate fchmod flock".split()


def stepped(b, n, errors=("",)):
    """kill -9 before every call that may write, 17 kinds of command: the same again ends well, nothing left"""
    if not shutil.which("strace"):
        raise Missing("needs strace")
    given = tempfile.mkdtemp()
    todo, tried, codes = commands(b, given, 4000), 0, {}
    cases = [(args, call, error) for error in errors for call in CALLS for args in todo]
    reached = dict.fromkeys(range(len(cases)), 0)  # by case: which call was the last
    while reached and tried < n and time.time() < b.ends:
        for case in b.random.sample(list(reached), len(reached)):
            args, call, error = cases[case]
            reached[case] += 1
            folder, note = given + ".copy", given + ".note"
            shutil.copytree(given, folder)
            before = {f: v for f, v in snapshot(folder).items() if ".tacet-shards-" not in f}
            inject = f"{call}:{'error=' + error if error else 'signal=KILL'}:when={reached[case]}"
            done = subprocess.run(["strace", "-f", "-qq", "--seccomp-bpf", "-o", note, "-e", "trace=" + call, "-e",
                                   "inject=" + inject, b.program, *args], cwd=folder, capture_output=True, text=True,
                                  env=dict(os.environ, TACET_AUDIT="off", GOMAXPROCS="1"))  # strace counts by thread
            what = *args[:1], call, error, reached[case]
            if (b"(INJECTED)" not in content(note)) if error else (done.returncode != -signal.SIGKILL):
                del reached[case]  # there is no such call
            elif error:
                codes[done.returncode] = codes.get(done.returncode, 0) + 1
                expected = done.returncode in (0, 5, 6, 3 * (error == "EACCES"))
                if not expected or done.returncode and done.stderr.count("\n") > 2:
                    b.wrong(*what, "ends with", done.returncode, done.stderr[:300])
                now = {f: v for f, v in snapshot(folder).items() if ".tacet-shards-" not in f}  # finished ones
                if expected and done.returncode in (3, 5) and now != before and not re.search(
                        "writing standard output|run again with the same run key|^$", done.stderr):  # or it cannot say
                    b.wrong(*what, "failed and left", set(now) ^ set(before), done.stderr[:300])
            if case in reached:
                tried += 1
                again_well(b, folder, args)
            if leftovers(folder):
                b.wrong(*what, "left", leftovers(folder))
            shutil.rmtree(folder)
            if tried == n or time.time() > b.ends:
                break
    shutil.rmtree(given)
    return tried, f"{len(cases) - len(reached)} of {len(cases)} pairs of command and call were tried whole" + "".join(
        f", {v} end with {k}" for k, v in sorted(codes.items()))


def failing(b, n):
    """EIO, ENOSPC, EMFILE, EACCES, EINTR at calls that may write, 17 kinds of command: right class, nothing left"""
    return stepped(b, n, ("EIO", "EINTR", "ENOSPC", "EACCES", "EMFILE"))


def files_below(folder):
    return {os.path.relpath(os.path.join(at, f), folder): content(at, f)
            for at, _, files in os.walk(folder) for f in files}


def stores(b, n):
    """kill -9 of runs, folders and shards that write to a gateway of S3: the same again writes the same bytes"""
    gateway, cloud = (os.path.join(b.root, "out", "bin", p) for p in ("versitygw", "tacet-cloud"))
    if not os.path.exists(gateway) or not os.path.exists(cloud):
        raise Missing("make s3 builds gateway and program")
    shutil.copy(cloud, os.path.dirname(b.program))
    given, store = tempfile.mkdtemp(), tempfile.mkdtemp()
    bucket = os.path.join(store, "bucket")
    os.mkdir(bucket)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        at = f"127.0.0.1:{s.getsockname()[1]}"
    os.environ.update(AWS_ACCESS_KEY_ID="tester", AWS_SECRET_ACCESS_KEY="secret-of-the-test", AWS_REGION="us-east-1",
                      AWS_EC2_METADATA_DISABLED="true", AWS_CONFIG_FILE="/dev/null", ROOT_ACCESS_KEY="tester",
                      ROOT_SECRET_KEY="secret-of-the-test")
    server = subprocess.Popen([gateway, "--port", at, "--quiet", "posix", store], stdout=subprocess.DEVNULL)
    url = lambda key: f"s3://bucket/{key}?endpoint=http://{at}&use_path_style=true&region=us-east-1"
    try:
        commands(b, given)
        job = ["--drop", "id", "--run-key", "run.key", "--run-id", "1"]
        choice = ["--column", "x", "--utility", "ordered:a,b,c,d", "--epsilon", "1", "--report", "r"]
        todo = [["run", "--input", "in1.csv", *job, *choice, "--output", url("o.csv"), "--overwrite"],
                ["run", "--input", "set", *job, *choice, "--output", url("o/")],
                ["apply", "--input", "set", *job, "--plan", "plan.json", "--output", url("s/"), "--shard", "1/2"]]
        wanted, took, killed = [], [], 0
        for i in b.times(n + len(todo)):  # first each undisturbed
            args, folder = todo[i % len(todo)], given + ".copy"
            shutil.copytree(given, folder)
            start = time.time()
            if i < len(todo):
                b.run(folder, *args)
                took.append(time.time() - start)
                wanted.append(files_below(bucket))
            else:
                p = b.start(folder, *args)
                time.sleep(b.random.random() * took[i % len(todo)])
                p.kill()
                p.communicate()
                killed += p.returncode != 0
                whole = "--overwrite" not in args and content(folder, "r", "release.json")
                b.run(folder, *args, code=2 if whole else 0)
                now = files_below(bucket)
                differ = [f for f in now.keys() | wanted[i % len(todo)] if now.get(f) != wanted[i % len(todo)].get(f)
                          and ".tacet-" not in f]
                if differ:
                    b.wrong(args, "killed and again, differs in", differ[:5])
            if leftovers(folder):
                b.wrong(args, "left", leftovers(folder))
            shutil.rmtree(folder)
            shutil.rmtree(bucket)
            os.mkdir(bucket)
    finally:
        server.kill()
        server.wait()
    shutil.rmtree(given)
    shutil.rmtree(store, ignore_errors=True)
    return i + 1 - len(todo), f"{killed} before their end"


def python(b, n):
    """kill -9 of Python that privatizes a table and saves: whole or not there, and the same again ends well"""
    try:
        import pyarrow
    except ImportError as e:
        raise Missing(e)
    given, killed, old = tempfile.mkdtemp(), 0, set()
    nights(b, given, 20000)
    shutil.copytree(os.path.join(b.root, "python", "src", "tacet"), os.path.join(given, "lib", "tacet"))
    os.mkdir(os.path.join(given, "lib", "tacet", "bin"))
    shutil.copy(b.program, os.path.join(given, "lib", "tacet", "bin", "tacet"))
    program = [sys.executable, "-c", "import pyarrow.csv, tacet; tacet.privatize(pyarrow.csv.read_csv('in1.csv'), "
               "column='x', utility=tacet.ordered(list('abcd')), max_factor=3, drop=['id']).save('saved')"]
    env = dict(os.environ, PYTHONPATH=os.path.join(given, "lib"), TACET_AUDIT="off")
    saved = os.path.join(given, "saved")
    temporaries = lambda: set(glob.glob(f"/dev/shm/tacet-{os.getuid()}-*"))
    start = time.time()
    subprocess.run(program, cwd=given, env=env, check=True)
    took = time.time() - start
    for i in b.times(n):
        shutil.rmtree(saved, ignore_errors=True)
        before = temporaries()
        p = subprocess.Popen(program, cwd=given, env=env, stderr=subprocess.DEVNULL)
        time.sleep(took * (.3 + .7 * b.random.random()))
        p.kill()
        killed += p.wait() != 0
        old |= temporaries() - before
        if not os.path.exists(saved):
            done = subprocess.run(program, cwd=given, env=env, capture_output=True, text=True)
            if done.returncode:
                b.wrong("the same again ends with", done.returncode, done.stderr[-300:])
        b.run(given, "verify", "--report", "saved", "--output", "saved/published.arrow")
        if len(os.listdir(given)) != 7:
            b.wrong("left", os.listdir(given))
    time.sleep(61)
    shutil.rmtree(saved)
    subprocess.run(program, cwd=given, env=env, check=True)
    if old & temporaries():
        b.wrong("left after a minute and a call", old & temporaries())
    shutil.rmtree(given)
    return i + 1, f"{killed} before their end"


def spark(b, n):
    """an executor killed, a partition drawn twice at once, a source that changes: tacet.spark, held to plain SQL"""
    at = lambda *path: os.path.join(b.root, "out", *path)
    if not shutil.which("java") or not os.path.exists(at("spark", "bin", "spark-submit")):
        raise Missing("needs Java and what make spark fetches")
    folder, lib = tempfile.mkdtemp(), at("spark", "lib")
    done = subprocess.run([at("spark", "bin", "python"), os.path.join("python", "tests", "spark_trials.py"), folder,
                           at("executor", "bin", "python")], cwd=b.root, capture_output=True, text=True)
    print(done.stdout, done.stderr, file=b.log, flush=True)
    if done.returncode:
        b.wrong("spark_trials.py ends with", done.returncode)
    shutil.rmtree(folder)
    return len(re.findall(r"(?m): passed in ", done.stdout)), "trials of python/tests/spark_trials.py"


def metered(b, folder, *args):
    """What a command ends with and says, the seconds of the processor that it took, and MiB at most."""
    with tempfile.TemporaryFile() as said:
        p, most = subprocess.Popen([b.program, *args], cwd=folder, stdout=subprocess.DEVNULL, stderr=said), 0
        while os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if seen := re.search(rb"VmHWM:\s*(\d+)", content("/proc", str(p.pid), "status") or b""):
                most = int(seen[1]) >> 10  # wait4 tells what Python took before
            time.sleep(.005)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return p.returncode, said.read().decode(), usage.ru_utime + usage.ru_stime, most


# A run by a plan is given inputs that differ in the private column alone.
ALIKE = 4.5  # standard errors: a true difference of nothing is told as one in 7 of a million such tests


def timing(b, n):
    """time of the processor of runs by one plan, inputs that differ in one record, or in the order: the same"""
    folder = tempfile.mkdtemp()
    values = [b.random.choice("aaabbcd") for _ in range(20_000)]
    one, order = list(values), sorted(values, key=lambda v: b.random.random())
    one[777] = "d" if values[777] != "d" else "a"
    for name, column in (("in1", values), ("in2", one), ("in3", order)):
        with open(os.path.join(folder, name), "w") as f:
            f.write("id,x\n" + "".join(f"{i},{v}\n" for i, v in enumerate(column)))
    b.run(folder, "design", "--input", "in1", "--column", "x", "--utility", "ordered:a,b,c,d", "--epsilon", ".7",
          "--headroom", "10%", "--write-plan", "plan.json")

    def used(name):
        code, said, seconds, _ = metered(b, folder, "apply", "--plan", "plan.json", "--input", name, "--output", "o",
                                         "--drop", "id", "--report", "r", "--overwrite", "--audit", "off")
        if code:
            b.wrong("ends with", code, said)
        return seconds

    notes, tried = [], 0
    for other, what in (("in2", "one record"), ("in3", "order")):
        signs, pairs, shares = 0, 0, []
        for i in range(n // 2):
            if time.time() > b.ends - (b.ends - b.begun) / 2 * (other == "in2"):
                break
            first, second = ("in1", other) if b.random.random() < .5 else (other, "in1")
            took = {first: used(first), second: used(second)}
            tried += 1
            if took["in1"] != took[other]:
                pairs, signs = pairs + 1, signs + (took["in1"] < took[other])
                shares.append(took[other] / took["in1"])
        z = (2 * signs - pairs) / max(1, pairs) ** .5  # the sign of a pair is a fair coin where nothing differs
        notes.append(f"{what}: {z:+.1f} standard errors, the median pair {statistics.median(shares or [1]) - 1:+.2%}")
        if abs(z) > ALIKE:
            b.wrong(what, "differs by", z, "standard errors")
    shutil.rmtree(folder)
    return tried, "; ".join(notes)


def wide(b, n):
    """5,000 and 20,000 columns, 200,000 row groups, bombs: told or refused in a minute of the processor and 3 GiB"""
    try:
        import numpy as np
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as e:
        raise Missing(e)
    folder, notes, tried = tempfile.mkdtemp(), [], 0
    path = lambda name: os.path.join(folder, name)
    letters = ["a", "b", "c", "d"] * 50

    def files():
        for columns in 5000, 20_000:
            table = pa.table({"x": letters, **{f"c{i}": np.arange(200) % 7 for i in range(columns - 1)}})
            pq.write_table(table, path("in"), use_dictionary=["x"])
            yield f"{columns} columns of Parquet", ["0"]
            with pa.ipc.new_file(path("in"), table.schema) as w:
                w.write(table)
            yield f"{columns} columns of Arrow", ["0"]
            with open(path("in"), "w") as f:
                f.write(",".join(table.column_names) + "\n")
                f.writelines(",".join([v] + ["1"] * (columns - 1)) + "\n" for v in letters)
            yield f"{columns} columns of CSV", ["0"]
        schema = pa.schema([("x", pa.string())])
        with pq.ParquetWriter(path("in"), schema, write_statistics=False) as w:  # of 15 MiB, and 16 are too large
            group = [pa.table({"x": [v]}, schema) for v in "abcd"]
            for i in range(200_000):
                w.write_table(group[i % 4])
        yield "200,000 row groups", ["0"]
        group = [pa.record_batch([[v]], schema) for v in "abcd"]
        with pa.ipc.new_file(path("in"), schema) as w:
            for i in range(200_000):
                w.write_batch(group[i % 4])
        yield "200,000 record batches", ["0"]
        long = "y" * (300 << 20)
        pq.write_table(pa.table({"x": ["a", long]}), path("in"), compression="zstd")
        yield "a bomb of one cell in Parquet", ["3", "5"]
        pq.write_table(pa.table({"x": pa.array(["a" * (1 << 20)] * 900).dictionary_encode()}), path("in"),
                       compression="zstd")
        yield "a bomb of Parquet", ["0", "3", "5"]
        pq.write_table(pa.table({"x": np.repeat(["a", "b"], 40_000_000)}), path("in"), compression="zstd")
        yield "80 million rows in a few bytes", ["0", "4"]
        pa.feather.write_feather(pa.table({"x": ["a" * (1 << 20)] * 900}), path("in"), compression="zstd")
        yield "a bomb of Arrow", ["0", "3", "5"]
        with open(path("in"), "w") as f:
            f.write("x\n" + long + "\n")
        yield "a cell of 300 MiB in CSV", ["0", "3", "5"]
        with open(path("in"), "w") as f:
            f.write('x\n"' + "y,\n" * (60 << 20))
        yield "a quote that is never closed", ["3"]

    import pyarrow.feather
    for what, codes in files():
        for args in (["inspect", "--input", "in"],
                     ["run", "--input", "in", "--column", "x", "--utility", "any", "--epsilon", "1", "--audit", "off",
                      "--output", "o", "--report", "r", "--overwrite"]):
            code, said, took, most = metered(b, folder, *args)
            tried += 1
            told = f"{what}, {args[0]}: {took:.1f} s, {most} MiB, ends with {code}"
            notes.append((took, most, told))
            print(told, said[:300], file=b.log, flush=True)
            if str(code) not in codes or took > 60 or most > 3072:
                b.wrong(told, said[:300])
    shutil.rmtree(folder)
    return tried, f"slowest: {max(notes)[2]}; largest: {max(notes, key=lambda n: n[1])[2]}"


# What holds values and is the owner's: files of mode 0600, and what commands print that tell of values.
INTERNAL = re.compile("(?!.*public/).*(plan.json|order.csv|report.json|report.html|counts.csv|page.html|levels.csv"
                      "|frontier.html|ledger)$")
TELLING = {"recovered", "simulated", "frontier", "designed", "order checked"}
PYTHON = """
import sys, pyarrow, pyarrow.csv, pyarrow.feather, pyarrow.parquet, tacet
read = dict(parquet=pyarrow.parquet.read_table, arrow=pyarrow.feather.read_table, csv=pyarrow.csv.read_csv)[sys.argv[1]]
more, save = eval(sys.argv[2]), len(sys.argv) > 3
made = tacet.privatize(read("../in"), **{**dict(column="x", utility="matrix:../u.csv", epsilon=".8", design="safe",
                                                drop=["copy", "id"], audit="off"), **more})
print(repr(made), made)
save and made.save(sys.argv[3])
"""


def doors(b, n):
    """values planted in 4 formats, sought in all that a success and every kind of failure tell, leave and show"""
    try:
        import pyarrow as pa
        import pyarrow.csv
        import pyarrow.feather
        import pyarrow.parquet as pq
    except ImportError as e:
        raise Missing(e)
    folder, looked, outcomes, control = tempfile.mkdtemp(), {}, set(), set()
    token = lambda: "%016x" % b.random.getrandbits(64)
    planted = [token() for _ in range(10)]
    letters = [p + t + q for (p, q), t in zip((("", ""), ("\x1b[31m", ""), ("=1+", ""), ("|", "|"), ("<b>", "</b>"),
                                               ("a, ", ""), ("\u202e", ""), ("`", "`")), planted)]
    forms = [form for t in planted for form in (t.encode(), t.encode().hex().encode(), t[::-1].encode(),
                                                *(base64.b64encode(b"xx"[:k] + t.encode())[4:-6] for k in range(3)))]

    def seek(place, data, format, outcome):
        place = re.sub(r"\.tacet-[A-Z0-9]{20,}", ".tacet-*", re.sub("[0-9a-f]{16,}", "*", place))
        looked.setdefault(place, set()).add((format, outcome))
        outcomes.add(outcome)
        if any(form in data for form in forms):
            b.wrong(format, outcome, place, "holds a planted value")

    def inner(path):  # what is compressed in a file, by place
        try:
            if content(path)[:4] == b"PAR1":
                f = pq.ParquetFile(path)
                groups = [f.metadata.row_group(i).to_dict() for i in range(f.num_row_groups)]
                fields, values, more = f.schema_arrow, f.read(), {"statistics, encodings, indexes": groups}
            else:
                f = (pa.ipc.open_file if content(path)[:6] == b"ARROW1" else pa.ipc.open_stream)(path)
                fields, values = f.schema, f.read_all()
                more = {"dictionaries": [c.chunk(0).dictionary for c in values.unify_dictionaries().columns
                                         if pa.types.is_dictionary(c.type) and c.num_chunks]}
            more |= {"values": values.to_pylist(), "key-values": fields.metadata, "fields": str(fields),
                     "metadata of fields": [x.metadata for x in fields]}
            return {"o, its " + k: repr(v).encode() for k, v in more.items()}
        except pa.ArrowInvalid:  # of text
            return {}

    def look(work, format, outcome, shell, sent=None, given=None, visit=None):
        before, seen = {f: content(work, f) for f in files_below(work)}, {}
        env = {"PATH": os.environ["PATH"], "TMPDIR": os.path.join(work, "tmp"), "TACET_AUDIT": "off",
               "HOME": os.path.join(work, "home"), "PYTHONPATH": os.path.join(folder, "lib")}
        memory = set(glob.glob("/dev/shm/tacet-*"))
        command = re.search('"[$]0" ([a-z-]+( [-]-ledger ledger [a-z]+| new)?)', shell)
        command = command[1].replace(" --ledger ledger", "") if command else "Python"
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            p = subprocess.Popen(["sh", "-c", "ulimit -c unlimited; exec " + shell, b.program], cwd=work, env=env,
                                 stdout=out, stderr=err, stdin=open(given, "rb") if given else subprocess.DEVNULL)
            ends = time.time() + b.random.random() * .2
            if visit:
                seen |= visit(out)
                p.send_signal(signal.SIGINT)
            while os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
                for name in "cmdline", "environ", "comm", "maps", "status", "stat", "fd":
                    of, links = f"/proc/{p.pid}/{name}", name == "fd"
                    try:
                        now = [os.readlink(f).encode() for f in glob.glob(of + "/*")] if links else [content(of) or b""]
                    except OSError:  # it has ended
                        continue
                    seen["/proc " + name] = seen.get("/proc " + name, b"") + b"\n".join(now)
                if sent and time.time() > ends:
                    p.send_signal(sent)
                    sent = None
                time.sleep(.002)
            code = p.wait()
            for place, f in ("standard output", out), ("standard error", err):
                f.seek(0)
                seen[place] = f.read()
        if given and "--output -" in shell:
            with open(os.path.join(work, "o"), "wb") as f:
                f.write(seen["standard output"])
        if b"\x1b" in seen["standard error"] + seen["standard output"] * (not given):
            b.wrong(format, outcome, "prints an escape")
        if "--log-format" in shell:
            seen["messages as " + re.search("--log-format ([a-z]+)", shell)[1]] = seen["standard error"]
        for stream in "standard output", "standard error":
            seen[f"{stream} of {command}"] = seen.pop(stream)
        after = files_below(work)
        seen["names of files"] = "\n".join(after).encode()
        seen["attributes of files"] = repr([(k, os.getxattr(f, k)) for f in (os.path.join(work, f) for f in after)
                                            for k in os.listxattr(f)]).encode()
        seen["temporaries"] = b"".join(v for f, v in after.items() if f.startswith("tmp/") or ".tacet-" in f)
        seen["shared memory"] = b"".join(v for d in set(glob.glob("/dev/shm/tacet-*")) - memory
                                         for v in files_below(d).values())
        seen["core"] = b"".join(v for f, v in after.items() if os.path.basename(f).startswith("core"))
        for f, v in after.items():
            if INTERNAL.match(f):
                control.update([f] * any(t.encode() in v for t in planted))
                if os.stat(os.path.join(work, f)).st_mode & 0o77:
                    b.wrong(format, outcome, f, "may be read by others")
                if f.endswith("html") and re.search(rb"<b>[0-9a-f]{16}", v):
                    b.wrong(format, outcome, f, "holds a value as HTML")
            elif before.get(f) != v and not f.startswith("tmp/") and ".tacet-" not in f:
                seen[f] = v
                if f == "o":
                    seen |= inner(os.path.join(work, f))
        for place, data in seen.items():
            if not (place.startswith("standard output") and outcome in TELLING):
                seek(place, data, format, outcome)
            elif re.search(rb'(?m)(^|,)"?=', data):
                b.wrong(format, outcome, "prints a formula")
        return code

    def visited(work):
        """A release made in the studio: what its pages say that are not about values."""
        def visit(out):
            while not (line := os.pread(out.fileno(), 999, 0)).endswith(b"\n"):
                time.sleep(.01)
            token = line.decode().split()[1]
            at, seen = token.split("?")[0], {"studio: standard output": line}
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            browser.addheaders = [("Sec-Fetch-Site", "same-origin"), ("Origin", "/".join(at.split("/")[:3]))]
            step = dict(private="column", order="column", search="choose", take="choose", columns="release")

            def get(to, place=None, **form):
                try:
                    with browser.open(at + to, urllib.parse.urlencode(form).encode() if form else None) as page:
                        head, page = str(page.headers).encode(), page.read()
                except urllib.error.HTTPError as e:
                    head, page = str(e.headers).encode(), e.read()
                if b'data-task="' in page:
                    time.sleep(.05)
                    return get(step.get(to, to), place)
                if re.search(rb"<b>[0-9a-f]{16}", page) or b"\x1b" in page:
                    b.wrong(to, "shows a value as HTML, or an escape")
                seen["studio: headers"] = seen.get("studio: headers", b"") + head
                if place:
                    seen["studio: " + place] = page
                return page

            get("file", "page without a token")
            browser.open(token).read()
            get("file", "page of the file")
            get("nothing", "page that is not there")
            get("private", "page of a column that is not there", column="y", folder="made")
            get("private", column="x", folder="made")
            get("order", "page of an order that is not there", how="file", form="matrix", path=work + "/nothing")
            get("order", how="file", form="matrix", path=os.path.join(os.path.dirname(work), "u.csv"))
            get("release", "page of a release too early", name="o.csv")
            get("search", time="20s")
            get("take", epsilon="log(3)", shown="#floor=2")
            get("columns", "page of the columns", keep="k")
            get("release", "page of the release", name="published")
            return seen
        return visit

    column = pa.array([letters[(i + i // 9) % 8] for i in range(4000)])
    nulls = pa.array([None if i % 9 == 0 else letters[(i + i // 9) % 8] for i in range(4000)])
    secret = pa.field("x", pa.string(), metadata={"raw": planted[8]})
    schema = pa.schema([secret, ("k", pa.int64()), ("id", pa.int64()), ("copy", pa.string())],
                       metadata={"pandas": planted[9]})
    rows = lambda x: pa.table([x, pa.array(i % 5 for i in range(4000)), pa.array(range(4000)), column], schema)
    write = {
        "parquet": lambda t, path: pq.write_table(t, path, row_group_size=1000, compression="zstd",
                                                  write_page_index=True),
        "arrow": lambda t, path: pa.feather.write_feather(t, path, compression="lz4"),
        "csv": lambda t, path: pa.csv.write_csv(t, path)}
    sheet = lambda of: "," + "ash,birch,cedar,dogwood\n" + "".join(
        f'"{v}",' + ("0,-1,-2,-3", "-1,0,-1,-2", "-2,-1,0,-1", "-3,-2,-1,0")[i % 4] + "\n" for i, v in enumerate(of))
    shutil.copytree(os.path.join(b.root, "python", "src", "tacet"), os.path.join(folder, "lib", "tacet"))
    os.mkdir(os.path.join(folder, "lib", "tacet", "bin"))
    shutil.copy(b.program, os.path.join(folder, "lib", "tacet", "bin", "tacet"))
    with open(os.path.join(folder, "privatize.py"), "w") as f:
        f.write(PYTHON)
    for name, kind in (("draw", "draw"), ("run", "run"), ("sign", "signing"), ("own", "signing")):
        b.run(folder, "key", "new", "--type", kind, "--output", name)
    for format in (*write, "stream"):
        given = os.path.join(folder, format)
        work = os.path.join(given, "work")
        for made in "tmp", "home", "../set":
            os.makedirs(os.path.join(work, made))
        for name, text in ("u.csv", sheet(letters)), ("part.csv", sheet(letters[:5])):
            with open(os.path.join(given, name), "w") as f:
                f.write(text)
        whole = rows(column)
        for name, table in (("in", whole), ("nulls", rows(nulls)), ("set/1", whole[:2000]), ("set/2", whole[2000:])):
            write.get(format, write["arrow"])(table, os.path.join(given, name + (".csv" * (name[0] == "s"))))
        data = content(given, "in")
        with open(os.path.join(given, "damaged"), "wb") as f:
            f.write(data[:len(data) // 2] + b"\xff\xff\xff\"\xff" + data[len(data) // 2 + 5:-9])
        base = "--input ../in --column x --utility matrix:../u.csv --epsilon .8"
        if format == "stream":
            b.run(work, "design", *base.split(), "--drop", "copy,id", "--design", "safe", "--headroom", "10%",
                  "--write-plan", "plan.json")
            with pa.OSFile(os.path.join(given, "s"), "wb") as f, pa.ipc.new_stream(f, schema) as w:
                w.write_table(whole, 1000)
            with open(os.path.join(given, "cut"), "wb") as f:
                f.write(content(given, "s")[:-3000])
            apply = '"$0" apply --plan plan.json --input - --output - --report r --overwrite --drop copy,id '
            for outcome, file, more in (("success", "s", ""), ("cut off", "cut", ""), ("success, JSON", "s",
                                        "--log-format json"), ("refused: metadata", "s", "--keep-metadata pandas"),
                                        ("unknown column", "s", "--drop nothing"), ("full output", "s", ">/dev/full")):
                look(work, format, outcome, apply + more, given=os.path.join(given, file))
            for sent in signal.SIGTERM, signal.SIGQUIT:
                look(work, format, f"signal {sent}", apply, sent, os.path.join(given, "s"))
            continue
        run = f'"$0" run {base} --output o --report r --drop copy,id --design safe '
        keyed = run + "--overwrite --ledger ledger --dataset e --record-id id --key-file ../../draw --on-change draw"
        shard = ('"$0" apply --plan plan.json --run-key ../../run --run-id 1 --drop copy,id --input ../set '
                 "--output parts --shard ")
        python = f"{sys.executable} ../../privatize.py {format} "
        for outcome, wanted, shell in (
                ("success", 0, run), ("output exists", 2, run),
                ("success, JSON", 0, run + "--overwrite --log-format json"),
                ("verified", 0, '"$0" verify --report r --input ../in --output o'),
                ("verified, other output", 4, '"$0" verify --report r --input ../in --output ../in'),
                ("verified, JSON", 0, '"$0" verify --report r --input ../in --output o --format json'),
                ("recovered", 0, '"$0" recover --input o --column x --mechanism r/plan.json --format csv --by k'),
                ("inspected", 0, '"$0" inspect --input ../in'),
                ("designed", 0, f'"$0" design {base} --write-plan plan.json'),
                ("simulated", 0, f'"$0" simulate {base} --format csv'),
                ("counted", 0, '"$0" estimate --input ../in --column x --write-counts counts.csv'),
                ("frontier", 0, f'"$0" frontier {base} --html page.html'),
                ("order written", 0, '"$0" order --input ../in --column x --new hierarchy:levels.csv'),
                ("order checked", 0, '"$0" order --input ../in --column x --utility matrix:../u.csv'),
                ("ledger", 0, run + "--overwrite --ledger ledger --dataset d"), ("keyed", 0, keyed),
                ("keyed again", 0, keyed),
                ("ledger listed", 0, '"$0" ledger --ledger ledger list'),
                ("ledger exported", 0, '"$0" ledger --ledger ledger export'),
                ("ledger verified", 0, '"$0" ledger --ledger ledger verify'),
                ("signed", 0, run.replace("--report r", "--report g").replace("--output o", "--output og")
                 + "--sign ../../sign"),
                ("approved", 0, '"$0" sign-off --report g --output og --decision approve --by me --public --key '
                 "../../own"),
                ("key made", 0, '"$0" key new --output new.key'), ("completed", 0, '"$0" completion bash'),
                ("many files", 0, run.replace("../in", "../set").replace("--output o", "--output os")
                 .replace("--report r", "--report rs")),
                ("shard 1", 0, shard + "1/2"), ("shard 2", 0, shard + "2/2"), ("shards finished", 0, shard.replace(
                    "apply", "finish").replace("--shard", "--report rf")),
                ("Python", 0, python + "'{}' saved"), ("Python, unknown column", 1, python + "'dict(column=\"y\")'"),
                ("Python, floor", 1, python + "'dict(floor_rank=4)'"),
                ("Python, order lacks values", 1, python + "'dict(utility=\"matrix:../part.csv\")'"),
                ("nulls", 3, run.replace("../in", "../nulls") + "--overwrite"),
                ("order lacks values", 3, run.replace("../u", "../part") + "--overwrite"),
                ("floor", 4, run + "--overwrite --floor-rank 4"),
                ("linked column", 4, run.replace("--drop copy,id", "--keep copy --audit full") + "--overwrite"),
                ("damaged", 3, run.replace("../in", "../damaged") + "--overwrite"),
                ("damaged, JSON", 3, run.replace("../in", "../damaged") + "--overwrite --log-format json"),
                ("damaged, errors alone", 3, run.replace("../in", "../damaged") + "--overwrite --log-format errors"),
                ("unknown column", 3, run.replace("--column x", "--column y") + "--overwrite"),
                ("bad epsilon", 2, run.replace("epsilon .8", "epsilon much") + "--overwrite"),
                ("new folder", 0, run.replace("--output o", "--output no/o") + "--overwrite"),
                ("no such key", 3, run + "--overwrite --sign nothing"),
                ("few descriptors", 5, "sh -c 'ulimit -n 4; exec " + run + "--overwrite' \"$0\""),
                ("small files only", 5, "sh -c 'ulimit -f 1; exec " + run + "--overwrite' \"$0\""),
                ("full standard output", 6, run + "--overwrite >/dev/full"),
                ("no such order", 3, run.replace("matrix:", "table:") + "--overwrite")):
            code = look(work, format, outcome, shell)
            if code != wanted:
                b.wrong(format, outcome, "ends with", code)
        look(work, format, "studio", '"$0" studio ../in --no-browser', visit=visited(work))
        for sent in signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGABRT:
            look(work, format, f"signal {sent}", run + "--overwrite", sent)
    shutil.rmtree(folder)
    if not {"r/plan.json", "r/report.html", "counts.csv", "page.html", "made/frontier.html"} <= control:
        b.wrong("values are not found where they are", control)
    tried = sum(len(v) for v in looked.values())
    print(len(looked), sorted(looked), len(outcomes), sorted(outcomes), file=b.log)
    return tried, f"{len(looked)} places, {len(outcomes)} outcomes, 4 formats; each place where it is there"


def studio(b, n):
    """releases asked for three times at once of one studio, every second one killed: one whole release or none"""
    given, killed, took = tempfile.mkdtemp(), 0, 0
    nights(b, given, 20000)
    for i in b.times(n):
        folder = given + ".copy"
        shutil.copytree(given, folder)
        p = subprocess.Popen([b.program, "studio", "in1.csv", "--no-browser"], cwd=folder, text=True,
                             stdout=subprocess.PIPE)
        token = p.stdout.readline().split()[1]
        address = token.split("?")[0]
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        browser.addheaders = [("Sec-Fetch-Site", "same-origin"), ("Origin", "/".join(address.split("/")[:3]))]
        browser.open(token).read()

        def post(to, **form):
            try:
                data = urllib.parse.urlencode(form).encode() if form else None
                page = browser.open(address + to, data).read().decode()
                while 'data-task="' in page:
                    time.sleep(.05)
                    page = browser.open(address + step[to]).read().decode()
                return page
            except OSError:  # it was killed
                return ""

        step = dict(file="file", private="column", order="column", search="choose", take="choose", columns="release",
                    release="release")
        post("file")
        post("private", column="x", folder="made")
        post("order", how="list", null="draw", arrangement='{"order":[0,1,2,3]}')
        post("search", time="20s")
        post("take", epsilon="log(3)", shown="#floor=2")
        post("columns", keep="")
        pages, start = [], time.time()
        all_at_once = [threading.Thread(target=lambda: pages.append(post("release", name="o.csv"))) for _ in range(3)]
        for t in all_at_once:
            t.start()
        if i % 2:
            time.sleep(b.random.random() * took)
            p.kill()
        for t in all_at_once:
            t.join()
        took, killed = took or time.time() - start, killed + i % 2
        p.kill()
        p.communicate()
        made = os.path.join(folder, "made")
        whole, out = content(made, "o.report", "release.json"), content(made, "o.csv")
        if whole:
            b.run(made, "verify", "--report", "o.report", "--output", "o.csv")
        if not i % 2 and not (whole and out) or whole and not out:
            b.wrong("release", bool(whole), "output", bool(out), re.sub("<[^>]*>|\\s+", " ", pages[0])[:400])
        if leftovers(folder) and not i % 2:
            b.wrong("left", leftovers(folder))
        shutil.rmtree(folder)
    shutil.rmtree(given)
    return i + 1, f"{killed} of them killed"


def draws(b, n):
    """keyed draws made again from docs/draws.md alone, by AES of another library"""
    try:
        import numpy as np
        import pyarrow as pa
        import pyarrow.parquet as pq
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError as e:
        raise Missing(e)
    folder, tried, rows = tempfile.mkdtemp(), 0, min(n, 2_500_000)
    b.run(folder, "key", "new", "--type", "draw", "--output", "key")
    secret = base64.b64decode(re.search(rb"secret: (.*)", content(folder, "key"))[1])
    for turn in b.times(n // rows):
        first = b.random.randrange(10 ** 8, 9 * 10 ** 8)  # ids of nine digits
        letters = np.array([b.random.choice("aaaabbbcceg") for _ in range(997)])[np.arange(rows) % 997]
        table = {"id": np.arange(first, first + rows), "x": pa.array(letters).dictionary_encode()}
        pq.write_table(pa.table(table), os.path.join(folder, "in"), row_group_size=250_000)
        b.run(folder, "run", "--input", "in", "--column", "x", "--utility", "ordered:a,b,c,d,e,f,g", "--epsilon",
              ("0.3", "0.7", "1.1", "2")[turn % 4], "--record-id", "id", "--key-file", "key", "--output", "out",
              "--report", "r", "--overwrite")
        plan = json.loads(content(folder, "r", "plan.json"))
        parts = b"tacet/v1 memoised draw", b"record", bytes.fromhex(plan["design_sha256"]), b"x"
        text = b"".join(len(p).to_bytes(8, "big") + p for p in parts)
        key = hmac.new(secret, text, hashlib.sha256).digest()[:16]
        aes = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        double = lambda v: (v << 1 ^ (0x87 if v >> 127 else 0)) & (1 << 128) - 1
        k2 = double(double(int.from_bytes(aes.update(bytes(16)), "big"))).to_bytes(16, "big")
        law = {r["input"]: r for r in plan["mechanisms"][0]["rows"]}
        drawn = pq.read_table(os.path.join(folder, "out"), columns=["x"])["x"].to_pandas().to_numpy().astype("U1")
        for place, x in enumerate(plan["inputs"]):
            which, refused, total = np.flatnonzero(letters == x), 0, int(law[x]["total"])
            bounds = np.cumsum([0] + [int(w) for _, w in law[x]["outputs"]], dtype=object)
            # A word gives the output i if bounds[i] <= floor(word total / 2^64) < bounds[i + 1].
            least = np.array([-(-(v << 64) // total) for v in bounds[1:-1]], dtype=np.uint64)
            outputs = np.array([y for y, _ in law[x]["outputs"]])
            while len(which):
                block = np.zeros((len(which), 16), np.uint8)
                block[:, 0:5] = *refused.to_bytes(2, "big"), *place.to_bytes(2, "big"), 9
                block[:, 5:14] = (first + which)[:, None] // 10 ** np.arange(8, -1, -1) % 10 + 48
                block[:, 14] = 0x80
                word = np.frombuffer(aes.update((block ^ np.frombuffer(k2, np.uint8)).tobytes()), ">u8")[::2]
                word = word.astype(np.uint64)
                taken = word * np.uint64(total % (1 << 64)) >= np.uint64((1 << 64) % total)
                y = outputs[np.searchsorted(least, word, side="right")]
                for i in np.flatnonzero(taken & (y != drawn[which])):
                    b.wrong("id", first + which[i], "is drawn as another output")
                which, refused = which[~taken], refused + 1
        tried += rows
    shutil.rmtree(folder)
    return tried, ""


def mutated(b, data):
    data, r = bytearray(data), b.random
    for _ in range(r.choice((1, 1, 1, 2, 5))):
        at = r.randrange(len(data))
        kind = r.randrange(4)
        if kind == 0:
            data[at] ^= 1 << r.randrange(8)
        elif kind == 1:
            data[at] = r.randrange(256)
        elif kind == 2 and len(data) > 400:
            del data[at:at + r.randrange(1, 40)]
        else:
            data[at:at] = data[at:at + r.randrange(1, 40)]
    return bytes(data)


def pyarrow(b, n):
    """mutated Parquet and Arrow files that tacet and pyarrow both read: the same counts of a column"""
    try:
        import pyarrow as pa
        import pyarrow.feather
        import pyarrow.parquet as pq
    except ImportError as e:
        raise Missing(e)
    folder, tests = tempfile.mkdtemp(), os.path.join(b.root, "out", "torture", "counts.test")
    subprocess.run(["go", "test", "-c", "-vet=off", "-o", tests, "./cmd/tacet"], cwd=b.root, check=True)
    table = pa.table({"x": [b.random.choice(["red", "green", "blue", None]) for _ in range(300)],
                      "y": [b.random.randrange(1000) for _ in range(300)]})
    pq.write_table(table, os.path.join(folder, "dictionary"), row_group_size=100)
    pq.write_table(table, os.path.join(folder, "plain"), use_dictionary=False, compression="none",
                   data_page_version="2.0")
    pa.feather.write_feather(table, os.path.join(folder, "arrow"), compression="uncompressed")
    kinds = [content(folder, k) for k in ("dictionary", "plain", "arrow")]
    given, both, tried = os.path.join(folder, "given"), 0, 0

    def keep(name, *what):
        b.wrong(*what)
        shutil.copy(os.path.join(given, name), os.path.join(b.root, "out", "torture", f"pyarrow-{tried}-{name}"))

    while both < n and time.time() < b.ends:
        os.mkdir(given)
        for i in range(1500):
            with open(os.path.join(given, str(i)), "wb") as f:
                f.write(mutated(b, kinds[i % 3]))
        done = subprocess.run([tests, "-test.run=^TestCountsOfFiles$"], cwd=os.path.join(b.root, "cmd", "tacet"),
                              env=dict(os.environ, TACET_FILES=given), capture_output=True, text=True)
        if done.returncode:
            b.wrong("counting ends with", done.returncode, done.stdout[-2000:])
        for i in range(1500):
            name = str(i)
            if (counts := content(given, name + ".csv")) is None:
                continue
            try:
                file = os.path.join(given, name)
                column = (pq.read_table(file, columns=["x"]) if i % 3 < 2 else pa.ipc.open_file(file).read_all())["x"]
                column.validate(full=True)
                theirs = {}
                for v in column.to_pylist():
                    v = v.decode() if isinstance(v, bytes) else v  # where what says that it is text is damaged
                    theirs[v] = theirs.get(v, 0) + 1
            except Exception:  # pyarrow raises of every kind
                continue
            both += 1
            lines = csv.DictReader(io.StringIO(counts.decode().split("\n", 1)[1], newline=""))  # without a comment
            ours = {None if line.get("null") else line["label"]: int(line["count"]) for line in lines}
            if ours != theirs:
                keep(name, "file", tried + i, "counts differ", ours, theirs)
        shutil.rmtree(given)
        tried += 1500
    shutil.rmtree(folder)
    return both, f"{tried} were mutated, so many were read by both"


CORPORA = re.compile(r"\.(parquet|encrypted|arrow|feather|arrow_file|csv|tsv|stream)$|-testcase-|crash")


def corpora(b, n):
    """files of parquet-testing and arrow-testing in out/corpora: each ends as corpora.txt says"""
    top = os.path.join(b.root, "out", "corpora")
    files = sorted(f for f in files_below(top) if CORPORA.search(f))
    if not files:
        raise Missing("put parquet-testing and arrow-testing in out/corpora")
    with open(os.path.join(b.root, "test", "torture", "corpora.txt")) as f:
        expected = {path: int(code) for code, path in (line.split() for line in f if line[0] != "#")}
    codes = {}
    for name in files[:n]:
        code = b.run("/", "inspect", "--input", os.path.join(top, name), code=None).returncode
        codes[code] = codes.get(code, 0) + 1
        wanted = expected.get(name, 3 if name.endswith(".stream") else expected.get(os.path.dirname(name)))
        if code != wanted:  # streams are for apply alone
            b.wrong(name, "ends with", code, "and not", wanted)
    return len(files[:n]), ", ".join(f"{v} end with {k}" for k, v in sorted(codes.items()))


# Faults of sampler and measures: file of mechanism/, what stands there, what stands there instead.
FAULTS = [
    ("draw/fast.go", "if mayRefuse(p0, len(r0)) || mayRefuse(p1, len(r1)) || mayRefuse(p2, len(r2))", "if false"),
    ("draw/table.go", "for refuses(p, size) {", "for false && refuses(p, size) {"),
    ("draw/fast.go", "uint64(d>>63)", "uint64(^d>>63)"),
    ("draw/fast.go", "s.unread = words[2*i:]", "s.unread = words[2*max(i-1, 0):]"),
    ("draw/fast.go", "s.unread = words[4*i:]", "s.unread = words[2*i:]"),
    ("draw/fast.go", "if d0 == 0 || d1 == 0 {", "if d0 == 0 && d1 == 0 {"),
    ("draw/source.go", "s.fill(s.buffer[:])", "_ = s.fill"),
    ("draw/source.go", "uint64(group)), uint64(mechanism))", "uint64(group)), 0)"),
    ("draw/source.go", "appendUint(nil, uint64(group))", "appendUint(nil, 0)"),
    ("draw/source.go", "uint16(b[1])<<8", "uint16(b[0])<<8"),
    ("draw/alias.go", "slot{rest[a], b, a}", "slot{rest[a], a, b}"),
    ("draw/alias.go", "slots[b] = slot{0, b, b}", "slots[b] = slot{0, 0, 0}"),
    ("draw/alias.go", "if w < digit {", "if w > digit {"),
    ("draw/alias.go", "uint64(part)<<32, uint64(total))", "uint64(part)<<31, uint64(total))"),
    ("draw/table.go", "case w < digit:", "case w <= digit:"),
    ("draw/table.go", "r.Output[s.above], r.Output[s.below]", "r.Output[s.below], r.Output[s.above]"),
    ("draw/keyed.go", "low >= r.refuse", "low >= 0"), ("draw/keyed.go", "byte(x>>8), byte(x)", "byte(x>>8), 0"),
    ("draw/keyed.go", "byte(tries>>8), byte(tries)", "0, 0"),
    ("draw/keyed_law.go", "for l.upper[i] <= place {", "for l.upper[i] < place {"),
    ("draw/keyed_law.go", "refuse: -total % total", "refuse: 0"),
    ("draw/order.go", "s.below(uint32(i) + 1)", "s.below(uint32(i))"),
    ("draw/order.go", "low >= n || low >= -n%n", "low >= 0"), ("draw/fast.go", "|| mayRefuse(p1, len(r1)) {", "{"),
    ("leakage.go", "f.Cmp(factor) > 0", "f.Cmp(factor) < 0"),
    ("leakage.go", "ratioLess(k.w, k.d, w, total)", "ratioLess(w, total, k.w, k.d)"),
    ("leakage.go", "bits.Add64(k.hi, hi, carry)", "bits.Add64(k.hi, hi, carry*0)"),
    ("leakage.go", "v.Mul(v, k.den)", "v"), ("leakage.go", "if k.total != total {", "if k.total > total {"),
    ("leakage.go", "Records(p); c > 0", "Records(p); c > 1"),
    ("leakage.go", "h1 < h2 || h1 == h2", "h1 <= h2 || h1 == h2"),
    ("leakage.go", "top.Mul(top, k.den)", "top.Mul(top, k.num)"), ("belief.go", "givers[y] == 1", "givers[y] <= 2"),
    ("belief.go", "least = min(least, mean[y])", "least = max(least, mean[y])"), ("belief.go", "*(1+0x1p-50))", ")"),
    ("shares.go", "gains[y], open[y] = off > 0", "gains[y], open[y] = off < 0"),
    ("shares.go", "held += own(y)", "held += own(y) * 0"), ("shares.go", "own.Sign() > 0", "own.Sign() < 0"),
    ("shares.go", "v.Mul(v, big.NewRat(2, 1))", "v"), ("mixed.go", "v.Cmp(most[y]) > 0", "v.Cmp(most[y]) < 0"),
    ("mixed.go", "most == nil || v.Cmp(most) > 0", "most == nil"),
    ("mixed.go", "v.Quo(v, p.Leakage.Output[y])", "v.Add(v, p.Leakage.Output[y])"),
]


# Whose tests notice what a package's own do not, and which of them: the quickest first.
ORACLE = "pipeline/oracle", "Matrix|Golden"
CALLERS = {"mechanism": (ORACLE, ("mechanism/design", "."), ("estimate", ".")), "mechanism/draw": (ORACLE,),
           "pipeline/records": (("pipeline", "^Test(Check|FourWays|Receipts|Stream|Locked|InputChanges)"), ORACLE),
           "pipeline/verify/kernel": (ORACLE, ("pipeline/verify", "Forged|Retold"))}


def noticed(b, name, text, packages):
    """Whether a test of packages fails with another text of a file; None if it does not compile."""
    work = tempfile.mkdtemp()
    changed, overlay = os.path.join(work, "changed.go"), os.path.join(work, "overlay.json")
    with open(changed, "w") as f:
        f.write(text)
    with open(overlay, "w") as f:
        json.dump({"Replace": {os.path.join(b.root, name): changed}}, f)
    command = "ulimit -t 40; exec nice go test -vet=off -failfast -p 1 -timeout 30m -overlay "
    done = subprocess.run(["sh", "-c", command + overlay + " " + packages], cwd=b.root, capture_output=True, text=True)
    shutil.rmtree(work)
    return None if re.search(r"\[(build|setup) failed\]", done.stdout) else done.returncode != 0


def faults(b, n):
    """faults planted in the sampler and in the exact measures: the tests of mechanism or its callers fail"""
    caught, asked = 0, {}  # whom, and with which file unchanged
    for i in b.times(min(n, len(FAULTS))):
        name, old, new = "mechanism/" + FAULTS[i][0], *FAULTS[i][1:]
        text, folder = content(b.root, name).decode(), os.path.dirname(name)
        for packages in ("./" + folder, " ".join("./" + path for path, _ in CALLERS[folder])):
            asked[packages] = name, text
            if (found := noticed(b, name, text.replace(old, new, 1), packages) if old in text else None) is not False:
                break
        if not found:
            b.wrong(name, old, "->", new, "does not apply" if found is None else "is not noticed")
        caught += bool(found)
        print(i + 1, name, new, found, "by", packages, file=b.log, flush=True)
    for packages, unchanged in asked.items():
        if noticed(b, *unchanged, packages) is not False:
            b.wrong(packages, "fails unchanged")
    return i + 1, f"{caught} of {len(FAULTS)} were noticed"


# What a line may hold, and what is put there instead.
RULES = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
         (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "), (" * ", " + "), ("true", "false"),
         ("false", "true"), (" !", " "), ("(!", "("), (" 0", " 1"), (" 1", " 2"), ("return err", "return nil"),
         ("min(", "max("),
         ("max(", "min("), ("+1", ""), ("-1", ""), (" << ", " >> "), (" >> ", " << "), ("hi", "lo"), ("[0]", "[1]")]
CONDITION = re.compile(r"(\s*(?:} else )?if (?:[^{}]*; )?|\s*for [^;{}]*; |\s*case )(.+?)( {|; [^;{}]* {|:)$")
STATEMENT = re.compile(r"(\s+)([\w.\[\], ]+ [-+*|&^]?= )(.+[^{(,])$")
RETURN = re.compile(r"(\s+)(return )(.+[^{(,])$")


def mutable(b, line, k):
    """A line that is as it was, and with mutant k another; what is other; None for none."""
    def other(text):
        code = re.sub(r'"[^"]*"|`[^`]*`', lambda m: "\0" * len(m[0]), text)
        found = [(m.start(), old, new) for old, new in RULES for m in re.finditer(re.escape(old), code)]
        if found:
            at, old, new = b.random.choice(found)
            return text[:at] + new + text[at + len(old):]

    line = "" if line.lstrip().startswith(("var ", "const ")) else line.split(" // ")[0]
    if (m := CONDITION.match(line)) and ":=" not in m[2] and (text := other(m[2])):
        return f"{m[1]}mutant != {k} && ({m[2]}) || mutant == {k} && ({text}){m[3]}", f"{m[2]} -> {text}"
    if (m := RETURN.match(line)) and (text := other(m[3])):
        return f"{m[1]}if mutant == {k} {{ return {text} }}; {line.strip()}", f"{m[3]} -> {text}"
    if m := STATEMENT.match(line):
        text = other(m[3]) if b.random.random() < .7 else None
        instead = f"{{ {m[2]}{text} }} else" if text else ""
        what = f"if mutant == {k} {instead}" if text else f"if mutant != {k}"
        return f"{m[1]}{what} {{ {line.strip()} }}", f"{line.strip()} -> {text or 'left out'}"
    return None


def mutants(b, n):
    """lines changed by rule in mechanism, draw, records and the kernel: tests of the package or of its callers fail"""
    work, tried, survivors, open_, total = tempfile.mkdtemp(), 0, 0, 0, 0
    share = (b.ends - time.time()) / len(CALLERS)
    for turn, (folder, callers) in enumerate(CALLERS.items()):
        k, here = 0, {}  # by file and line: number, other line, what is other
        texts = {name: content(b.root, folder, name).decode().split("\n") for name in
                 os.listdir(os.path.join(b.root, folder)) if re.search(r"(?<!_test)\.go$", name) and name != "doc.go"}
        for name, lines in texts.items():
            for at, line in enumerate(lines):
                if not line.lstrip().startswith("//") and (made := mutable(b, line, k + 1)):
                    k, here[name, at] = k + 1, (k + 1, *made)
        package = re.search("^package .*", "\n".join(next(iter(texts.values()))), re.M)[0]
        replaced = {os.path.join(b.root, folder, "mutant_here.go"): os.path.join(work, "mutant_here.go")}
        with open(os.path.join(work, "mutant_here.go"), "w") as f:
            f.write(package + '\nimport ("os"; "strconv")\nvar mutant, _ = strconv.Atoi(os.Getenv("TACET_MUTANT"))\n')

        def build(path):
            for name, lines in texts.items():
                replaced[os.path.join(b.root, folder, name)] = os.path.join(work, name)
                with open(os.path.join(work, name), "w") as f:
                    f.write("\n".join(here.get((name, at), (0, line))[1] for at, line in enumerate(lines)))
            with open(os.path.join(work, "overlay.json"), "w") as f:
                json.dump({"Replace": replaced}, f)
            binary = os.path.join(work, path.replace("/", "_"))
            done = subprocess.run(["nice", "go", "test", "-c", "-vet=off", "-gcflags=./" + folder + "=-e", "-overlay",
                                   os.path.join(work, "overlay.json"), "-o", binary, "./" + path], cwd=b.root,
                                  capture_output=True, text=True)
            wrong = {(os.path.basename(name), int(at) - 1) for name, at in
                     re.findall(r"([\w./]+\.go):(\d+):\d+: ", done.stderr)}
            before = len(here)
            for name, at in wrong:
                here.pop((name, at), None)
            if done.returncode == 0 or len(here) == before:
                return print(done.stderr, end="", file=b.log, flush=True) or binary
            return build(path)

        def passes(binary, path, tests, k, seconds):
            """Whether no test fails with mutant k, and the seconds of the processor that this took."""
            flags = '-test.run "$1" -test.skip ^TestSlow -test.failfast -test.timeout 0'
            command = f'ulimit -t {seconds}; exec nice "$0" {flags}'
            p = subprocess.Popen(["sh", "-c", command, binary, tests], cwd=os.path.join(b.root, path),
                                 env=dict(os.environ, TACET_MUTANT=str(k), TACET_MATRIX="60"),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, p.returncode, usage = os.wait4(p.pid, 0)
            return p.returncode == 0, usage.ru_utime + usage.ru_stime

        def asked(path, tests, cases, ends):
            """Tests of a package on cases until a time: those of which no test fails, and all that were not tried."""
            survive, cases = [], list(cases)
            if not cases or time.time() > ends:
                return survive, cases
            binary = build(path)
            well, took = passes(binary, path, tests, 0, 180)
            if not well:
                b.wrong(path, "fails without a mutant")
            while cases and time.time() < ends:
                case = cases.pop()
                lives, _ = passes(binary, path, tests, case[1][0], 10 + 4 * round(took))  # what hangs is noticed, too
                survive += [case] * lives
                print(folder, *case[0], case[1][2], "passes" if lives else "fails", path, file=b.log, flush=True)
            return survive, cases

        build(folder)  # without lines that do not compile
        total += len(here)
        todo = b.random.sample(list(here.items()), min(len(here), n // len(CALLERS)))
        survive, untried = asked(folder, ".", todo, time.time() + share / 4)
        unasked = []
        for path, tests in callers:
            survive, left = asked(path, tests, survive, time.time() + share * 3 / 4 / len(callers))
            unasked += left
        tried += len(todo) - len(untried) - len(unasked)
        survivors, open_ = survivors + len(survive), open_ + len(unasked)
        for how, cases in (("", survive), (" (not all callers were asked)", unasked)):
            for (name, at), (_, _, what) in cases:
                print(f"{folder}/{name}:{at + 1}: {what}{how}", file=b.log, flush=True)
    shutil.rmtree(work)
    return tried, f"of {total:,} lines, by chance; {survivors} survive; of {open_} more not all callers were asked"


# Scenes with their counts, short and full, and the seconds that full may take.
ALL = {f.__name__: f for f in (killed, stepped, failing, stores, python, studio, spark, interrupted, timing, wide,
                               doors, power, draws, pyarrow, corpora, coverage, faults, mutants)}
COUNTS = {"killed": (60, 9000, 540), "interrupted": (60, 2000, 300),
          "stepped": (60, 10_000, 420), "failing": (60, 10_000, 420), "stores": (30, 500, 240),
          "python": (10, 300, 240), "spark": (0, 4, 600),
          "studio": (10, 300, 240), "timing": (40, 2000, 300), "wide": (0, 28, 300),
          "doors": (0, 1000, 180), "power": (20, 300, 300),
          "draws": (500_000, 100_000_000, 600), "pyarrow": (600, 100_000, 420), "corpora": (710, 710, 180),
          "coverage": (200, 2000, 540),
          "faults": (4, 42, 1200), "mutants": (4, 2000, 1500)}


def run(row, mode, program, root, log, seed):
    short, full, seconds = COUNTS[row]
    bench = Bench(program, root, log, seconds * SCALE, seed)
    count, note = ALL[row](bench, full if mode == "full" else short)
    return count, bench.bad, note
