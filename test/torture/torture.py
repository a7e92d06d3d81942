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
    "kills": ("kill -9 at random moments: run, folder, night, ledger, files put in place", "./cmd/tacet ./io/publish ./pipeline/ledger",
              "^Test(Slow)?Kill(DashNine|ANight|Set|$)|^TestKill"),
    "kill-every": ("kill before every call that writes: release, two nights", "./cmd/tacet", "^TestSlowKillEvery"),
    "errors": ("EIO, ENOSPC, EMFILE at every call that writes, full disks", "./cmd/tacet",
               "^TestSlow(Fail|FullDisk|FileSize)|^TestMachineIsToBlame"),
    "damage": ("damaged Parquet and Arrow files, read in process", "./io/table", "Damage|Footer|Damaged"),
    "mutations": ("mutated plan, order, report, key, ledger, counts, job and CSV files, by commands in process", "./cmd/tacet", "^TestSlowMutations"),
    "races": ("runs at once on one output, one report folder, one ledger", "./cmd/tacet ./pipeline/ledger", "Race"),
    "signals": ("SIGINT, SIGTERM, SIGHUP, SIGQUIT in runs and searches", "./cmd/tacet", "^Test(Slow)?Signals"),
    "canaries": ("planted values sought in all files, messages and temporaries", "./cmd/tacet", "^TestCanar"),
    "interference": ("pairs of inputs that differ in the private column: public files the same", "./pipeline", "^TestPublicTellsNothingElse"),
    "observers": ("tiny releases of every kind held to an observer of every claim", "./pipeline/oracle", "^TestMatrix"),
    "forgeries": ("members of reports and plans changed: verify refuses", "./pipeline/verify", "^Test(Slow)?(Forged|Alter)"),
    "clean": ("files whose columns tell nothing: not refused", "./pipeline/neighbours", "^TestClean$"),
    "environments": ("few descriptors, little memory, no locks, unwritable folders, strange names, strange places", "./cmd/tacet",
                     "^Test(NoCrash|EarlyQuit|SignalsOfErrors|WithoutLocks|Unwritable|StrangeNames|Odd|SlowSchedulers)"),
    "long": ("long forms of all other tests: coverage of intervals and bounds, optima, noise, remainders",
             "./estimate/... ./mechanism/... ./pipeline ./pipeline/decide ./pipeline/neighbours ./pipeline/verify", "."),
}
SLOW = {"long"}  # only with full


def go(row, mode, log):
    """Runs the tests of a row: how often things were tried, and how many lines complain."""
    what, packages, tests = GO[row]
    env = dict(os.environ, CGO_ENABLED="0", **({"TACET_TORTURE": "1"} if mode == "full" else {"TACET_MATRIX": "1000"}))
    command = ["nice", "go", "test", "-vet=off", "-count=1", "-p", "1", "-v", "-timeout", "2h", "-run", tests, *packages.split()]
    done = subprocess.run(command, cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    log.write(done.stdout)
    counts = [int(n) for n in re.findall(r"torture: (\d+) ", done.stdout)]
    bad = sum(1 for line in done.stdout.split("\n") if re.match(r"\s+\w+_test\.go:\d+: (?!torture: )", line) and "control" not in line)
    ran = len(re.findall(r"^--- PASS", done.stdout, re.M))
    if done.returncode == 0:
        bad = 0
    return sum(counts) or ran, max(bad, 1) if done.returncode else 0, f"{ran} tests" if counts else "tests"


def main():
    mode, only = sys.argv[1], sys.argv[2:]
    os.makedirs(OUT, exist_ok=True)
    at = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, text=True, capture_output=True).stdout.strip()
    state = os.path.join(OUT, mode + ".json")
    done = json.load(open(state)) if os.path.exists(state) else {}
    program = os.path.join(OUT, "tacet")
    subprocess.run(["go", "build", "-trimpath", "-o", program, "./cmd/tacet"], cwd=ROOT, check=True, env=dict(os.environ, CGO_ENABLED="0"))
    rows = {**{k: v[0] for k, v in GO.items()}, **{k: f.__doc__ for k, f in scenes.ALL.items()}}
    for row, what in rows.items():
        if only and row not in only or not only and done.get(row, {}).get("at") == at:
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
