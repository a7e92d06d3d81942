"""make torture: what was tried on Tacet, how often, and what came of it, as one table.

    torture.py short|full [ROW...]

Rows run in as many lanes as there are processors, those that measure time alone and last. A row is done once for a
commit: out/torture/MODE.json says which are, so that what was interrupted goes on. Rows of Go are tests of the
repository, which log "torture: COUNT things"; with full they run with TACET_TORTURE=1. All others are in scenes.py.
Every run draws from a seed of its own, which it prints and TACET_SEED sets; out/torture/ROW.log says what was found.
With full, what runs of other seeds tried is added up, until the row is changed; rows that try the same whatever the
seed is have the count of the last run. TORTURE_TIME=0.5 gives every row of full half of its time. A row fails where
anything was other than promised.
"""
import concurrent.futures
import datetime
import hashlib
import json
import os
import re
import secrets
import subprocess
import sys
import threading
import time

import scenes

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = os.path.join(ROOT, "out", "torture")

# Row: what is tried, packages, tests, how often and how many seconds with full. A test that counts ends in its share
# of the seconds, whatever it reached; one that does not is stopped soon after, and told.
GO = {
    "kills": ("kill -9 at random moments: run, folder, night, ledger, files put in place",
              "./cmd/tacet ./io/publish ./pipeline/ledger", "^TestSlowKill(DashNine|ANight|Set)|^TestKill", 1000, 360),
    "kill-every": ("kill before every call that writes: release, two nights", "./cmd/tacet",
                   "^TestSlowKillEvery", 1000, 420),
    "errors": ("EIO, ENOSPC, EMFILE, EACCES, EINTR and half of a write at every call that writes",
               "./cmd/tacet", "^TestSlow(Fail|FileSize)|^TestMachineIsToBlame", 10_000, 540),
    "damage": ("damaged Parquet, Arrow and CSV files, read in process and written anew", "./io/table", "Damage|Footer",
               5_000_000, 720),
    "readings": ("mutated plans, orders, reports, receipts, keys, ledgers, counts, jobs: what reads them alone",
                 "./cmd/tacet", "^TestMutatedReadings", 5_000_000, 480),
    "mutations": ("the same and data, given to whole commands", "./cmd/tacet", "^TestSlowMutations", 100_000, 240),
    "races": ("runs at once on one output, one report folder, one ledger", "./cmd/tacet ./pipeline/ledger", "Race",
              1000, 240),
    "signals": ("SIGINT, SIGTERM, SIGHUP, SIGQUIT in runs and searches", "./cmd/tacet", "^Test(Slow)?Signals", 400,
                180),
    "canaries": ("planted values sought in all files, messages and temporaries", "./cmd/tacet", "^TestCanar", 34, 120),
    "interference": ("pairs of inputs that differ in the private column: public files the same", "./pipeline",
                     "^TestPublicTellsNothingElse", 10_000, 240),
    "observers": ("tiny releases of every kind held to an observer of every claim", "./pipeline/oracle",
                  "^TestMatrix", 200_000, 900),
    "forgeries": ("members of reports and plans changed: verify refuses", "./pipeline/verify",
                  "^Test(Forged|Retold)", 5, 480),
    "clean": ("files whose columns tell nothing: not refused", "./pipeline/neighbours", "^TestClean$", 30_000, 180),
    "environments": ("few descriptors, little memory, no HOME or time zone, full or locked folders, a clock that jumps",
                     "./cmd/tacet",
                     "^Test(NoCrash|Early|SignalsOfErrors|WithoutLocks|Unwrit|Strange|SlowEnv|SlowClock)", 8, 90),
    "long": ("long forms of other tests: coverage of intervals and bounds, optima, remainders",
             "./estimate/... ./mechanism/... ./pipeline ./pipeline/decide ./pipeline/neighbours ./pipeline/verify",
             "^Test(Large$|Giveaway|Boundary|StrataPop|Limit(Be|In)|DamagedOutput|Follows|Table$"
             "|Coverage|RuleKeeps|L[a-zA-Z]+IsExact|Any)", 30, 420),
    "gateway": ("a gateway of S3: runs and folders of files killed, raced, requests that fail", "./cmd/tacet-cloud",
                ".", 18, 180),
    "beam": ("the program for Beam on Prism, workers that fail", "./cmd/tacet-beam", "Prism", 1, 120),
}
SLOW = {"long", "beam"}  # only with full
ALONE = ("signals", "interrupted", "timing")  # they measure time
SAME = {"kill-every", "canaries", "forgeries", "environments", "wide", "long", "gateway", "beam", "stepped", "failing",
        "doors", "corpora", "coverage", "spark", "faults", "errors"}  # whatever the seed is
