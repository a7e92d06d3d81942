"""Times `tacet design --design optimal` beside HiGHS on the same least-factor problem.

HiGHS (through scipy) bisects over the factor t: is there a mechanism on the support with p(y|x) <= t q(y)? Tacet's time is
that of the whole command, from reading counts and pairs to writing a proven plan; that of HiGHS is its solves alone. Both
run in turn. Needs python3 with scipy.

usage: compare.py TACET [LETTERS [ROUNDS]]
"""

import csv
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

import numpy as np
import scipy
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


def instance(letters, seed):
    """A random prior and support: half of all pairs allowed, one at least per letter."""
    r = random.Random(seed)
    counts = [r.randint(1, 1000) for _ in range(letters)]
    allowed = [sorted({x} | {y for y in range(letters) if r.random() < 0.5}) for x in range(letters)]
    return counts, allowed


def write(folder, counts, allowed):
    with open(os.path.join(folder, "counts.csv"), "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["label", "count"])
        w.writerows([f"a{x}", c] for x, c in enumerate(counts))
    with open(os.path.join(folder, "pairs.csv"), "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["from", "to", "utility"])
        w.writerows([f"a{x}", f"a{y}", (7 * x + 3 * y) % 11] for x, row in enumerate(allowed) for y in row)


def tacet(binary, folder):
    """The whole command; returns seconds and the proven bracket."""
    start = time.perf_counter()
    subprocess.run([binary, "design", "--column", "letter", "--counts", "counts.csv", "--utility", "pairs:pairs.csv",
                    "--design", "optimal", "--floor-rank", "1", "--max-factor", "1000000", "--write-plan", "plan.json",
                     "--overwrite"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    with open(os.path.join(folder, "plan.json")) as f:
        c = json.load(f)["certificate"]
    return seconds, float(Fraction(c["lower_factor"])), float(Fraction(c["upper_factor"]))


class Feasibility:
    """The sparse linear program of one factor: p(y|x) <= t q(y) + s with q(y) = sum_x P(x) p(y|x), least s >= 0."""

    def __init__(self, counts, allowed):
        n = len(counts)
        prior = np.array(counts) / sum(counts)
        cells = [(x, y) for x, row in enumerate(allowed) for y in row]
        self.n, self.q = len(cells), n
        self.x, self.y = np.array([x for x, _ in cells]), np.array([y for _, y in cells])
        cell = np.arange(self.n)
        self.columns = self.n + n + 1
        self.equal = coo_matrix(
            (np.concatenate([np.ones(self.n), prior[self.x], -np.ones(n)]),
             (np.concatenate([self.x, n + self.y, n + np.arange(n)]),
               np.concatenate([cell, cell, self.n + np.arange(n)]))),
            shape=(2 * n, self.columns)).tocsr()
        self.right = np.concatenate([np.ones(n), np.zeros(n)])

    def slack(self, t):
        cell = np.arange(self.n)
        caps = coo_matrix(
            (np.concatenate([np.ones(self.n), np.full(self.n, -t), -np.ones(self.n)]),
             (np.concatenate([cell] * 3), np.concatenate([cell, self.n + self.y, np.full(self.n, self.columns - 1)]))),
            shape=(self.n, self.columns)).tocsr()
        cost = np.zeros(self.columns)
        cost[-1] = 1
        got = linprog(cost, A_ub=caps, b_ub=np.zeros(self.n), A_eq=self.equal, b_eq=self.right, method="highs")
        return got.fun if got.status == 0 else float("inf")


def highs(problem, top):
    """Bisects to 1e-9 relative; returns seconds, the factor and how many programs it took."""
    start, low, high, programs = time.perf_counter(), 1.0, top, 0
    while high / low - 1 > 1e-9 and programs < 60:
        middle = (low * high) ** 0.5
        programs += 1
        if problem.slack(middle) <= 1e-10:
            high = middle
        else:
            low = middle
    return time.perf_counter() - start, high, programs


def main():
    binary, letters = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    ratios = []
    for seed in range(int(sys.argv[3]) if len(sys.argv) > 3 else 3):
        counts, allowed = instance(letters, seed)
        with tempfile.TemporaryDirectory() as folder:
            write(folder, counts, allowed)
            tacet(binary, folder)
            mine, low, up = tacet(binary, folder)
        theirs, factor, programs = highs(Feasibility(counts, allowed), 4 * up)
        ratios.append(theirs / mine)
        print(f"{letters} letters, seed {seed}: tacet {mine:.3f} s, factor {low:.10f} to {up:.10f}, proven; "
              f"HiGHS {theirs:.2f} s over {programs} programs, factor {factor:.7f}; ratio {ratios[-1]:.0f}")
    print(f"scipy {scipy.__version__}: median ratio {statistics.median(ratios):.0f} "
          f"(min {min(ratios):.0f}, max {max(ratios):.0f})")


if __name__ == "__main__":
    main()
