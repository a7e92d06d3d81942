"""The study of docs/study.md: what a published column is still good for, by Tacet and by its rivals.

  study.py run TACET DATA   designs everything anew, from the folder DATA of vega-datasets; then as page
  study.py page [ROOT]      writes docs/study.md and docs/pictures/study.svg from docs/study/results.csv

A design is a matrix P: P[x, y] is the chance that y is published for x. All figures but `drawn` are expected
values, so no seed decides them. A run needs numpy, pandas and pyarrow; a page needs Python alone.
"""
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

if sys.argv[1:2] == ["run"]:
    import numpy as np
    import pandas as pd

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FACTORS = (3, 5, 10)
TACET = {"default": [], "5%": ["--max-shift", "5%"], "0%": ["--max-shift", "0%"], "none": ["--max-shift", "none"],
         "recovery": ["--prefer", "recovery"]}
NAMES = {"default": "Tacet, default (shift 5 %)", "0%": "Tacet, `--max-shift 0%`", "none": "Tacet, `--max-shift none`",
         "recovery": "Tacet, `--prefer recovery`", "RR": "randomised response", "PRAM": "invariant PRAM",
         "groups": "generalisation"}


def columns(data):
    """Nine columns: label v, another column o, a number m, an event z; the order; and a score of every label."""
    def column(name, v, o, m, z, order, score):
        frame = pd.DataFrame({"v": v, "o": o, "m": m, "z": z.astype(float)}).dropna(subset=["v", "o"])
        return name, order, frame, {x: float(score(x)) for x in frame["v"].unique()}

    def places(labels):
        return "ordered:" + ",".join(labels), labels.index

    def bands(of, edges):
        labels = [f"from {e}" for e in edges]
        return pd.cut(of, [*edges, float("inf")], right=False, labels=labels).astype(object), *places(labels)

    b = pd.read_csv(data / "birdstrikes.csv", keep_default_na=False, na_values=[""])
    states = b["Origin State"].replace("DC", "District of Columbia")
    phase, speed, damage = b["Phase of flight"], b["Speed IAS in knots"], b["Effect Amount of damage"] != "None"
    knots, *knots_order = bands(speed, range(0, 360, 20))
    south = ("Texas", "Louisiana", "Tennessee", "Kentucky", "Georgia", "Florida", "Maryland", "Oklahoma",
             "North Carolina", "South Carolina", "District of Columbia")
    yield column("phase of flight", phase, b["Time of day"], speed, damage, *places(
        ["Parked", "Taxi", "Take-off run", "Climb", "Descent", "Approach", "Landing Roll"]))
    size = b["Wildlife Size"].map({"Small": 0, "Medium": 1, "Large": 2})
    yield column("speed, bands of 20 knots", knots, phase, size, damage, *knots_order)
    yield column("state", states, b["Wildlife Size"], speed, damage, "us-states", lambda x: x in south)
    yield column("operator", b["Aircraft Airline Operator"], phase, speed, damage, "any",
                 lambda x: x == "AMERICAN AIRLINES")

    tables = ROOT / "testdata/tables"
    f = pd.read_parquet(tables / "flights.parquet")
    hour, far = f["date"].dt.hour, f["distance"] > 1000
    part = pd.cut(hour, [-1, 9, 13, 17, 24], labels=["morning", "noon", "afternoon", "evening"]).astype(object)
    minutes, *minutes_order = bands(f["delay"], [-99, -15, -10, -5, 0, 5, 10, 15, 30, 45, 60, 90, 120, 180, 240])
    east = pd.read_csv(tables / "airports.csv").set_index("iata")["longitude"]
    region = pd.read_csv(tables / "regions.csv", sep=";", header=None).set_index(0)[3]
    yield column("delay, bands", minutes, part, f["distance"], hour >= 14, *minutes_order)
    yield column("origin", f["origin"], part, f["distance"], far, f"positions:{tables}/airports.csv", east.get)
    yield column("destination", f["destination"], part, f["distance"], far, f"hierarchy:{tables}/regions.csv",
                 lambda x: region[x] == "West")

    w = pd.read_csv(data / "weather.csv")
    degrees = w["temp_max"].round().astype(int).astype(str)
    yield column("temperature, degrees", degrees, w["weather"], w["wind"], w["weather"] == "rain", "numeric", float)

    i = pd.read_json(data / "income.json")
    i = i.loc[i.index.repeat((i["pct"] * i["total"] / 1000).round().astype(int))].reset_index(drop=True)
    coast = i["region"].isin(["northeast", "west"])
    yield column("household income, bands", i["group"], i["region"], coast.astype(float), coast, *places(
        sorted(i["group"].unique(), key=lambda g: int(g.strip("<+").split()[0]) - g.startswith("<"))))


