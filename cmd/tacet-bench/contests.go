package main

// contests is the only list of what is measured. Tacet stands in each with its defaults
// first, then without judgement and hashes.
var contests = []contest{
	{
		name: "snappy-16", title: "20 M rows, Snappy, 16 letters", quick: 3, rounds: 5,
		contenders: on("rows-snappy", "l16", "even", tacets, ducks, duckInOrder, frames),
		targets: append(against(wanted{hashing(8, 4), hashing(6, 0), 20, 10}),
			target{what: cpu, of: tacet2, to: bare2, bound: 1.8},
			target{what: peak, of: tacet2, bound: 64},
			target{what: wall, of: duckdb2, to: tacet2, bound: hashing(6, 2), least: true},
			target{what: cpu, of: polars2, to: tacet2, bound: 5, least: true},
			target{what: peak, of: polars2, to: tacet2, bound: 25, least: true}),
	},
	{
		name: "libraries", title: "The same with the Go libraries", quick: 1, rounds: 3,
		contenders: on("rows-snappy", "l16", "even", tacets, libraries),
		targets: []target{
			{what: cpu, of: arrow1, to: tacet1, bound: 1, least: true},
			{what: wall, of: arrow2, to: tacet2, bound: 1, least: true},
			{what: cpu, of: parquet1, to: tacet1, bound: 1, least: true},
		},
	},
	{
		name: "beside", title: "Four columns beside the private one: 20 M rows, Snappy, 16 letters", quick: 3, rounds: 5,
		contenders: on("beside", "l16", "even", tacets),
		targets: []target{
			{what: cpu, of: tacet2, to: bare2, bound: 1.8},
			{what: peak, of: tacet2, bound: 64},
		},
	},
	{
		name: "two-columns", title: "Two private columns: 20 M rows, Snappy", quick: 2, rounds: 5,
		contenders: together([2]string{"l16", "m16"}, [2]string{"l1000", "m1000"}),
		targets: []target{
			{what: cpu, of: "l16 and m16" + bare, to: "l16" + bare, bound: 2.2},
			{what: cpu, of: "l1000 and m1000" + bare, to: "l1000" + bare, bound: 2.2},
		},
	},
	{
		name: "by-id", title: "Draws by record id and key: 20 M rows, Snappy, 16 letters", quick: 3, rounds: 5,
		contenders: on("rows-snappy", "l16", "even", tacets[1:2], byID[:1], tacets[3:], byID[1:]),
		targets:    []target{{what: cpu, of: bareByID, to: bare2, bound: 150, more: true, each: true}},
	},
	{
		name: "zstd-16", title: "20 M rows, zstd, 16 letters", quick: 2, rounds: 5,
		contenders: on("rows-zstd", "l16", "even", tacets, ducks),
		targets:    against(wanted{hashing(8, 4), hashing(6, 0), 20, 10}),
	},
	{
		name: "snappy-1000", title: "20 M rows, Snappy, 1,000 letters", quick: 2, rounds: 5,
		contenders: on("rows-snappy", "l1000", "even", tacets, ducks, frames),
		targets:    against(wanted{0, 0, 18, 10}),
	},
	{
		name: "weighted-16", title: "20 M rows, Snappy, 16 letters, weighted rows", quick: 2, rounds: 5,
		contenders: on("rows-snappy", "l16", "weighted", tacets, ducks),
		targets:    against(wanted{0, 0, 18, 10}),
	},
	{
		name: "one-column", title: "One column: 20 M rows, Snappy, 16 letters", quick: 2, rounds: 5,
		contenders: on("one-column", "l16", "even", tacets, ducks),
		targets:    against(wanted{0, 0, 18, 10}),
	},
	{
		name: "plain", title: "PLAIN string pages: 20 M rows, Snappy, 16 letters", quick: 2, rounds: 5,
		contenders: on("plain", "l16", "even", tacets, ducks),
		targets:    against(wanted{0, 0, 6, 0}),
	},
	{
		name: "flights", title: "Flights repeated: 5 M rows, Snappy, 228 airports", rounds: 5,
		contenders: on("flights", "origin", "near", tacets, ducks, duckInOrder, frames, libraries, copies),
		targets:    against(wanted{hashing(8, 4), hashing(6, 0), 20, 10}),
	},
	{
		name: "cp-250MB", title: "Beside cp, about 250 MB", quick: 3, rounds: 9,
		contenders: on("rows-snappy", "l16", "even", tacets, copies),
		targets:    besideCopy(2),
	},
	{
		name: "cp-1GB", title: "Beside cp, about 1 GB", rounds: 5,
		contenders: on("rows-80M", "l16", "even", tacets, copies),
		targets:    besideCopy(1.5),
	},
	{
		name: "arrow", title: "Arrow IPC: 20 M rows, dictionary-encoded, 16 letters", quick: 3, rounds: 9,
		contenders: on("arrow", "l16", "even", tacets, copies),
		targets:    besideCopy(1.3),
	},
	{
		name: "growth", title: "Growth: 5, 20 and 80 M rows, Snappy", rounds: 3,
		contenders: growth("rows-5M", "rows-snappy", "rows-80M"),
		targets: []target{
			{what: peak, of: "l16 of rows-80M", bound: 64},
			{what: peak, of: "l16 of rows-80M" + bare, to: "l16 of rows-5M" + bare, bound: 1.15},
			{what: peak, of: "l1000 of rows-80M" + bare, to: "l1000 of rows-5M" + bare, bound: 1.15},
			{what: peak, of: "l16 of rows-80M" + bare, bound: 40},
			{what: peak, of: "l1000 of rows-80M" + bare, bound: 80},
		},
	},
	{
		name: "start-up", title: "Start-up: a file of 100 rows", quick: 15, rounds: 31,
		contenders: on("tiny", "l16", "even", tacets[1:2], tacets[3:], ducks[:1]),
		targets:    []target{{what: wall, of: tacet2, bound: 0.05}},
	},
}

func besideCopy(bound float64) []target {
	return []target{
		{what: wall, of: bare2, to: copied, bound: bound},
		{what: wall, of: bare2, to: copySynced, bound: bound},
	}
}

// bare is what the names of contenders end with that neither judge nor hash.
const bare = ", neither judged nor hashed"

// bothWays has every contender with the defaults, then bare.
func bothWays(all []contender) (out []contender) {
	out = append(out, all...)
	for _, k := range all {
		k.name += bare
		k.Bare = true
		out = append(out, k)
	}
	return out
}

// growth runs the same job on files of several lengths.
func growth(data ...string) (out []contender) {
	for _, d := range data {
		for _, column := range []string{"l16", "l1000"} {
			out = append(out, contender{column + " of " + d, job{Peer: "tacet", Threads: 2, Data: d, Column: column,
				Goal: "even"}})
		}
	}
	return bothWays(out)
}

// together has each first column alone, and with the second.
func together(pair ...[2]string) (out []contender) {
	for _, p := range pair {
		j := job{Peer: "tacet", Threads: 2, Data: "two", Column: p[0], Goal: "even"}
		out = append(out, contender{p[0], j})
		j.Second = p[1]
		out = append(out, contender{p[0] + " and " + p[1], j})
	}
	return bothWays(out)
}
