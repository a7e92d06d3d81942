import polars as pl
from redraw import redraw

flights = pl.read_parquet("testdata/tables/flights.parquet")
published = pl.from_arrow(redraw(flights.to_arrow().to_reader(), "plan.json").read_all())
print(published.height, "rows of", published.columns)
