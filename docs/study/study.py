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

HERE = pathlib.Path(__file__).resolve().parent
FACTORS = (3, 5, 10)
TACET = {"default": [], "5%": ["--max-shift", "5%"], "0%": ["--max-shift", "0%"], "none": ["--max-shift", "none"]}
NAMES = {
    "default": "Tacet, default (shift 5 %)",
    "0%": "Tacet, `--max-shift 0%`",
    "none": "Tacet, `--max-shift none`",
    "RR": "randomised response",
    "PRAM": "invariant PRAM",
    "groups": "generalisation",
}
FIELDS = ["column", "kind", "values", "records", "factor", "design", "reached", "worst", "mean", "shares", "drawn",
          "largest", "used", "table", "cramer", "groups_off", "slope"]


# --- the columns -----------------------------------------------------------------------------------------------


def columns(data):
    """Nine columns: label v, another column o, a number m, an event z; the order; and a score of every label."""
    import pandas as pd

    def column(name, kind, order, v, o, m, z, score):
        frame = pd.DataFrame({"v": v, "o": o, "m": m, "z": z}).dropna(subset=["v", "o", "z"])
        return name, kind, order, frame, {x: float(score(x)) for x in frame["v"].unique()}

    def places(labels):
        return "ordered:" + ",".join(labels), lambda x: labels.index(x)

    def bands(of, edges):
        labels = [f"from {e}" for e in edges]
        return pd.cut(of, [*edges, float("inf")], right=False, labels=labels).astype(object), labels

    b = pd.read_csv(data / "birdstrikes.csv", keep_default_na=False, na_values=[""])
    b["Origin State"] = b["Origin State"].replace("DC", "District of Columbia")
    speed, damage = b["Speed IAS in knots"], (b["Effect Amount of damage"] != "None").astype(float)
    large = b["Wildlife Size"].map({"Small": 0.0, "Medium": 1.0, "Large": 2.0})
    phase, phase_score = places(["Parked", "Taxi", "Take-off run", "Climb", "Descent", "Approach", "Landing Roll"])
    knots, knots_labels = bands(speed, range(0, 360, 20))
    knots_order, knots_score = places(knots_labels)
    south = set("Texas Louisiana Tennessee Kentucky Georgia Florida Maryland Oklahoma".split()) | {
        "North Carolina", "South Carolina", "District of Columbia"}

    f = pd.read_parquet(HERE.parent.parent / "testdata/tables/flights.parquet")
    hour, far = f["date"].dt.hour, (f["distance"] > 1000).astype(float)
    part = pd.cut(hour, [-1, 9, 13, 17, 24], labels=["morning", "noon", "afternoon", "evening"]).astype(object)
    minutes, minutes_labels = bands(f["delay"], [-99, -15, -10, -5, 0, 5, 10, 15, 30, 45, 60, 90, 120, 180, 240])
    minutes_order, minutes_score = places(minutes_labels)
    tables = HERE.parent.parent / "testdata/tables"
    east = pd.read_csv(tables / "airports.csv").set_index("iata")["longitude"]
    region = pd.read_csv(tables / "regions.csv", sep=";", header=None).set_index(0)[3]

    w = pd.read_csv(data / "weather.csv")
    degrees = w["temp_max"].round().astype(int).astype(str)

    i = pd.read_json(data / "income.json")
    i = i.loc[i.index.repeat((i["pct"] * i["total"] / 1000).round().astype(int))].reset_index(drop=True)
    income = sorted(i["group"].unique(), key=lambda g: int(g.strip("<").strip("+").split()[0]) - g.startswith("<"))
    income_order, income_score = places(income)
    urban = i["region"].isin(["northeast", "west"]).astype(float)

    yield column("phase of flight", "ordered", phase, b["Phase of flight"], b["Time of day"], speed, damage,
                 phase_score)
    yield column("speed, bands of 20 knots", "ordered", knots_order, knots, b["Phase of flight"], large, damage,
                 knots_score)
    yield column("state", "us-states", "us-states", b["Origin State"], b["Wildlife Size"], speed, damage,
                 lambda x: x in south)
    yield column("operator", "any", "any", b["Aircraft Airline Operator"], b["Phase of flight"], speed, damage,
                 lambda x: x == "AMERICAN AIRLINES")
    yield column("delay, bands", "ordered", minutes_order, minutes, part, f["distance"], (hour >= 14).astype(float),
                 minutes_score)
    yield column("origin", "positions", f"positions:{tables}/airports.csv", f["origin"], part, f["distance"], far,
                 lambda x: east[x])
    yield column("destination", "hierarchy", f"hierarchy:{tables}/regions.csv", f["destination"], part, f["distance"],
                 far, lambda x: region[x] == "West")
    yield column("temperature, degrees", "numeric", "numeric", degrees, w["weather"], w["wind"],
                 (w["weather"] == "rain").astype(float), float)
    yield column("household income, bands", "ordered", income_order, i["group"], i["region"], urban, urban,
                 income_score)


