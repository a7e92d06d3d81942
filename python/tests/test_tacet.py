"""Frames in, the same frames out; what is refused; what is left behind."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import narwhals
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacet
from tacet import _errors, _frames, _run, spark

ROOT = Path(__file__).parents[2]
SIZES = ["small", "medium", "large"]
ASKED = {"column": "size", "max_factor": 3, "test_seed": 5}


@pytest.fixture
def table() -> pa.Table:
    rng = random.Random(1)
    return pa.table({
        "size": pa.array(rng.choices(["small", "medium", "large"], [5, 3, 2], k=400)),
        "large": pa.array(rng.choices("0123456", k=400), pa.large_string()),
        "at": pa.array(rng.choices(range(5), k=400), pa.timestamp("us", "UTC")),
        "kind": pa.array(rng.choices(["a", "b", None], k=400)).dictionary_encode(),
        "n": pa.array(rng.choices(range(11), k=400), pa.int32()),
    })


def left() -> list[Path]:
    """Folders of this user that a call left."""
    return [p for base in ("/dev/shm", tempfile.gettempdir()) for p in Path(base).glob(f"tacet-{os.getuid()}-*")]


@pytest.fixture(autouse=True)
def nothing_left(tmp_path, monkeypatch):
    before = set(left())
    monkeypatch.chdir(tmp_path)
    yield
    assert set(left()) <= before
    assert os.listdir(tmp_path) == [] or "release" in os.listdir(tmp_path)


def test_bytes_are_the_commands(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("command")
    _frames.write(table, folder / "in.arrow")
    subprocess.run(
        [_run.program(), "run", f"--input={folder}/in.arrow", f"--output={folder}/out.arrow",
         f"--report={folder}/report", "--column=size",
         "--utility=ordered:small,medium,large", "--max-factor=3", "--test-seed=5"],
        check=True, capture_output=True,
    )  # fmt: skip
    r = tacet.privatize(table, utility=tacet.ordered(SIZES), **ASKED)
    wanted, _ = _frames.read(folder / "out.arrow")
    assert r.table.equals(wanted)
    assert r.table["size"].combine_chunks().buffers()[2].equals(wanted["size"].combine_chunks().buffers()[2])
    assert bytes(r._files["published.arrow"][1]) == (folder / "out.arrow").read_bytes()


KINDS = {
    "pyarrow": lambda t: t,
    "batch": lambda t: t.combine_chunks().to_batches()[0],
    "pandas": lambda t: t.to_pandas(),
    "polars": pl.from_arrow,
    "lazy": lambda t: pl.from_arrow(t).lazy(),
    "duckdb": duckdb.from_arrow,
    "narwhals": lambda t: narwhals.from_native(pl.from_arrow(t)),
    "stable": lambda t: __import__("narwhals.stable.v1").stable.v1.from_native(t.to_pandas()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_same_kind_comes_out(kind, table):
    df = KINDS[kind](table)
    out = tacet.privatize(df, utility=tacet.ordered(SIZES), drop=["n"], **ASKED).table
    assert type(out) is type(df)
    before, after = _frames.taken(df)[0], _frames.taken(out)[0]
    assert after.column_names == ["size", "large", "at", "kind"]
    assert [str(f.type) for f in after.schema] == [str(before.schema.field(f.name).type) for f in after.schema]
    for name in after.column_names[1:]:
        assert after[name].to_pylist() == before[name].to_pylist()
    assert set(after["size"].to_pylist()) <= set(SIZES)


def test_readers_and_streams(table):
    r = tacet.privatize(table.to_reader(), utility="any", **ASKED)
    assert isinstance(r.table, pa.RecordBatchReader) and r.table.read_all().num_rows == 400

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return table.__arrow_c_stream__(requested_schema)

    assert tacet.privatize(Stream(), utility="any", **ASKED).table.num_rows == 400
    with pytest.raises(TypeError, match="list is no frame"):
        tacet.privatize([1, 2], column="size")


TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]


@pytest.mark.parametrize("kind", TEXTS, ids=str)
def test_types_of_the_private_column(kind, table):
    column = table["size"].combine_chunks()
    if kind == pa.string_view() and int(pa.__version__.partition(".")[0]) < 17:
        pytest.skip("pyarrow 16 makes no views")
    column = column.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else column.cast(kind)
    out = tacet.privatize(table.set_column(0, "size", column), utility=tacet.any(), **ASKED).table
    assert out.schema.field("size").type == kind and set(out["size"].to_pylist()) <= set(SIZES)


def test_chunks_and_metadata_do_not_matter(table, tmp_path_factory, monkeypatch):
    a, b = (tmp_path_factory.mktemp("chunks") / name for name in "ab")
    cut = pa.concat_tables([table.slice(0, 2), table.slice(2, 300), table.slice(302)])
    _frames.write(table, a)
    _frames.write(cut.replace_schema_metadata({"index": "name"}), b)
    assert a.read_bytes() == b.read_bytes()
    kind = [c.dictionary_decode().dictionary_encode() for c in cut["kind"].chunks]
    assert not kind[0].dictionary.equals(kind[1].dictionary)
    monkeypatch.setattr(_frames, "_ROWS", 2)
    _frames.write(cut.set_column(3, "kind", pa.chunked_array(kind)), b)
    assert _frames.read(b)[0]["kind"].to_pylist() == table["kind"].to_pylist()


def test_polars_types(table):
    df = pl.from_arrow(table).with_columns(pl.col("size").cast(pl.Enum(["other", *SIZES])), pl.col("n").cast(pl.UInt8))
    out = tacet.privatize(df, utility=tacet.ordered(SIZES), **ASKED).table
    assert out.schema == df.schema and out["kind"].to_list() == df["kind"].to_list()


def test_pandas_types_and_names(table):
    df = table.to_pandas().astype({"n": "Int64", "size": pd.CategoricalDtype(SIZES, ordered=True)})
    df = df.rename(columns={"n": 7})[df["n"] > 2]
    out = tacet.privatize(df, utility=tacet.ordered(SIZES), **ASKED).table
    assert out.dtypes.equals(df.dtypes) and list(out.index) == list(range(len(df)))
    assert out[7].tolist() == df[7].tolist()


def test_release(table, tmp_path):
    df = table.to_pandas()
    r = tacet.privatize(df, utility=tacet.ordered(SIZES), about={"owner": "Ann Ω"}, **ASKED)
    assert "Ann Ω" in json.dumps(r.report, ensure_ascii=False)
    with pytest.raises(tacet.UsageError, match="ownr"):
        tacet.privatize(df, utility=tacet.ordered(SIZES), about={"ownr": "Ann"}, **ASKED)
    claims = {c.key: c for c in r.claims}
    assert claims["leakage"].figure["times"] == 3 and claims["leakage"].column == "size"
    assert "3 times" in claims["leakage"].words
    assert r.report["column"] == "size" and r.mechanism["column"] == "size"
    assert r._repr_html_().startswith("<iframe sandbox") and "at most 3 times" in r._repr_html_()
    assert "Verdict" in r._files["report.html"][1].decode() and "Verdict" not in r._repr_html_()
    r.save("release")
    assert oct(os.stat("release").st_mode & 0o777) == "0o700"
    with pytest.raises(FileExistsError):
        r.save("release")
    checks = tacet.verify("release", input=df)
    assert {c.outcome for c in checks} == {"passed"}
    assert "not checked" in {c.outcome for c in tacet.verify("release")}
    with pytest.raises(tacet.InputError, match="the frame is another file"):
        tacet.verify("release", input=df.head(100))
    order = Path("release/order.csv")
    order.write_text(order.read_text().replace("small", "smell"))
    with pytest.raises(tacet.Refuted) as e:
        tacet.verify("release", input=df)
    assert "order hash" in [c.name for c in e.value.failed] and "order hash" in str(e.value)


def test_several_columns(table):
    asked = {"column": ["size", "large"], "max_factor": [3, 2], "test_seed": 1, "keep": []}
    r = tacet.privatize(table, utility=[tacet.ordered(SIZES), "any"], **asked)
    assert r.table.column_names == ["size", "large"]
    assert [c.figure["times"] for c in r.claims if c.key == "leakage"] == [3, 2]
    assert r._repr_html_().count("<iframe") == 2 and "parts" in r.report


def test_recover(table):
    order, domain = tacet.ordered(SIZES), tacet.values(SIZES)
    r = tacet.privatize(table, utility=order, domain=domain, **ASKED | {"max_factor": 4.5, "design": "safe"})
    assert "withheld" not in r.mechanism
    for mechanism in (r.mechanism, r):
        found = tacet.recover(pl.from_arrow(r.table), mechanism).table
        assert isinstance(found, pl.DataFrame) and found["label"].to_list() == sorted(SIZES)
        assert found["rows"].to_list() == [400] * 3 and found["share"].dtype == pl.Float64
    by = tacet.recover(r.table, r.mechanism, by=["large"], level=0.9).table
    assert by["large"].type == pa.string() and by.num_rows == 21
    r = tacet.privatize(table, utility=tacet.ordered(SIZES), **ASKED)
    with pytest.raises(tacet.InputError, match="withheld") as e:
        tacet.recover(r.table, r.mechanism)
    assert 'method="count"' in e.value.hint or "method= count" in e.value.hint
    assert tacet.recover(r.table, column="size", method="count").table.num_rows > 0


def test_crosstab(table):
    asked = ASKED | {"utility": tacet.ordered(SIZES), "prefer": "recovery", "max_shift": None}
    df = table.to_pandas()
    r = tacet.privatize(df, **asked)
    t = tacet.crosstab(r.table, "size", "large", r, mean="n")
    assert isinstance(t.table, pd.DataFrame) and list(t.table.columns[:3]) == ["large", "size", "count"]
    true = df.groupby(["large", "size"]).size()
    off = [abs(row.count_ - true[row.large, row.size_]) / row.standard_error
           for row in t.table.rename(columns={"count": "count_", "size": "size_"}).itertuples() if row.standard_error]
    assert max(off) < 5 and abs(t.table["count"].sum() - 400) < 1e-6
    assert t.told["test"]["degrees"] == 12 and 0 < t.told["test"]["p"] <= 1
    cell = t.told["cells"][0]
    error = t.table["standard_error"][0] / cell["rows"]
    assert abs(cell["covariance"][0][0] - error**2) < 1e-9 and abs(sum(cell["covariance"][0])) < 1e-9
    means = tacet.recover(r.table, r, mean="n").table
    assert means["mean_standard_error"].gt(0).any() and abs(means["mean"] - 5).max() < 3
    with pytest.raises(tacet.InputError, match="mechanism of column"):
        tacet.crosstab(r.table, "large", "size", r)


def test_progress(monkeypatch, capfd):
    pytest.importorskip("tqdm")
    lines = ['{"level":"INFO","msg":"progress","phase":"count","done":5,"of":9,"unit":"rows"}\n', "tacet: no\n"]
    kept: list[str] = []
    _run._follow(iter(lines), kept)
    assert kept == lines[1:] and "count:  56%" in capfd.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm", None)
    _run._follow(iter(lines), kept)
    assert kept == lines[1:] * 2 and not capfd.readouterr().err


@pytest.mark.parametrize("book", sorted((ROOT / "python/examples").glob("*.ipynb")), ids=lambda b: b.stem)
def test_notebooks(book):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    nbclient.NotebookClient(nbformat.read(book, 4), resources={"metadata": {"path": book.parent}}).execute()


def test_figures(table):
    df = table.to_pandas()
    looked = tacet.inspect(df)
    assert list(looked.table["name"]) == list(df.columns) and looked.told["rows"] == 400
    assert "<table" in looked._repr_html_()
    floors = tacet.frontier(table, column="size", utility=tacet.ordered(SIZES), drop=["n"])
    assert floors.table["safe_factor"].type == pa.string() and "<iframe" in floors._repr_html_()
    tried = tacet.simulate(df, column="size", utility=tacet.ordered(SIZES), max_factor=[2, 3.5])
    assert sorted(set(tried.table["max_factor"])) == ["2", "3.5"]


def test_orders(table):
    def told(order, **more):
        return tacet.privatize(table, utility=order, **ASKED | more).report["column"] == "size"

    labels = pd.DataFrame({"label": SIZES, "x": [0, 1, 5]})
    assert told(tacet.positions(labels)) and told(tacet.circular(SIZES)) and told(tacet.prefix(1))
    assert told(tacet.hierarchy(pl.DataFrame({"v": SIZES, "g": ["a", "a", "b"]})))
    assert told(tacet.tree(pa.table({"code": [*SIZES, "all"], "parent": ["all", "all", "all", None]})))
    square = pa.table({"true": SIZES, **{s: [-abs(i - j) for j in range(3)] for i, s in enumerate(SIZES)}})
    assert told(tacet.matrix(square))
    every = [(a, b, -abs(i - j)) for i, a in enumerate(SIZES) for j, b in enumerate(SIZES)]
    assert told(tacet.pairs(pd.DataFrame(every, columns=["from", "to", "utility"])))
    assert told("ordered:small,medium,large")
    assert tacet.privatize(table, **ASKED | {"column": "n"}, utility=tacet.numeric()).table["n"].type == pa.int32()


REFUSED = [
    (tacet.UsageError, {"max_factor": None}, "max_factor"),
    (tacet.UsageError, {"max_shif": 0.1}, "max_shift="),
    (tacet.UsageError, {"output": "x"}, "returned"),
    (tacet.InputError, {"column": "nope"}, "its columns are size"),
    (tacet.InputError, {"utility": tacet.ordered(["small"])}, ""),
    (tacet.PrivacyError, {"max_factor": 100, "design": "safe", "max_shift": "none"}, "max_factor="),
]


@pytest.mark.parametrize(("kind", "more", "hint"), REFUSED, ids=lambda v: getattr(v, "__name__", None))
def test_refusals(kind, more, hint, table):
    with pytest.raises(tacet.TacetError) as e:
        tacet.privatize(table, **{"utility": tacet.ordered(SIZES), **ASKED, **more})
    assert type(e.value) is kind, e.value
    assert hint in e.value.hint and "--" not in str(e.value) and "/tacet-" not in str(e.value)


def test_kinds_of_failure():
    line = '{"level":"ERROR","msg":"--max-shift \\"3\\" is not a share","hint":"give 5%"}\n'
    assert str(_errors.failure(2, line, Path("/x"))) == 'max_shift="3" is not a share; hint: give 5%'
    assert type(_errors.failure(5, "", Path("/x"))) is type(_errors.failure(-9, "", Path("/x"))) is tacet.MachineError
    line = "tacet: /x/input.arrow: no; hint: see tacet order --new x; tacet order --input /x/input.arrow; --drop a,b"
    told = 'the frame: no; hint: see tacet order --new x; drop="a,b"'
    assert str(_errors.failure(3, line, Path("/x"))) == told


def test_interrupt_ends_the_program_and_leaves_nothing(tmp_path_factory):
    script = (
        "import pyarrow as pa, tacet, random\n"
        "v = [str(random.randrange(400)) for i in range(40000)]\n"
        "print('go', flush=True)\n"
        "tacet.frontier(pa.table({'v': v}), column='v', utility=tacet.numeric())\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "go\n"
    until = time.time() + 30
    while not (mine := [p for p in left() if (p / "input.arrow").exists()]) and time.time() < until:
        time.sleep(0.01)
    assert mine and oct(mine[0].stat().st_mode & 0o777) == "0o700"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in child.communicate(timeout=20)[1]
    assert not left()
    commands = [p.read_bytes() for p in Path("/proc").glob("[0-9]*/cmdline") if p.exists()]
    assert not [c for c in commands if mine[0].name.encode() in c]


def test_folder_of_a_killed_process_goes():
    old = Path(tempfile.mkdtemp(prefix=f"tacet-{os.getuid()}-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    with _run.private():
        assert old.exists()  # it is young
    os.utime(old, (1, 1))
    with _run.private() as other:
        assert not old.exists() and other.exists()


def test_program():
    script = os.path.join(os.path.dirname(sys.executable), "tacet")
    for command in ([_run.program()], [sys.executable, "-m", "tacet"], [script]):
        assert "tacet" in subprocess.run([*command, "version"], check=True, capture_output=True, text=True).stdout


def test_arguments_are_told():
    import inspect

    assert "max_shift" in inspect.signature(tacet.privatize).parameters
    assert "    max_shift: keep the share" in tacet.privatize.__doc__


def test_spark_checks():
    frame = type("Frame", (), {"dtypes": [("v", "string"), ("w", "int")]})
    counts, pairs = [{"c0": "a", "count": 3}, {"c0": "b", "count": 1}], {("a", "a"): 2, ("a", "b"): 1, ("b", "b"): 1}
    rows = [{"input": "a", "outputs": [["a", "1"], ["b", "1"]]}, {"input": "b", "outputs": [["b", "1"]]}]
    plan = {"mechanisms": [{"rows": rows}]}
    found = spark._checked(frame, ["v", "w"], "v", counts, pairs, plan, 0)
    assert [c.outcome for c in found] == ["passed", "passed", "not checked", "not checked"]
    with pytest.raises(tacet.InputError):
        spark._checked(frame, ["v", "w"], "v", counts, {**pairs, ("b", "b"): 2}, plan, 0)
    with pytest.raises(tacet.PrivacyError):
        spark._checked(frame, ["v", "w"], "v", counts, {("a", "a"): 3, ("b", "a"): 1}, plan, 0)
    blocks = {"mechanisms": [{"blocks": [{"inputs": ["a", "b"], "outputs": [["a", "1"], ["b", "1"]]}]}]}
    assert spark._checked(frame, ["v"], "v", counts, {("a", "a"): 3, ("b", "a"): 1}, blocks, 0)[1].outcome == "passed"


@pytest.mark.parametrize("page", ["README.md", "python/README.md"])
def test_pages(page, monkeypatch, tmp_path):
    text = (ROOT / page).read_text()
    lines = text.partition("```python\n")[2].partition("```")[0]
    assert "tacet.privatize" in lines
    os.symlink(ROOT / "testdata", tmp_path / "testdata")
    try:
        exec(compile(lines, page, "exec"), {})  # noqa: S102
    finally:
        os.remove(tmp_path / "testdata")
