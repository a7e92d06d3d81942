"""Checks an exported ledger: python3 check.py EXPORT.jsonl

Each line is an event with its hash as the last member. The hash is SHA-256 of
the line's bytes without that member, and each event names the hash of the one
before, so nothing in the middle can be changed, removed or put in. The head
that this prints stands for all events: compare it with the one in a report.
"""
import hashlib
import json
import sys

MARK = b',"hash":"'


def fail(line, why):
    sys.exit(f"line {line}: {why}")


def main(path):
    head, last = "0" * 64, ""
    state = {}  # of releases, by the seq of their reservations
    n = 0
    with open(path, "rb") as f:
        for n, line in enumerate(f, 1):
            line = line.rstrip(b"\n")
            body, mark, tail = line.rpartition(MARK)
            if not mark or not tail.endswith(b'"}'):
                fail(n, "no hash at its end")
            digest = hashlib.sha256(body + b"}").hexdigest()
            if digest != tail[:-2].decode():
                fail(n, "its bytes do not have its hash")
            e = json.loads(line)
            if e["seq"] != n:
                fail(n, "a line is missing or out of place")
            if e["previous"] != head:
                fail(n, "it does not name the hash of the line before")
            if e["when"] < last:
                fail(n, "it is of a time before the line before")
            if (e["kind"] == "begin") != (n == 1):
                fail(n, "a ledger begins once")
            if e["kind"] == "reserve":
                state[n] = "reserved"
            needs = {"seal": ("reserved",), "commit": ("sealed",), "void": ("reserved", "sealed")}.get(e["kind"])
            if needs:
                if state.get(e["release"]) not in needs:
                    fail(n, f"it cannot {e['kind']} release {e['release']}")
                state[e["release"]] = {"seal": "sealed", "commit": "committed", "void": "voided"}[e["kind"]]
            head, last = digest, e["when"]
    if n == 0:
        sys.exit("line 1: it is missing")
    print(f"{n} events, {len(state)} releases, {sum(s != 'voided' for s in state.values())} of them count")
    print(f"head {head}")


main(sys.argv[1])
