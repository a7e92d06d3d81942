package main

// contests is the only list of what is measured.
var contests = []contest{
	{
		name: "snappy-16", title: "20 M rows, Snappy, 16 letters", quick: 3, rounds: 5,
		contenders: on("rows-snappy", "l16", "even", tacets, ducks, duckInOrder),
		targets:    append(against(20, 8, 10, 6), target{wall, duckdb2, tacet2, 10, true}),
	},
	{
		name: "libraries", title: "The same with the Go libraries", quick: 1, rounds: 3,
		contenders: on("rows-snappy", "l16", "even", tacets[:2], libraries),
		targets: []target{
			{cpu, arrow1, tacet1, 1, true},
			{wall, arrow2, tacet2, 1, true},
			{cpu, parquet1, tacet1, 1, true},
		},
	},
	{
		name: "zstd-16", title: "20 M rows, zstd, 16 letters", quick: 2, rounds: 5,
		contenders: on("rows-zstd", "l16", "even", tacets[:2], tacets[3:], ducks),
		targets:    against(20, 8, 10, 6),
	},
	{
		name: "snappy-1000", title: "20 M rows, Snappy, 1,000 letters", quick: 2, rounds: 5,
		contenders: on("rows-snappy", "l1000", "even", tacets[:2], ducks),
		targets:    against(18, 0, 10, 0),
	},
	{
		name: "weighted-16", title: "20 M rows, Snappy, 16 letters, weighted rows", quick: 2, rounds: 5,
		contenders: on("rows-snappy", "l16", "weighted", tacets[:2], ducks),
		targets:    against(18, 0, 10, 0),
	},
	{
		name: "one-column", title: "One column: 20 M rows, Snappy, 16 letters", quick: 2, rounds: 5,
		contenders: on("one-column", "l16", "even", tacets[:2], ducks),
		targets:    against(18, 0, 10, 0),
	},
	{
		name: "plain", title: "PLAIN string pages: 20 M rows, Snappy, 16 letters", quick: 2, rounds: 5,
		contenders: on("plain", "l16", "even", tacets[:2], ducks),
		targets:    against(6, 0, 0, 0),
	},
	{
		name: "flights", title: "Flights repeated: 5 M rows, Snappy, 228 airports", rounds: 5,
		contenders: on("flights", "origin", "near", tacets, ducks, duckInOrder, libraries, copies),
		targets:    against(20, 8, 10, 6),
	},
	{
		name: "cp-250MB", title: "Beside cp, about 250 MB", quick: 5, rounds: 9,
		contenders: on("rows-snappy", "l16", "even", tacets, copies),
		targets:    besideCopy(2),
	},
	{
		name: "cp-1GB", title: "Beside cp, about 1 GB", rounds: 5,
		contenders: on("rows-80M", "l16", "even", tacets, copies),
		targets:    besideCopy(1.5),
	},
	{
		name: "arrow", title: "Arrow IPC: 20 M rows, dictionary-encoded, 16 letters", quick: 5, rounds: 9,
		contenders: on("arrow", "l16", "even", tacets, copies),
		targets:    besideCopy(1.3),
	},
	{
		name: "growth", title: "Growth: 5, 20 and 80 M rows, Snappy", rounds: 3,
		contenders: growth("rows-5M", "rows-snappy", "rows-80M"),
		targets: []target{
			{peak, "l16 of rows-80M", "l16 of rows-5M", 1.15, false},
			{peak, "l1000 of rows-80M", "l1000 of rows-5M", 1.15, false},
			{peak, "l16 of rows-80M", "", 40, false},
			{peak, "l1000 of rows-80M", "", 80, false},
		},
	},
	{
		name: "start-up", title: "Start-up: a file of 100 rows", quick: 15, rounds: 31,
		contenders: on("tiny", "l16", "even", tacets[3:], ducks[:1]),
		targets:    []target{{wall, tacetHash2, "", 0.05, false}},
	},
}

func besideCopy(bound float64) []target {
	return []target{
		{wall, tacet2, copied, bound, false},
		{wall, tacet2, copySynced, bound, false},
	}
}

// growth runs the same job on files of several lengths.
func growth(data ...string) (out []contender) {
	for _, d := range data {
		for _, column := range []string{"l16", "l1000"} {
			out = append(out, contender{column + " of " + d, job{Peer: "tacet", Threads: 2, Hash: "none", Data: d, Column: column, Goal: "even"}})
		}
	}
	return out
}