BUILT, BUILDING, WRITING = set(), threading.Lock(), threading.Lock()
SEED = os.environ.get("TACET_SEED") or str(secrets.randbelow(10 ** 9))


def go(row, mode, log):
    """Runs the tests of a row one by one: how often things were tried, in how many tests not all was well."""
    what, packages, tests, _, seconds = GO[row]
    seconds *= scenes.SCALE
    env = dict(os.environ, **({"TACET_TORTURE": "1"} if mode == "full" else {"TACET_MATRIX": "1000"}),
               TACET_SEED=SEED, TACET_S3="required", TACET_VERSITYGW=os.path.join(ROOT, "out", "bin", "versitygw"))
    said, todo, stopped = "", [], []
    nested = re.match("./cmd/tacet-(cloud|beam)", packages)  # a module of its own
    root, packages = (os.path.join(ROOT, packages), ".") if nested else (ROOT, packages)
    if row == "gateway" and not os.path.exists(env["TACET_VERSITYGW"]):
        raise scenes.Missing("make s3 builds the gateway")
    listed = subprocess.run(["go", "list", "-f", "{{.ImportPath}} {{.Dir}}", *packages.split()], cwd=root, text=True,
                            capture_output=True, check=True)
    for package, folder in map(str.split, listed.stdout.splitlines()):
        name = os.path.join(OUT, package.replace("/", "_") + ".test")
        with BUILDING:
            if name not in BUILT:
                command = ["nice", "go", "test", "-c", "-vet=off", "-o", name, package]
                subprocess.run(command, cwd=root, env=env, check=True)
                BUILT.add(name)
        if os.path.exists(name):  # it has tests
            found = subprocess.run([name, "-test.list=" + tests], cwd=folder, env=env, text=True, capture_output=True)
            todo += [(name, folder, test) for test in found.stdout.split() if test.startswith("Test")]
    ended = time.time() + seconds
    for i, (name, folder, test) in enumerate(todo):
        share = max(10, (ended - time.time()) / (len(todo) - i)) + 180  # tests that count end three minutes before
        command = ["nice", name, "-test.v", f"-test.timeout={share:.0f}s", f"-test.run=^{test}$"]
        done = subprocess.run(command, cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said += re.sub("^ *=== .*\n", "", done.stdout, flags=re.M)
        if "panic: test timed out" in done.stdout:
            stopped.append(test)
        elif done.returncode and "--- FAIL" not in done.stdout:
            said += "--- FAIL: " + test
    log.write(said)
    counts = [int(n) for n in re.findall(r"torture: (\d+) ", said)]
    ran, bad = (len(re.findall(rf"^--- {how}", said, re.M)) for how in ("PASS", "FAIL"))
    note = [f"in {ran + bad} tests" if counts else "tests"] + [f"{test} was stopped" for test in stopped]
    return sum(counts) or ran + bad, bad, "; ".join(note)


def identity(row):
    """What changes when other things are tried, and not only more or for longer."""
    code = None if row in GO else scenes.ALL[row].__code__
    text = repr(GO[row][1:3] if row in GO else (code.co_names, code.co_varnames, code.co_code))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def added(row, last, before):
    """What a row tried, and all runs together."""
    own = {"count": last["count"], "bad": last["bad"], "seed": SEED, "at": last["at"], "date": last["date"]}
    runs = before.get("runs", []) if before.get("what") == identity(row) and row not in SAME else []
    runs = [r for r in runs if r["seed"] != SEED] + [own] * (last["count"] > 0)
    return {**last, "what": identity(row), "runs": runs, "sum": sum(r["count"] for r in runs),
            "found": sum(r["bad"] for r in runs)}


def one(row, mode, program, at, state):
    """Runs a row, and keeps what came of it."""
    start = time.time()
    with open(os.path.join(OUT, row + ".log"), "w") as log:
        print("seed", SEED, file=log, flush=True)
        try:
            if row in SLOW and mode != "full":
                raise scenes.Missing("only with full")
            if row in GO:
                count, bad, note = go(row, mode, log)
            else:
                count, bad, note = scenes.run(row, mode, program, ROOT, log, SEED)
        except scenes.Missing as e:
            count, bad, note = 0, 0, f"not run: {e}"
        except Exception as e:
            count, bad, note = 0, 1, f"broke off: {e!r}"
    seconds = round(time.time() - start)
    with WRITING:
        done = state()  # to which another run may have added
        done[row] = added(row, {"at": at, "count": count, "bad": bad, "note": note, "seconds": seconds,
                                "date": datetime.date.today().isoformat()}, done.get(row, {}))
        name = os.path.join(OUT, mode + ".json")
        with open(name + ".new", "w") as f:
            json.dump(done, f, indent=1)
        os.replace(name + ".new", name)
        print(f"{row}: {count} tried, {bad} bad, {note} ({seconds} s)", flush=True)


def main():
    mode, only = sys.argv[1], sys.argv[2:]
    os.makedirs(OUT, exist_ok=True)
    at = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, text=True, capture_output=True)
    at = at.stdout.strip()
    name = os.path.join(OUT, mode + ".json")
    state = lambda: json.load(open(name)) if os.path.exists(name) else {}
    program = os.path.join(OUT, "tacet")
    subprocess.run(["go", "build", "-trimpath", "-o", program, "./cmd/tacet"], cwd=ROOT, check=True)
    rows = {**{k: v[0] for k, v in GO.items()}, **{k: f.__doc__ for k, f in scenes.ALL.items()}}
    todo = [row for row in only or rows if only or state().get(row, {}).get("at") != at]
    todo.sort(key=lambda row: row in ALONE)
    print("seed", SEED, flush=True)
    lanes = list(os.sched_getaffinity(0))
    pinned = lambda: os.sched_setaffinity(0, {lanes.pop()})  # of this thread, and of what it starts
    beside = [row for row in todo if row not in ALONE]
    with concurrent.futures.ThreadPoolExecutor(len(lanes), initializer=pinned) as pool:
        list(pool.map(lambda row: one(row, mode, program, at, state), beside))
    for row in todo[len(beside):]:
        one(row, mode, program, at, state)
    done = state()
    lines = ["| row | what is tried | wanted | all runs | runs | last run | bad | seconds | remark |",
             "|---|---|--:|--:|--:|--:|--:|--:|---|"]
    for row, what in rows.items():
        d = {"count": 0, "bad": 0, "seconds": 0, "note": "not run", "sum": 0, "runs": [], **done.get(row, {})}
        wanted = (GO[row][3] if row in GO else scenes.COUNTS[row][1]) if mode == "full" else d["count"]
        lines.append(f"| {row} | {what} | {wanted:,} | {d['sum']:,} | {len(d['runs'])} | {d['count']:,} | {d['bad']} | "
                     f"{d['seconds']} | {d['note']} |")
    table = "\n".join(lines) + "\n"
    with open(os.path.join(OUT, mode + ".md"), "w") as f:
        f.write(table)
    print(table)
    sys.exit(any(d["bad"] for d in done.values()))


if __name__ == "__main__":
    main()
