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

// OnlyErrors is the form of messages in which nothing but errors is printed.
const OnlyErrors = "errors"

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
