package main

// contests is the only list of what is measured.
var contests = []contest{
	{
		name: "snappy-16", title: "20 M rows, Snappy, 16 letters", quick: 3, rounds: 5,
		contenders: on("rows-snappy", "l16", "even", tacets, ducks, duckInOrder),
		targets:    append(against(20, 8, 10, 6), target{what: wall, of: duckdb2, to: tacet2, bound: 10, least: true}),
	},
	{
		name: "libraries", title: "The same with the Go libraries", quick: 1, rounds: 3,
		contenders: on("rows-snappy", "l16", "even", tacets[:2], libraries),
		targets: []target{
			{what: cpu, of: arrow1, to: tacet1, bound: 1, least: true},
			{what: wall, of: arrow2, to: tacet2, bound: 1, least: true},
			{what: cpu, of: parquet1, to: tacet1, bound: 1, least: true},
		},
	},
	{
		name: "beside", title: "Four columns beside the private one: 20 M rows, Snappy, 16 letters", quick: 3, rounds: 5,
		contenders: on("beside", "l16", "even", tacets[1:2], tacets[4:]),
		targets: []target{
			{what: cpu, of: tacetJudge, to: tacet2, bound: 2, more: true},
			{what: peak, of: tacetJudge, bound: 256},
		},
	},
	{
		name: "two-columns", title: "Two private columns: 20 M rows, Snappy", quick: 3, rounds: 5,
		contenders: together([2]string{"l16", "m16"}, [2]string{"l1000", "m1000"}),
		targets: []target{
			{what: cpu, of: "l16 and m16", to: "l16", bound: 2.2},
			{what: cpu, of: "l1000 and m1000", to: "l1000", bound: 2.2},
		},
	},
	{
		name: "by-id", title: "Draws by record id and key: 20 M rows, Snappy, 16 letters", quick: 3, rounds: 5,
		contenders: on("rows-snappy", "l16", "even", tacets[1:2], byID),
		targets:    []target{{what: cpu, of: tacetByID, to: tacet2, bound: 150, more: true, each: true}},
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
		// Not judged: its columns give the origin away, which is refused.
		name: "flights", title: "Flights repeated: 5 M rows, Snappy, 228 airports", rounds: 5,
		contenders: on("flights", "origin", "near", tacets[:4], ducks, duckInOrder, libraries, copies),
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
			{what: peak, of: "l16 of rows-80M", to: "l16 of rows-5M", bound: 1.15},
			{what: peak, of: "l1000 of rows-80M", to: "l1000 of rows-5M", bound: 1.15},
			{what: peak, of: "l16 of rows-80M", bound: 40},
			{what: peak, of: "l1000 of rows-80M", bound: 80},
		},
	},
	{
		name: "start-up", title: "Start-up: a file of 100 rows", quick: 15, rounds: 31,
		contenders: on("tiny", "l16", "even", tacets[3:], ducks[:1]),
		targets:    []target{{what: wall, of: tacetHash2, bound: 0.05}},
	},
}

func besideCopy(bound float64) []target {
	return []target{
		{what: wall, of: tacet2, to: copied, bound: bound},
		{what: wall, of: tacet2, to: copySynced, bound: bound},
	}
}

// growth runs the same job on files of several lengths.
func growth(data ...string) (out []contender) {
	for _, d := range data {
		for _, column := range []string{"l16", "l1000"} {
			out = append(out, contender{column + " of " + d, job{Peer: "tacet", Threads: 2, Hash: "none", Data: d,
				Column: column, Goal: "even"}})
		}
	}
	return out
}

// together has each first column alone, and with the second.
func together(pair ...[2]string) (out []contender) {
	for _, p := range pair {
		j := job{Peer: "tacet", Threads: 2, Hash: "none", Data: "two", Column: p[0], Goal: "even"}
		out = append(out, contender{p[0], j})
		j.Second = p[1]
		out = append(out, contender{p[0] + " and " + p[1], j})
	}
	return out
}
