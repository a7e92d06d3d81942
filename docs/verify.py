#!/usr/bin/env python3
"""An auditor's own program: adds up again, from the files of a release of Tacet, what it claims.
    python3 docs/verify.py REPORT --output OUT [--input IN], or --list LIST
REPORT is the folder of a report, or the report.json, joint.json or public/report.json in it. LIST (or -) has an object
a line, {"report": ..., "output": ..., "input": ...}; a line answers each. Exit codes: 0 all is as claimed; 1 something
is not, and is named; 2 a file cannot be read. Written from docs/files.md; needs Python 3.11 and pyarrow.

Value x has c_x of n records; its row writes y with the chance p(y|x) = w_xy / total_x."""
import argparse, collections, csv, datetime, hashlib, hmac, itertools, json, math, sys
from fractions import Fraction as F
from pathlib import Path
import pyarrow as pa, pyarrow.csv as pc, pyarrow.parquet as pq

class Audit:
    """What was found: lines to print, and the names of what is not as claimed."""
    lines, wrong, of = (), (), ""  # of: which column
    def hold(self, name, ok, text):
        self.lines += (f"{self.of + name:<24}" + ("" if ok else "NOT AS CLAIMED: ") + text,)
        self.wrong += () if ok or self.of + name in self.wrong else (self.of + name,)
# The mathematics. A crowd is the counts c_x of a group of records, and its rows: (total, {y: weight}) by value.
largest = lambda of: max(of.values(), default=F(1))
def masses(crowds):
    """c_x and m_xy = sum_s c_sx p_s(y|x): the records of x expected to be written as y, over groups s."""
    held, mass = collections.Counter(), collections.defaultdict(lambda: collections.defaultdict(F))
    for counts, rows in crowds:
        for x, c in enumerate(counts):
            held[x] += c
            for y, w in rows[x][1].items() if c else ():
                mass[y][x] += F(c * w, rows[x][0])
    return held, mass
def factors(crowds):
    """e^l(y) = max_x p(y|x) / q_y, q_y = sum_x (c_x/n) p(y|x), for whoever does not know the crowd of a record."""
    held, mass = masses(crowds)
    top = {y: max(m / held[x] for x, m in of.items()) for y, of in mass.items()}
    return {y: top[y] * sum(held.values()) / sum(of.values()) for y, of in mass.items()}
def shift(crowds, stands):
    """max over sets A of |Q(A) - P(A)| = sum_y max(0, Q(y) - P(y)); x is the output stands[x], or none."""
    held, mass = masses(crowds)
    off = collections.defaultdict(F, {y: sum(of.values()) for y, of in mass.items()})
    for x, c in held.items():
        off[stands[x]] -= c
    return sum(d for d in off.values() if d > 0) / F(sum(held.values()) or 1)
def at_most_exp(f, t):
    """f <= e^t, for f >= 1: S_k <= e^t <= S_k + 2 t^k/k! for k > 2t, where S_k = sum_{i<k} t^i/i!."""
    s, term, k = F(t >= 0), F(max(t, 0)), 1
    while t > 0 and (k <= 2 * t or s < f <= s + 2 * term):
        s, term, k = s + term, term * t / (k + 1), k + 1
    return f <= s
def admits(target, f):
    """f <= e^target, for log(p/q) or a decimal."""
    return f <= F(target[4:-1]) if target.startswith("log(") else at_most_exp(f, F(target))
def is_nats(nats, f):
    """log f <= nats <= log f + 1e-9."""
    return at_most_exp(f, F(nats)) and (f == 1 and nats == 0 or not at_most_exp(f, F(nats) - F(1, 10**9)))
load = lambda *path: json.loads(Path(*path).read_bytes())
def parts(path):
    """The files of a data set by their paths, or the one file."""
    found = ((p.relative_to(path), p) for p in Path(path).rglob("*") if p.is_file() and p.stat().st_size)
    shown = ((str(name), p) for name, p in found if not any(of[0] in "._" for of in name.parts))
    return sorted(shown, key=lambda of: of[0].encode()) if Path(path).is_dir() else [("", Path(path))]
def sha256(path):
    """Of a data set that of the lines that sha256sum prints for its files."""
    if Path(path).is_dir():
        return hashlib.sha256("".join(f"{sha256(p)}  {name}\n" for name, p in parts(path)).encode()).hexdigest()
    return hashlib.file_digest(open(path, "rb"), "sha256").hexdigest()
def label(v):
    """A value as plans write it."""
    if isinstance(v, bytes):
        text = v.decode(errors="backslashreplace")
        return text if text.encode() == v else "0x" + v.hex()
    return v if v is None or isinstance(v, str) else str(v.date() if isinstance(v, datetime.datetime) else v).lower()
