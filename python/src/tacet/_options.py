# Written by TACET_UPDATE=1 go test -run TestPython ./pipeline/request: do not edit.
"""Keyword arguments, from the table of the flags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from ._orders import Bound, File

Null = Literal["refuse", "draw", "public"]
FloorBy = Literal["auto", "level", "rank", "value"]
Prefer = Literal["utility", "unchanged", "shares", "values", "recovery"]
Design = Literal["auto", "safe", "blocks", "optimal"]
Audit = Literal["sample", "full", "off"]
Hash = Literal["sha256", "none"]
OnChange = Literal["draw", "hold", "refuse"]
Method = Literal["inverse", "em", "count"]
Of = Literal["file", "population"]


class Privatize(TypedDict, total=False):
    """Keyword arguments of tacet.privatize."""

    column: str | Sequence[str]
    null: Null | Sequence[Null]
    domain: File | Sequence[File]
    bins: File | Sequence[File]
    allow: str | Sequence[str]
    threads: int
    utility: File | Sequence[File]
    labels: File | Sequence[File]
    epsilon: Bound | Sequence[Bound]
    max_factor: Bound | Sequence[Bound]
    floor_rank: int | Sequence[int]
    floor_value: float | Sequence[float]
    floor_by: FloorBy
    solve_time: str
    prefer: Prefer | Sequence[Prefer]
    max_shift: Bound | Sequence[Bound]
    design: Design | Sequence[Design]
    headroom: str
    strata: str
    given_only: bool
    confidence: str
    prior: File | Sequence[File]
    smooth: str
    prior_only: bool
    min_count: int
    other: str
    joint_epsilon: Bound
    previous: File
    since: str | Sequence[str]
    keep: str | Sequence[str]
    drop: str | Sequence[str]
    audit: Audit
    allow_linked: str | Sequence[str]
    hash: Hash
    sign: File
    test_seed: int
    plan: File
    redesign: bool
    part_of_plan: bool
    record_id: str | Sequence[str]
    person: str
    key_file: File
    run_key: File
    run_id: str
    ledger: File
    dataset: str
    population: str
    total_epsilon: Bound
    on_change: OnChange


class Frontier(TypedDict, total=False):
    """Keyword arguments of tacet.frontier."""

    column: str
    null: Null
    domain: File
    bins: File
    allow: str | Sequence[str]
    threads: int
    utility: File
    labels: File
    epsilon: Bound
    max_factor: Bound
    floor_by: FloorBy
    solve_time: str
    prefer: Prefer
    max_shift: Bound
    floors: int
    strata: str
    given_only: bool
    prior: File
    smooth: str
    prior_only: bool
    keep: str | Sequence[str]
    drop: str | Sequence[str]


class Simulate(TypedDict, total=False):
    """Keyword arguments of tacet.simulate."""

    column: str
    null: Null
    domain: File
    bins: File
    allow: str | Sequence[str]
    threads: int
    utility: File
    labels: File
    epsilon: Bound | Sequence[Bound]
    max_factor: Bound | Sequence[Bound]
    floor_rank: int
    floor_value: float
    floor_by: FloorBy
    solve_time: str
    prefer: Prefer
    max_shift: Bound | Sequence[Bound]
    design: Design
    headroom: str
    top: int
    strata: str
    given_only: bool
    prior: File
    smooth: str
    prior_only: bool
    min_count: int
    other: str
    keep: str | Sequence[str]
    drop: str | Sequence[str]
    group: File


class Recover(TypedDict, total=False):
    """Keyword arguments of tacet.recover."""

    column: str
    threads: int
    by: str | Sequence[str]
    where: str | Sequence[str]
    group: File
    mean: str
    clusters: str
    method: Method
    of: Of
    level: float


# Lists of names.
NAMES = frozenset(
    {
        "allow",
        "allow_linked",
        "by",
        "drop",
        "keep",
        "record_id",
        "since",
        "where",
    }
)

# What each says, on one line.
USAGE: dict[str, str] = {
    "allow": "publish nevertheless: identifier (nearly all values differ), sorted (the order of the rows "
    "tells them), unchanged (every output has one possible value), empty (no rows)",
    "allow_linked": "columns to publish although they, or their nulls, reveal the private column",
    "audit": "judge what the other columns give away: on a sample (up to 2 M rows), in full, or off "
    "(default sample)",
    "bins": "put numbers or times into bins: edges such as 0,10,20,inf, width:10, width:6h, @FILE of "
    "edges, or a unit from decade to hour",
    "by": "columns published beside the private one: shares are told for each of their values",
    "clusters": "published column NAME of which rows share a draw where they have the same published value",
    "column": "NAME of the private column; run takes it once for each column",
    "confidence": "also bound epsilon for the population; the bound may fail with probability D",
    "dataset": "with ledger=: NAME of the data set, the same for all its releases",
    "design": "kind of mechanism; auto takes the best of all kinds (default auto)",
    "domain": "FILE of values that may occur, one per line; bins: all bins of a list of edges",
    "drop": "columns to leave out, separated by commas",
    "epsilon": "largest leakage in nats: a decimal such as 0.85, or log(7/3); simulate takes several, with "
    "commas; frontier marks it",
    "floor_by": "look for the best floor by level, rank or value; auto: by level in a hierarchy, a tree or "
    "prefixes, else by rank (default auto)",
    "floor_rank": "fix the floor at rank H; rank 1 is the worst",
    "floor_value": "fix the floor at utility V",
    "floors": "approximate number of floors to search, spread evenly; 0 means all (default 0)",
    "given_only": "with strata=: keep epsilon only for observers who know the group of a record",
    "group": "CSV FILE label,group: tell shares of groups of values, not of each value",
    "hash": "hash input and output for the report: sha256 or none (default sha256)",
    "headroom": "design for e^epsilon / (1+SHARE) and half of max_shift=, so that the plan still keeps both "
    "when the counts drift a little; 10%,2% leaves 2 points of max_shift=",
    "joint_epsilon": "largest leakage in nats of all private columns together; more is refused",
    "keep": "other columns to publish, separated by commas; '' publishes none; without keep= and drop= "
    "all stay",
    "key_file": "with record_id= or person=: draw by the key in FILE, or in an open descriptor fd:3",
    "labels": "FILE of output labels, one per line, for an order that names none itself",
    "ledger": "ledger FILE that records every release and enforces total_epsilon=; needs dataset=, and in "
    "every release the same record_id= and key_file=",
    "level": "chance with which an interval covers the share; 0.95 unless given",
    "max_factor": "largest factor e^epsilon P/Q, instead of epsilon=; simulate takes several, frontier marks it",
    "max_shift": "keep the share of every set of published values within SHARE of all records of the truth; "
    "takes the best floor that allows it; none sets no limit; simulate takes several (default 5%)",
    "mean": "published column NAME of numbers: tell its mean for each true value, too",
    "method": "unbiased inverse; em (most likely shares); count (no mechanism) (default inverse)",
    "min_count": "merge values with fewer than K records into one value, named by other=; values that first "
    "appear in a later file join it (default 0)",
    "null": "how to treat nulls: refuse; draw (randomize like any value); public (publish as null, "
    "unprotected) (default refuse)",
    "of": "whose shares intervals are about: the file that was privatized, or the population of its "
    "rows (default file)",
    "on_change": "if the value of a record changed: draw anew while total_epsilon= allows, and else show its "
    "last output again (default); hold its first output forever; or refuse the release",
    "other": "LABEL of the value that min_count= merges into; the order must have a row for it",
    "part_of_plan": "the input is a part of the plan's data: every claim is relative to the whole data, none to "
    "the part",
    "person": "column NAME that identifies a person: rows of one person with the same value share one draw",
    "plan": "plan FILE that tacet design wrote; run uses it if it keeps epsilon for this input",
    "population": "with ledger=: NAME of the people or things that the data describe",
    "prefer": "what is made best within epsilon: utility, the share of unchanged records, the shares of "
    "the published values, or what tacet recover estimates; values: utility, while every value "
    "that occurs is published with at least half of its share (default utility)",
    "previous": "report.json FILE of the previous release, or its folder: the same run refuses a file that "
    "had another name there",
    "prior": "also keep epsilon for the prior in FILE (label,probability), not only for the frequencies "
    "of the input",
    "prior_only": "with prior= or smooth=: do not keep epsilon for the frequencies of the input",
    "record_id": "columns that identify a record; it keeps its output while its value stays; the columns are "
    "dropped unless keep= names them",
    "redesign": "make a new plan instead of using the one in plan= or in the ledger",
    "run_id": "with run_key=: NAME of the run; another name draws anew",
    "run_key": "draw by the key in FILE, or fd:3: the same run of the same plan and file writes the same "
    "bytes again",
    "sign": "sign the release with the key in FILE, or in an open descriptor fd:3",
    "since": "report FOLDERS of earlier releases, or patterns of these: only files that none of them "
    "lists are read",
    "smooth": "also keep epsilon with A records added to every value, not only for the frequencies of the "
    "input",
    "solve_time": "longest time to search; the best design proven by then is used (default 1m0s)",
    "strata": "also keep epsilon within every group of column COL",
    "test_seed": "draw from seed N, for tests only: the report is marked NOT A PRIVATE RELEASE",
    "threads": "number of row groups to process at once; 0 means one per processor (default 0)",
    "top": "number of the commonest values to tell of (default 5)",
    "total_epsilon": "largest leakage in nats of all releases of a record together, for an observer who knows "
    "that its value never changed",
    "utility": "utility SPEC: which values may stand for which, and how well",
    "where": "count only rows in which these columns have these values: COLUMN=VALUE, separated by commas",
}
