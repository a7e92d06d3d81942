package pipeline

import (
	"context"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/neighbours"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Again is the input of a release that was made before: what a report says of it is found
// once more, as the run found it.
type Again struct {
	*count.Input
	parts parts
}

// OpenAgain opens the input for the plans of all private columns, and counts it.
func OpenAgain(ctx context.Context, r request.Reading, plans []*plan.Plan) (_ *Again, err error) {
	var names []string
	for _, p := range plans {
		names = append(names, p.Column)
	}
	a := &Again{}
	if a.Input, err = count.Open(ctx, r, names); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	if err := a.Scan(ctx); err != nil {
		return nil, err
	}
	for i, p := range plans {
		part := &part{Part: records.Part{Source: a.Private[i], Plan: p}}
		if part.Alphabets, err = records.AlphabetsOf(p, part.Source); err != nil {
			return nil, err
		}
		a.parts = append(a.parts, part)
	}
	return a, nil
}

// Type is that of a private column.
func (a *Again) Type(i int) string { return a.Private[i].Column.Type }

// Beside judges what stays beside a private column.
func (a *Again) Beside(ctx context.Context, i int, o request.Observed) (*report.Beside, error) {
	p := a.parts[i]
	return auditBeside(ctx, o, p.Source, p.Plan, p.Alphabets)
}

// Joint is what several private columns tell together, by the plans as they read with this
// file; target is nil where none was asked for.
func (a *Again) Joint(ctx context.Context, plans []*plan.Plan, target *mechanism.Epsilon) (*report.Joint, error) {
	cells, err := a.parts.cross(ctx, a.Input)
	if err != nil {
		return nil, err
	}
	return neighbours.Join(plans, cells).Tell(target), nil
}

// Pinned is where a plan of an earlier night stands that was followed, under the counts
// that it reads with.
func Pinned(reads *plan.Plan, hash string) *report.Pinned {
	p := &report.Pinned{State: followedPlan, Plan: hash}
	if reads.Made != nil || reads.Records().Total() > 0 {
		fill(p, reads)
	}
	return p
}

// PartOf is a file as a part of the data that its plan was made from; given are its
// records by group and letter of the plan.
func PartOf(p *plan.Plan, given [][]int64) (*report.Part, error) {
	under, err := decide.Under(p, given)
	if err != nil {
		return nil, err
	}
	return partOf(p, under), nil
}

// partOf is the part whose counts the plan p reads with as under.
func partOf(p, under *plan.Plan) *report.Part {
	own := under.Sampled().Factor()
	return &report.Part{Records: under.Records().Total(), Of: p.Records().Total(), Factor: own.RatString(),
		Nats: mechanism.Nats(own)}
}
