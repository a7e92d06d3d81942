package releases

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A held counts the rows that are not drawn anew.
type held struct {
	rows int64
	cell map[cell]int64
	told map[int32]*telling // by what is shown
}

// A cell is of rows of one letter of this release that show one output; -1 is a null.
type cell struct{ x, y int32 }

// A telling is what the rows tell that show one output.
type telling struct {
	rows  int64
	peak  composition.Peak
	alone *big.Rat // the largest; see Row
}

func newHeld() held { return held{cell: map[cell]int64{}, told: map[int32]*telling{}} }

// of is the telling of an output, a new one where it is the first.
func (s *held) of(y int32) *telling {
	if s.told[y] == nil {
		s.told[y] = &telling{}
	}
	return s.told[y]
}

// take counts a row of letter x.
func (s *held) take(d *Drawing, x int32) {
	s.rows++
	s.cell[cell{max(x, -1), d.Output}]++
	t := s.of(d.Output)
	t.rows++
	if d.Told != nil { // else it shows an earlier null
		t.peak.Add(d.Told)
	}
	t.alone = larger(t.alone, d.Alone)
}

// merge adds what o counted.
func (s *held) merge(o *held) {
	s.rows += o.rows
	for c, n := range o.cell {
		s.cell[c] += n
	}
	for y, t := range o.told {
		own := s.of(y)
		own.rows += t.rows
		own.peak.Merge(t.peak)
		own.alone = larger(own.alone, t.alone)
	}
}

// absent is how many rows have no value tonight.
func (s *held) absent() (rows int64) {
	for c, n := range s.cell {
		if c.x < 0 {
			rows += n
		}
	}
	return rows
}

// factor is the largest of a telling; nil where it has none.
func (t *telling) factor() *big.Rat {
	return larger(t.peak.Factor(), t.alone)
}

// factor is the largest over all rows that have one; nil for none.
func (s *held) factor() (most *big.Rat) {
	for _, t := range s.told {
		most = larger(most, t.factor())
	}
	return most
}

// tell is the report's account of them; nil without rows.
func (s *held) tell(p *plan.Plan) *report.Shown {
	if s.rows == 0 {
		return nil
	}
	out := &report.Shown{Rows: s.rows, Absent: s.absent()}
	out.Factor, out.Nats = factorText(s.factor())
	s.worst(p, out)
	labels := p.OutputLabels()
	for _, y := range slices.Sorted(maps.Keys(s.told)) {
		t := s.told[y]
		out.Visible += t.peak.Visible
		o := report.ShownOutput{Label: report.Label{Null: true}, Rows: t.rows}
		if y >= 0 {
			o.Label = labels[y]
		}
		o.Factor, _ = factorText(t.factor())
		out.Outputs = append(out.Outputs, o)
	}
	return out
}

// worst is the worst that this release's letters were replaced by.
func (s *held) worst(p *plan.Plan, to *report.Shown) {
	rank, value, row := make([]uint16, p.Outputs.Len()), make([]float64, p.Outputs.Len()), int32(-1)
	for _, c := range slices.SortedFunc(maps.Keys(s.cell), func(a, b cell) int { return cmp.Compare(a.x, b.x) }) {
		if c.x < 0 || c.y < 0 {
			continue
		}
		if c.x != row {
			p.Order.Row(int(c.x), rank, value)
			row = c.x
		}
		if r := int(rank[c.y]); to.Rank == 0 || r < to.Rank {
			to.Rank = r
		}
		if v := value[c.y]; math.IsInf(v, -1) {
			to.Forbidden += s.cell[c]
		} else if to.Value == nil || v < *to.Value {
			to.Value = &v
		}
	}
}

// factorText is a factor as a report has it.
func factorText(f *big.Rat) (text string, nats float64) {
	if f == nil {
		return "", 0
	}
	return f.RatString(), mechanism.Nats(f)
}

// larger is the larger of two factors, of which either may be nil.
func larger(a, b *big.Rat) *big.Rat {
	if b == nil || a == b {
		return a
	}
	if a == nil || b.Cmp(a) > 0 {
		return b
	}
	return a
}

// published is the report's account of all rows.
func (r *Recall) published(records int64) *report.Published {
	return &report.Published{Drawn: records - r.Outside() + r.held.absent(), Held: r.held.tell(r.p)}
}

// admitted refuses another output than before where a change is refused, and rows of earlier
// draws that tell more than this release's epsilon.
func (r *Recall) admitted(onChange string) error {
	if onChange == "refuse" && r.visible > 0 {
		return fault.New(fault.Privacy, "choose --on-change draw or hold, or leave these records out",
			"%s would be published with another output than before, and --on-change is refuse",
			report.Several(r.visible, "record", "records"))
	}
	f := r.held.factor()
	if f == nil || r.p.Epsilon.Admits(f) {
		return nil
	}
	return fault.New(fault.Privacy, "choose a larger epsilon, or begin another series with another --dataset",
		"%s would show an earlier draw, and may leak %s nats (factor %s) each, while epsilon is %s; nothing was published",
		report.Several(r.held.rows, "row", "rows"), report.Nats(f), report.FactorUp(f), r.p.Target)
}
