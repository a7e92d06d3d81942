"""Makes flights.parquet, airports.csv and regions.csv from two files of vega-datasets:

    python gen.py flights-3m.parquet airports.csv

Flights are domestic flights of the first half of 2001, on-time performance data of the US Department of
Transportation, Bureau of Transportation Statistics: a work of the US government, in the public domain. Airports are
US government records too. Both as packaged by vega-datasets.

The rule: rows 0, 15, 30, ... of the three million, all columns, in the order of the source, in row groups of 50,000.
Airports: those that occur in origin anywhere in the three million rows, ascending by code.
"""

import csv
import sys

import pyarrow.parquet as pq

# The divisions and regions of the US Census Bureau with their states; PR and VI, which it leaves out, count as South
# Atlantic.
DIVISIONS = """New England;Northeast;CT ME MA NH RI VT
Middle Atlantic;Northeast;NJ NY PA
East North Central;Midwest;IN IL MI OH WI
West North Central;Midwest;IA KS MN MO NE ND SD
South Atlantic;South;DE DC FL GA MD NC SC VA WV PR VI
East South Central;South;AL KY MS TN
West South Central;South;AR LA OK TX
Mountain;West;AZ CO ID NM MT UT NV WY
Pacific;West;AK CA HI OR WA"""

flights = pq.read_table(sys.argv[1])
pq.write_table(flights.take(list(range(0, len(flights), 15))), "flights.parquet", row_group_size=50_000, compression="zstd",
               compression_level=22, use_dictionary=["origin", "destination"])

origins = set(flights["origin"].unique().drop_null().to_pylist())
with open(sys.argv[2], newline="") as f:
    airports = sorted((a for a in csv.DictReader(f) if a["iata"] in origins), key=lambda a: a["iata"])
if len(airports) != len(origins):
    sys.exit(f"{len(origins)} airports fly, {len(airports)} have a position")
with open("airports.csv", "w", newline="") as f:
    head = ["iata", "name", "city", "state", "latitude", "longitude"]
    w = csv.DictWriter(f, head, extrasaction="ignore", lineterminator="\n")
    w.writeheader()
    w.writerows(airports)

above = {}
for line in DIVISIONS.splitlines():
    division, region, states = line.split(";")
    above |= {state: f"{division};{region}" for state in states.split()}
with open("regions.csv", "w") as f:
    for a in airports:
        state = "MI" if a["iata"] == "MQT" else a["state"]  # of which the source has no state
        f.write(f"{a['iata']};{state};{above[state]};*\n")
