import pyarrow.dataset as ds
from redraw import redraw

flights = ds.dataset("testdata/tables/flights.parquet").scanner().to_reader()
rows = 0
for batch in redraw(flights, "plan.json", "--keep", "date,delay"):
    rows += batch.num_rows
print(rows, "rows of", batch.schema.names)