def tacet(program, order, labels, counts, factor, options):
    """The matrix of tacet design, and the distances of its order: how much worse each output is than the best."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/counts.csv", "w", newline="") as file:
            csv.writer(file).writerows([("label", "count"), *zip(labels, counts)])
        subprocess.run([program, "design", "--counts", "counts.csv", "--column", "v", "--utility", order,
                        "--max-factor", str(factor), *options, "--write-plan", "plan.json"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
        plan = json.loads(pathlib.Path(folder, "plan.json").read_text())
        with open(f"{folder}/order.csv", newline="") as file:
            _, *rows = csv.reader(file)
    place = {label: i for i, label in enumerate(plan["outputs"])}
    at = [place[label] for label in labels]
    utility = {row[0]: [float(u) for u in row[1:]] for row in rows}
    distance = np.array([[max(utility[x]) - utility[x][y] for y in at] for x in labels])
    P = np.zeros((len(place), len(place)))
    mechanism = plan["mechanisms"][0]
    for row in mechanism.get("rows") or mechanism["blocks"]:
        for x in row.get("inputs") or [row["input"]]:
            for y, weight in row["outputs"]:
                P[place[x], place[y]] = int(weight) / int(row["total"])
    return P[np.ix_(at, at)], distance


def response(p, factor):
    """Randomised response: a value is kept, as often as the factor allows, and else drawn from all alike."""
    n = len(p)
    odds = min((factor - 1) / (n * (1 - factor * x)) for x in p if factor * x < 1)
    keep = odds / (1 + odds)
    return keep * np.eye(n) + (1 - keep) / n


def pram(p, distance, factor):
    """Invariant PRAM in sdcMicro's two stages, values drawn by share and nearness; the nearest within the factor."""
    def matrix(scale):
        P = p * np.exp(-distance / scale)
        P /= P.sum(1, keepdims=True)
        return P @ ((p[:, None] * P).T / (p @ P)[:, None])

    low, high = distance.max() * 1e-3, distance.max() * 1e4
    for _ in range(60):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if reached(p, matrix(middle)) <= factor else (middle, high)
    return matrix(high)


def groups(p, distance, factor):
    """Generalisation: groups of at least 1/factor, next to each other in a line, each by its most central value;
    of all such cuts the one with the least mean distance."""
    n = len(p)
    first = sorted(range(n), key=lambda x: -p[x] if np.unique(distance).size == 2 else x)
    order = np.array(line(distance, first))
    near = np.vstack([np.zeros(n), np.cumsum((p[:, None] * distance)[order][:, order], 0)])
    mass = np.concatenate([[0], np.cumsum(p[order])])
    best = [(0.0, 0, 0)] + [(float("inf"), 0, 0)] * n
    for end in range(1, n + 1):
        for start in range(end):
            if mass[end] - mass[start] >= 1 / factor - 1e-12 and best[start][0] < float("inf"):
                cost = near[end, start:end] - near[start, start:end]
                centre = int(cost.argmin())
                best[end] = min(best[end], (best[start][0] + cost[centre], start, start + centre))
    P, end = np.zeros((n, n)), n
    while end:
        _, start, centre = best[end]
        P[order[start:end], order[centre]] = 1
        end = start
    return P


