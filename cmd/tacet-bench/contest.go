package main

// A job is one run of one contender.
type job struct {
	Peer    string // name in peers
	Threads int
	Bare    bool   // tacet: the columns beside the private one are not judged, and nothing is hashed
	Data    string // name in datasets
	Column  string // the private one
	Second  string // tacet: another private one, "" where there is none
	Goal    string // name in goals
	ID      string // tacet: column by whose cells and a key it draws; fresh draws where empty
}

// columns are the private ones.
func (j job) columns() []string {
	if j.Second == "" {
		return []string{j.Column}
	}
	return []string{j.Column, j.Second}
}

// A contender is a job under the name it has in the tables.
type contender struct {
	name string
	job
}

// A figure is what two contenders are compared by.
type figure string

const (
	cpu  figure = "CPU"
	wall figure = "wall"
	peak figure = "peak memory"
)

// A target bounds the ratio of a figure of two contenders, how much more one
// takes than the other, or the figure of one; the latter two in seconds or MiB.
type target struct {
	what   figure
	of, to string // contenders; to is "" where the figure itself is bounded
	bound  float64
	least  bool // the bound is the least that is wanted, not the most
	more   bool // the difference is bounded, not the ratio
	each   bool // with more: in ns for each row
}

// A contest is a set of contenders that run in turn.
type contest struct {
	name       string
	title      string
	quick      int // rounds in the five-minute version, 0 if it is not part of it
	rounds     int // rounds in the full version
	contenders []contender
	targets    []target
}

// Names of contenders.
const (
	tacet1     = "tacet, 1 thread"
	tacet2     = "tacet, 2 threads"
	bare1      = "tacet, neither judged nor hashed, 1 thread"
	bare2      = "tacet, neither judged nor hashed, 2 threads"
	tacetByID  = "tacet, 2 threads, drawn by id"
	bareByID   = "tacet, neither judged nor hashed, 2 threads, drawn by id"
	duckdb1    = "DuckDB, 1 thread"
	duckdb2    = "DuckDB, 2 threads, rows in order"
	duckdbAny2 = "DuckDB, 2 threads, rows in any order"
	polars2    = "Polars, 2 threads"
	pyarrow2   = "pyarrow, 2 threads"
	arrow1     = "arrow-go, 1 thread"
	arrow2     = "arrow-go, 2 threads"
	parquet1   = "parquet-go rows, 1 thread"
	copied     = "cp"
	copySynced = "cp and sync"
)

var (
	tacets = []contender{
		{tacet1, job{Peer: "tacet", Threads: 1}},
		{tacet2, job{Peer: "tacet", Threads: 2}},
		{bare1, job{Peer: "tacet", Threads: 1, Bare: true}},
		{bare2, job{Peer: "tacet", Threads: 2, Bare: true}},
	}
	byID = []contender{
		{tacetByID, job{Peer: "tacet", Threads: 2, ID: "id"}},
		{bareByID, job{Peer: "tacet", Threads: 2, Bare: true, ID: "id"}},
	}
	frames = []contender{
		{polars2, job{Peer: "polars", Threads: 2}},
		{pyarrow2, job{Peer: "pyarrow", Threads: 2}},
	}
	ducks = []contender{
		{duckdb1, job{Peer: "duckdb", Threads: 1}},
		{duckdbAny2, job{Peer: "duckdb-any", Threads: 2}},
	}
	duckInOrder = []contender{
		{duckdb2, job{Peer: "duckdb-ordered", Threads: 2}},
	}
	libraries = []contender{
		{arrow1, job{Peer: "arrow-go", Threads: 1}},
		{arrow2, job{Peer: "arrow-go", Threads: 2}},
		{parquet1, job{Peer: "parquet-go", Threads: 1}},
	}
	copies = []contender{
		{copied, job{Peer: "cp"}},
		{copySynced, job{Peer: "cp-sync"}},
	}
)

// on gives all contenders the same data, column and goal.
func on(data, column, goal string, groups ...[]contender) (out []contender) {
	for _, g := range groups {
		for _, c := range g {
			c.Data, c.Column, c.Goal = data, column, goal
			out = append(out, c)
		}
	}
	return out
}

// wanted are bounds of the ratio of DuckDB's CPU and wall time to Tacet's, 0 for none.
type wanted struct{ cpu, wall, bareCPU, bareWall float64 }

// against are the targets beside DuckDB in its most favourable form.
func against(w wanted) (out []target) {
	for _, t := range []target{
		{what: cpu, of: duckdbAny2, to: tacet2, bound: w.cpu, least: true},
		{what: wall, of: duckdbAny2, to: tacet2, bound: w.wall, least: true},
		{what: cpu, of: duckdb1, to: bare1, bound: w.bareCPU, least: true},
		{what: cpu, of: duckdbAny2, to: bare2, bound: w.bareCPU, least: true},
		{what: wall, of: duckdbAny2, to: bare2, bound: w.bareWall, least: true},
	} {
		if t.bound > 0 {
			out = append(out, t)
		}
	}
	return out
}

// hashing is a bound of the default run, which depends on the processor: with
// instructions for SHA-256, or without.
func hashing(with, without float64) float64 {
	if hashes() {
		return with
	}
	return without
}
