"""Frames in and out, by way of Arrow."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

Back = Callable[[Any], Any]

# Rows of a batch: the same frame is the same file, however its memory is cut.
_ROWS = 1 << 17


def taken(df: Any, typed: bool = True) -> tuple[Any, Back]:
    """A frame as an Arrow table, and what makes a frame of its kind of a table.

    Where typed, columns of a name that the frame has get its type, as far as their values allow.
    Indexes of pandas are left out: reset_index() makes columns of them. Lazy frames are
    collected. What has __arrow_c_stream__ and is none of these comes back as a pyarrow.Table.
    """
    import pyarrow as pa

    module = type(df).__module__
    kind = module.partition(".")[0]
    if isinstance(df, pa.Table):
        return df, lambda t: t
    if isinstance(df, pa.RecordBatch):
        return pa.table(df), lambda t: t.combine_chunks().to_batches()[0]
    if isinstance(df, pa.RecordBatchReader):
        return df.read_all(), lambda t: t.to_reader()
    if kind == "narwhals":
        narwhals = importlib.import_module(re.match(r"narwhals(\.stable\.v\d+)?", module)[0])  # type: ignore[index]
        table, back = taken(narwhals.to_native(df), typed)
        return table, lambda t: narwhals.from_native(back(t))
    if kind == "pandas":
        return pa.Table.from_pandas(df, preserve_index=False), lambda t: _pandas(t, df if typed else df.iloc[:, :0])
    if kind == "polars":
        return _polars(df, typed)
    if "duckdb" in kind and hasattr(df, "to_arrow_table"):
        import duckdb

        return df.to_arrow_table(), duckdb.from_arrow
    if hasattr(df, "__arrow_c_stream__"):
        return pa.table(df), lambda t: t
    try:
        import narwhals

        frame = narwhals.from_native(df)
    except (ImportError, TypeError):
        kinds = "pandas, Polars, DuckDB, pyarrow or narwhals"
        raise TypeError(f"{type(df).__name__} is no frame: give one of {kinds}") from None
    if isinstance(frame, narwhals.LazyFrame):
        frame = frame.collect()
    backend = frame.implementation
    return frame.to_arrow(), lambda t: narwhals.from_arrow(t, backend=backend).to_native()


def _pandas(table: Any, like: Any) -> Any:
    """A DataFrame with the types and names that another has; bins have other types."""
    out = table.to_pandas()
    names = {str(c): c for c in like.columns}
    for name in names.keys() & set(out.columns):
        want = like.dtypes[names[name]]
        categories = getattr(want, "categories", None)
        if want == out.dtypes[name] or categories is not None and not set(out[name].dropna()) <= set(categories):
            continue
        try:
            out[name] = out[name].astype(want)
        except (TypeError, ValueError):
            pass
    return out.rename(columns=names)


def _polars(df: Any, typed: bool) -> tuple[Any, Back]:
    import polars as pl

    lazy = isinstance(df, pl.LazyFrame)
    frame = df.collect() if lazy else pl.DataFrame(df)

    def back(table: Any) -> Any:
        out = pl.DataFrame(pl.from_arrow(table))
        for name, want in frame.schema.items():
            if typed and name in out.columns and out.schema[name] != want:
                try:
                    out = out.with_columns(pl.col(name).cast(want))
                except pl.exceptions.PolarsError:
                    pass
        return out.lazy() if lazy else out

    return frame.to_arrow(), back


def write(table: Any, path: Path) -> None:
    """Writes an Arrow IPC file, without metadata of the table: names of an index, and the like."""
    import pyarrow as pa

    table = table.replace_schema_metadata(None).unify_dictionaries()
    # Views keep their whole buffers in every slice.
    views = {t for t in map(str, table.schema.types) if t.endswith("_view")}
    rows = max(1, table.num_rows) if views else _ROWS
    with pa.ipc.new_file(str(path), table.schema) as out:
        for start in range(0, table.num_rows, rows):
            out.write_table(table.slice(start, rows).combine_chunks())


def read(path: Path) -> tuple[Any, Any]:
    """The table of an Arrow IPC file and its bytes, both mapped: the file's name may go."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as mapped:
        buffer = mapped.read_buffer()
    return pa.ipc.open_file(pa.BufferReader(buffer)).read_all(), buffer
