"""make torture: what was tried on Tacet, how often, and what came of it, as one table.

    torture.py short|full [ROW...]

A row is done once for a commit: out/torture/MODE.json says which are, so that what was interrupted goes on.
Rows of Go are tests of the repository, which log "torture: COUNT things"; with full they run with TACET_TORTURE=1.
All others are in scenes.py. TORTURE_TIME=0.5 gives every row of full half of its time. A row fails where anything was
other than promised; out/torture/ROW.log says what.
"""
import datetime
import json
import os
import re
import subprocess
import sys
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
    "errors": ("EIO, ENOSPC, EMFILE, EACCES, EINTR and half of a write at every call that writes; full disks",
               "./cmd/tacet", "^TestSlow(Fail|FullDisk|FileSize)|^TestMachineIsToBlame", 10_000, 540),
    "damage": ("damaged Parquet and Arrow files, read in process", "./io/table", "Damage|Footer", 10_000_000, 180),
    "mutations": ("mutated plans, orders, reports, keys, ledgers, counts, jobs and data", "./cmd/tacet",
                  "^TestSlowMutations", 10_000_000, 420),
    "races": ("runs at once on one output, one report folder, one ledger", "./cmd/tacet ./pipeline/ledger", "Race",
              1000, 240),
    "signals": ("SIGINT, SIGTERM, SIGHUP, SIGQUIT in runs and searches", "./cmd/tacet", "^Test(Slow)?Signals", 400,
                180),
    "canaries": ("planted values sought in all files, messages and temporaries", "./cmd/tacet", "^TestCanar", 34, 120),
    "interference": ("pairs of inputs that differ in the private column: public files the same", "./pipeline",
                     "^TestPublicTellsNothingElse", 10_000, 240),
    "observers": ("tiny releases of every kind held to an observer of every claim", "./pipeline/oracle",
                  "^TestMatrix", 200_000, 480),
    "forgeries": ("members of reports and plans changed: verify refuses", "./pipeline/verify",
                  "^Test(Slow)?(Forged|Retold)", 5, 180),
    "clean": ("files whose columns tell nothing: not refused", "./pipeline/neighbours", "^TestClean$", 30_000, 180),
    "environments": ("few descriptors, little memory, no HOME or time zone, full or locked folders, a clock that jumps",
                     "./cmd/tacet", "^Test(NoCrash|Early|SignalsOfErrors|WithoutLocks|Unwrit|Strange|SlowEnv|SlowClock)",
                     8, 90),
    "long": ("long forms of other tests: coverage of intervals and bounds, optima, remainders",
             "./estimate/... ./mechanism/... ./pipeline ./pipeline/decide ./pipeline/neighbours ./pipeline/verify",
             "^Test(Large$|Giveaway|Boundary|StrataPop|Limit(Be|In)|DamagedOutput|Follows|Table$"
             "|Coverage|RuleKeeps|L[a-zA-Z]+IsExact|Any|Planted|BestFloor)", 30, 420),
    "gateway": ("a gateway of S3: runs and folders of files killed, raced, requests that fail", "./cmd/tacet-cloud",
                ".", 18, 180),
    "beam": ("the program for Beam on Prism, workers that fail", "./cmd/tacet-beam", "Prism", 1, 120),
}
SLOW = {"long", "beam"}  # only with full
BUILT = set()


def go(row, mode, log):
    """Runs the tests of a row one by one: how often things were tried, in how many tests not all was well."""
    what, packages, tests, _, seconds = GO[row]
    seconds *= scenes.SCALE
    env = dict(os.environ, **({"TACET_TORTURE": "1"} if mode == "full" else {"TACET_MATRIX": "1000"}),
               TACET_S3="required", TACET_VERSITYGW=os.path.join(ROOT, "out", "bin", "versitygw"))
    said, todo, stopped = "", [], []
    nested = re.match("./cmd/tacet-(cloud|beam)", packages)  # a module of its own
    root, packages = (os.path.join(ROOT, packages), ".") if nested else (ROOT, packages)
    if row == "gateway" and not os.path.exists(env["TACET_VERSITYGW"]):
        raise scenes.Missing("make s3 builds the gateway")
    listed = subprocess.run(["go", "list", "-f", "{{.ImportPath}} {{.Dir}}", *packages.split()], cwd=root, text=True,
                            capture_output=True, check=True)
    for package, folder in map(str.split, listed.stdout.splitlines()):
        name = os.path.join(OUT, package.replace("/", "_") + ".test")
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


def main():
    mode, only = sys.argv[1], sys.argv[2:]
    os.makedirs(OUT, exist_ok=True)
    at = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, text=True, capture_output=True)
    at = at.stdout.strip()
    state = os.path.join(OUT, mode + ".json")
    load = lambda: json.load(open(state)) if os.path.exists(state) else {}
    done = load()
    program = os.path.join(OUT, "tacet")
    subprocess.run(["go", "build", "-trimpath", "-o", program, "./cmd/tacet"], cwd=ROOT, check=True)
    rows = {**{k: v[0] for k, v in GO.items()}, **{k: f.__doc__ for k, f in scenes.ALL.items()}}
    for row in only or rows:
        if not only and done.get(row, {}).get("at") == at:
            continue
        print(row, end=": ", flush=True)
        start = time.time()
        with open(os.path.join(OUT, row + ".log"), "w") as log:
            try:
                if row in SLOW and mode != "full":
                    raise scenes.Missing("only with full")
                if row in GO:
                    count, bad, note = go(row, mode, log)
                else:
                    count, bad, note = scenes.run(row, mode, program, ROOT, log)
            except scenes.Missing as e:
                count, bad, note = 0, 0, f"not run: {e}"
        done = load()  # to which another run may have added
        done[row] = {"at": at, "count": count, "bad": bad, "note": note, "seconds": round(time.time() - start),
                     "date": datetime.date.today().isoformat()}
        with open(state + ".new", "w") as f:
            json.dump(done, f, indent=1)
        os.replace(state + ".new", state)
        print(count, "tried,", bad, "bad,", note, f"({done[row]['seconds']} s)", flush=True)
    lines = ["| row | what is tried | wanted | tried | bad | seconds | remark |", "|---|---|--:|--:|--:|--:|---|"]
    for row, what in rows.items():
        d = done.get(row, {"count": 0, "bad": 0, "seconds": 0, "note": "not run"})
        wanted = (GO[row][3] if row in GO else scenes.COUNTS[row][1]) if mode == "full" else d["count"]
        lines.append(f"| {row} | {what} | {wanted:,} | {d['count']:,} | {d['bad']} | {d['seconds']} | {d['note']} |")
    table = "\n".join(lines) + "\n"
    with open(os.path.join(OUT, mode + ".md"), "w") as f:
        f.write(table)
    print(table)
    sys.exit(any(d["bad"] for d in done.values()))


if __name__ == "__main__":
    main()
