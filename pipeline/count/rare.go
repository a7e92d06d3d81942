package count

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
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
// counted as OTHER; nil where nothing is merged. Null is never merged.
func (d *Domain) MergeRare(rare request.Rare) (*Domain, error) {
	if rare.Other == "" || d.Letters.Len() == 0 {
		return nil, nil
	}
	// OTHER is among the letters: it was declared.
	f := &Folding{Wide: d, To: make([]int, d.Letters.Len()), Row: slices.Index(d.Letters.Label, rare.Other)}
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
		return nil, err
	}
	if narrow.Sample, err = f.fold(d.Sample, narrow.Letters.Len()); err != nil {
		return nil, err
	}
	narrow.Groups = slices.Clone(d.Groups)
	for i := range narrow.Groups {
		g := &narrow.Groups[i]
		if g.Prior, err = f.fold(g.Prior, narrow.Letters.Len()); err != nil {
			return nil, err
		}
		if d.Of == "" {
			continue
		}
		if g.Sample, err = f.fold(g.Sample, narrow.Letters.Len()); err != nil {
			return nil, err
		}
	}
	narrow.Fold = f
	return &narrow, nil
}

func (f *Folding) fold(p mechanism.Prior, letters int) (mechanism.Prior, error) {
	count := make([]int64, letters)
	for x, to := range f.To {
		count[to] += p.Count(x)
	}
	return mechanism.NewPrior(count)
}

// Widen gives every letter of the file its row of the mechanisms of all groups;
// the plan's order stays as it is.
func (f *Folding) Widen(p *plan.Plan) error {
	p.Inputs, p.Prior, p.Sample = f.Wide.Letters, f.Wide.Prior, f.Wide.Sample
	var laws []*mechanism.Mechanism
	for _, g := range p.Groups {
		laws = append(laws, g.Mechanism)
	}
	groups, err := f.Wider(laws)
	p.Groups = groups
	return err
}

// Wider are the groups over the letters of the file, drawn by these mechanisms, in
// which every letter gets its row. What several groups share, they share again.
func (f *Folding) Wider(laws []*mechanism.Mechanism) (groups []plan.Group, err error) {
	wide := NewWidening(f.To)
	for i, m := range laws {
		g := f.Wide.Groups[i]
		if g.Mechanism, err = wide.Of(m); err != nil {
			return nil, err
		}
		g.Leakage = g.Mechanism.Leakage(g.Prior)
		groups = append(groups, g)
	}
	return groups, nil
}

// A Widening gives letter x the row of letter to[x]. Of one mechanism it makes one.
type Widening struct {
	to    []int
	known map[*mechanism.Mechanism]*mechanism.Mechanism
}

// NewWidening has made none.
func NewWidening(to []int) *Widening {
	return &Widening{to, map[*mechanism.Mechanism]*mechanism.Mechanism{}}
}

// Of is m with the rows that letters have.
func (w *Widening) Of(m *mechanism.Mechanism) (wide *mechanism.Mechanism, err error) {
	if wide = w.known[m]; wide != nil {
		return wide, nil
	}
	row := make([]mechanism.Row, len(w.to))
	for x, to := range w.to {
		row[x] = m.Row(to)
	}
	wide, err = mechanism.New(m.Outputs(), row)
	w.known[m] = wide
	return wide, err
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
