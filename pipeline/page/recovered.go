package page

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Recovered draws shares that were recovered from a published column, with intervals.
type Recovered struct {
	Column string
	Cell   string // the rows that it is about, in words; "" for all
	Bars   []RecoveredBar
}

// A RecoveredBar is one share, with the ends of its interval.
type RecoveredBar struct {
	Label     report.Label
	Published float64
	Share     *float64 // nil where only the interval is known
	Low, High float64
}

// WriteSVG writes the picture, the largest shares first: published ones where no other is known.
func (p *Recovered) WriteSVG(w io.Writer) error {
	all := slices.Clone(p.Bars)
	slices.SortStableFunc(all, func(a, b RecoveredBar) int { return cmp.Compare(b.at(), a.at()) })
	var rows []row
	hi := 0.
	for _, b := range all {
		one := row{show(b.Label), math.NaN(), 100 * b.High, 100 * b.Low, "?"}
		if b.Share != nil {
			one.value, one.text = 100**b.Share, fmt.Sprintf("%.2f %%", 100**b.Share)
		}
		rows, hi = append(rows, one), max(hi, one.outline)
	}
	f := frame{ID: "recovered-picture", Name: "Shares of " + Visible(p.Column) + " before the release", Width: width,
		Alone:       true,
		Description: fmt.Sprintf("Estimated shares of %d values or groups, each with the ends of its interval.", len(rows))}
	if p.Cell != "" {
		f.Name += ", " + Visible(p.Cell)
	}
	b := newBars(f, "share of the rows, in percent", hi, rows, nil)
	b.legend([2]string{"bar", "estimate"}, [2]string{"outline", "upper end of the interval"},
		[2]string{"mark", "lower end"})
	b.more("The %d largest of %d; the table has them all.", len(rows))
	return write(w, "bars", b)
}

// at is where a bar stands among the others. An interval alone would put those first of
// which least is known.
func (b RecoveredBar) at() float64 {
	if b.Share == nil {
		return b.Published
	}
	return *b.Share
}
