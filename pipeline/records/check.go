package records

import (
	"context"
	"errors"
	"slices"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Check reads the written file again and fails if it does not hold, row by
// row, what was drawn, or if any record was replaced by something a plan does
// not allow. It leaves its verdict in parts.
func Check(ctx context.Context, s *count.Input, parts []*Part, written *dataset.Files) error {
	if err := sameShape(s, written); err != nil {
		return err
	}
	done := s.Meter("checking", s.Rows)
	err := table.EachUnit(ctx, len(written.Units()), s.Workers(), func(_, unit int) error {
		return checkUnit(ctx, parts, written, unit, done)
	})
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err := p.Judge(); err != nil {
			return err
		}
	}
	return nil
}

// checkUnit compares one unit with what was drawn of it, all parts at once.
func checkUnit(ctx context.Context, parts []*Part, written *dataset.Files, unit int, done *request.Meter) error {
	_, to := AllAlphabets(parts)
	found := newDigests(len(parts))
	err := written.Read(ctx, unit, to, func(b table.Batch) error {
		done.Add(len(b.Letters[0]))
		for i := range parts {
			found[i].add(b.Letters[i])
		}
		return nil
	})
	var damaged *table.InputError
	switch {
	case errors.Is(err, table.ErrUnseen):
		return fault.New(fault.Internal, "", "the written file holds a value that is not an output")
	case errors.As(err, &damaged):
		return &fault.Fault{Class: fault.Internal, What: "the written file cannot be read again: " + damaged.What,
			Hint: "check the disk", Err: err}
	case err != nil:
		return err
	}
	for i, p := range parts {
		if !found[i].is(&p.drawn[unit]) {
			return fault.New(fault.Internal, "check the disk",
				"the written file does not hold what was drawn, in row group or record batch %d", unit+1)
		}
	}
	return nil
}

// Judge keeps the verdict on the tally.
func (p *Part) Judge() (err error) {
	t := p.Tally
	if t.Rows != p.Source.Rows {
		return fault.New(fault.Internal, "", "%d records were drawn, the input holds %d", t.Rows, p.Source.Rows)
	}
	if err := t.Recall.Settle(p.Plan); err != nil {
		return err
	}
	if p.Checks, err = t.judge(p.Plan, len(p.Source.File.Units())); err != nil {
		return err
	}
	if !slices.Equal(t.letters(), p.Source.CountsOf(p.Alphabets.In)) {
		return fault.New(fault.Internal, "check the disk and the memory",
			"the values read in the second pass differ from those counted in the first")
	}
	return nil
}

// sameShape compares rows and columns of input and output.
func sameShape(s *count.Input, written *dataset.Files) error {
	if !slices.Equal(written.Units(), s.File.Units()) {
		return fault.New(fault.Internal, "", "the written file has row groups of %v rows, the input of %v", written.Units(),
			s.File.Units())
	}
	var want []string
	for _, c := range s.Fates() {
		if c.Fate != "dropped" {
			want = append(want, c.Name, c.Type)
		}
	}
	var got []string
	for i, c := range written.Columns() {
		if got = append(got, c.Name, c.Type); slices.Contains(s.Names(), c.Name) && 2*i+1 < len(want) {
			want[2*i+1] = c.Type // may be text now, or have wider indices
		}
	}
	if !slices.Equal(got, want) {
		return fault.New(fault.Internal, "", "the written file has other columns than planned")
	}
	return nil
}
