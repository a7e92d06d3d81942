package count

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// maxStrata bounds the different values of the strata column, before small
// strata are merged.
const maxStrata = 10_000

// errStrata says that there are too many.
var errStrata = errors.New("too many strata")

// Memory is what may still be allocated, in bytes.
func Memory() int64 { return table.FreeMemory() }

// mostStrata are as many as memory holds of these tables over so many letters.
func mostStrata(letters, tables int) int {
	return int(min(maxStrata, max(1, Memory()/2/int64(8*max(1, letters)*tables))))
}

func tooMany(path, column string, most, letters int) error {
	return fault.New(fault.Input, "group its values before the run, such as dates by their month",
		"%s: column %q has more than %d strata over %d values", path, column, most, letters)
}

// tabulate counts records by stratum and letter of a. Strata are called as
// rename says. The input must have been opened for them.
func (s *Source) tabulate(ctx context.Context, a *table.Alphabet,
	rename func(report.Label) report.Label) (*plan.Table, error) {
	most := mostStrata(a.Len(), s.Workers()+1)
	own := make([]*plan.Table, s.Workers())
	for i := range own {
		own[i] = plan.NewTable(a.Len())
	}
	err := s.Walk(ctx, s.Meter("counting strata", s.Rows), s.by(a), func(worker, _ int) func(*table.Batch) error {
		t, of := own[worker], []int32(nil)
		reader := plan.NewReader(func(l report.Label) int32 { return t.Place(rename(l)) })
		return func(b *table.Batch) error {
			of = reader.Append(of[:0], &b.Beside[s.StratumAt()])
			if t.Add(of, b.Letters[s.at]); len(t.Name) > most {
				return errStrata
			}
			return nil
		}
	})
	total := plan.NewTable(a.Len())
	for _, t := range own {
		if total.Merge(t); err == nil && len(total.Name) > most {
			err = errStrata
		}
	}
	if errors.Is(err, errStrata) {
		return nil, tooMany(s.Path, s.Strata, most, a.Len())
	}
	if err != nil {
		return nil, err
	}
	return total, s.Unchanged()
}

// Group completes the letters of a plan that is to be made: the prior that was
// chosen, and the groups of the records. Where a column is given, that is a pass over
// the input; s is nil where counts were taken before.
func (d *Domain) Group(ctx context.Context, asked *request.Decision, s *Source) (err error) {
	if err := d.Counted.of(asked.Strata.Column); err != nil {
		return err
	}
	if err := UsePrior(ctx, asked.Prior, d, s); err != nil || d.Letters.Len() == 0 {
		return err
	}
	if asked.Strata.Column == "" {
		d.Groups = []plan.Group{{Prior: d.Prior, Sample: d.Sample}}
		return nil
	}
	return d.stratify(ctx, asked, s)
}

// stratify finds the groups where a column is given, and the prior of all.
func (d *Domain) stratify(ctx context.Context, asked *request.Decision, s *Source) error {
	d.Shown = asked.Strata.Shown
	d.By = plan.Given{Column: asked.Strata.Column, Only: asked.Strata.Only, Least: asked.Strata.Least(d.Shown)}
	t, err := d.table, error(nil)
	if s != nil {
		t, err = s.tabulate(ctx, d.alphabet, func(l report.Label) report.Label { return l })
	}
	if err != nil {
		return err
	}
	for _, g := range t.Group(d.By.Least, d.Letters.Len()) {
		e := plan.Group{Names: g.Names, Rest: g.Rest}
		if e.Sample, err = mechanism.NewPrior(g.Count); err != nil {
			return err
		}
		if e.Prior, err = d.priorOf(asked.Prior, e.Sample); err != nil {
			return err
		}
		d.Groups = append(d.Groups, e)
	}
	d.Prior, _, err = plan.Together(d.Groups)
	return err
}

// priorOf is the prior of a group: its records, or they smoothed, or the law that
// was declared, which weighs as much as the records.
func (d *Domain) priorOf(asked request.Prior, records mechanism.Prior) (mechanism.Prior, error) {
	switch d.Of {
	case plan.Declared:
		n := records.Total()
		if d.Sample.Total() == 0 {
			n = 1 // all groups are empty, and there is one
		}
		prior, err := plan.Scaled(d.Prior, n)
		if err != nil {
			return prior, fault.New(fault.Input, "use fewer digits, or fractions of one denominator",
				"%s: with --strata the probabilities are weighed by the records of every stratum, and %v", asked.File, err)
		}
		return prior, nil
	case plan.Smoothed:
		return smoothed(asked, records)
	}
	return records, nil
}

// Shows reports whether a column stands in the output as it is.
func (s *Input) Shows(column string) bool { return !slices.Contains(s.Dropped, column) }

// Published refuses to put strata together that the output tells apart: what
// holds of them together holds of none of them.
func Published(of, column, what, instead string) error {
	return fault.New(fault.Privacy,
		fmt.Sprintf("%s, drop the column with --drop %s, or use coarser strata", instead,
			column),
		"strata of %q are published, so they cannot be merged, and %s", of, what)
}

// Known refuses a file with strata that the plan has no mechanism for, and
// counts the records of its groups by letter of the plan. Without a column that tells
// groups apart there is nothing to read: CountFor has counted the one of all records.
func (d *Domain) Known(ctx context.Context, s *Source, p *plan.Plan) error {
	if p.Given.Column == "" {
		return nil
	}
	if s.given != nil {
		d.Given = s.given
		return nil
	}
	a, err := p.Alphabet(s.Alphabet.Type())
	if err != nil {
		return nil // records.AlphabetsOf says so
	}
	of := p.GroupOf()
	unseen := report.NullLabel
	t, err := s.tabulate(ctx, a, func(l report.Label) report.Label {
		if g := of(l); g >= 0 {
			return report.Label{Text: fmt.Sprint(g)}
		}
		return unseen
	})
	if err != nil {
		return err
	}
	d.Given = make([][]int64, len(p.Groups))
	for g := range d.Given {
		d.Given[g] = make([]int64, p.Inputs.Len())
	}
	for i, n := range t.Name {
		prior, err := mechanism.NewPrior(t.Count[i])
		if err != nil {
			return err
		}
		if n == unseen {
			return fault.New(fault.Privacy, "make a new plan; a plan with merged strata also covers strata that appear later",
				"%d records of %s are in strata of %q that the plan lacks", prior.Total(), s.Path, s.Strata)
		}
		var g int
		fmt.Sscan(n.Text, &g)
		if p.Groups[g].Rest && s.Shows(p.Given.Column) {
			return Published(s.Strata, p.Given.Column, fmt.Sprintf("the plan has one mechanism for %d records of "+
				"merged strata", prior.Total()), "make a new plan")
		}
		for x, c := range t.Count[i] {
			d.Given[g][x] += c
		}
	}
	return nil
}
