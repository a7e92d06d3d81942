package main

// A job is one run of one contender.
type job struct {
	Peer    string // name in peers
	Threads int
	Hash    string // tacet: none or sha256
	Audit   string // tacet: how it judges the columns beside the private one; off where empty
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
	tacetHash1 = "tacet, SHA-256, 1 thread"
	tacetHash2 = "tacet, SHA-256, 2 threads"
	tacetJudge = "tacet, 2 threads, columns beside it judged"
	tacetByID  = "tacet, 2 threads, drawn by id"
	duckdb1    = "DuckDB, 1 thread"
	duckdb2    = "DuckDB, 2 threads, rows in order"
	duckdbAny2 = "DuckDB, 2 threads, rows in any order"
	arrow1     = "arrow-go, 1 thread"
	arrow2     = "arrow-go, 2 threads"
	parquet1   = "parquet-go rows, 1 thread"
	copied     = "cp"
	copySynced = "cp and sync"
)

var (
	tacets = []contender{
		{tacet1, job{Peer: "tacet", Threads: 1, Hash: "none"}},
		{tacet2, job{Peer: "tacet", Threads: 2, Hash: "none"}},
		{tacetHash1, job{Peer: "tacet", Threads: 1, Hash: "sha256"}},
		{tacetHash2, job{Peer: "tacet", Threads: 2, Hash: "sha256"}},
		{tacetJudge, job{Peer: "tacet", Threads: 2, Hash: "none", Audit: "sample"}},
	}
	byID = []contender{
		{tacetByID, job{Peer: "tacet", Threads: 2, Hash: "none", ID: "id"}},
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

// against are the targets beside DuckDB in its most favourable form: CPU
// without and with hashing, then wall time at two threads. 0 is no target.
func against(cpuNone, cpuHash, wallNone, wallHash float64) (out []target) {
	for _, t := range []target{
		{what: cpu, of: duckdb1, to: tacet1, bound: cpuNone, least: true},
		{what: cpu, of: duckdbAny2, to: tacet2, bound: cpuNone, least: true},
		{what: cpu, of: duckdbAny2, to: tacetHash2, bound: cpuHash, least: true},
		{what: wall, of: duckdbAny2, to: tacet2, bound: wallNone, least: true},
		{what: wall, of: duckdbAny2, to: tacetHash2, bound: wallHash, least: true},
	} {
		if t.bound > 0 {
			out = append(out, t)
		}
	}
	return out
}
