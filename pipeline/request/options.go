package request

import (
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Options is what a user asks for. The zero value of a field is its default
// unless it says "Required."
type Options struct {
	Input  string   // Required for run, apply, estimate. Parquet, Arrow IPC or CSV file.
	Column string   // Required but for apply, which takes it from the plan.
	Counts []string // counts.csv instead of Input, for design and frontier: those of parts add up; @FILE lists some

	Delimiter string // of a CSV file: one character, or its name; "" leaves it to the file
	Header    string // of a CSV file: "yes" or "no"; "auto" (default) leaves it to the file

	Utility string // Required but for apply. A utility spec.
	Bins    string // edges, width:W, a unit of the calendar, or @FILE of edges: values become bins
	Labels  string // file of output labels, one a line
	Domain  string // file of letters that may occur, one a line
	Show    string // order: the letter to show the nearest outputs of
	New     string // order: spec whose file is to be written, for people to fill in

	Epsilon    string        // nats, as written, or log(p/q)
	MaxFactor  string        // e^epsilon as p/q; exactly one of the two is required
	FloorRank  *int          // nil: the best floor within epsilon
	FloorValue *float64      // excludes FloorRank
	FloorBy    string        // "auto" (default: level where Utility has levels, else rank), "level", "rank" or "value"
	Design     string        // "auto" (default) or one of design.Kinds
	SolveTime  time.Duration // for the design; 0 means no limit
	Prefer     string        // what the design makes best within epsilon: "utility" (default), "unchanged", ...
	MaxShift   string        // most that shares of published values may be off: "5%"; "" and "none" set no limit
	Redesign   bool          // make a new plan in place of the one of an earlier night
	PartOfPlan bool          // the input is a part of the data that the plan was made from
	Headroom   string        // share by which counts may drift, "10%", and room below MaxShift, "10%,2%"
	Floors     int           // frontier: about how many floors to look at; 0 means all
	Page       string        // frontier: HTML file to write
	Format     string        // frontier: "text" (default), "json" or "csv"

	Confidence string // chance over the sample that the claim for the population fails; "" claims nothing
	Prior      string // CSV file label,probability; "" means the frequencies of the file
	Smooth     string // records added to every letter: a decimal or p/q
	PriorOnly  bool   // hold Prior or Smooth alone to epsilon, and not the frequencies of the file
	MinCount   int64  // letters of fewer records become Other; 0 merges none
	Other      string // label of the letter that rare and unseen values become

	Null string // "refuse" (default), "draw", "public"
	// top-level columns; at most one of the two is given: Keep is nil where it is not, and may be
	// empty
	Keep, Drop      []string
	Since           []string // report folders of releases whose files are left out, or patterns of these
	Metadata        []string // keys of file metadata to keep
	AllowIdentifier bool     // privatize a column that looks like an identifier
	Audit           string   // of what is published beside the column: "sample" (default), "full", "off"
	AllowLinked     []string // columns that stay although they give the private one away
	AllowSorted     bool     // rows stay in an order that gives it away
	AllowUnchanged  bool     // the output may be the input, up to the names of values
	AllowEmpty      bool     // the input may have no rows

	Strata    string // column given which the promise holds; "" is none
	StrataMin int64  // records below which strata are merged where the column leaves the output; 0 is 100
	GivenOnly bool   // epsilon need not hold for whoever does not know the stratum

	Columns      []*Options // several private columns, each with what may be chosen for it; nil for the one above
	JointEpsilon string     // most that all private columns together may tell, in nats; "" sets no bound

	Plan        string // plan.json to follow (run, apply)
	WritePlan   string // Required for design. plan.json to write.
	WriteCounts string // Required for estimate. counts.csv to write.
	Output      string // Required for run and apply.
	Report      string // Folder of the report files; that beside Output unless given, see ReportOf.
	Previous    string // report.json of the release before, whose files are not drawn under other names; "" for none
	Shard       string // estimate, apply: part of the files of Input, or name of a stream: "3/7"; "" is all
	Detached    bool   // steps of shards: go on without the process that started this one
	Overwrite   bool   // replace Output and the files in Report
	Hash        string // "sha256" (default) or "none"
	Threads     int    // 0: one per processor
	TestSeed    *uint64
	Sign        string // place of the key that signs the report: a file or "fd:3"; "" signs nothing
	LogFormat   string // of messages: "text" (default), "json" or OnlyErrors

	Repeat     // of a release that is made again and again
	Recovery   // of tacet recover
	Simulation // of tacet simulate

	// frontier: what the run or design that the page leads to is asked for by the same flags, variables and
	// job file; nil where that is not known
	Then *Options

	About    *report.About    // what people say of the release, for the report
	Inside   *report.Inside   // what they say in the internal report alone
	Settings []report.Setting // effective values and their origins, for the report
	Version  string
	Progress func(phase string, done, total int64) // called from several goroutines; may be nil
	Warn     func(what string)                     // of what is not worth a refusal, before anything is drawn; may be nil
	// what other limits of the shift give, of a plan that was made, once all is written; may be nil, and then
	// none is looked at
	Compared func([]report.Compared)
}

// Commands that share options.
const (
	reading   = "run estimate design frontier order simulate" // a private column
	deciding  = "run design"                                  // a plan
	planning  = deciding + " simulate"                        // a plan of one mechanism
	trading   = deciding + " frontier simulate"               // of utility and epsilon
	releasing = "run apply finish"
	counting  = "recover" // what was published
)

// What choices there are, in the order in which they are told.
var (
	permissions = []string{"identifier", "sorted", "unchanged", "empty"}
	logForms    = []string{"text", "json", OnlyErrors}
)

// OnlyErrors is the form of messages in which nothing but errors is printed.
const OnlyErrors = "errors"

// Table is every option of the commands that read or release data.
var Table = []*Option{
	{Name: "config", Group: What, Often: true, In: reading + " apply finish recover",
		Usage: "read settings from YAML `FILE`; flags and environment variables override it", Example: "job.yaml"},
	{Name: "input", Group: What, Often: true, In: reading + " apply finish recover", Or: "counts",
		Need:    "run estimate design apply finish frontier recover simulate",
		Usage:   "Parquet, Arrow IPC or CSV `FILE` to read; for apply also -: an Arrow IPC stream",
		Example: "visits.parquet", Field: "Input"},
	{Name: "csv-delimiter", Group: What, In: reading + " apply finish recover",
		Usage:   "`CHARACTER` between the cells of a CSV file, or its name, such as tab; detected if not given",
		Example: ";", Field: "Delimiter"},
	{Name: "csv-header", Group: What, In: reading + " apply finish recover", Default: "auto",
		Choices: []string{"auto", "yes", "no"},
		Usage:   "whether the first row of a CSV file names the columns; auto asks where it may be data", Field: "Header"},
	{Name: "counts", Group: What, Often: true, Kind: Names, Or: "input", In: "design frontier order simulate",
		Usage: "counts `FILE` of tacet estimate, instead of --input; several, with commas or listed in @FILE, are " +
			"added up", Example: "counts.csv", Field: "Counts"},
	{Name: "column", Group: What, Often: true, In: reading + " recover", Need: "run estimate design recover",
		Planned: true, Each: "run", Usage: "`NAME` of the private column; run takes it once for each column",
		Example: "diagnosis", Field: "Column"},
	{Name: "null", Group: What, In: reading, Each: "run", Default: "refuse",
		Choices: []string{"refuse", "draw", "public"},
		Usage:   "how to treat nulls: refuse; draw (randomize like any value); public (publish as null, unprotected)",
		Field:   "Null"},
	{Name: "domain", Group: What, In: reading, Each: "run",
		Usage: "`FILE` of values that may occur, one per line; bins: all bins of a list of edges", Example: "states.txt",
		Field: "Domain"},
	{Name: "bins", Group: What, In: reading, Each: "run",
		Usage: "put numbers or times into bins: edges such as 0,10,20,inf, width:10, width:6h, @`FILE` of edges, or a " +
			"unit from decade to hour", Example: "0,10,20,50", Field: "Bins"},
	{Name: "allow", Group: Beside, Kind: Names, In: reading + " apply finish", Choices: permissions,
		Usage: "publish nevertheless: identifier (nearly all values differ), sorted (the order of the rows tells " +
			"them), unchanged (every output has one possible value), empty (no rows)", Example: "sorted",
		Field: "AllowIdentifier,AllowSorted,AllowUnchanged,AllowEmpty"},
	{Name: "threads", Group: Advanced, Kind: Whole, In: reading + " apply finish recover", Default: "0",
		Usage: "number of row groups to process at once; 0 means one per processor", Field: "Threads"},
	{Name: "log-format", Group: Written, In: reading + " apply finish recover", Default: "text", Choices: logForms,
		Usage: "form of messages: text; json, one object per line; errors: text of errors alone", Field: "LogFormat"},

	{Name: "utility", Group: Ranking, Often: true, In: trading + " order", Need: trading + " order", Planned: true,
		Each: "run", Usage: "utility `SPEC`: which values may stand for which, and how well", Example: "prefix:3",
		Hint: "say which value may replace which: --utility with one of these", Explain: orders(), Field: "Utility"},
	{Name: "labels", Group: Ranking, In: trading + " order", Each: "run",
		Usage: "`FILE` of output labels, one per line, for an order that names none itself", Example: "labels.txt",
		Field: "Labels"},
	{Name: "new", Group: Ranking, In: "order", Once: true,
		Usage: "write a file to fill in for `SPEC`: hierarchy:FILE.csv, ordered:@FILE, circular:@FILE, " +
			"positions:FILE.csv, tree:FILE.csv, pairs:FILE.csv, matrix:FILE.csv or bins:FILE; with --utility only what " +
			"this order lacks", Example: "hierarchy:order.csv", Field: "New"},
	{Name: "show", Group: Ranking, In: "order", Usage: "show the nearest outputs of `VALUE`", Example: "ORD",
		Field: "Show"},

	{Name: "epsilon", Group: Promise, Often: true, Kind: Bound, In: trading, Need: planning, Planned: true,
		Or: "max-factor", Each: "run",
		Usage: "largest leakage in nats: a decimal such as 0.85, or log(7/3); simulate takes several, with commas; " +
			"frontier marks it", Example: "0.85",
		Hint:    "choose how much a reader may gain, such as --max-factor 4; there is no default: the choice is yours",
		Explain: factors(), Field: "Epsilon"},
	{Name: "max-factor", Group: Promise, Often: true, Kind: Bound, In: trading, Or: "epsilon", Each: "run",
		Usage:   "largest factor e^epsilon `P/Q`, instead of --epsilon; simulate takes several, frontier marks it",
		Example: "7/3", Field: "MaxFactor"},
	{Name: "floor-rank", Group: Promise, Often: true, Kind: Whole, In: planning, Or: "floor-value", Each: "run",
		Usage: "fix the floor at rank `H`; rank 1 is the worst", Example: "3", Field: "FloorRank"},
	{Name: "floor-value", Group: Promise, Kind: Number, In: planning, Or: "floor-rank", Each: "run",
		Usage: "fix the floor at utility `V`", Example: "-500", Field: "FloorValue"},
	{Name: "floor-by", Group: Ranking, In: trading, Default: "auto",
		Choices: []string{"auto", "level", "rank", "value"},
		Usage: "look for the best floor by level, rank or value; auto: by level in a hierarchy, a tree or prefixes, " +
			"else by rank", Field: "FloorBy"},
	{Name: "solve-time", Group: Advanced, Kind: Duration, In: trading, Default: "1m0s",
		Usage: "longest time to search; the best design proven by then is used", Example: "90s", Field: "SolveTime"},
	{Name: "prefer", Group: Ranking, In: trading, Each: "run", Default: "utility",
		Choices: []string{"utility", Unchanged, Shares, Kept, Recovered},
		Usage: "what is made best within epsilon: utility, the share of unchanged records, the shares of the " +
			"published values, or what tacet recover estimates; values: utility, while every value that occurs is " +
			"published with at least half of its share", Field: "Prefer"},
	{Name: "max-shift", Group: Promise, Often: true, Kind: Bound, In: trading, Each: "run", Default: "5%",
		Usage: "keep the share of every set of published values within `SHARE` of all records of the truth; takes the " +
			"best floor that allows it; none sets no limit; simulate takes several", Example: "5%", Field: "MaxShift"},
	{Name: "design", Group: Advanced, In: planning, Each: "run", Default: "auto",
		Choices: append([]string{"auto"}, design.Kinds()...),
		Usage:   "kind of mechanism; auto takes the best of all kinds", Field: "Design"},
	{Name: "headroom", Group: Again, In: planning,
		Usage: "design for e^epsilon / (1+`SHARE`) and half of --max-shift, so that the plan still keeps both when " +
			"the counts drift a little; 10%,2% leaves 2 points of --max-shift", Example: "10%", Field: "Headroom"},
	{Name: "top", Group: Advanced, Kind: Whole, In: "simulate", Default: "5",
		Usage: "number of the commonest values to tell of", Field: "Top"},
	{Name: "floors", Group: Advanced, Kind: Whole, In: "frontier", Default: "0",
		Usage: "approximate number of floors to search, spread evenly; 0 means all", Field: "Floors"},

	{Name: "strata", Group: Promise, In: deciding + " estimate frontier simulate",
		Usage:   "also keep epsilon within every group of column `COL`",
		Example: "region", Field: "Strata"},
	{Name: "given-only", Group: Promise, Kind: Switch, In: trading,
		Usage: "with --strata: keep epsilon only for observers who know the group of a record", Field: "GivenOnly"},

	{Name: "confidence", Group: Promise, In: deciding + " apply finish",
		Usage: "also bound epsilon for the population; the bound may fail with probability `D`", Example: "1e-6",
		Field: "Confidence"},
	{Name: "prior", Group: Promise, In: trading, Each: "run",
		Usage:   "also keep epsilon for the prior in `FILE` (label,probability), not only for the frequencies of the input",
		Example: "prior.csv", Field: "Prior"},
	{Name: "smooth", Group: Promise, In: trading,
		Usage:   "also keep epsilon with `A` records added to every value, not only for the frequencies of the input",
		Example: "0.5", Field: "Smooth"},
	{Name: "prior-only", Group: Promise, Kind: Switch, In: trading,
		Usage: "with --prior or --smooth: do not keep epsilon for the frequencies of the input", Field: "PriorOnly"},
	{Name: "min-count", Group: Ranking, Kind: Whole, In: planning, Default: "0",
		Usage: "merge values with fewer than `K` records into one value, named by --other; values that first appear " +
			"in a later file join it", Field: "MinCount"},
	{Name: "other", Group: Ranking, In: planning,
		Usage: "`LABEL` of the value that --min-count merges into; the order must have a row for it", Example: "OTHER",
		Field: "Other"},
	{Name: "joint-epsilon", Group: Promise, Kind: Bound, In: releasing,
		Usage:   "largest leakage in nats of all private columns together; more is refused",
		Example: "2.5", Field: "JointEpsilon"},

	{Name: "output", Group: Written, Often: true, In: releasing, Need: releasing,
		Usage: "`FILE` to publish, or - for a stream", Example: "published.parquet", Field: "Output"},
	{Name: "report", Group: Written, Often: true, In: releasing,
		Usage: "`FOLDER` of the report and the plan; without it, the output's name with .report in place of its " +
			"extension", Example: "report", Field: "Report"},
	{Name: "write-plan", Group: Written, Often: true, In: "design", Need: "design",
		Usage:   "plan `FILE` to write; order.csv goes to the same folder, and with millions of weights plan.weights",
		Example: "plan.json", Field: "WritePlan"},
	{Name: "write-counts", Group: Written, Often: true, In: "estimate", Need: "estimate",
		Usage: "counts `FILE` to write", Example: "counts.csv", Field: "WriteCounts"},
	{Name: "format", Group: Written, Often: true, In: "frontier recover simulate", Default: "text",
		Choices: []string{"text", "json", "csv"}, Usage: "output format: text, json or csv", Field: "Format"},
	{Name: "html", Group: Written, Often: true, In: "frontier",
		Usage: "HTML `FILE` to write: an offline page to choose a floor", Example: "frontier.html", Field: "Page"},
	{Name: "previous", Group: Again, In: releasing,
		Usage: "report.json `FILE` of the previous release, or its folder: the same run refuses a file that had " +
			"another name there", Example: "last/report.json", Field: "Previous"},
	{Name: "since", Group: Again, Kind: Names, In: releasing + " estimate design",
		Usage:   "report `FOLDERS` of earlier releases, or patterns of these: only files that none of them lists are read",
		Example: "'reports/*'", Field: "Since"},
	{Name: "keep", Group: Beside, Often: true, Kind: Names, In: releasing + " design frontier simulate", Or: "drop",
		Usage:   "other columns to publish, separated by commas; '' publishes none; without --keep and --drop all stay",
		Example: "date,region", Field: "Keep"},
	{Name: "drop", Group: Beside, Often: true, Kind: Names, In: releasing + " design frontier simulate", Or: "keep",
		Usage: "columns to leave out, separated by commas", Example: "name,street", Field: "Drop"},
	{Name: "keep-metadata", Group: Beside, Kind: Names, In: releasing,
		Usage: "keys of file metadata to keep, separated by commas; all others are left out", Example: "pandas",
		Field: "Metadata"},
	{Name: "audit", Group: Beside, In: releasing, Default: "sample", Choices: []string{"sample", "full", "off"},
		Usage: "judge what the other columns give away: on a sample (up to 2 M rows), in full, or off", Field: "Audit"},
	{Name: "allow-linked", Group: Beside, Kind: Names, In: releasing,
		Usage: "columns to publish although they, or their nulls, reveal the private column", Example: "region",
		Field: "AllowLinked"},
	{Name: "hash", Group: Advanced, In: releasing, Default: "sha256", Choices: []string{"sha256", "none"},
		Usage: "hash input and output for the report: sha256 or none", Field: "Hash"},
	{Name: "overwrite", Group: Written, Often: true, Kind: Switch, In: releasing + " estimate design frontier",
		Usage: "replace existing files; two independent draws of the same data together leak more than epsilon",
		Field: "Overwrite"},
	{Name: "sign", Group: Written, Kind: Secret, In: releasing,
		Usage: "sign the release with the key in `FILE`, or in an open descriptor fd:3", Example: "signing.key",
		Field: "Sign"},
	{Name: "test-seed", Group: Advanced, Kind: Seed, In: releasing, Once: true,
		Usage: "draw from seed `N`, for tests only: the report is marked NOT A PRIVATE RELEASE", Example: "1",
		Field: "TestSeed"},

	{Name: "plan", Group: Again, Often: true, In: releasing, Need: "apply finish", Each: "apply",
		Usage:   "plan `FILE` that tacet design wrote; run uses it if it keeps epsilon for this input",
		Example: "plan.json", Field: "Plan"},
	{Name: "redesign", Group: Again, Kind: Switch, In: "run", Once: true,
		Usage: "make a new plan instead of using the one in --plan or in the ledger", Field: "Redesign"},
	{Name: "part-of-plan", Group: Again, Kind: Switch, In: releasing,
		Usage: "the input is a part of the plan's data: every claim is relative to the whole data, none to the part",
		Field: "PartOfPlan"},

	{Name: "record-id", Group: Again, Kind: Names, In: releasing,
		Usage: "columns that identify a record; it keeps its output while its value stays; the columns are dropped " +
			"unless --keep names them", Example: "id", Field: "RecordID"},
	{Name: "person", Group: Again, In: releasing,
		Usage:   "column `NAME` that identifies a person: rows of one person with the same value share one draw",
		Example: "patient", Field: "Person"},
	{Name: "key-file", Group: Again, Kind: Secret, In: releasing,
		Usage:   "with --record-id or --person: draw by the key in `FILE`, or in an open descriptor fd:3",
		Example: "draw.key", Field: "KeyFile"},
	{Name: "run-key", Group: Again, Kind: Secret, In: releasing,
		Usage:   "draw by the key in `FILE`, or fd:3: the same run of the same plan and file writes the same bytes again",
		Example: "run.key", Field: "RunKey"},
	{Name: "run-id", Group: Again, In: releasing, Usage: "with --run-key: `NAME` of the run; another name draws anew",
		Example: "2026-11-21", Field: "RunID"},
	{Name: "shard", Group: Again, In: "estimate apply", Once: true,
		Usage: "of the files of the folder --input take part `I/N` alone: for apply with --run-key, and then tacet " +
			"finish; with --input - the name of the stream", Example: "3/7", Field: "Shard"},
	{Name: "detached", Group: Again, Kind: Switch, In: "estimate apply finish", Once: true,
		Usage: "go on when the process that started this step ends; shards and finish stop otherwise", Field: "Detached"},
	{Name: "ledger", Group: Again, In: releasing,
		Usage: "ledger `FILE` that records every release and enforces --total-epsilon; needs --dataset, and in every " +
			"release the same --record-id and --key-file", Example: "ledger.db", Field: "Ledger"},
	{Name: "dataset", Group: Again, In: releasing,
		Usage: "with --ledger: `NAME` of the data set, the same for all its releases", Example: "visits",
		Field: "Dataset"},
	{Name: "population", Group: Again, In: releasing,
		Usage: "with --ledger: `NAME` of the people or things that the data describe", Example: "patients",
		Field: "Population"},
	{Name: "total-epsilon", Group: Again, Kind: Bound, In: releasing,
		Usage: "largest leakage in nats of all releases of a record together, for an observer who knows that its " +
			"value never changed", Example: "3", Field: "TotalEpsilon"},
	{Name: "on-change", Group: Again, In: releasing, Choices: []string{"draw", "hold", "refuse"},
		Usage: "if the value of a record changed: draw anew while --total-epsilon allows, and else show its last " +
			"output again (default); hold its first output forever; or refuse the release", Field: "OnChange"},

	{Name: "mechanism", Group: What, Often: true, In: counting,
		Usage:   "mechanism `FILE` of the release: public/mechanism.json, or plan.json for who may see that",
		Example: "report/public/mechanism.json", Field: "Mechanism"},
	{Name: "by", Group: What, Kind: Names, In: counting,
		Usage: "columns published beside the private one: shares are told for each of their values", Example: "region",
		Field: "By"},
	{Name: "where", Group: What, Kind: Names, In: counting,
		Usage:   "count only rows in which these columns have these values: `COLUMN=VALUE`, separated by commas",
		Example: "region=north", Field: "Where"},
	{Name: "group", Group: What, In: counting + " simulate",
		Usage: "CSV `FILE` label,group: tell shares of groups of values, not of each value", Example: "states.csv",
		Field: "Group"},
	{Name: "mean", Group: What, In: counting,
		Usage: "published column `NAME` of numbers: tell its mean for each true value, too", Example: "distance",
		Field: "Mean"},
	{Name: "clusters", Group: What, In: counting,
		Usage:   "published column `NAME` of which rows share a draw where they have the same published value",
		Example: "patient", Field: "Clusters"},
	{Name: "method", Group: What, In: counting, Default: Inverse, Choices: []string{Inverse, Likely, Counted},
		Usage: "unbiased inverse; em (most likely shares); count (no mechanism)", Field: "Method"},
	{Name: "of", Group: What, In: counting, Default: "file", Choices: []string{"file", "population"},
		Usage: "whose shares intervals are about: the file that was privatized, or the population of its rows",
		Field: "Whose"},
	{Name: "level", Group: Promise, Kind: Number, In: counting,
		Usage: "chance with which an interval covers the share; 0.95 unless given", Example: "0.99", Field: "Level"},
}

// Placing is the phase in which files are put in place: until it is told of,
// nothing is published.
const Placing = "placing"

// ParseEpsilon parses the one bound that must be given.
func (o *Options) ParseEpsilon() (mechanism.Epsilon, error) {
	parse, flag, text := mechanism.ParseEpsilon, "--epsilon", o.Epsilon
	if text == "" {
		parse, flag, text = mechanism.ParseFactor, "--max-factor", o.MaxFactor
	}
	e, err := parse(text)
	if err != nil {
		return e, noBound(flag, "give --epsilon 0.85, --epsilon 'log(7/3)' or --max-factor 7/3", err)
	}
	return e, nil
}

// parseBound parses the nats that an option may bound; nil where it does not.
func parseBound(flag, text string) (*mechanism.Epsilon, error) {
	if text == "" {
		return nil, nil
	}
	e, err := mechanism.ParseEpsilon(text)
	if err != nil {
		return nil, noBound(flag, "give a decimal such as 1.5, or log(9/2)", err)
	}
	return &e, nil
}

// noBound refuses a text that is no epsilon and no factor. Its error begins with which
// of the two; the flag says that, too.
func noBound(flag, hint string, err error) *fault.Fault {
	_, what, _ := strings.Cut(err.Error(), " ")
	return fault.New(fault.Usage, hint, "%s %s", flag, what)
}

// ByValue reports whether the best floor is looked for among utilities: in an order
// with levels these are its levels.
func (o *Options) ByValue() bool {
	switch o.FloorBy {
	case "level", "value":
		return true
	case "rank":
		return false
	}
	return utility.InLevels(o.order())
}

// Goal is what the design has to reach.
func (o *Options) Goal() (_ design.Goal, err error) {
	g := design.Goal{Epsilon: got(o.ParseEpsilon())(&err), Floor: o.floor(), ByValue: o.ByValue(), Kind: o.Design,
		Nearest: o.Prefer == Shares, Keep: o.Prefer == Kept, Recover: o.Prefer == Recovered,
		MaxShift: got(o.ParseMaxShift())(&err)}
	return g, err
}

// floor is that which is given, nil for none.
func (o *Options) floor() *mechanism.Floor {
	switch {
	case o.FloorRank != nil:
		return new(mechanism.RankFloor(*o.FloorRank))
	case o.FloorValue != nil:
		return new(mechanism.ValueFloor(*o.FloorValue))
	}
	return nil
}

// got is a value that may have failed; of several errors the first stays.
func got[T any](v T, failed error) func(err *error) T {
	return func(err *error) T {
		if *err == nil {
			*err = failed
		}
		return v
	}
}
