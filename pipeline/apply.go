package pipeline

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/booking"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// alphabets pairs the letters of the plan with the values of a file.
type alphabets struct{ in, to *colfile.Alphabet }

// alphabetsOf parses the plan's labels as values of the column's type.
func alphabetsOf(o *options.Options, p *plan.Plan, s *source.Source, t colfile.Type) (a alphabets, err error) {
	if a.in, err = colfile.ParseAlphabet(t, p.Inputs.Label, p.Inputs.Null); err != nil {
		return a, fault.New(fault.Input, "the plan is of a column of another type", "%s: column %q holds %s values: input %v", s.Path, p.Column, t, err)
	}
	if o.AsString {
		t = colfile.Type{Kind: colfile.Text}
	}
	if a.to, err = colfile.ParseAlphabet(t, p.Outputs.Label, p.Outputs.Null); err != nil {
		return a, fault.New(fault.Input, "write the column as strings with --as-string", "%s: column %q holds %s values: %v", s.Path, p.Column, t, err)
	}
	if a.to.Null() >= 0 && !s.Column.Nullable {
		return a, fault.New(fault.Input, "leave null out of the outputs", "%s: column %q is required and cannot hold the output null", s.Path, p.Column)
	}
	return a, nil
}

// alphabetsIn are those of all parts.
func alphabetsIn(parts []*part) (in, to []*colfile.Alphabet) {
	for _, p := range parts {
		in, to = append(in, p.a.in), append(to, p.a.to)
	}
	return in, to
}

// only is the batch as it would be with private column i alone.
func only(b colfile.Batch, i int) colfile.Batch {
	b.Letters = b.Letters[i : i+1]
	return b
}

// apply is pass two: every record is redrawn into out.
func apply(ctx context.Context, o *options.Options, s *source.Input, parts []*part, out publish.Output) error {
	var drawers []*drawer
	for i, p := range parts {
		drawers = append(drawers, p.drawer(i, len(s.File.Units())))
	}
	done := options.NewMeter(o, "drawing", s.Rows)
	in, to := alphabetsIn(parts)
	err := s.File.Rewrite(ctx, out, in, to, func(b colfile.Batch) error {
		done.Add(len(b.Letters[0]))
		for i, d := range drawers {
			if err := d.draw(only(b, i)); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, colfile.ErrUnseen) {
		return fault.New(fault.Environment, "run again when nothing writes to it", "%s changed while it was read", s.Path)
	}
	if err != nil {
		return s.Failed(err)
	}
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
func (p *part) drawer(at, units int) *drawer {
	if p.memo != nil {
		return &drawer{hands: p.memo.Hands(p.book, units)}
	}
	if p.p.Strata != nil {
		return &drawer{strata: newStratumDrawer(p.o, p.p, p.s.Input)}
	}
	d := &drawer{rng: newUnitSources(streamsFor(p.o, p.p), at, units)}
	if !p.p.Empty() {
		d.table = draw.NewTable(p.p.Mechanism)
	}
	return d
}

func (d *drawer) draw(b colfile.Batch) error {
	switch {
	case d.hands != nil:
		return d.hands.Draw(&b)
	case d.strata != nil:
		return d.strata.draw(b)
	case d.table != nil:
		d.table.Draw(d.rng.of(b.Unit), b.Letters[0])
	}
	return nil
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
