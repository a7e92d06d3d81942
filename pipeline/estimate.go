package pipeline

import (
	"bytes"
	"context"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// Estimate writes counts.csv: what pass one finds in the column, after the
// null rule and the declared domain.
func Estimate(ctx context.Context, o options.Options, to string) (p mechanism.Prior, err error) {
	if err := o.Check(); err != nil {
		return p, err
	}
	if to == "" {
		return p, fault.New(fault.Usage, "name the file with --counts", "no counts file is given")
	}
	s, err := source.OpenColumn(&o, o.Column)
	if err != nil {
		return p, err
	}
	defer s.Close()
	set, err := source.OpenSet(s.Input, &o)
	if err != nil {
		return p, err
	}
	defer documents.Abort(set, &err)
	out, err := set.Add(publish.Target{Path: to, Overwrite: o.Overwrite, Private: true})
	if err != nil {
		return p, err
	}
	if err := s.Scan(ctx, &o); err != nil {
		return p, err
	}
	d, err := source.NewDomain(&o, s)
	if err != nil {
		return p, err
	}
	var b bytes.Buffer
	if err := source.WriteCounts(&b, d); err != nil {
		return p, err
	}
	if err := documents.Write(out, b.Bytes()); err != nil {
		return p, err
	}
	return d.Prior, set.Commit()
}
