"""Redraws one column of a Parquet file with Polars or pyarrow, and NumPy: the job of the
other contenders, in the fastest form that was found. An output is taken from a table of
slots, which has as many for every value.

redraw.py LIBRARY INPUT OUTPUT SLOTS COLUMN CODEC THREADS
"""
import os
import sys


def by_polars(source, target, slots, column, codec):
    import numpy
    import polars

    table = polars.read_parquet(slots).sort("input", "slot")
    inputs, outputs = (table[side].unique().sort() for side in ("input", "output"))
    place = table["output"].cast(polars.Enum(outputs)).to_physical().to_numpy()
    rows = polars.read_parquet(source)
    value = rows[column].cast(polars.String).cast(polars.Enum(inputs)).to_physical().to_numpy()
    drawn = place[row_of(numpy, value, table.height // len(inputs))]
    rows.with_columns(outputs[drawn].alias(column)).write_parquet(target, compression=codec)


def by_pyarrow(source, target, slots, column, codec):
    import numpy
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(slots).sort_by([("input", "ascending"), ("slot", "ascending")])
    inputs = sorted(set(table["input"].to_pylist()))
    outputs = sorted(set(table["output"].to_pylist()))
    number = {label: y for y, label in enumerate(outputs)}
    place = numpy.array([number[label] for label in table["output"].to_pylist()], dtype=numpy.int32)
    first = {label: x for x, label in enumerate(inputs)}
    rows = pyarrow.parquet.read_table(source, read_dictionary=[column])
    at = rows.schema.get_field_index(column)
    chunks = []
    for chunk in rows.column(at).chunks:
        if not pyarrow.types.is_dictionary(chunk.type):
            chunk = chunk.dictionary_encode()
        known = numpy.array([first[label] for label in chunk.dictionary.to_pylist()], dtype=numpy.int64)
        value = known[chunk.indices.to_numpy(zero_copy_only=False)]
        drawn = place[row_of(numpy, value, len(place) // len(inputs))]
        chunks.append(pyarrow.DictionaryArray.from_arrays(pyarrow.array(drawn), pyarrow.array(outputs)))
    rows = rows.set_column(at, column, pyarrow.chunked_array(chunks))
    pyarrow.parquet.write_table(rows, target, compression=codec)


def row_of(numpy, value, slots):
    """Rows of the table: a random slot of every value."""
    slot = numpy.random.default_rng().integers(0, slots, len(value), dtype=numpy.uint32)
    return value.astype(numpy.int64) * slots + slot


library, source, target, slots, column, codec, threads = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = os.environ["OMP_NUM_THREADS"] = threads
if library == "polars":
    by_polars(source, target, slots, column, codec)
else:
    import pyarrow

    pyarrow.set_cpu_count(int(threads))
    pyarrow.set_io_thread_count(int(threads))
    by_pyarrow(source, target, slots, column, codec)