def columns(path, names, dialect):
    """The number of rows of a file or data set, and these of its columns as lists."""
    out, rows = [[] for _ in names], 0
    for head, p in ((open(p, "rb").read(6), p) for _, p in parts(path)):
        if head[:4] == b"PAR1" or head == b"ARROW1":
            t = pq.ParquetFile(p).read(columns=names) if head[:4] == b"PAR1" else pa.ipc.open_file(p).read_all()
        else:
            d, skip = dialect["delimiter"], int(dialect["header"])
            first = next(csv.reader(open(p, encoding="utf-8-sig", newline=""), delimiter=d))
            named = [c if skip else f"column_{i + 1}" for i, c in enumerate(first)]
            t = pc.read_csv(p, pc.ReadOptions(column_names=named, skip_rows=skip), pc.ParseOptions(
                delimiter=d, newlines_in_values=True, ignore_empty_lines=len(named) > 1), pc.ConvertOptions(
                column_types=dict.fromkeys(named, pa.string()), null_values=[""], strings_can_be_null=True,
                quoted_strings_can_be_null=False))
        for values, c in zip(out, (t.column(n) for n in names)):
            at = pa.types.is_timestamp(c.type) and pa.timestamp("us", c.type.tz and "UTC")
            values.extend((c.cast(at, safe=False) if at else c).to_pylist())
        rows += t.num_rows
    return rows, out

class Plan:
    """plan.json, with plan.weights and order.csv: what was decided before any record was drawn."""
    def __init__(self, folder, audit):
        data, hold = Path(folder, "plan.json").read_bytes(), audit.hold
        self.folder, self.j = folder, json.loads(data)
        self.inputs, self.outputs, self.given = self.j["inputs"], self.j["outputs"], self.j.get("strata", {})
        self.place, self.at = ({l: i for i, l in enumerate(of)} for of in (self.outputs, self.inputs))
        self.order = self.utilities(hold)
        self.laws = [self.weights(m[w]) if m.get(w := "weights_sha256") else self.law(m) for m in self.j["mechanisms"]]
        self.rows = [self.laws[g["mechanism"]] for g in self.j["groups"]]
        self.counts = [list(map(int, g["counts"])) for g in self.j["groups"]]
        self.records = [list(map(int, g.get("records") or g["counts"])) for g in self.j["groups"]]
        digest = hashlib.sha256(data[:data.rindex(b'"plan_sha256"')]).hexdigest()
        hold("plan hashes", digest == self.j["plan_sha256"] and self.hash() == self.j["design_sha256"], digest[:16])
        hold("row sums", all(t == sum(r.values()) and min(r.values()) > 0 for l in self.laws for t, r in l), "")
        whole = [(self.j["counts"], self.counts), (self.j.get("prior", {}).get("records"), self.records)]
        hold("groups", all(list(map(int, a)) == list(map(sum, zip(*b))) for a, b in whole if a and b), "add up")
    def utilities(self, hold):
        if self.j["order"]["load"] != "matrix:order.csv":
            return hold("order", True, "not looked at: order.csv is no matrix")
        path, want = Path(self.folder, "order.csv"), [[l or "" for l in of] for of in (self.outputs, self.inputs)]
        (_, *head), *rows = csv.reader(path.read_text("utf-8").splitlines(keepends=True))
        hold("order", sha256(path) == self.j["order"]["sha256"] and [head, [r[0] for r in rows]] == want, "as planned")
        return [list(map(float, r[1:])) for r in rows]
    def ranks(self, x):
        """1 is the worst; of equal utilities the lower column ranks lower."""
        return {y: i + 1 for i, (_, y) in enumerate(sorted((u, y) for y, u in enumerate(self.order[x])))}
    def law(self, m):
        row = lambda r: (int(r["total"]), {self.place[y]: int(w) for y, w in r["outputs"]})
        out, floor = {self.at[r["input"]]: row(r) for r in m.get("rows") or []}, self.j["floor"]
        for b in m.get("blocks") or []:
            out.update(dict.fromkeys((self.at[x] for x in b["inputs"]), row(b)))
        for x in range(0 if out else len(self.inputs)):  # of another safe design: uniform on what the floor allows
            of = dict(enumerate(self.order[x])) if floor["by"] == "value" else self.ranks(x)
            keep = [y for y, u in of.items() if u >= floor["at"]]
            out[x] = len(keep), dict.fromkeys(keep, 1)
        return [out[x] for x in range(len(self.inputs))]
    def weights(self, digest):
        data, numbers, rows = Path(self.folder, "plan.weights").read_bytes(), [0], []
        if data[:8] != b"tacetw1\n" or hashlib.sha256(data).hexdigest() != digest:
            raise ValueError("plan.weights is not the file that the plan names")
        for b in reversed(data[8:]):  # every number from its highest bits
            numbers += [0] if b < 128 else []
            numbers[-1] = numbers[-1] << 7 | b & 127
        for it in [reversed(numbers[1:])] * len(self.inputs):
            steps = [(next(it), next(it)) for _ in range(next(it))]
            at = itertools.accumulate(d for d, _ in steps)
            rows.append((sum(w for _, w in steps), {y - 1: w for y, (_, w) in zip(at, steps)}))
        return rows
    def hash(self):
        num = lambda n: n.to_bytes(8, "big")
        many = lambda of, each: num(len(of)) + b"".join(map(each, of))
        name = lambda s: b"\0" if s is None else b"\1" + num(len(s.encode())) + s.encode()
        row = lambda r: num(r[0]) + many(sorted(r[1].items()), lambda e: num(e[0]) + num(e[1]))
        group = lambda g: num(g["mechanism"]) + num(int(g.get("rest", 0))) + many(g.get("strata", []), name)
        block = lambda b: many([self.at[x] for x in b["inputs"]], num) + row(self.laws[0][self.at[b["inputs"][0]]])
        blocks = [b for m in self.j["mechanisms"] for b in m.get("blocks") or []]
        rows = num(2**64 - 2) + many(blocks, block) if blocks else many((self.laws + [[]])[0], row)
        if self.given:
            rows = num(2**64 - 1) + many([self.given["of"], ""], name)
            rows += many(self.laws, lambda l: many(l, row)) + many(self.j["groups"], group)
        return hashlib.sha256(many(self.inputs, name) + many(self.outputs, name) + rows).hexdigest()

