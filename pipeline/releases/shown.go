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

// A shown counts the rows of one class that is not drawn anew. The zero
// value has none.
type shown struct {
	rows, visible int64
	absent        int64           // rows that have no value tonight
	pairs         *estimate.Pairs // of this release's letter and what is shown; nil without rows
	told          map[int32]*telling
}

// A telling is what the rows of a class tell that show one output.
type telling struct {
	rows  int64
	peak  composition.Peak
	alone [2]*big.Rat // the largest; see night.Row
}

// take counts a row.
func (s *shown) take(p *plan.Plan, d *Drawing, x int32) {
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
	for i, f := range d.Alone {
		t.alone[i] = larger(t.alone[i], f)
	}
	if x >= 0 && y >= 0 {
		s.pairs.Add([]int32{x}, []int32{y})
	}
}

// merge adds what o counted.
func (s *shown) merge(o *shown) {
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
		for i, f := range t.alone {
			own.alone[i] = larger(own.alone[i], f)
		}
	}
}

// factor is the largest of a telling; nil where it has none.
func (t *telling) factor() *big.Rat {
	return larger(t.peak.Factor(), larger(t.alone[0], t.alone[1]))
}

// factor is the largest over all rows that have one; nil for none.
func (s *shown) factor() (most *big.Rat) {
	for _, y := range slices.Sorted(maps.Keys(s.told)) {
		most = larger(most, s.told[y].factor())
	}
	return most
}

// tell is the report's account of the class; nil without rows.
func (s *shown) tell(p *plan.Plan) *report.Shown {
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
func (s *shown) worst(p *plan.Plan, to *report.Shown) {
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
func (s *shown) count(x, y int) int64 {
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

// classes are the classes that are not drawn anew.
var classes = []Class{Held, Repeated, Suppressed}

// published is the report's account of all rows.
func (r *Recall) published(keep bool, records int64) *report.Published {
	if r == nil {
		return nil
	}
	return &report.Published{Drawn: records - r.Outside() + r.shown[Held].absent, KeepEarlier: keep,
		Held: r.shown[Held].tell(r.p), Repeated: r.shown[Repeated].tell(r.p), Suppressed: r.shown[Suppressed].tell(r.p)}
}

// admitted refuses rows of earlier draws that tell more than this release's epsilon,
// unless these are to be kept.
func (r *Recall) admitted(keep bool, p *plan.Plan) error {
	if r == nil || keep {
		return nil
	}
	for _, c := range classes {
		s := &r.shown[c]
		if f := s.factor(); f != nil && !p.Epsilon.Admits(f) {
			return fault.New(fault.Privacy, keepHint,
				"%s %s, and may leak %s nats (factor %s) each, while epsilon is %s; nothing was published",
				report.Several(s.rows, "row", "rows"), howShown[c], report.Nats(f), report.FactorUp(f), p.Target)
		}
		if c == Suppressed && s.visible > 0 {
			return fault.New(fault.Privacy, keepHint,
				"%s of records that changed visibly %s, and no epsilon bounds the leakage of these nulls; nothing was "+
					"published",
				report.Several(s.visible, "row", "rows"), howShown[c])
		}
	}
	return nil
}

const keepHint = "--keep-earlier publishes them, and every report then says that epsilon does not cover them; or " +
	"choose a larger epsilon"

// howShown says how the rows of a class are published.
var howShown = map[Class]string{Held: "would show the first output again (--on-change hold)",
	Repeated:   "would show the last output again (--over-budget repeat)",
	Suppressed: "would be published as null (--over-budget suppress)"}
