// Package records does what is done to every record: it is redrawn from the
// plan and counted beside what it was; what was written is read again, compared
// with what was drawn, and judged.
package records

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Part is one private column: by what its records are drawn, and what
// was found of them in the written file.
type Part struct {
	Source    *count.Source
	Plan      *plan.Plan
	Alphabets Alphabets

	Memo *releases.Memo    // nil for fresh draws
	Book *releases.Booking // nil without a ledger
	Seed *uint64           // of a test; nil for a release
	Runs []draw.Run        // of each file; nil where no run key was given

	Tally  *Tally         // that pass two leaves
	Checks []report.Check // that the check leaves
	drawn  []digest       // of each unit, what was drawn
}

// Alphabets pairs the letters of the plan with the values of a file.
type Alphabets struct{ In, To *table.Alphabet }

// AlphabetsOf parses the plan's labels as values of the column's type. Outputs that are
// none, such as groups of integers, are written as text.
func AlphabetsOf(p *plan.Plan, s *count.Source) (a Alphabets, err error) {
	t := s.Alphabet.Type()
	if p.Bins != t.Bins {
		return a, fault.New(fault.Input, "make a new plan, or give the file that it was made of",
			"%s: column %q holds other values than those that the plan puts into bins", s.Path, p.Column)
	}
	if a.In, err = p.Alphabet(t); err != nil {
		return a, fault.New(fault.Input, "the plan is of a column of another type", "%s: column %q holds %s values: input %v",
			s.Path, p.Column, t, err)
	}
	t.Bins = nil
	if a.To, err = table.ParseAlphabet(t, p.Outputs.Label, p.Outputs.Null); err != nil {
		a.To, err = table.ParseAlphabet(table.Type{Kind: table.Text}, p.Outputs.Label, p.Outputs.Null)
	}
	if err != nil {
		return a, fault.New(fault.Input, "make a new plan with other labels", "%s: column %q: %v", s.Path, p.Column, err)
	}
	if a.To.Null() >= 0 && !s.Column.Nullable {
		return a, fault.New(fault.Input, "leave null out of the outputs",
			"%s: column %q is required and cannot hold the output null", s.Path, p.Column)
	}
	return a, nil
}

// AllAlphabets are those of all parts.
func AllAlphabets(parts []*Part) (in, to []*table.Alphabet) {
	for _, p := range parts {
		in, to = append(in, p.Alphabets.In), append(to, p.Alphabets.To)
	}
	return in, to
}

// Draw is pass two: every record is redrawn into out and counted beside what
// it was. It leaves the tallies in parts. Nothing is written where out is nil: the records
// were drawn before, and are drawn again to be compared.
func Draw(ctx context.Context, s *count.Input, parts []*Part, out dataset.Outputs) error {
	p, err := newPass(s, parts)
	if err != nil {
		return err
	}
	done := s.Meter("drawing", s.Rows)
	in, to := AllAlphabets(parts)
	each := func(b table.Batch) error {
		done.Add(len(b.Letters[0]))
		return p.batch(&b)
	}
	if out != nil {
		err = s.File.Rewrite(ctx, out, in, to, each)
	} else {
		err = table.EachUnit(ctx, len(s.File.Units()), s.Workers(), func(_, unit int) error {
			return s.File.Read(ctx, unit, in, each)
		})
	}
	if errors.Is(err, table.ErrUnseen) {
		return fault.New(fault.Environment, "run again when no other program writes to the file",
			"%s changed while it was read", s.Path)
	}
	if err != nil {
		return s.Failed(err)
	}
	p.settle()
	return s.Unchanged()
}

// A drawer gives what draws the letters of one part in a unit, on which one goroutine works at
// a time.
type drawer func(table.Unit) unitDrawer

// A unitDrawer replaces the letters of the batches of a unit in turn, the rows
// of which are of these groups. It tells what memoised draws were.
type unitDrawer interface {
	Draw(b *table.Batch, group []int32) ([]releases.Drawing, error)
}

// drawer is that of the part.
func (p *Part) drawer() (drawer, error) {
	if p.Memo != nil {
		return func(table.Unit) unitDrawer { return p.Memo.Hand() }, nil
	}
	streams, err := p.streams()
	laws, law := p.Plan.Laws()
	d := &freshDrawer{law: law, streams: streams}
	for _, m := range laws {
		d.table = append(d.table, draw.NewTable(m))
	}
	return d.unit, err
}

// A freshDrawer draws every record anew from the mechanism of its group. Every
// mechanism has a stream of its own in every unit, so that what is drawn does
// not depend on how rows come in batches.
type freshDrawer struct {
	table   []*draw.Table // one per mechanism; none where there is nothing to draw
	law     []int         // of each group, its mechanism
	streams func(u table.Unit, mechanism int) *draw.Source
}

// A freshUnit is a unit that is being drawn, by one goroutine.
type freshUnit struct {
	*freshDrawer
	source []*draw.Source // one per mechanism
	at     [][]int32      // by mechanism, its rows of a batch
	letter [][]int32      // and their letters
}

func (d *freshDrawer) unit(u table.Unit) unitDrawer {
	f := &freshUnit{freshDrawer: d, at: make([][]int32, len(d.table)), letter: make([][]int32, len(d.table))}
	for i := range d.table {
		f.source = append(f.source, d.streams(u, i))
	}
	return f
}

// Draw draws by the mechanism of the group of every record.
func (u *freshUnit) Draw(b *table.Batch, group []int32) ([]releases.Drawing, error) {
	letters := b.Letters[0]
	if len(u.table) == 1 {
		u.table[0].Draw(u.source[0], letters)
		return nil, nil
	}
	for i := range u.table {
		u.at[i], u.letter[i] = u.at[i][:0], u.letter[i][:0]
	}
	for row, g := range group {
		i := u.law[g]
		u.at[i], u.letter[i] = append(u.at[i], int32(row)), append(u.letter[i], letters[row])
	}
	for i, table := range u.table {
		table.Draw(u.source[i], u.letter[i])
		for k, row := range u.at[i] {
			letters[row] = u.letter[i][k]
		}
	}
	return nil, nil
}

// streams makes the randomness of one part of a run: from the run key, or one
// that is made here and never printed or stored, or, for tests, from a seed. Under
// a run key a file is drawn as if it were alone.
func (p *Part) streams() (func(u table.Unit, mechanism int) *draw.Source, error) {
	if p.Runs == nil {
		all := draw.NewStreams(draw.NewKey())
		if p.Seed != nil {
			all = draw.TestStreams(*p.Seed, p.Plan.Column)
		}
		return func(u table.Unit, mechanism int) *draw.Source { return all.Unit(u.At, mechanism) }, nil
	}
	hash, err := hex.DecodeString(p.Plan.Hash)
	if err != nil || len(hash) != sha256.Size {
		return nil, fmt.Errorf("the plan of column %q has no hash", p.Plan.Column)
	}
	return func(u table.Unit, mechanism int) *draw.Source {
		return p.Runs[u.File].Streams([sha256.Size]byte(hash), p.Plan.Column).Unit(u.Group, mechanism)
	}, nil
}