# --- the designs -----------------------------------------------------------------------------------------------


def tacet(program, order, labels, counts, factor, options):
    """The matrix of tacet design, and the distances of its order: how much worse each output is than the best."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/counts.csv", "w", newline="") as file:
            csv.writer(file).writerows([("label", "count"), *zip(labels, counts)])
        command = [program, "design", "--counts", "counts.csv", "--column", "v", "--utility", order, "--max-factor",
                   str(factor), *options, "--write-plan", "plan.json"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: {done.stderr}")
        plan = json.loads(pathlib.Path(folder, "plan.json").read_text())
        with open(f"{folder}/order.csv", newline="") as file:
            _, *rows = csv.reader(file)
    place = {label: i for i, label in enumerate(plan["outputs"])}
    assert sorted(plan["inputs"]) == sorted(plan["outputs"])
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
    """Randomised response: a value is kept with one chance and else drawn from all alike, as rarely as it may."""
    import numpy as np

    n = len(p)
    odds = min((factor - 1) / (n * (1 - factor * x)) for x in p if factor * x < 1)
    keep = odds / (1 + odds)
    return keep * np.eye(n) + (1 - keep) / n


def pram(p, distance, factor):
    """Invariant PRAM in sdcMicro's two stages, values drawn by share and nearness; the nearest within the factor."""
    import numpy as np

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
    import numpy as np

    n = len(p)
    order = np.array(line(distance, sorted(range(n), key=lambda x: -p[x]) if np.unique(distance).size == 2
                          else list(range(n))))
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
    import numpy as np

    if len(values) < 3:
        return values
    inside = distance[np.ix_(values, values)]
    i, j = np.unravel_index(inside.argmax(), inside.shape)
    ends = np.argwhere(inside == inside[i, j])
    i, j = min(ends.tolist(), key=lambda e: (e[0], -e[1]))
    key = inside[:, i] - inside[:, j]
    by = np.argsort(key, kind="stable")
    left = [values[k] for k in by if key[k] <= 0]
    right = [values[k] for k in by if key[k] > 0]
    return line(distance, left) + line(distance, right)


def reached(p, P):
    """The factor of a design: how many times likelier the best guess gets, at most."""
    out = p @ P
    return (P[:, out > 0].max(0) / out[out > 0]).max()


# --- the figures -----------------------------------------------------------------------------------------------


def figures(p, P, distance, frame, labels, score, n):
    """What stands in results.csv of one design; distances as they are."""
    import numpy as np
    import pandas as pd

    out, random = p @ P, np.random.default_rng(1)
    place = pd.Categorical(frame["v"], labels)
    table = pd.crosstab(place, frame["o"].to_numpy(), dropna=False).reindex(labels, fill_value=0).to_numpy() / len(frame)
    of_labels = [np.ones(len(frame)), frame["z"], frame["m"].notna(), frame["m"].fillna(0)]
    sums = [np.bincount(place.codes, of, len(labels)) for of in of_labels]
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
    }