class Column:
    """A private column: its report held to its plan, and both to the records."""
    def __init__(self, folder, audit):
        self.hold, self.p, self.r = audit.hold, Plan(folder, audit), load(folder, "report.json")
        r, j, self.prior, self.strata = self.r, self.p.j, self.p.j.get("prior", {}), self.r.get("strata", {})
        named = [j["order"]["sha256"], j["plan_sha256"], j["design_sha256"], self.p.given.get("of")]
        self.hold("plan named", [r["order"]["sha256"], *r["plan"].values(), self.strata.get("column")] == named, "")
        self.earlier = load(folder, "public", "mechanism.json").get("earlier_draws")
        self.part, later = r["prior"].get("part"), [g.get("counts") for g in self.strata.get("groups", [r["prior"]])]
        self.here = self.p.records if None in later else [list(map(int, c)) for c in later]  # a plan that was followed
        self.leaks(), self.shares(), self.p.order and self.p.laws and self.floor()
    def tells(self, counts):
        """The largest factor given each group, those of outputs for whoever does not know it, and e^epsilon."""
        crowds, only = list(zip(counts, self.p.rows)), self.p.given.get("given_only")
        given, overall = [largest(factors([c])) for c in crowds] or [F(1)], factors(crowds)
        return given, overall, max(given if only else given + [largest(overall)])
    def now(self):
        """The prior of the plan for the records of this file."""
        if self.here is self.p.records:
            return self.p.counts
        a, declared = F(self.prior.get("smooth", 0)), list(map(int, self.p.j["counts"]))
        return [[c * (sum(g) if self.strata else 1) for c in declared] if self.prior.get("of") == "declared" else
                [c * a.denominator + a.numerator for c in g] for g in self.here]
    def leaks(self):
        hold, r, j, s = self.hold, self.r, self.p.j, self.strata
        made, now, own = self.tells(self.p.counts), self.tells(self.now()), self.tells(self.here)
        said = zip(j["groups"] + s.get("groups", []) + [j["epsilon"], r["epsilon"]],
                   made[0] + (now[0] if s else []) + [made[2], now[2]])
        hold("factor", all(F(g["factor"]) == f and is_nats(g["nats"], f) for g, f in said), f"e^epsilon = {now[2]}")
        of = {"leakage.reached": max(now[0]), "leakage.overall": largest(now[1]), "leakage.own": max(own[0]),
              "leakage.own.overall": largest(own[1])}
        said = [(c["figure"]["factor"], of[c["key"]]) for c in r["claims"] if c["key"] in of and "figure" in c]
        said += [(at[k], f) for at, t in ((s, now), (s.get("own", {}), own)) for k, f in (
            ("given_factor", max(t[0])), ("overall_factor", largest(t[1]))) if k in at]
        said += [(r["prior"].get("own_factor", own[2]), own[2])]
        hold("by observer", all(F(a) == b for a, b in said), f"{max(now[0])}, all {largest(now[1])}, own {own[2]}")
        outputs = {(self.p.outputs[y], f) for y, f in now[1].items()}
        told = {(o["label"], F(o["factor"])) for o in r["outputs"] if o["factor"]}
        hold("factor of outputs", told <= outputs and (told == outputs or self.earlier), f"of {len(told)}")
        most = max(made[2], now[2], own[2] if self.prior and not self.prior.get("only") else 1)
        target = r["epsilon"]["target"]
        hold("target", target == j["epsilon"]["target"] and admits(target, most), f"e^{target}")
        rounded(self, target, r)
    def floor(self):
        of, floor = ([self.p.ranks(x) for x in range(len(self.p.order))], self.p.order), self.p.j["floor"]
        each = [tuple(min(u[x][y] for x, (_, row) in enumerate(law) for y in row) for u in of) for law in self.p.laws]
        worst = tuple(map(min, zip(*each)))
        said = [(floor, worst), (self.r["floor"], worst)] + [(g, each[g["mechanism"]]) for g in self.p.j["groups"]]
        self.hold("floor", all((f["rank"], f["value"]) == w for f, w in said) and -math.inf < worst[1] and
                  worst[floor["by"] == "value"] >= floor["at"], f"the worst is rank {worst[0]}, utility {worst[1]}")
    def shares(self):
        plan, said = self.p.j.get("shares", {}), self.r.get("shares", {})
        stands = [self.p.place.get(x, ("none", x)) for x in self.p.inputs]
        same = lambda s, f: s is None or F(s) == f or len(s) > 50_000 and 0 <= F(s) - f < F(1, 2**64)
        of = lambda counts: [shift([c], stands) for c in zip(counts, self.p.rows)] or [F(0)]
        here, all_, limit = of(self.here), shift(zip(self.here, self.p.rows), stands), F(plan.get("limit", 1))
        joint = sum(sum(c) * s for c, s in zip(self.here, here)) / (sum(map(sum, self.here)) or 1)
        self.hold("shift", same(said.get("shift"), all_) and same(said.get("joint"), joint) and max(here) <= limit and
                  same(plan.get("shift"), max(of(self.p.records))), f"{all_}; of a group {max(here)} <= {limit}")
    def group(self, v):
        """The group of a record whose column beside holds v."""
        name, groups = label(v), self.p.j["groups"]
        named = [i for i, g in enumerate(groups) if not self.strata or name in g.get("strata", [])]
        return (named + [i for i, g in enumerate(groups) if g.get("rest")] + [None])[0]
    def written(self, output, source):
        """Every written value against the plan; with the input the pairs (value, output), and counts of values."""
        r, p, hold, of = self.r, self.p, self.hold, self.r["domain"]
        stays = of["null"] == "public"
        rows, (ys,) = columns(output, [r["column"]], r["output"].get("dialect"))
        n = self.part["records"] if self.part else sum(map(sum, self.here))
        hold("rows", r["output"]["rows"] == r["input"]["rows"] == rows >= r["records"] == n, f"{rows}, {n} with values")
        ys, tally = list(map(label, ys)), collections.Counter(map(label, ys))
        if not self.earlier:
            k = rows - (tally.pop(None, 0) if stays else 0)
            hold("alphabet", tally.keys() <= p.place.keys() and {y: t / k for y, t in tally.items()} == {
                o["label"]: o["share"] for o in r["outputs"] if o["share"]}, f"{len(tally)} outputs in {k} records")
        if not source or "bins" in of:
            return hold("pairs", True, "not looked at: no input, or values are put into bins")
        beside = [self.strata["column"]] if self.strata else []
        found, (xs, *ws) = columns(source, [r["column"]] + beside, r["input"].get("dialect"))
        xs = [x if x is None or x in p.at else p.j.get("other", {}).get("label", x) for x in map(label, xs)]
        groups, ws = {v: self.group(v) for v in set((ws or [[None]])[0])}, ws[0] if ws else [None] * found
        rest = [(groups[w], x, y) for w, x, y in zip(ws, xs, ys) if x is not None or not stays]
        seen = collections.Counter(t[:2] for t in rest)
        counts = [[seen.pop((g, x), 0) for x in p.inputs] for g in range(len(p.rows))]
        same = F(self.part["factor"]) == self.tells(counts)[2] if self.part else counts == self.here
        hold("counts", same and found == rows and not seen, "of the input, by value and group")
        if seen or self.earlier:
            return hold("pairs", True, "not looked at: rows show earlier draws")
        bad = sum(p.place.get(y) not in p.rows[w][p.at[x]][1] for w, x, y in rest)
        bad, same = bad + (stays and ys.count(None) != rows - len(rest)), sum(x == y for _, x, y in rest)
        hold("pairs", bad == 0 and r["utility"]["unchanged"] == same, f"{bad} that the plan forbids, {same} unchanged")
