package pipeline

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Estimate writes o.WriteCounts: what is counted in the column, with the declared
// domain and, where they are asked for, the strata.
func Estimate(ctx context.Context, o request.Options) (p mechanism.Prior, err error) {
	if err := count.Check(&o, "estimate", false); err != nil {
		return p, err
	}
	study, err := o.Study()
	if err != nil {
		return p, err
	}
	s, err := count.OpenColumn(ctx, study.Reading, study.Column)
	if err != nil {
		return p, err
	}
	defer s.Close()
	set, err := count.OpenSet(s.Input, study.Files...)
	if err != nil {
		return p, err
	}
	defer set.AbortOn(&err)
	out, err := set.Add(publish.Target{Path: o.WriteCounts, Overwrite: o.Overwrite, Private: true})
	stood := o.Shard != "" && stands(err) // perhaps by an attempt before this one
	if err != nil && !stood {
		return p, err
	}
	if err := s.Scan(ctx); err != nil {
		return p, err
	}
	d, err := count.NewDomain(study.Letters, s.Counted())
	if err != nil {
		return p, err
	}
	if err := d.Counted.Tabulate(ctx, s); err != nil {
		return p, err
	}
	var b bytes.Buffer
	if err := d.Counted.WriteCounts(&b); err != nil {
		return p, err
	}
	if err := ctx.Err(); err != nil {
		return p, err
	}
	if !stood {
		if err := out.Fill(b.Bytes()); err != nil {
			return p, err
		}
		err = set.Commit()
	}
	if stood || o.Shard != "" && stands(err) {
		err = sameCounts(o.WriteCounts, b.Bytes())
	}
	return d.Prior, err
}

// stands reports whether an output stood, or appeared while it was made.
func stands(err error) bool {
	var t *publish.TargetError
	return errors.As(err, &t) && t.Exists
}

// sameCounts refuses a file that holds anything but what this attempt counted: a task
// that is repeated is done where its file stands.
func sameCounts(path string, counts []byte) error {
	there, err := os.ReadFile(path)
	switch {
	case err != nil:
		return fault.Unreadable("--write-counts", path, err)
	case !bytes.Equal(there, counts):
		return &publish.TargetError{Path: path, What: "exists and holds other counts", Hint: "remove it, give another " +
			"file, or give --overwrite", Exists: true}
	}
	return nil
}
