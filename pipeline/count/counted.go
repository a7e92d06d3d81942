package count

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Counted is what the passes over an input find of a private column: the records
// of every value, and of every value in every stratum where a column is given.
// Nulls are counted; what they are is decided later. It is written to a file, read
// again, and added to that of another input: sums of integers, in any order.
type Counted struct {
	Path     string          // of the input, or of the files of counts
	Column   string          // "" where a file does not say
	Alphabet *table.Alphabet // by value, null last where records hold it
	counts   mechanism.Prior // by letter
	Strata   string          // the column given; "" for none
	Table    *plan.Table     // of its strata, by letter; nil where they were not counted
	listed   bool            // in a file of the user: messages may name values
}

// Counted is what pass one found.
func (s *Source) Counted() *Counted {
	return &Counted{Path: s.Path, Column: s.Column.Name, Alphabet: s.Alphabet, counts: s.counts, Strata: s.Strata}
}

// countsOf are the records of every letter; there may be no letter.
func countsOf(path string, count []int64) (p mechanism.Prior, err error) {
	if len(count) == 0 {
		return p, nil
	}
	if p, err = mechanism.NewPrior(count); err != nil {
		return p, fault.New(fault.Input, "count fewer records at once", "%s: %v", path, err)
	}
	return p, nil
}

// Tabulate counts the strata of c, which were found in s, where a column is given.
func (c *Counted) Tabulate(ctx context.Context, s *Source) (err error) {
	if c.Strata != "" {
		c.Table, err = s.tabulate(ctx, c.Alphabet, func(l report.Label) report.Label { return l })
	}
	return err
}

// readAll adds up files of counts.
func readAll(paths []string) (*Counted, error) {
	if len(paths) == 1 {
		return ReadCounts(paths[0])
	}
	one, err := readAll(paths[:len(paths)/2]) // halves: each value is looked at log n times, not n
	if err != nil {
		return nil, err
	}
	other, err := readAll(paths[len(paths)/2:])
	if err != nil {
		return nil, err
	}
	return one.Plus(other)
}

// of refuses counts that are not those of the strata asked for.
func (c *Counted) of(asked string) error {
	switch {
	case c.Strata == asked:
		return nil
	case asked == "":
		return fault.New(fault.Input, "give --strata "+report.Shell(c.Strata)+
			", or make counts without strata with tacet estimate", "%s has strata of %s, and --strata is not given", c.Path,
			c.Strata)
	case c.Strata == "":
		return fault.New(fault.Input, "make the counts with tacet estimate --strata "+report.Shell(asked)+
			", or give --input", "%s has no strata, and --strata is %s", c.Path, asked)
	}
	return fault.New(fault.Input, "make the counts with tacet estimate --strata "+report.Shell(asked)+
		", or give --strata "+report.Shell(c.Strata), "%s has strata of %s, and --strata is %s", c.Path, c.Strata,
		asked)
}

// Plus is what two inputs hold together. It fails where they are of other columns,
// types or strata.
func (c *Counted) Plus(d *Counted) (*Counted, error) {
	t, strata := c.Alphabet.Type(), func(s string) string {
		if s == "" {
			return "no strata"
		}
		return "strata of " + s
	}
	differ := func(one, other string) error {
		return fault.New(fault.Input, "add counts that tacet estimate made of one column, of one type and with the same "+
			"--strata", "%s has %s, and %s has %s", c.Path, one, d.Path, other)
	}
	switch {
	case c.Column != d.Column && c.Column != "" && d.Column != "":
		return nil, differ(fmt.Sprintf("counts of column %q", c.Column), fmt.Sprintf("counts of column %q", d.Column))
	case t != d.Alphabet.Type() && t.Bins != d.Alphabet.Type().Bins:
		return nil, differ(binsName(t.Bins), binsName(d.Alphabet.Type().Bins))
	case t != d.Alphabet.Type():
		return nil, differ(t.String()+" values", d.Alphabet.Type().String()+" values")
	case c.Strata != d.Strata:
		return nil, differ(strata(c.Strata), strata(d.Strata))
	}
	values := slices.Concat(c.Alphabet.Values(), d.Alphabet.Values())
	slices.SortFunc(values, t.Compare)
	whole := table.NewAlphabet(t, slices.Compact(values), c.Alphabet.Null() >= 0 || d.Alphabet.Null() >= 0)
	sum, err := c.over(whole)
	if err != nil {
		return nil, err
	}
	more, err := d.over(whole)
	if err != nil {
		return nil, err
	}
	count := sum.counts.Counts()
	for x := range count {
		if count[x] += more.counts.Count(x); count[x] < 0 {
			return nil, tooLarge(c, d)
		}
	}
	if sum.counts, err = countsOf(c.Path, count); err != nil {
		return nil, tooLarge(c, d)
	}
	sum.Column, sum.listed = max(c.Column, d.Column), c.listed && d.listed
	if sum.Path = both(c.Path, d.Path); sum.Table == nil {
		return sum, nil
	}
	sum.Table.Merge(more.Table)
	if most := mostStrata(whole.Len(), 1); len(sum.Table.Name) > most {
		return nil, tooMany(sum.Path, sum.Strata, most, whole.Len())
	}
	return sum, nil
}

// both names the files of counts for a message, which ends after a line of them.
func both(one, other string) string {
	const line, more = 120, ", ..."
	if len(one)+len(other) < line {
		return one + ", " + other
	}
	return strings.TrimSuffix(one, more) + more
}

// binsName is how messages call bins.
func binsName(b *table.Bins) string {
	if b == nil {
		return "values in no bins"
	}
	return fmt.Sprintf("bins %s of %s values", b.Spec, b.Of)
}

func tooLarge(c, d *Counted) error {
	return fault.New(fault.Input, "leave one of them out", "%s and %s together count more records than 64 bits hold",
		c.Path, d.Path)
}

// over is c with the letters of a. What has none there, as nulls may, is left out; a stratum
// that holds nothing else stays one.
func (c *Counted) over(a *table.Alphabet) (*Counted, error) {
	w, at := *c, c.Alphabet.Over(a)
	w.Alphabet = a
	if c.Table != nil {
		w.Table = c.Table.Over(a.Len(), at)
	}
	var err error
	w.counts, err = countsOf(c.Path, overLetters(c.counts, at, a.Len()))
	return &w, err
}

// overLetters are counts of letters by where these stand among others, below 0 for nowhere.
func overLetters(of mechanism.Prior, at []int32, letters int) []int64 {
	count := make([]int64, letters)
	for x, to := range at {
		if to >= 0 {
			count[to] += of.Count(x)
		}
	}
	return count
}

// seen is the number of values that records hold, null among them.
func (c *Counted) seen() (n int64) {
	for x := range c.counts.Letters() {
		if c.counts.Count(x) > 0 {
			n++
		}
	}
	return n
}

// where names the column in messages.
func (c *Counted) where() string {
	if c.Column == "" {
		return c.Path + ": the column"
	}
	return fmt.Sprintf("%s: column %q", c.Path, c.Column)
}
