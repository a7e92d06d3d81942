// Package records does what is done to every record: it is redrawn from the
// plan and counted beside what it was; what was written is read again, compared
// with what was drawn, and judged.
package records

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/booking"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/joint"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// A Part is one private column: by what its records are drawn, and what
// was found of them in the written file.
type Part struct {
	Options   *options.Options // as if the column were the only one
	Source    *source.Source
	Plan      *plan.Plan
	Alphabets Alphabets

	Memo *booking.Memo    // nil for fresh draws
	Book *booking.Booking // nil without a ledger

	Tally  *Tally         // that pass two leaves
	Checks []report.Check // that the check leaves
	drawn  []digest       // of each unit, what was drawn
}

// Alphabets pairs the letters of the plan with the values of a file.
type Alphabets struct{ In, To *colfile.Alphabet }

// AlphabetsOf parses the plan's labels as values of the column's type.
func AlphabetsOf(o *options.Options, p *plan.Plan, s *source.Source, t colfile.Type) (a Alphabets, err error) {
	if a.In, err = colfile.ParseAlphabet(t, p.Inputs.Label, p.Inputs.Null); err != nil {
		return a, fault.New(fault.Input, "the plan is of a column of another type", "%s: column %q holds %s values: input %v", s.Path, p.Column, t, err)
	}
	if o.AsString {
		t = colfile.Type{Kind: colfile.Text}
	}
	if a.To, err = colfile.ParseAlphabet(t, p.Outputs.Label, p.Outputs.Null); err != nil {
		return a, fault.New(fault.Input, "write the column as strings with --as-string", "%s: column %q holds %s values: %v", s.Path, p.Column, t, err)
	}
	if a.To.Null() >= 0 && !s.Column.Nullable {
		return a, fault.New(fault.Input, "leave null out of the outputs", "%s: column %q is required and cannot hold the output null", s.Path, p.Column)
	}
	return a, nil
}

// AllAlphabets are those of all parts.
func AllAlphabets(parts []*Part) (in, to []*colfile.Alphabet) {
	for _, p := range parts {
		in, to = append(in, p.Alphabets.In), append(to, p.Alphabets.To)
	}
	return in, to
}

// only is the batch as it would be with private column i alone.
func only(b colfile.Batch, i int) colfile.Batch {
	b.Letters = b.Letters[i : i+1]
	return b
}

// Draw is pass two: every record is redrawn into out and counted beside what
// it was. It leaves the tallies in parts, and in joint the combinations of
// letters where that is not nil.
func Draw(ctx context.Context, o *options.Options, s *source.Input, parts []*Part, joint *joint.Crossing, out publish.Output) error {
	p := newPass(s, parts, joint)
	done := options.NewMeter(o, "drawing", s.Rows)
	in, to := AllAlphabets(parts)
	err := s.File.Rewrite(ctx, out, in, to, func(b colfile.Batch) error {
		done.Add(len(b.Letters[0]))
		return p.batch(&b)
	})
	if errors.Is(err, colfile.ErrUnseen) {
		return fault.New(fault.Environment, "run again when nothing writes to it", "%s changed while it was read", s.Path)
	}
	if err != nil {
		return s.Failed(err)
	}
	p.settle()
	return s.Unchanged()
}

// A drawer draws the letters of one part.
type drawer interface {
	// unit is for one unit, on which one goroutine works at a time.
	unit(colfile.Unit) unitDrawer
}

// A unitDrawer replaces the letters of the batches of a unit in turn, the rows
// of which are of these groups of strata. It tells what memoised draws were.
type unitDrawer interface {
	draw(b *colfile.Batch, group []int32) ([]booking.Drawing, error)
}

// drawer is that of the part at place at.
func (p *Part) drawer(at int) drawer {
	switch {
	case p.Memo != nil:
		return memoDrawer{p.Memo.Hands(p.Book)}
	case p.Plan.Strata != nil:
		return newStratumDrawer(p.Options, p.Plan)
	}
	d := &freshDrawer{streams: streamsFor(p.Options, p.Plan), part: at}
	if !p.Plan.Empty() {
		d.table = draw.NewTable(p.Plan.Mechanism)
	}
	return d
}

// A freshDrawer draws every record anew.
type freshDrawer struct {
	table   *draw.Table // nil where there is nothing to draw
	streams draw.Streams
	part    int
}

func (d *freshDrawer) unit(u colfile.Unit) unitDrawer {
	return &freshUnit{d.table, d.streams.Unit(u.File, u.Group, d.part)}
}

type freshUnit struct {
	table  *draw.Table
	source *draw.Source
}

func (u *freshUnit) draw(b *colfile.Batch, _ []int32) ([]booking.Drawing, error) {
	if u.table != nil {
		u.table.Draw(u.source, b.Letters[0])
	}
	return nil, nil
}

// A memoDrawer draws by ids and a key.
type memoDrawer struct{ *booking.Hands }

func (d memoDrawer) unit(colfile.Unit) unitDrawer { return memoUnit{d.Unit()} }

type memoUnit struct{ *booking.Hand }

func (u memoUnit) draw(b *colfile.Batch, _ []int32) ([]booking.Drawing, error) { return u.Draw(b) }

// streamsFor makes the randomness of one part of a run: from a key of its own
// that is never printed or stored, or, for tests, from a seed.
func streamsFor(o *options.Options, p *plan.Plan) draw.Streams {
	if o.TestSeed != nil {
		return draw.TestStreams(*o.TestSeed)
	}
	run := make([]byte, 16)
	rand.Read(run)
	return draw.NewStreams(draw.NewKey(), append(run, p.DesignHash...))
}