def rounded(audit, e, r):
    """e^epsilon as asked for, rounded up to the float that is published; sentences and caps follow from it."""
    f, near, caps = F(r["target_factor"]), 1 - F(1, 10**9), [(F(g["share"]), g["cap"]) for g in r["grid"]]
    of = [c.get("figure") for c in r["claims"] if (c["key"][:7], c.get("standing")) == ("leakage", "promised")]
    ok = admits(e, max(1, f * near)) and not admits(e, f + F(1, 10**30)) and all(c["times"] == f for c in of if c)
    audit.hold("e^epsilon", ok and all(min(1, f * p) * near <= cap <= 1 for p, cap in caps), f"{float(f)}, and caps")
def public(folder, output, audit):
    """What a public report allows: e^epsilon, rounded up; rows; where mechanism.json has them, what may be written."""
    r, m = load(folder, "report.json"), load(folder, "mechanism.json")
    rows, (ys,) = columns(output, [r["column"]], r["output"].get("dialect"))
    audit.hold("rows", r["output"]["rows"] == r["rows"] == rows, f"{rows}")
    rounded(audit, r["target"], r)
    law, may = m.get("rows", []), {None} if r["domain"]["null"] == "public" else set()
    may |= {y for x in law for y, _ in x["outputs"]}
    ok = "withheld" in m or "earlier_draws" in m or set(map(label, ys)) <= may
    ok = ok and all(int(x["total"]) == sum(int(w) for _, w in x["outputs"]) for x in law)
    audit.hold("mechanism", ok, m.get("withheld", f"{len(may)} outputs"))
