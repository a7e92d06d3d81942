import duckdb
from redraw import redraw

source = duckdb.connect()
flights = source.sql("SELECT origin, delay FROM 'testdata/tables/flights.parquet' WHERE delay > 0")
published = redraw(flights.to_arrow_reader(100_000), "plan.json")
print(duckdb.sql("SELECT count(*) AS n FROM published").fetchall()[0][0], "rows of", published.schema.names)
