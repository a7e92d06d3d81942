package pipeline

import (
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
)

// Parts are those of a release, one for each private column.
type parts []*part

// do does something for every part, up to the first that fails.
func (all parts) do(f func(*part) error) error {
	for _, p := range all {
		if err := f(p); err != nil {
			return err
		}
	}
	return nil
}

// each is an answer of every part.
func each[T any](all parts, of func(*part) T) (out []T) {
	for _, p := range all {
		out = append(out, of(p))
	}
	return out
}

// drawn is what is drawn and checked of all parts.
func (all parts) drawn() []*records.Part {
	return each(all, func(p *part) *records.Part { return &p.Part })
}

// plans are those of all parts, as they read with this file.
func (all parts) plans() []*plan.Plan { return each(all, (*part).reads) }

// groupers know the groups of records, one for every plan.
func (all parts) groupers() []*count.Grouper {
	return each(all, func(p *part) *count.Grouper { return count.NewGrouper(p.Plan) })
}

// groups are the numbers of groups of every plan, none where no plan has strata.
func (all parts) groups() (n []int) {
	strata := false
	for _, p := range all {
		n, strata = append(n, len(p.Plan.Groups)), strata || p.Plan.Given.Column != ""
	}
	if !strata {
		return nil
	}
	return n
}
