// Package options is what a user asks for, and the contradictions in it that
// are found before a file is read.
package options

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Options is what a user asks for. The zero value of a field is its default
// unless it says "Required."
type Options struct {
	Input  string // Required for run, apply, estimate. Parquet or Arrow IPC file.
	Column string // Required but for apply, which takes it from the plan.
	Counts string // counts.csv instead of Input, for design and frontier

	Utility string // Required but for apply. A utility spec.
	Labels  string // file of output labels, one a line
	Domain  string // file of letters that may occur, one a line
	Ties    string // "column" (default) or "error"

	Epsilon    string        // nats, as written, or log(p/q)
	MaxFactor  string        // e^epsilon as p/q; exactly one of the two is required
	FloorRank  *int          // nil: the best floor within epsilon
	FloorValue *float64      // excludes FloorRank
	FloorBy    string        // "rank" (default) or "value"
	Design     string        // "auto" (default) or one of design.Kinds
	SolveTime  time.Duration // for the design; 0 means no limit
	Prefer     string        // what the design makes large within epsilon: "utility" (default) or "unchanged"
	Redesign   bool          // make a new plan in place of the one of an earlier night
	Pinned     *plan.Plan    // plan of an earlier night, which a run finds; nil without one
	Headroom   string        // share by which counts may drift before the plan fails: "10%"; "" for none
	Floors     int           // frontier: about how many floors to look at; 0 means all
	Plot       string        // frontier: SVG file to write
	Page       string        // frontier: HTML file to write

	Confidence string // chance over the sample that the claim for the population fails; "" claims nothing
	Robust     bool   // design so that the population keeps epsilon
	Prior      string // CSV file label,probability; "" means the frequencies of the file
	Smooth     string // records added to every letter: a decimal or p/q
	MinCount   int64  // letters of fewer records become Other; 0 merges none
	Other      string // label of the letter that rare and unseen values become

	Null            string   // "refuse" (default), "letter", "public"
	Keep, Drop      []string // top-level columns; at most one of the two is given
	Metadata        []string // keys of file metadata to keep
	AsString        bool     // write the column as strings
	AllowIdentifier bool     // privatize a column that looks like an identifier
	Audit           string   // of what is published beside the column: "sample" (default), "full", "off"
	AllowLinked     []string // columns that stay although they give the private one away
	AllowSorted     bool     // rows stay in an order that gives it away
	ListUnknown     bool     // name letters known from the data alone in Report/unknown-letters.txt

	Strata    string // column given which the promise holds, or weekday, month or hour of one; "" is none
	StrataMin int64  // records below which strata are merged; 0 is 100

	Columns      []Choice // several private columns; nil for the one above
	JointEpsilon string   // most that all private columns together may tell, in nats; "" sets no bound

	Plan      string // plan.json to write (design) or to follow (apply)
	Output    string // Required for run and apply.
	Report    string // Required for run and apply. Folder of the report files.
	Previous  string // report.json of the release before, to tell what differs; "" for none
	Overwrite bool   // replace Output and the files in Report
	Hash      string // "sha256" (default) or "none"
	Threads   int    // 0: one per processor
	TestSeed  *uint64
	Sign      string // place of the key that signs output and report: a file or "fd:3"; "" signs nothing

	Repeat // of a release that is made again and again

	About    *report.About    // what people say of the release, for the report
	Settings []report.Setting // effective values and their origins, for the report
	Version  string
	Progress func(phase string, done, total int64) // called from several goroutines; may be nil
}