def run(program, data):
    """Writes the figures of all designs; replacement relative to randomised response at the same factor."""
    import numpy as np

    results = []
    for name, kind, order, frame, score in columns(data):
        count = frame["v"].value_counts()
        labels = [x for x in order[8:].split(",") if x in count.index] if kind == "ordered" else sorted(count.index)
        n = np.array([int(count[x]) for x in labels])
        p = n / n.sum()
        for factor in FACTORS:
            made = {k: tacet(program, order, labels, n, factor, options) for k, options in TACET.items()}
            distance = made["default"][1]
            designs = {k: P for k, (P, _) in made.items()} | {
                "RR": response(p, factor), "PRAM": pram(p, distance, factor), "groups": groups(p, distance, factor)}
            rows = {k: figures(p, P, distance, frame, labels, score, n) for k, P in designs.items()}
            rr = dict(rows["RR"])
            for design, row in rows.items():
                assert row["reached"] <= factor * (1 + 1e-9), (name, factor, design, row["reached"])
                row |= {"worst": row["worst"] / rr["worst"], "mean": row["mean"] / rr["mean"]}
                row = {k: v if isinstance(v, int) else f"{v:.4f}" for k, v in row.items()}
                results.append({"column": name, "kind": kind, "values": len(p), "records": n.sum(), "factor": factor,
                                "design": design, **row})
            print(name, factor, {k: f"{r['shares']:.1f}" for k, r in rows.items()}, flush=True)
    with open(HERE / "results.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(results)


# --- the page --------------------------------------------------------------------------------------------------

TEXT = """# What a published column is still good for

![Mean replacement against share error: Tacet's default is lowest on the left](pictures/study.svg)

Nine real columns are published at factors 3, 5 and 10 by Tacet and by three rivals at the same factor, that is, the
same [epsilon](glossary.md). `make study` makes all figures again in some minutes;
[results.csv](study/results.csv) has each of them, [study.py](study/study.py) their definitions. They are expected
values: chance adds to them, most in a small file. "As drawn" is the mean of 20 simulated draws.

{columns}

Medians of the nine columns at factors 3 / 5 / 10. Replacement is the distance in the column's order, relative to
randomised response. A share error is half the summed error of all shares, in points.

{medians}

**The default keeps every set of values within 5 points** ({most} at most, of {designs} designs), and is what
`--max-shift 5%` gives. `--max-shift 0%` keeps shares exactly, with a mean replacement {zero} times the default's at
factor 5 and a weaker floor. `none` has the best floor and shares that cannot be read off.

At factor 5 (median and range; the truth is 0, 1, 0 and 1):

{uses}

- **Table off**: half the summed error of a two-way table with another column, in points. **Cramer's V** is relative to
  the true table's: below 1 the association is weakened.
- **Means off**: error of the mean of a number by value, in its standard deviations; values that are never published
  count as the mean of all.
- **Slope**: logistic regression of an event on the value's place, number, longitude or region (an operator: the
  commonest), relative to the true slope.

No design keeps all four. Tables of columns with many values, and associations within them, are weakened by every
design at factor 5.

**The rivals.** *Randomised response* keeps a value or draws from all alike. *Invariant PRAM* is sdcMicro's method in
two stages, values drawn by share and nearness; it keeps shares, and promises nothing by itself: here it is held to the
factor. *Generalisation* publishes the most central value of groups that hold at least 1/factor of the records, the cuts
of least mean distance.

**The data.** Strikes, weather and income are from the package vega-datasets 3.2.1 (BSD-3-Clause), which names their
sources: FAA, NOAA and US Census Bureau, works of the US government. Flights are
[ours](../testdata/tables/README.md), in the public domain. One record of income stands for 1,000 households.
"""


def page(root):
    """Writes the page and its picture from the stored results."""
    with open(HERE / "results.csv", newline="") as file:
        results = list(csv.DictReader(file))

    def of(design, factor, field):
        return [float(r[field]) for r in results if (r["design"], r["factor"]) == (design, str(factor))]

    def middle(design, factor, field):
        return statistics.median(of(design, factor, field))

    def table(head, rows):
        ruler = ["---"] + ["--:"] * (len(head) - 1)
        return "\n".join("| " + " | ".join(row) + " |" for row in [head, ruler, *rows])

    def three(design, field, digits):
        return " / ".join(f"{middle(design, factor, field):.{digits}f}" for factor in FACTORS)

    def ranged(design, field, digits):
        v = of(design, 5, field)
        return f"{statistics.median(v):.{digits}f} ({min(v):.{digits}f} to {max(v):.{digits}f})"

    first = {r["column"]: r for r in results}.values()
    text = TEXT.format(
        columns=table(["column", "order", "values", "records"],
                      [[r["column"], f"`{r['kind']}`", r["values"], f"{int(r['records']):,}"] for r in first]),
        medians=table(["", "worst", "mean", "share error", "as drawn", "largest share error", "values in use"],
                      [[name, three(d, "worst", 2), three(d, "mean", 2), three(d, "shares", 0), three(d, "drawn", 0),
                        three(d, "largest", 0), three(d, "used", 0)] for d, name in NAMES.items()]),
        uses=table(["", "table off", "Cramer's V", "means off", "slope"],
                   [[name, ranged(d, "table", 0), ranged(d, "cramer", 2), ranged(d, "groups_off", 2),
                     ranged(d, "slope", 2)] for d, name in NAMES.items()]),
        most=f"{max(float(r['shares']) for r in results if r['design'] == 'default'):.1f}",
        designs=len([r for r in results if r["design"] == "default"]),
        zero=f"{middle('0%', 5, 'mean') / middle('default', 5, 'mean'):.2f}")
    (root / "docs/study.md").write_text(text)
    (root / "docs/pictures/study.svg").write_text(picture(middle))


LOOKS = {"default": ("#0072b2", "Tacet: default", 12, 14), "0%": ("#d55e00", "Tacet: shares kept exactly", 12, -8),
         "none": ("#00825f", "Tacet: no limit", 8, 18), "RR": ("#6e6e6e", "randomised response", 10, -10),
         "PRAM": ("#aa508c", "invariant PRAM", 14, 4), "groups": ("#000000", "generalisation", 8, -10)}


def picture(middle):
    """Share error against mean replacement, a line of the three factors for every design."""
    def x(v):
        return 70 + 7.6 * v

    def y(v):
        return 340 - 270 * v

    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="720" height="400" viewBox="0 0 720 400" '
           'font-family="sans-serif" font-size="13">',
           "<title>Share error and mean replacement of six designs at factors 3, 5 and 10</title>",
           '<rect width="720" height="400" fill="#fff"/>',
           '<text x="70" y="26" font-size="16">Nine real columns, medians: near the lower left corner is best</text>']
    for v in range(0, 81, 20):
        out.append(f'<path d="M{x(v):.1f} 340V60" stroke="#ddd"/>'
                   f'<text x="{x(v):.1f}" y="358" text-anchor="middle">{v}</text>')
    for v in (0, 0.25, 0.5, 0.75, 1):
        out.append(f'<path d="M70 {y(v):.1f}H690" stroke="#ddd"/>'
                   f'<text x="62" y="{y(v) + 4:.1f}" text-anchor="end">{v:g}</text>')
    out += ['<text x="380" y="384" text-anchor="middle">error of the published shares, in points</text>',
            '<text transform="translate(22 200) rotate(-90)" text-anchor="middle">'
            "mean replacement (randomised response: 1)</text>"]
    for design, (colour, name, right, down) in LOOKS.items():
        at = [(x(middle(design, f, "shares")), y(middle(design, f, "mean"))) for f in FACTORS]
        out.append(f'<path d="M{" L".join(f"{a:.1f} {b:.1f}" for a, b in at)}" fill="none" stroke="{colour}"/>')
        for factor, (a, b) in zip(FACTORS, at):
            out.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="8" fill="{colour}"/><text x="{a:.1f}" y="{b + 3.5:.1f}" '
                       f'text-anchor="middle" font-size="10" fill="#fff">{factor}</text>')
        a, b = at[0]
        out.append(f'<text x="{a + right:.1f}" y="{b + down:.1f}" fill="{colour}">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", program, data]:
            run(pathlib.Path(program).resolve(), pathlib.Path(data))
            page(HERE.parent.parent)
        case ["page", *root]:
            page(pathlib.Path(*root) if root else HERE.parent.parent)
        case _:
            raise SystemExit(__doc__)
