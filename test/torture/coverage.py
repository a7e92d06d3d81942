"""Coverage of the intervals that tacet recover tells, over many releases of three real tables; scenes.py lists it."""
import collections
import csv
import json
import os
import shutil
import statistics
import tempfile

DATA = os.path.join("out", "study", "package", "data")  # which make study fetches
ROWS = 1500  # of a table
# File, private column and the lower ends of its bands, kept column.
TABLES = [("birdstrikes.csv", "Speed IAS in knots", (0, 60, 120, 180, 240), "Wildlife Size"),
          ("weather.csv", "temp_max", (-9, 8, 13, 18, 24), "location"),
          ("movies.json", "IMDB Rating", (0, 5, 6, 7, 8), "MPAA Rating")]


def table(path, private, ends, kept):
    """Pairs of a band and a kept value, of the three commonest."""
    with open(path, newline="") as f:
        read = json.load(f) if path.endswith(".json") else csv.DictReader(f)
        rows = [(float(r[private]), r[kept]) for r in read if r[private] and r[kept]]
    common = {w for w, _ in collections.Counter(w for _, w in rows).most_common(3)}
    rows = [("from %d" % max(e for e in ends if e <= x), w) for x, w in rows if w in common]
    return rows[::max(1, len(rows) // ROWS)][:ROWS]


def coverage(b, n):
    """releases of three real tables: 95 % intervals of shares and of tables hold the truth in 94.5 to 95.5 %"""
    from scenes import Missing
    if not os.path.exists(os.path.join(b.root, DATA)):
        raise Missing("needs out/study, which make study fetches")
    folder, notes = tempfile.mkdtemp(), []
    for name, private, ends, kept in TABLES:
        rows = table(os.path.join(b.root, DATA, name), private, ends, kept)
        # Rows are drawn each by itself, so that copies of a table are as many releases of it.
        with open(os.path.join(folder, "in.csv"), "w", newline="") as f:
            out = csv.writer(f)
            out.writerow(("copy", "w", "v"))
            for copy in range(n):
                out.writerows((copy, w, v) for v, w in rows)
        order = "ordered:" + ",".join("from %d" % e for e in ends)
        b.run(folder, "run", "--input", "in.csv", "--column", "v", "--utility", order, "--max-factor", "3", "--prefer",
              "recovery", "--keep", "copy,w", "--output", "out.csv", "--report", "r", "--overwrite")
        for by in "copy", "copy,w":
            told = json.loads(b.run(folder, "recover", "--input", "out.csv", "--column", "v", "--mechanism",
                                    "r/plan.json", "--by", by, "--format", "json").stdout)
            held = collections.defaultdict(list)  # by release
            for cell in told["cells"]:
                of = [v for v, w in rows if [w] == cell["by"][1:] or by == "copy"]
                for figure in cell["figures"]:
                    share = of.count(figure["label"]) / len(of)
                    held[cell["by"][0]].append(figure["low"] <= share <= figure["high"])
            shares = [sum(h) / len(h) for h in held.values()]
            mean, error = statistics.mean(shares), statistics.stdev(shares) / n ** 0.5
            notes.append(f"{100 * mean:.2f}")
            # By chance more than 4 standard errors off in one of 16,000.
            if not (len(held) == n and abs(mean - 0.95) <= 0.005 + 4 * error):
                b.wrong(name, by, mean, "of the intervals hold the truth, with a standard error of", error)
    shutil.rmtree(folder)
    return n, f"of each of {len(TABLES)}; coverage in percent, shares and table: " + ", ".join(notes)
