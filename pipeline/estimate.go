package pipeline

import (
	"bytes"
	"context"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
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
	if err != nil {
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
	if err := out.Fill(b.Bytes()); err != nil {
		return p, err
	}
	return d.Prior, set.Commit()
}
