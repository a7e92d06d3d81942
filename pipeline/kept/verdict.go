package kept

import (
	"fmt"
	"slices"
	"strings"
)

// The bounds beyond which columns are refused, or warned of.
const (
	refuseRemoved = .5  // share of the private column's entropy that a column removes
	refuseCertain = .05 // share of rows whose letter is certain from column and output, and not from the output alone
	moreRemoved   = .1  // by which a pair is worth mention beside a column that is refused alone
	warnGuess     = 2   // by how much a column alone multiplies best-guess success
	refuseRuns    = .5  // share of neighbours with the same letter, where twice as many as in a shuffled file
	alarm         = 6   // standard deviations: a chance of 1e-9
	keepsOrder    = .9  // rank correlation from which on a column gives the rows' order back
)

// A Finding is what a reviewer has to know of a column, a pair, or the places
// of the rows.
type Finding struct {
	Names   []string // of the columns; none for the places
	Refused bool     // else it is a warning
	Allowed bool     // it would be refused
	What    string
}

// Judge compares the figures with the bounds. What allowed names is not
// refused but warned of: a column, and with it every pair that it makes
// telling; sorted does so for the places.
func (r *Result) Judge(allowed []string, sorted bool) (found []Finding) {
	alone := map[string]bool{} // refused by itself, and allowed
	for i := range r.Columns {
		c := &r.Columns[i]
		name := c.Names[0]
		switch {
		case !c.Judged:
			found = append(found, Finding{Names: c.Names, What: fmt.Sprintf("column %q is not judged: %s", name, c.Why)})
		case c.telling():
			ok := slices.Contains(allowed, name)
			alone[name] = ok
			found = append(found, Finding{c.Names, !ok, ok, fmt.Sprintf("column %q tells %s", name, c.tells())})
		case c.GuessAlone >= warnGuess*c.GuessNone && c.GuessNone > 0:
			found = append(found, Finding{Names: c.Names, What: fmt.Sprintf("column %q tells %s", name, c.tells())})
		}
	}
	for i := range r.Pairs {
		if p := &r.Pairs[i]; p.Judged && p.telling() && r.more(p) {
			a, b := p.Names[0], p.Names[1]
			ok := alone[a] || alone[b] || slices.Contains(allowed, a) && slices.Contains(allowed, b)
			found = append(found, Finding{p.Names, !ok, ok, fmt.Sprintf("columns %q and %q together tell %s", a, b, p.tells())})
		}
	}
	return append(found, r.places(sorted)...)
}

// more reports whether a pair says more than what its columns, where one is
// itself beyond the bounds, say alone.
func (r *Result) more(pair *Column) bool {
	for i := range r.Columns {
		if c := &r.Columns[i]; slices.Contains(pair.Names, c.Names[0]) && c.telling() &&
			pair.Removed < c.Removed+moreRemoved && pair.CertainBoth < c.CertainBoth+refuseCertain {
			return false
		}
	}
	return true
}

// telling reports whether c is beyond the bounds. A column that holds a value
// of its own in nearly every row tells nothing by its values that could be
// learned from other rows.
func (c *Column) telling() bool {
	return c.Records > 0 && (c.Removed >= refuseRemoved || c.CertainBoth-c.CertainDrawn > refuseCertain)
}

// tells puts the figures in words.
func (c *Column) tells() string {
	return fmt.Sprintf("%s of the private column, the best guess %s to %s, %s more rows certain with the output",
		share(c.Removed), share(c.GuessNone), share(c.GuessAlone), share(max(0, c.CertainBoth-c.CertainDrawn)))
}

// places judges whether the rows stand by the private column.
func (r *Result) places(sorted bool) (found []Finding) {
	seen, expected := r.Runs.Shares()
	var what []string
	refused := false
	if c := &r.Place; c.Judged && (c.telling() || c.GuessAlone >= warnGuess*c.GuessNone && c.Strata > 1) {
		refused = c.telling()
		what = append(what, fmt.Sprintf("the place of a row tells %s", c.tells()))
	}
	if r.Runs.Excess() > alarm {
		refused = refused || seen >= refuseRuns && seen >= 2*expected
		what = append(what, fmt.Sprintf("the next row holds the same letter in %s, not %s as in a shuffled file, so that neighbours are several draws of one letter", share(seen), share(expected)))
	}
	if len(what) > 0 {
		found = append(found, Finding{nil, refused && !sorted, refused && sorted, strings.Join(what, "; ")})
	}
	return found
}

// Restores names the kept columns that would give the rows their order back
// after a shuffle.
func (r *Result) Restores() (names []string) {
	for _, c := range r.Columns {
		if float64(c.Distinct) >= unique*float64(r.Rows) && (c.Order >= keepsOrder || c.Order <= -keepsOrder) {
			names = append(names, c.Names[0])
		}
	}
	return names
}

func share(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
