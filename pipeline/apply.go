package pipeline

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// alphabets pairs the letters of the plan with the values of a file.
type alphabets struct{ in, to *colfile.Alphabet }

// alphabetsOf parses the plan's labels as values of the column's type.
func alphabetsOf(o *Options, p *plan.Plan, s *source, t colfile.Type) (a alphabets, err error) {
	if a.in, err = colfile.ParseAlphabet(t, p.Inputs.Label, p.Inputs.Null); err != nil {
		return a, faultf(Input, "the plan is of a column of another type", "%s: column %q holds %s values: input %v", s.path, p.Column, t, err)
	}
	if o.AsString {
		t = colfile.Type{Kind: colfile.Text}
	}
	if a.to, err = colfile.ParseAlphabet(t, p.Outputs.Label, p.Outputs.Null); err != nil {
		return a, faultf(Input, "write the column as strings with --as-string", "%s: column %q holds %s values: %v", s.path, p.Column, t, err)
	}
	if a.to.Null() >= 0 && !s.column.Nullable {
		return a, faultf(Input, "leave null out of the outputs", "%s: column %q is required and cannot hold the output null", s.path, p.Column)
	}
	return a, nil
}

// apply is pass two: every record is redrawn into out.
func apply(ctx context.Context, o *Options, s *source, p *plan.Plan, a alphabets, out publish.Output) error {
	table, streams := (*draw.Table)(nil), streamsFor(o, p)
	if !p.Empty() {
		table = draw.NewTable(p.Mechanism)
	}
	rng := newUnitSources(streams, len(s.file.Units()))
	done := newMeter(o, "drawing", s.rows)
	err := s.file.Rewrite(ctx, out, []*colfile.Alphabet{a.in}, []*colfile.Alphabet{a.to}, func(b colfile.Batch) error {
		if table != nil {
			table.Draw(rng.of(b.Unit), b.Letters[0])
		}
		done.add(len(b.Letters[0]))
		return nil
	})
	if errors.Is(err, colfile.ErrUnseen) {
		return faultf(Environment, "run again when nothing writes to it", "%s changed while it was read", s.path)
	}
	if err != nil {
		return s.failed(err)
	}
	return s.unchanged()
}

// streamsFor makes the randomness of one run: from a key of its own that is
// never printed or stored, or, for tests, from a seed.
func streamsFor(o *Options, p *plan.Plan) draw.Streams {
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
	source  []*draw.Source
}

func newUnitSources(s draw.Streams, units int) *unitSources {
	return &unitSources{s, make([]*draw.Source, units)}
}

func (u *unitSources) of(unit colfile.Unit) *draw.Source {
	if u.source[unit.Group] == nil {
		u.source[unit.Group] = u.streams.Unit(unit.File, unit.Group, 0)
	}
	return u.source[unit.Group]
}