def line(distance, values):
    """The values in a line: cut between the two farthest again and again."""
    if len(values) < 3:
        return values
    inside = distance[np.ix_(values, values)]
    i, j = min(np.argwhere(inside == inside.max()).tolist(), key=lambda e: (e[0], -e[1]))
    key = inside[:, i] - inside[:, j]
    by = np.argsort(key, kind="stable")
    return [v for half in (key[by] <= 0, key[by] > 0) for v in line(distance, [values[k] for k in by[half]])]


def reached(p, P):
    """The factor of a design: how many times likelier the best guess gets, at most."""
    out = p @ P
    return (P[:, out > 0].max(0) / out[out > 0]).max()


def figures(p, P, distance, frame, labels, score, n):
    """What stands in results.csv of one design; distances as they are."""
    out, random = p @ P, np.random.default_rng(1)
    place = pd.Categorical(frame["v"], labels)
    table = pd.crosstab(place, frame["o"].to_numpy(), normalize=True, dropna=False).reindex(labels).to_numpy()
    sums = [np.bincount(place.codes, of, len(labels))
            for of in (np.ones(len(frame)), frame["z"], frame["m"].notna(), frame["m"].fillna(0))]
    drawn = [sum(random.multinomial(c, row) for c, row in zip(n, P)) / n.sum() for _ in range(20)]

    def cramer(t):
        t = t[t.sum(1) > 1e-15]
        expected = t.sum(1, keepdims=True) * t.sum(0) / t.sum()
        return (((t - expected) ** 2 / expected).sum() / (min(t.shape) - 1)) ** 0.5

    def mean(known, total):
        return np.where(known > 1e-9, total / np.maximum(known, 1e-9), frame["m"].mean())

    def slope(all_of, events):
        x, a, b = np.array([score[label] for label in labels]), np.zeros(2), np.array([0.0, 1e-6])
        X = np.stack([np.ones(len(x)), (x - x.mean()) / x.std()], 1)
        for _ in range(100):
            a, q = a + b, 1 / (1 + np.exp(-X @ (a + b)))
            b = np.linalg.pinv((X * (all_of * q * (1 - q))[:, None]).T @ X) @ X.T @ (events - all_of * q)
        return a[1]

    published = [P.T @ of for of in sums]
    undone = np.linalg.inv(P) if np.linalg.cond(P) < 1e12 else np.full_like(P, np.nan)
    noise = undone.T @ (np.diag(P.T @ n) - (P.T * n) @ P) @ undone / n.sum() ** 2
    return {
        "reached": reached(p, P),
        "worst": distance[P > 0].max(),
        "mean": p @ (P * distance).sum(1),
        "shares": 50 * abs(out - p).sum(),
        "drawn": statistics.mean(50 * abs(o - p).sum() for o in drawn),
        "largest": 100 * abs(out - p).max(),
        "used": int((out > 0).sum()),
        "table": 50 * abs(P.T @ table - table).sum(),
        "cramer": cramer(P.T @ table) / cramer(table),
        "groups_off": p @ abs(mean(*published[2:]) - mean(*sums[2:])) / frame["m"].std(),
        "slope": slope(*published[:2]) / slope(*sums[:2]),
        "recovered": np.sqrt(noise.diagonal()).mean(),
    }


