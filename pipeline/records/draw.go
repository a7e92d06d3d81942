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
type drawer struct {
	table  *draw.Table // nil where there is nothing to draw
	rng    *unitSources
	hands  *booking.Hands // instead, where draws are memoised
	strata *stratumDrawer // instead, where strata have mechanisms
}

// drawer is that of the part at place at.
func (p *Part) drawer(at, units int) *drawer {
	if p.Memo != nil {
		return &drawer{hands: p.Memo.Hands(p.Book, units)}
	}
	if p.Plan.Strata != nil {
		return &drawer{strata: newStratumDrawer(p.Options, p.Plan, units)}
	}
	d := &drawer{rng: newUnitSources(streamsFor(p.Options, p.Plan), at, units)}
	if !p.Plan.Empty() {
		d.table = draw.NewTable(p.Plan.Mechanism)
	}
	return d
}

// draw replaces the letters of a batch, the rows of which are of these groups
// of strata. It tells what memoised draws were.
func (d *drawer) draw(b *colfile.Batch, group []int32) ([]booking.Drawing, error) {
	switch {
	case d.hands != nil:
		return d.hands.Draw(b)
	case d.strata != nil:
		d.strata.draw(b, group)
	case d.table != nil:
		d.table.Draw(d.rng.of(b.Unit), b.Letters[0])
	}
	return nil, nil
}

// done forgets a unit.
func (d *drawer) done(unit int) {
	switch {
	case d.hands != nil:
		d.hands.Done(unit)
	case d.strata != nil:
		d.strata.unit[unit] = nil
	default:
		d.rng.source[unit] = nil
	}
}

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

// unitSources hands every unit its own stream; a unit is worked on by one
// goroutine, so its entry needs no lock.
type unitSources struct {
	streams draw.Streams
	part    int
	source  []*draw.Source
}

func newUnitSources(s draw.Streams, part, units int) *unitSources {
	return &unitSources{s, part, make([]*draw.Source, units)}
}

func (u *unitSources) of(unit colfile.Unit) *draw.Source {
	if u.source[unit.Group] == nil {
		u.source[unit.Group] = u.streams.Unit(unit.File, unit.Group, u.part)
	}
	return u.source[unit.Group]
}
