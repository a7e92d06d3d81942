package count

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A Folding counts rare letters as one letter OTHER, for the design. Every
// letter keeps a row of its own in the plan, and those of merged letters are
// equal: what any output tells of them is then what it tells of OTHER.
type Folding struct {
	Wide *Domain // as it was before
	To   []int   // by letter of Wide: the letter it is counted as
	Rare []int   // letters of Wide that were merged, OTHER left out
	Row  int     // OTHER, in Wide
}

// MergeRare is the domain in which letters of fewer than MinCount records are
// counted as OTHER; d itself where nothing is merged. Null is never merged.
func MergeRare(rare request.Rare, d *Domain) (*Domain, *Folding, error) {
	if rare.Other == "" || d.Letters.Len() == 0 {
		return d, nil, nil
	}
	f := &Folding{Wide: d, To: make([]int, d.Letters.Len()), Row: slices.Index(d.Letters.Label, rare.Other)}
	if f.Row < 0 {
		return nil, nil, fault.New(fault.Input, "add it with the count 0", "the counts lack the letter %q of --other",
			rare.Other)
	}
	narrow := *d
	narrow.Letters = utility.Letters{Label: []string{}, Null: d.Letters.Null}
	other := -1
	for x, label := range d.Letters.Label {
		switch {
		case x == f.Row:
			other = len(narrow.Letters.Label)
		case d.Sample.Count(x) < rare.MinCount:
			f.Rare = append(f.Rare, x)
			continue
		}
		f.To[x] = len(narrow.Letters.Label)
		narrow.Letters.Label = append(narrow.Letters.Label, label)
	}
	for _, x := range f.Rare {
		f.To[x] = other
	}
	if d.Letters.Null {
		f.To[len(f.To)-1] = len(narrow.Letters.Label)
	}
	var err error
	if narrow.Prior, err = f.fold(d.Prior, narrow.Letters.Len()); err != nil {
		return nil, nil, err
	}
	if narrow.Sample, err = f.fold(d.Sample, narrow.Letters.Len()); err != nil {
		return nil, nil, err
	}
	narrow.Fold = f
	return &narrow, f, nil
}

func (f *Folding) fold(p mechanism.Prior, letters int) (mechanism.Prior, error) {
	count := make([]int64, letters)
	for x, to := range f.To {
		count[to] += p.Count(x)
	}
	return mechanism.NewPrior(count)
}

// Widen gives every letter of the file its row of the mechanism; the plan's
// order stays as it is.
func (f *Folding) Widen(p *plan.Plan) (err error) {
	p.Inputs, p.Prior, p.Sample = f.Wide.Letters, f.Wide.Prior, f.Wide.Sample
	g := p.Groups[0]
	row := make([]mechanism.Row, len(f.To))
	for x, to := range f.To {
		row[x] = g.Mechanism.Row(to)
	}
	g.Prior = p.Prior
	g.Mechanism, err = mechanism.New(p.Outputs.Len(), row)
	p.Groups = []plan.Group{g}
	return err
}

// A Folded order has the row of another letter for some.
type Folded struct {
	mechanism.Order
	To []int
}

// Inputs is the number of letters that have a row.
func (f Folded) Inputs() int { return len(f.To) }

// Row is that of the letter that x is counted as.
func (f Folded) Row(x int, rank []uint16, value []float64) { f.Order.Row(f.To[x], rank, value) }