def release(audit, report, output, source=None):
    """The hashes of the statement, the commitment that ties the public one to it, and every private column."""
    at = Path(report) if Path(report).is_dir() else Path(report).parent
    at = next((d for d in (at, at / "..", at / "../../public") if (d / "release.json").exists()), at)
    s = load(at, "release.json")
    named, openly = {f["name"]: f for f in s["subject"] if "annotations" not in f}, "public" in s["predicateType"]
    files = [(output if "annotations" in f else at / f["name"], f) for f in s["subject"]]
    files += [(source, f) for f in s["predicate"].get("inputs", []) if source]
    bad = [f["name"] for path, f in files if Path(path).exists() and sha256(path) != f["digest"]["sha256"]]
    folders = [str(Path(n).parent) for n in named if Path(n).name == "report.json" and (openly or "public" not in n)]
    need = {str(Path(d, f)) for d in folders for f in (["mechanism.json"] if openly else ["plan.json", "order.csv"])}
    audit.hold("hashes", not bad and folders and need <= named.keys(), " ".join([f"{len(files)} files"] + bad))
    if not openly and (at / "public/release.json").exists():
        key = bytes.fromhex((at / "commitment.key").read_text())
        mac = hmac.new(key, (at / "release.json").read_bytes(), "sha256").hexdigest()
        audit.hold("commitment", load(at, "public/release.json")["predicate"]["commitment"] == mac, mac[:16])
    for i, d in enumerate(folders):
        audit.of = f"{i + 1}: " if len(folders) > 1 else ""
        public(at / d, output, audit) if openly else Column(at / d, audit).written(output, source)
def main():
    args, worst = argparse.ArgumentParser(usage=__doc__), 0
    args.add_argument("report", nargs="?")
    [args.add_argument(name) for name in ("--output", "--input", "--list")]
    a = args.parse_args()
    sys.set_int_max_str_digits(0)
    for line in open(0 if a.list == "-" else a.list, encoding="utf-8") if a.list else [json.dumps(vars(a))]:
        audit, code, of = Audit(), 2, json.loads(line)
        try:
            release(audit, of["report"], of["output"], of.get("input"))
            code, words = int(bool(audit.wrong)), ", ".join(audit.wrong) or "all is as claimed"
        except (OSError, LookupError, ValueError, TypeError, ArithmeticError, AttributeError) as e:
            words = f"cannot be read: {type(e).__name__}: {e}"
        print(f"{code} {words}" if a.list else "\n".join(audit.lines + ("not as claimed: " * (code == 1) + words,)))
        worst = max(worst, code)
    return worst
if __name__ == "__main__":
    sys.exit(main())