def run(program, data):
    """Writes the figures of all designs; replacement and the standard error of recovered shares relative to
    randomised response at the same factor, the error empty where a design cannot be undone."""
    results = []
    for name, order, frame, score in columns(data):
        count, kind = frame["v"].value_counts(), order.split(":")[0]
        labels = [x for x in order[8:].split(",") if x in count.index] if kind == "ordered" else sorted(count.index)
        n = np.array([int(count[x]) for x in labels])
        p = n / n.sum()
        for factor in FACTORS:
            made = {k: tacet(program, order, labels, n, factor, options) for k, options in TACET.items()}
            distance = made["default"][1]
            designs = {k: P for k, (P, _) in made.items()} | {
                "RR": response(p, factor), "PRAM": pram(p, distance, factor), "groups": groups(p, distance, factor)}
            rows = {k: figures(p, P, distance, frame, labels, score, n) for k, P in designs.items()}
            unit = {f: rows["RR"][f] for f in ("worst", "mean", "recovered")}
            for design, row in rows.items():
                assert row["reached"] <= factor * (1 + 1e-9), (name, factor, design, row["reached"])
                row |= {f: row[f] / of for f, of in unit.items()}
                results.append({"column": name, "kind": kind, "values": len(p), "records": n.sum(), "factor": factor,
                                "design": design}
                               | {k: f"{v:.4f}".removesuffix(".0000").replace("nan", "") for k, v in row.items()})
            print(name, factor, {k: f"{r['shares']:.1f}" for k, r in rows.items()}, flush=True)
    with open(HERE / "results.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, results[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(results)


TEXT = """# What a published column is still good for

![Mean replacement against share error, six designs](pictures/study.svg)

Nine real columns, published at factors 3, 5 and 10 by Tacet and by three rivals held to the same factor. `make study`
makes all again in minutes; [results.csv](study/results.csv) has all figures, [study.py](study/study.py) their
definitions. They are expected values of the column as it is read; "drawn" adds chance (20 simulated draws).

{columns}

Medians at factors 3 / 5 / 10. Replacement is a distance in the column's order, relative to randomised response. Share
error is half the summed error of all shares, in points.

{medians}

**The default keeps every set of values within {most} points** in all {designs} designs, before chance. It is what
`--max-shift 5%` gives. `--max-shift 0%` keeps shares exactly: its mean replacement is {zero} times the default's at
factor 5, its worst one further away. `none` has the nearest worst replacement, and shares that cannot be read off.

At factor 5, median and range (truth: 0, 1, 0, 1):

{uses}

- **Table off**: half the summed error of a two-way table with another column, in points; **Cramer's V** relative to
  the true table's.
- **Means off**: error of the means of a number by value, in its standard deviations. A value that is never published
  counts as the mean of all.
- **Slope**: of an event by place, number, longitude or region (an operator: the commonest), in logistic regression,
  relative to the true slope.

In the median every design weakens associations.

**Undone.** From `--prefer recovery` the shares are [recovered](analysts.md) with a mean standard error of
{recovered} times that of randomised response ({least} to {largest}, at most 1.3 in {good} of {all} designs), and the
worst replacement, at the floor, is {away} times as far away. Of 228 values a minute of search, on a busy machine, found
hardly more than randomised response. Tacet's other designs here cannot be undone.

**Rivals.** *Randomised response* keeps a value or draws from all alike. *Invariant PRAM* is sdcMicro's method, in two
stages, values drawn by share and nearness; by itself it promises nothing of leakage. *Generalisation* publishes the
most central value of groups of at least 1/factor of the records, cut for the least mean distance.

**Data.** Bird strikes (FAA), weather (NOAA) and income (Census Bureau, a record for 1,000 households) are data of the
US government from the package vega-datasets 3.2.1 (BSD-3-Clause), which names their terms. Flights are from
[testdata](../testdata/tables/README.md), in the public domain.
"""
LOOKS = {"default": ("#0072b2", "Tacet: default", 12, 14), "0%": ("#d55e00", "Tacet: shares kept exactly", 12, -8),
         "none": ("#00825f", "Tacet: no limit", 8, 20), "RR": ("#6e6e6e", "randomised response", 10, -10),
         "PRAM": ("#aa508c", "invariant PRAM", 14, 4), "groups": ("#000000", "generalisation", -80, -12)}


def page(root):
    """Writes the page and its picture from the stored results."""
    with open(HERE / "results.csv", newline="") as file:
        results = list(csv.DictReader(file))

    def of(design, factor, field):
        return [float(r[field]) for r in results if (r["design"], r["factor"]) == (design, str(factor))]

    def middle(design, factor, field):
        return statistics.median(of(design, factor, field))

    def table(head, rows):
        return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] + ["--:"] * (len(head) - 1), *rows])

    def three(design, field, digits):
        return " / ".join(f"{middle(design, factor, field):.{digits}f}" for factor in FACTORS)

    def ranged(design, field, digits):
        v = of(design, 5, field)
        return f"{statistics.median(v):.{digits}f} ({min(v):.{digits}f} to {max(v):.{digits}f})"

    recovered = [r for f in FACTORS for r in of("recovery", f, "recovered")]
    (root / "docs/study.md").write_text(TEXT.format(
        columns=table(["column", "order", "values", "records"],
                      [[r["column"], f"`{r['kind']}`", r["values"], f"{int(r['records']):,}"]
                       for r in {r["column"]: r for r in results}.values()]),
        medians=table(["", "worst", "mean", "share error", "drawn", "largest share error", "values in use"],
                      [[name, *(three(d, f, 2) for f in ("worst", "mean")),
                        *(three(d, f, 0) for f in ("shares", "drawn", "largest", "used"))]
                       for d, name in NAMES.items()]),
        uses=table(["", "table off", "Cramer's V", "means off", "slope"],
                   [[name, ranged(d, "table", 0), *(ranged(d, f, 2) for f in ("cramer", "groups_off", "slope"))]
                    for d, name in NAMES.items()]),
        most=f"{max(max(of('default', f, 'shares')) for f in FACTORS):.4g}",
        designs=sum(len(of("default", f, "shares")) for f in FACTORS),
        recovered=three("recovery", "recovered", 2),
        least=f"{min(recovered):.2f}", largest=f"{max(recovered):.2f}", good=sum(r <= 1.3 for r in recovered),
        all=len(recovered), away=three("recovery", "worst", 2),
        zero=f"{middle('0%', 5, 'mean') / middle('default', 5, 'mean'):.2f}"))
    (root / "docs/pictures/study.svg").write_text(picture(middle))


