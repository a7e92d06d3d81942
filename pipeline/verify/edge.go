package verify

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/mechanism"
)

// An Edge is where other counts stand beside a plan.
type Edge struct {
	Target   string   // epsilon of the plan
	Factor   *big.Rat // of the plan under its own prior
	Tonight  *big.Rat // under these counts; nil where they hold letters that it lacks
	Records  int64    // of these counts
	Lacking  []int    // lines of letters with records that the plan lacks
	Holds    bool     // the plan can be followed
	Room     float64  // e^epsilon / Tonight - 1
	Headroom string   // that the plan was designed with, "" for none
	Declared bool     // a declared prior alone is held to epsilon: no counts move it
}

// EdgeOf measures how far the counts are from making the plan fail. order is
// needed where the plan leaves its rows out: "" is order.csv beside the plan.
// It fails with *Error where a file cannot be read or does not hold together.
func EdgeOf(plan, order, counts string) (*Edge, error) {
	v := document.NewView(&document.Report{})
	data, err := document.Read(plan, "--plan")
	if err != nil {
		return nil, err
	}
	if err := document.Decode(data, plan, v.Plan); err != nil {
		return nil, err
	}
	if sum, last := files.Plan(data, v.Plan.Plan); !last || sum != v.Plan.Plan {
		return nil, document.Errorf("make the plan again, or take a copy of it", "%s was changed after it was written", plan)
	}
	if v.Plan.Given.Of != "" {
		return nil, document.Errorf("run it: it stops where a stratum is beyond the edge",
			"%s holds for strata of another column, whose edges are not computed here", plan)
	}
	if err := lawOf(v, plan, order); err != nil {
		return nil, err
	}
	tonight, lacking, err := readCounts(v, counts)
	if err != nil {
		return nil, err
	}
	e := &Edge{Target: v.Plan.Epsilon.Target, Lacking: lacking, Records: exact.Sum(tonight),
		Declared: v.Plan.Prior != nil && v.Plan.Prior.Of == "declared" && v.Plan.Prior.Only}
	if v.Plan.Headroom != nil {
		e.Headroom = v.Plan.Headroom.Share
	}
	t, ok := exact.ParseTarget(e.Target)
	if !ok {
		return nil, document.Errorf("make the plan again", "%s: its epsilon is neither a decimal nor log(p/q)", plan)
	}
	e.Factor = exact.Most(v.Rows, v.Count, v.Total, len(v.Plan.Outputs))
	if len(lacking) > 0 {
		return e, nil
	}
	e.Tonight = exact.Most(v.Rows, tonight, e.Records, len(v.Plan.Outputs))
	moved := e.Tonight
	if v.Plan.Prior != nil && v.Plan.Prior.Of == "smoothed" {
		scaled, ok := exact.Smoothed(tonight, v.Plan.Prior.Smooth)
		if !ok {
			return nil, document.Errorf("make the plan again", "%s: what was added to its counts is no share", plan)
		}
		if moved = exact.Most(v.Rows, scaled, exact.Sum(scaled), len(v.Plan.Outputs)); v.Held() && e.Tonight.Cmp(moved) > 0 {
			moved = e.Tonight
		}
		e.Tonight = moved
	}
	e.Holds = e.Declared || t.Admits(moved)
	log, _ := exact.Log(moved, 128)
	nats, _ := log.Float64()
	e.Room = math.Expm1(t.Float() - nats)
	return e, nil
}

// lawOf reads counts and rows of the plan, or makes the rows from its order.
func lawOf(v *document.View, plan, order string) error {
	broken := func() error {
		return document.Errorf("make the plan again", "%s does not hold together", plan)
	}
	if !mechanism.CheckLetters(v) || !mechanism.CheckCounts(v) {
		return broken()
	}
	if v.Plan.Weights() != "" {
		weights, err := openWeights(v, plan)
		if err != nil {
			return err
		}
		defer weights.Close()
	} else if laws := v.Plan.Laws; len(laws) == 1 && len(laws[0].Rows)+len(laws[0].Blocks) == 0 {
		if order == "" {
			order = filepath.Join(filepath.Dir(plan), "order.csv")
		}
		data, err := document.Read(order, "--order")
		if err != nil {
			return err
		}
		if files.Hex(data) != v.Plan.Order.SHA256 {
			return document.Errorf("take the order.csv that was written with the plan", "the order is not that of %s", plan)
		}
		o, why := files.ReadOrder(data, v.Plan.Inputs, v.Plan.Outputs)
		if why != "" {
			return document.Errorf("take the order.csv that was written with the plan",
				"the rows of %s follow from its order, and %s", plan, why)
		}
		v.Order, v.Allow = o, mechanism.SupportOf(v, o)
	}
	mechanism.CheckRows(v)
	if len(v.Failed()) > 0 || v.Rows == nil && !v.Empty() || v.Design() != v.Plan.Design {
		return broken()
	}
	return nil
}

