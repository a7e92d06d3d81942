package releases

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"

	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// noOutput is the place of a null that is no output of this release's plan.
const noOutput = -1

// A held counts the rows that are not drawn anew. The zero value has none.
type held struct {
	rows, visible int64
	absent        int64           // rows that have no value tonight
	pairs         *estimate.Pairs // of this release's letter and what is shown; nil without rows
	told          map[int32]*telling
}

// A telling is what the rows tell that show one output.
type telling struct {
	rows  int64
	peak  composition.Peak
	alone *big.Rat // the largest; see Row
}

// take counts a row.
func (s *held) take(p *plan.Plan, d *Drawing, x int32) {
	if s.pairs == nil {
		s.pairs, s.told = estimate.NewPairs(p.Inputs.Len(), p.Outputs.Len()), map[int32]*telling{}
	}
	s.rows++
	y := max(d.Output, noOutput)
	t := s.told[y]
	if t == nil {
		t = &telling{}
		s.told[y] = t
	}
	t.rows++
	if x < 0 {
		s.absent++
	}
	if d.Told != nil { // else it shows an earlier null
		if t.peak.Add(d.Told); d.Told.Visible() {
			s.visible++
		}
	}
	t.alone = larger(t.alone, d.Alone)
	if x >= 0 && y >= 0 {
		s.pairs.Add([]int32{x}, []int32{y})
	}
}

// merge adds what o counted.
func (s *held) merge(o *held) {
	if o.rows == 0 {
		return
	}
	if s.rows == 0 {
		*s = *o
		return
	}
	s.rows += o.rows
	s.visible += o.visible
	s.absent += o.absent
	s.pairs.Merge(o.pairs)
	for y, t := range o.told {
		own := s.told[y]
		if own == nil {
			s.told[y] = t
			continue
		}
		own.rows += t.rows
		own.peak.Merge(t.peak)
		own.alone = larger(own.alone, t.alone)
	}
}

// factor is the largest of a telling; nil where it has none.
func (t *telling) factor() *big.Rat {
	return larger(t.peak.Factor(), t.alone)
}

// factor is the largest over all rows that have one; nil for none.
func (s *held) factor() (most *big.Rat) {
	for _, y := range slices.Sorted(maps.Keys(s.told)) {
		most = larger(most, s.told[y].factor())
	}
	return most
}

// tell is the report's account of them; nil without rows.
func (s *held) tell(p *plan.Plan) *report.Shown {
	if s.rows == 0 {
		return nil
	}
	out := &report.Shown{Rows: s.rows, Visible: s.visible, Absent: s.absent}
	out.Factor, out.Nats = factorText(s.factor())
	s.worst(p, out)
	labels := p.OutputLabels()
	for _, y := range slices.Sorted(maps.Keys(s.told)) {
		t := s.told[y]
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
	rank, value := make([]uint16, p.Outputs.Len()), make([]float64, p.Outputs.Len())
	for x := range p.Inputs.Len() {
		p.Order.Row(x, rank, value)
		for y := range p.Outputs.Len() {
			if s.pairs.Count(x, y) == 0 {
				continue
			}
			if r := int(rank[y]); to.Rank == 0 || r < to.Rank {
				to.Rank = r
			}
			if v := value[y]; math.IsInf(v, -1) {
				to.Forbidden += s.pairs.Count(x, y)
			} else if to.Value == nil || v < *to.Value {
				to.Value = &v
			}
		}
	}
}

// count is how many rows of a letter show an output.
func (s *held) count(x, y int) int64 {
	if s.pairs == nil {
		return 0
	}
	return s.pairs.Count(x, y)
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
	if r == nil {
		return nil
	}
	return &report.Published{Drawn: records - r.Outside() + r.held.absent, Held: r.held.tell(r.p)}
}

// admitted refuses rows of earlier draws that tell more than this release's epsilon.
func (r *Recall) admitted(p *plan.Plan) error {
	if r == nil {
		return nil
	}
	f := r.held.factor()
	if f == nil || p.Epsilon.Admits(f) {
		return nil
	}
	return fault.New(fault.Privacy, "choose a larger epsilon, or begin another series with another --dataset",
		"%s would show an earlier draw, and may leak %s nats (factor %s) each, while epsilon is %s; nothing was published",
		report.Several(r.held.rows, "row", "rows"), report.Nats(f), report.FactorUp(f), p.Target)
}
