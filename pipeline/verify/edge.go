package verify

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
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
	Declared bool     // its prior was declared: no counts move epsilon
}

// EdgeOf measures how far the counts are from making the plan fail. order is
// needed where the plan leaves its rows out: "" is order.csv beside the plan.
// It fails with *Error where a file cannot be read or does not hold together.
func EdgeOf(plan, order, counts string) (*Edge, error) {
	v := &verifier{report: &reportFile{}, plan: &planFile{}}
	data, err := readFile(plan, "--plan")
	if err != nil {
		return nil, err
	}
	if err := decode(data, plan, v.plan); err != nil {
		return nil, err
	}
	v.report.Letters, v.report.Prior.Of = len(v.plan.Inputs), "the plan"
	if sum, last := planSum(data, v.plan.Plan); !last || sum != v.plan.Plan {
		return nil, errorf("make the plan again, or take a copy of it", "%s was changed after it was written", plan)
	}
	if v.plan.Strata != nil {
		return nil, errorf("run it: it stops where a stratum is beyond the edge", "%s holds for strata of another column, of which counts say nothing", plan)
	}
	if err := v.lawOf(plan, order); err != nil {
		return nil, err
	}
	tonight, lacking, err := v.readCounts(counts)
	if err != nil {
		return nil, err
	}
	e := &Edge{Target: v.plan.Epsilon.Target, Lacking: lacking, Records: sum(tonight), Declared: v.plan.Prior != nil && v.plan.Prior.Of == "declared"}
	if v.plan.Headroom != nil {
		e.Headroom = v.plan.Headroom.Share
	}
	t, ok := parseTarget(e.Target)
	if !ok {
		return nil, errorf("make the plan again", "%s: its epsilon is neither a decimal nor log(p/q)", plan)
	}
	e.Factor = mostOf(v.rows, v.count, v.total, len(v.plan.Outputs))
	if len(lacking) > 0 {
		return e, nil
	}
	e.Tonight = mostOf(v.rows, tonight, e.Records, len(v.plan.Outputs))
	moved := e.Tonight
	if v.plan.Prior != nil && v.plan.Prior.Of == "smoothed" {
		scaled, ok := smoothed(tonight, v.plan.Prior.Smooth)
		if !ok {
			return nil, errorf("make the plan again", "%s: what was added to its counts is no share", plan)
		}
		moved = mostOf(v.rows, scaled, sum(scaled), len(v.plan.Outputs))
		e.Tonight = moved
	}
	e.Holds = e.Declared || t.admits(moved)
	log, _ := logOf(moved, 128)
	nats, _ := log.Float64()
	e.Room = math.Expm1(t.float() - nats)
	return e, nil
}

// mostOf is the largest factor, 1 where there is none.
func mostOf(rows []row, count []int64, total int64, outputs int) *big.Rat {
	most := big.NewRat(1, 1)
	for _, f := range factors(rows, count, total, outputs) {
		if f != nil && f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}

// smoothed adds a share of a record to every count, all brought to whole
// numbers.
func smoothed(count []int64, text string) ([]int64, bool) {
	a, ok := shareOf(text)
	if !ok || !a.Num().IsInt64() || !a.Denom().IsInt64() {
		return nil, false
	}
	out := make([]int64, len(count))
	for x, c := range count {
		n := new(big.Int).Mul(big.NewInt(c), a.Denom())
		if n.Add(n, a.Num()); n.BitLen() > 46 {
			return nil, false
		}
		out[x] = n.Int64()
	}
	return out, true
}

// lawOf reads counts and rows of the plan, or makes the rows from its order.
func (v *verifier) lawOf(plan, order string) error {
	broken := func() error {
		return errorf("make the plan again", "%s does not hold together", plan)
	}
	if !v.checkLetters() || !v.checkCounts() {
		return broken()
	}
	if len(v.plan.Mechanism.Rows) == 0 && !v.empty() {
		if order == "" {
			order = filepath.Join(filepath.Dir(plan), "order.csv")
		}
		data, err := readFile(order, "--order")
		if err != nil {
			return err
		}
		if hexSum(data) != v.plan.Order.SHA256 {
			return errorf("take the order.csv that was written with the plan", "the order is not that of %s", plan)
		}
		o, why := readOrder(data, v.plan.Inputs, v.plan.Outputs)
		if why != "" {
			return errorf("take the order.csv that was written with the plan", "the rows of %s follow from its order, and %s", plan, why)
		}
		v.order, v.allow = o, v.supportOf(o)
	}
	v.checkRows()
	if len(v.Failed()) > 0 || v.rows == nil && !v.empty() || designSum(v.plan.Inputs, v.plan.Outputs, v.rows) != v.plan.Design {
		return broken()
	}
	return nil
}

// readCounts reads counts.csv for the letters of the plan, and the lines of
// those with records that the plan lacks.
func (v *verifier) readCounts(path string) (count []int64, lacking []int, err error) {
	data, err := readFile(path, "--counts")
	if err != nil {
		return nil, nil, err
	}
	bad := func(line int, what string) error {
		return errorf("tacet estimate writes such files", "%s: line %d %s", path, line, what)
	}
	place := map[cells.Label]int{}
	for x, l := range v.plan.Inputs {
		place[l] = x
	}
	count = make([]int64, len(v.plan.Inputs))
	s := &sheet{text: []byte(strings.ReplaceAll(string(data), "\r\n", "\n"))}
	header, _ := s.next()
	nulls := len(header) == 3 && header[2] == "null"
	if len(header) < 2 || header[0] != "label" || header[1] != "count" || len(header) > 2 && !nulls {
		return nil, nil, bad(1, "is not the header label,count")
	}
	seen := map[cells.Label]bool{}
	for line := 2; ; line++ {
		field, ok := s.next()
		if !ok {
			break
		}
		if len(field) != len(header) {
			return nil, nil, bad(line, "has another number of cells than the header")
		}
		n, ok := whole(field[1])
		l := cells.Label{Text: field[0]}
		if nulls && field[2] == "1" {
			l = cells.Label{Null: true}
		}
		x, known := place[l]
		switch {
		case !ok || n > maxTotal-sum(count):
			return nil, nil, bad(line, "holds no count")
		case seen[l]:
			return nil, nil, bad(line, "repeats a label")
		case known:
			count[x] = n
		case n > 0:
			lacking = append(lacking, line)
		}
		seen[l] = true
	}
	if s.bad || len(seen) == 0 {
		return nil, nil, errorf("tacet estimate writes such files", "%s holds no counts", path)
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
		fmt.Fprintf(t, "tonight\t%d letters with records are not in the plan\n", len(e.Lacking))
	case e.Declared:
		fmt.Fprintf(t, "tonight\tthe prior was declared: no counts move epsilon (relative to these it is %s)\n", shown(e.Tonight))
	default:
		fmt.Fprintf(t, "tonight\t%s, %d records\n", shown(e.Tonight), e.Records)
		fmt.Fprintf(t, "room left\t%.2f %% of the factor\n", 100*e.Room)
	}
	if e.Headroom != "" {
		fmt.Fprintf(t, "headroom of the design\t%s\n", e.Headroom)
	}
	return t.Flush()
}

// shown is a factor with its logarithm, rounded up.
func shown(f *big.Rat) string {
	_, hi := logOf(f, 128)
	nats, _ := hi.Float64()
	text := f.RatString()
	if len(text) > 24 {
		v, _ := f.Float64()
		text = fmt.Sprintf("%.6g", v)
	}
	return fmt.Sprintf("%.4f nats (factor %s)", math.Ceil(nats*1e4-1e-9)/1e4, text)
}
