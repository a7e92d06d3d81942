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
        frame = pd.DataFrame({"v": v, "o": o, "m": m, "z": z}).dropna()
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
    hour, late = f["date"].dt.hour, (f["delay"] > 15).astype(float)
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
    yield column("origin", "positions", f"positions:{tables}/airports.csv", f["origin"], part, f["distance"], late,
                 lambda x: east[x])
    yield column("destination", "hierarchy", f"hierarchy:{tables}/regions.csv", f["destination"], part, f["distance"],
                 late, lambda x: region[x] == "West")
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
    means = [np.bincount(place.codes, weight, len(labels)) for weight in (np.ones(len(frame)), frame["m"], frame["z"])]
    drawn = [sum(random.multinomial(c, row) for c, row in zip(n, P)) / n.sum() for _ in range(20)]

    def cramer(t):
        t = t[t.sum(1) > 1e-15]
        expected = t.sum(1, keepdims=True) * t.sum(0) / t.sum()
        return (((t - expected) ** 2 / expected).sum() / (min(t.shape) - 1)) ** 0.5

    def mean(of):
        return np.where(of[0] > 1e-9, of[1] / np.maximum(of[0], 1e-9), frame["m"].mean())

    def slope(of):
        x, a, b = np.array([score[label] for label in labels]), np.zeros(2), np.array([0.0, 1e-6])
        X = np.stack([np.ones(len(x)), (x - x.mean()) / x.std()], 1)
        for _ in range(100):
            a, q = a + b, 1 / (1 + np.exp(-X @ (a + b)))
            b = np.linalg.pinv((X * (of[0] * q * (1 - q))[:, None]).T @ X) @ X.T @ (of[2] - of[0] * q)
        return a[1]

    published = [P.T @ of for of in means]
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
        "groups_off": p @ abs(mean(published) - mean(means)) / frame["m"].std(),
        "slope": slope(published) / slope(means),
    }


def run(program, data):
    """All designs of all columns; replacement relative to randomised response at the same factor."""
    import numpy as np

    results = []
    for name, kind, order, frame, score in columns(data):
        count = frame["v"].value_counts()
        labels = [x for x in order[8:].split(",")] if kind == "ordered" else sorted(count.index)
        labels = [x for x in labels if x in count.index]
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
            print(name, factor, {k: round(r["shares"], 1) for k, r in rows.items()}, flush=True)
    with open(HERE / "results.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(results)


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"] and len(sys.argv) == 4:
        run(pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]))