def picture(middle):
    """Share error against mean replacement, a line of the three factors for every design."""
    def text(x, y, words, more=""):
        out.append(f'<text x="{x:.1f}" y="{y:.1f}" {more}>{words}</text>')

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 400" font-family="sans-serif" font-size="13">',
           '<rect width="720" height="400" fill="#fff"/>']
    text(70, 26, "Nine real columns, medians at factors 3, 5 and 10: near the lower left corner is best")
    for i in range(5):
        out.append(f'<path d="M{70 + 152 * i} 340V60M70 {340 - 67.5 * i:.1f}H690" stroke="#ddd"/>')
        text(70 + 152 * i, 362, 20 * i, 'text-anchor="middle"')
        text(56, 344 - 67.5 * i, i / 4, 'text-anchor="end"')
    text(380, 386, "error of the published shares, in points", 'text-anchor="middle"')
    text(-200, 20, "mean replacement (randomised response: 1)", 'text-anchor="middle" transform="rotate(-90)"')
    for design, (colour, name, right, down) in LOOKS.items():
        at = [(70 + 7.6 * middle(design, f, "shares"), 340 - 270 * middle(design, f, "mean")) for f in FACTORS]
        out.append(f'<path d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y in at)}" fill="none" stroke="{colour}"/>')
        for factor, (x, y) in zip(FACTORS, at):
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="{colour}"/>')
            text(x, y + 3.5, factor, 'text-anchor="middle" font-size="10" fill="#fff"')
        text(at[0][0] + right, at[0][1] + down, name, f'fill="{colour}"')
    return "\n".join([*out, "</svg>"]) + "\n"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", program, data]:
            run(pathlib.Path(program).resolve(), pathlib.Path(data))
            page(ROOT)
        case ["page", *root] if len(root) < 2:
            page(pathlib.Path(*root) if root else ROOT)
        case _:
            raise SystemExit(__doc__)