// openWeights opens the rows that a plan leaves out, beside it; where it has them there is
// nothing to open.
func openWeights(v *document.View, plan string) (io.Closer, error) {
	if v.Plan.Weights() == "" {
		return io.NopCloser(nil), nil
	}
	path := filepath.Join(filepath.Dir(plan), files.WeightsFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, document.Unreadable(path, "--plan, whose rows it has", err)
	}
	v.Weights = f
	return f, nil
}

// countsColumns are those that a file of counts may have, in this order; the first
// two are always there.
var countsColumns = []string{"label", "count", "null", "stratum", "stratum_null"}

// readCounts reads counts.csv for the letters of the plan, over all strata, and the
// lines of those with records that the plan lacks. Nulls that the plan leaves as
// they are do not count.
func readCounts(v *document.View, path string) (count []int64, lacking []int, err error) {
	data, err := document.Read(path, "--counts")
	if err != nil {
		return nil, nil, err
	}
	bad := func(line int, what string) error {
		return document.Errorf("tacet estimate writes such files", "%s: line %d %s", path, line, what)
	}
	place := map[files.Label]int{}
	for x, l := range v.Plan.Inputs {
		place[l] = x
	}
	count = make([]int64, len(v.Plan.Inputs))
	text, line := strings.ReplaceAll(string(data), "\r\n", "\n"), 1
	said := strings.HasPrefix(text, "#") // of what the counts are
	if said {
		_, text, _ = strings.Cut(text, "\n")
		line++
	}
	s := files.NewSheet(text)
	header, _ := s.Next()
	at := map[string]int{}
	for i, name := range header {
		at[name] = i
	}
	known := slices.DeleteFunc(slices.Clone(countsColumns), func(name string) bool { _, ok := at[name]; return !ok })
	if !slices.Equal(header, known) || len(header) < 2 || header[1] != "count" {
		return nil, nil, bad(line, "is not the header label,count")
	}
	cell := func(field []string, name string) string {
		if i, ok := at[name]; ok {
			return field[i]
		}
		return ""
	}
	total, seen := int64(0), map[[2]files.Label]bool{}
	more := map[files.Label]bool{} // that the plan lacks
	for line++; ; line++ {
		field, ok := s.Next()
		if !ok {
			break
		}
		if len(field) != len(header) {
			return nil, nil, bad(line, "has another number of cells than the header")
		}
		n, ok := exact.Whole(field[1])
		l := files.Label{Text: field[0], Null: cell(field, "null") == "1"}
		of := files.Label{Text: cell(field, "stratum"), Null: cell(field, "stratum_null") == "1"}
		x, known := place[l]
		switch {
		case !ok || n > exact.MaxTotal-total:
			return nil, nil, bad(line, "holds no count")
		case seen[[2]files.Label{l, of}]:
			return nil, nil, bad(line, "repeats a label")
		case known:
			count[x] += n
			total += n
		case n > 0 && !more[l] && !(l.Null && v.Plan.Null == "public"):
			more[l] = true
			lacking = append(lacking, line)
		}
		seen[[2]files.Label{l, of}] = true
	}
	if s.Bad || len(seen) == 0 && !said {
		return nil, nil, document.Errorf("tacet estimate writes such files", "%s holds no counts", path)
	}
	return count, lacking, nil
}

// WriteText prints the edge.
func (e *Edge) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "epsilon of the plan\t%s\n", e.Target)
	fmt.Fprintf(t, "reached by its counts\t%s\n", shown(e.Factor))
	switch {
	case len(e.Lacking) > 0:
		fmt.Fprintf(t, "this release\t%d values with records are not in the plan\n", len(e.Lacking))
	case e.Declared:
		fmt.Fprintf(t, "this release\tthe prior was declared: no counts move epsilon (relative to these it is %s)\n",
			shown(e.Tonight))
	default:
		fmt.Fprintf(t, "this release\t%s, %d records\n", shown(e.Tonight), e.Records)
		fmt.Fprintf(t, "room left\t%.2f %% of the factor\n", 100*e.Room)
	}
	if e.Headroom != "" {
		fmt.Fprintf(t, "headroom of the design\t%s\n", e.Headroom)
	}
	return t.Flush()
}

// shown is a factor with its logarithm, rounded up.
func shown(f *big.Rat) string {
	_, hi := exact.Log(f, 128)
	nats, _ := hi.Float64()
	text := f.RatString()
	if len(text) > 24 {
		v, _ := f.Float64()
		text = fmt.Sprintf("%.6g", v)
	}
	return fmt.Sprintf("%.4f nats (factor %s)", math.Ceil(nats*1e4-1e-9)/1e4, text)
}
