"""make torture: what was tried on Tacet, how often, and what came of it, as one table.

    torture.py short|full [ROW...]

A row is done once for a commit: out/torture/MODE.json says which are, so that what was interrupted goes on.
Rows of Go are tests of the repository, which log "torture: COUNT things"; with full they run with TACET_TORTURE=1.
All others are in scenes.py. A row fails where anything was other than promised; out/torture/ROW.log says what.
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

# Row: what is tried, packages, tests.
GO = {
    "kills": ("kill -9 at random moments: run, folder, night, ledger, files put in place",
              "./cmd/tacet ./io/publish ./pipeline/ledger", "^TestSlowKill(DashNine|ANight|Set)|^TestKill"),
    "kill-every": ("kill before every call that writes: release, two nights", "./cmd/tacet", "^TestSlowKillEvery"),
    "errors": ("EIO, ENOSPC, EMFILE at every call that writes, full disks", "./cmd/tacet",
               "^TestSlow(Fail|FullDisk|FileSize)|^TestMachineIsToBlame"),
    "damage": ("damaged Parquet and Arrow files, read in process", "./io/table", "Damage|Footer"),
    "mutations": ("mutated plans, orders, reports, keys, ledgers, counts, jobs and data", "./cmd/tacet",
                  "^TestSlowMutations"),
    "races": ("runs at once on one output, one report folder, one ledger", "./cmd/tacet ./pipeline/ledger", "Race"),
    "signals": ("SIGINT, SIGTERM, SIGHUP, SIGQUIT in runs and searches", "./cmd/tacet", "^Test(Slow)?Signals"),
    "canaries": ("planted values sought in all files, messages and temporaries", "./cmd/tacet", "^TestCanar"),
    "interference": ("pairs of inputs that differ in the private column: public files the same", "./pipeline",
                     "^TestPublicTellsNothingElse"),
    "observers": ("tiny releases of every kind held to an observer of every claim", "./pipeline/oracle",
                  "^TestMatrix"),
    "forgeries": ("members of reports and plans changed: verify refuses", "./pipeline/verify",
                  "^Test(Slow)?(Forged|Alter)"),
    "clean": ("files whose columns tell nothing: not refused", "./pipeline/neighbours", "^TestClean$"),
    "environments": ("few descriptors, little memory, no locks, unwritable folders, strange names and places",
                     "./cmd/tacet", "^Test(NoCrash|EarlyQuit|SignalsOfErrors|WithoutLocks|Unwritable|Strange|Odd)"),
    "long": ("long forms of all other tests: coverage of intervals and bounds, optima, noise, remainders",
             "./estimate/... ./mechanism/... ./pipeline ./pipeline/decide ./pipeline/neighbours ./pipeline/verify",
             "."),
}
SLOW = {"long"}  # only with full
BUILT = set()


def go(row, mode, log):
    """Runs the tests of a row: how often things were tried, and in how many tests not all was well."""
    what, packages, tests = GO[row]
    env = dict(os.environ, **({"TACET_TORTURE": "1"} if mode == "full" else {"TACET_MATRIX": "1000"}))
    said = failed = ""
    listed = subprocess.run(["go", "list", *packages.split()], cwd=ROOT, text=True, capture_output=True, check=True)
    for package in listed.stdout.split():
        name = os.path.join(OUT, package.replace("/", "_") + ".test")
        if name not in BUILT:
            command = ["nice", "go", "test", "-c", "-vet=off", "-o", name, package]
            subprocess.run(command, cwd=ROOT, env=env, check=True)
            BUILT.add(name)
        if not os.path.exists(name):  # no tests
            continue
        folder = os.path.join(ROOT, package.split("/tacet/", 1)[1])
        command = ["nice", name, "-test.v", "-test.timeout=2h", "-test.run=" + tests]
        done = subprocess.run(command, cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said += done.stdout
        if done.returncode and "--- FAIL" not in done.stdout:
            failed += "--- FAIL: " + package
    log.write(said)
    counts = [int(n) for n in re.findall(r"torture: (\d+) ", said)]
    ran = len(re.findall(r"^--- PASS", said, re.M))
    bad = len(re.findall(r"^--- FAIL", said + failed, re.M))
    return sum(counts) or ran, bad, f"in {ran} tests" if counts else "tests"


def main():
    mode, only = sys.argv[1], sys.argv[2:]
    os.makedirs(OUT, exist_ok=True)
    at = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, text=True, capture_output=True)
    at = at.stdout.strip()
    state = os.path.join(OUT, mode + ".json")
    done = json.load(open(state)) if os.path.exists(state) else {}
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
                    count, bad, note = scenes.run(row, mode, scenes.Bench(program, ROOT, log))
            except scenes.Missing as e:
                count, bad, note = 0, 0, f"not run: {e}"
        done[row] = {"at": at, "count": count, "bad": bad, "note": note, "seconds": round(time.time() - start),
                     "date": datetime.date.today().isoformat()}
        with open(state + ".new", "w") as f:
            json.dump(done, f, indent=1)
        os.replace(state + ".new", state)
        print(count, "tried,", bad, "bad,", note, f"({done[row]['seconds']} s)", flush=True)
    lines = ["| row | what is tried | tried | bad | seconds | remark |", "|---|---|--:|--:|--:|---|"]
    for row, what in rows.items():
        d = done.get(row, {"count": 0, "bad": 0, "seconds": 0, "note": "not run"})
        lines.append(f"| {row} | {what} | {d['count']:,} | {d['bad']} | {d['seconds']} | {d['note']} |")
    table = "\n".join(lines) + "\n"
    with open(os.path.join(OUT, mode + ".md"), "w") as f:
        f.write(table)
    print(table)
    sys.exit(any(d["bad"] for d in done.values()))


if __name__ == "__main__":
    main()
