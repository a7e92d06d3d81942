"""Publish a categorical column of a frame, and prove what it leaks.

>>> import pyarrow, random, tacet
>>> df = pyarrow.table({"size": random.Random(1).choices(["small", "medium", "large"], k=300)})
>>> r = tacet.privatize(df, column="size", utility=tacet.ordered(["small", "medium", "large"]), max_factor=3)
>>> sum(c.key == "leakage" for c in r.claims)
1
"""

from ._errors import Check, InputError, MachineError, PrivacyError, Refuted, TacetError, UsageError
from ._functions import crosstab, frontier, inspect, privatize, recover, simulate, verify
from ._orders import (
    Order, any, circular, hierarchy, matrix, numeric, ordered, pairs, positions, prefix, tree, values,
)  # fmt: skip
from ._release import Claim, Release, Table

__all__ = [
    "Check", "Claim", "InputError", "MachineError", "Order", "PrivacyError", "Refuted", "Release", "Table",
    "TacetError", "UsageError", "any", "circular", "crosstab", "frontier", "hierarchy", "inspect", "matrix", "numeric", "ordered",
    "pairs", "positions", "prefix", "privatize", "recover", "simulate", "tree", "values", "verify",
]  # fmt: skip