// ParseEpsilon parses the one bound that must be given.
func (o *Options) ParseEpsilon() (mechanism.Epsilon, error) {
	const hint = "give --epsilon 0.85, --epsilon 'log(7/3)' or --max-factor 7/3; there is no default, since nobody else can choose it"
	switch {
	case o.Epsilon == "" && o.MaxFactor == "":
		return mechanism.Epsilon{}, fault.New(fault.Usage, hint, "no epsilon is given")
	case o.Epsilon != "" && o.MaxFactor != "":
		return mechanism.Epsilon{}, fault.New(fault.Usage, "give one of them", "--epsilon and --max-factor are both given")
	}
	parse, flag, text := mechanism.ParseEpsilon, "--epsilon", o.Epsilon
	if text == "" {
		parse, flag, text = mechanism.ParseFactor, "--max-factor", o.MaxFactor
	}
	e, err := parse(text)
	if err != nil {
		return e, fault.New(fault.Usage, hint, "%s: %v", flag, err)
	}
	return e, nil
}

// Choices are the values that a flag may have, nil where it may have any.
func Choices(flag string) []string {
	return map[string][]string{
		"null":      {"refuse", "letter", "public"},
		"floor-by":  {"rank", "value"},
		"hash":      {"sha256", "none"},
		"audit":     {"sample", "full", "off"},
		"on-change": {"publish", "hold", "refuse"}, "over-budget": {"repeat", "suppress", "refuse"},
		"prefer": {"utility", "unchanged"},
		"ties":   {"column", "error"}, "log-format": {"text", "json"},
		"design": append([]string{"auto"}, design.Kinds()...),
	}[flag]
}

// Check finds contradictions that need no file.
func (o *Options) Check() error {
	if o.Threads < 0 {
		return fault.New(fault.Usage, "give 0 for one thread per processor", "--threads %d is negative", o.Threads)
	}
	for _, c := range []struct{ flag, value string }{
		{"null", o.Null}, {"floor-by", o.FloorBy}, {"hash", o.Hash}, {"audit", o.Audit}, {"on-change", o.OnChange}, {"over-budget", o.OverBudget}, {"prefer", o.Prefer}, {"ties", o.Ties}, {"design", o.Design},
	} {
		if allowed := Choices(c.flag); c.value != "" && !slices.Contains(allowed, c.value) {
			return fault.New(fault.Usage, "choose one of "+strings.Join(allowed, ", "), "--%s has the unknown value %q", c.flag, c.value)
		}
	}
	switch {
	case o.Floors < 0:
		return fault.New(fault.Usage, "give 0 for all floors", "--floors %d is negative", o.Floors)
	case o.SolveTime < 0:
		return fault.New(fault.Usage, "give a time such as 60s", "--solve-time is negative")
	case o.FloorRank != nil && *o.FloorRank < 1:
		return fault.New(fault.Usage, "ranks count from 1, the worst", "--floor-rank %d is no rank", *o.FloorRank)
	case o.FloorRank != nil && o.FloorValue != nil:
		return fault.New(fault.Usage, "give one of them", "--floor-rank and --floor-value are both given")
	case o.FloorValue != nil && *o.FloorValue != *o.FloorValue:
		return fault.New(fault.Usage, "give a number", "--floor-value is not a number")
	case len(o.Keep) > 0 && len(o.Drop) > 0:
		return fault.New(fault.Usage, "give one of them", "--keep and --drop are both given")
	}
	return cmp.Or(o.checkPrior(), o.checkRare(), o.checkPopulation(), o.checkRepeat(), o.CheckStrata())
}

// Goal is what the design has to reach.
func (o *Options) Goal() (design.Goal, error) {
	e, err := o.ParseEpsilon()
	if err != nil {
		return design.Goal{}, err
	}
	g := design.Goal{Epsilon: e, ByValue: o.FloorBy == "value", Kind: o.Design}
	switch {
	case o.FloorRank != nil:
		f := mechanism.RankFloor(*o.FloorRank)
		g.Floor = &f
	case o.FloorValue != nil:
		f := mechanism.ValueFloor(*o.FloorValue)
		g.Floor = &f
	}
	return g, nil
}

// Tell calls Progress, where there is one.
func (o *Options) Tell(phase string, done, total int64) {
	if o.Progress != nil {
		o.Progress(phase, done, total)
	}
}
