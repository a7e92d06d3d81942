package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/strata"
)

const (
	// maxStrata bounds the different values of the strata column, before small
	// strata are merged.
	maxStrata = 10_000
	// leastStratum is the number of records below which strata are merged,
	// unless another is asked for: fewer give no frequencies to speak of.
	leastStratum = 100
)

// strata reads --strata; nil where the promise is not given a column.
func (o *Options) strata() (*strata.Spec, error) {
	if o.Strata == "" {
		return nil, nil
	}
	s, err := strata.Parse(o.Strata)
	if err != nil {
		return nil, fault.New(fault.Usage, "give a column that stays, or a function of a date or timestamp: --strata region, --strata 'weekday(date)'", "--strata: %v", err)
	}
	return &s, nil
}

// checkStrata finds contradictions that need no file.
func (o *Options) checkStrata() error {
	s, err := o.strata()
	if err != nil {
		return err
	}
	for _, c := range []struct {
		wrong      bool
		hint, what string
	}{
		{o.StrataMin < 0, "give a number of records from 1 on", "--strata-min is negative"},
		{s == nil && o.StrataMin > 0, "name the column with --strata", "--strata-min is given without strata"},
		{s != nil && s.Column == o.Column, "name a column that stays beside it", "--strata names the private column"},
		{s != nil && o.Ledger != "", "leave one of them out", "--strata does not go with a ledger: its history of a record follows one mechanism, and a record may change its stratum"},
		{s != nil && o.Person != "", "draw by --record-id, or leave one of them out", "--strata does not go with --person: the rows of one person may be in several strata"},
		{s != nil && slices.Contains(o.RecordID, s.Column), "name a column that stays beside it", "--strata names a record id"},
		{s != nil && o.Robust, "leave one of them out; --confidence tells what the population of every stratum keeps", "--strata does not go with --robust: each stratum would need an epsilon of its own to design for"},
		{s != nil && (o.Prior != "" || o.Smooth != "" || o.MinCount > 0), "leave one of them out", "--strata does not go with --prior, --smooth and --min-count: every stratum has the frequencies of its own records"},
		{s != nil && o.Prefer == unchanged, "leave one of them out", "--strata does not go with --prefer unchanged"},
		{s != nil && o.Headroom != "", "leave one of them out", "--strata does not go with --headroom"},
		{s != nil && (len(o.Columns) > 1 || o.JointEpsilon != ""), "release the columns one by one", "--strata is for one private column"},
		{s != nil && o.Counts != "", "give --input instead of --counts", "--strata needs the records: a counts file does not tell their strata"},
	} {
		if c.wrong {
			return fault.New(fault.Usage, c.hint, "%s", c.what)
		}
	}
	return nil
}

// beside are the columns that are read beside the private one: ids, then that
// of the strata.
func (o *Options) beside() []string {
	if s, err := o.strata(); err == nil && s != nil {
		return slices.Concat(o.identifiers(), []string{s.Column})
	}
	return o.identifiers()
}

// stratumAt is the place of the strata column among them.
func (o *Options) stratumAt() int { return len(o.identifiers()) }

// follow takes the strata of a plan for the options.
func (o *Options) follow(p *plan.Plan) error {
	if o.Strata = ""; p.Strata != nil {
		o.Strata = strata.Spec{Column: p.Strata.Column, Function: p.Strata.Function}.String()
	}
	if err := o.checkStrata(); err != nil || p.Strata == nil {
		return err
	}
	for _, g := range p.Strata.Groups {
		if err := claimable(o.Confidence, g.Names, g.Rest); err != nil {
			return err
		}
	}
	return nil
}

// errStrata says that there are too many.
var errStrata = errors.New("too many strata")

// tabulate counts records by stratum and letter of a. Strata are called as
// rename says. The input must have been opened for the options.
func (s *source) tabulate(ctx context.Context, o *Options, a *colfile.Alphabet, rename func(report.Label) report.Label) (*strata.Table, error) {
	spec, err := o.strata()
	if err != nil {
		return nil, err
	}
	total := strata.NewTable(a.Len())
	most := int(min(maxStrata, max(1, memory()/2/int64(8*max(1, a.Len())*(threads(o)+1)))))
	done := newMeter(o, "counting strata", s.rows)
	units := len(s.file.Units())
	var mu sync.Mutex
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(threads(o), units) {
		group.Go(func() error {
			t := strata.NewTable(a.Len())
			place := func(l report.Label) int32 { return t.Place(rename(l)) }
			var of []int32
			for unit := int(next.Add(1)) - 1; unit < units; unit = int(next.Add(1)) - 1 {
				reader := strata.NewReader(*spec, place)
				err := s.file.Read(ctx, unit, []*colfile.Alphabet{a}, func(b colfile.Batch) error {
					if err := spec.Fits(b.Beside[o.stratumAt()].Type); err != nil {
						return fault.New(fault.Usage, "the functions are "+strings.Join(strata.Functions(), ", "), "--strata: %v", err)
					}
					of = reader.Append(of[:0], &b.Beside[o.stratumAt()])
					t.Add(of, b.Letters[0])
					done.add(len(of))
					if len(t.Name) > most {
						return errStrata
					}
					return nil
				})
				if err != nil {
					return err
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if total.Merge(t); len(total.Name) > most {
				return errStrata
			}
			return nil
		})
	}
	err = group.Wait()
	var known *fault.Fault
	switch {
	case errors.Is(err, errStrata):
		return nil, fault.New(fault.Input, "group its values before, or take a function such as weekday(...)",
			"%s: column %q has more than %d strata over %d letters", s.path, spec.Column, most, a.Len())
	case errors.As(err, &known):
		return nil, err
	case err != nil:
		return nil, s.failed(err)
	}
	return total, s.unchanged()
}

// groups are the strata of a run, small ones merged.
func (s *source) groups(ctx context.Context, o *Options, d *domain) ([]strata.Group, error) {
	t, err := s.tabulate(ctx, o, d.alphabet, func(l report.Label) report.Label { return l })
	if err != nil {
		return nil, err
	}
	spec, err := o.strata()
	if err != nil {
		return nil, err
	}
	return t.Group(*spec, o.leastStratum(), d.letters.Len()), nil
}

func (o *Options) leastStratum() int64 {
	if o.StrataMin > 0 {
		return o.StrataMin
	}
	return leastStratum
}

// known refuses a file with strata that the plan has no mechanism for, and
// computes what the plan leaks relative to this file's own strata. The letters
// are those of the plan.
func (d *domain) known(ctx context.Context, o *Options, s *source, p *plan.Plan) error {
	if p.Strata == nil {
		return nil
	}
	a, err := colfile.ParseAlphabet(s.alphabet.Type(), p.Inputs.Label, p.Inputs.Null)
	if err != nil {
		return nil // alphabetsOf says so
	}
	of := p.Strata.Of()
	unseen := report.NullLabel
	t, err := s.tabulate(ctx, o, a, func(l report.Label) report.Label {
		if g := of(l); g >= 0 {
			return report.Label{Text: fmt.Sprint(g)}
		}
		return unseen
	})
	if err != nil {
		return err
	}
	same := true
	own := one()
	for i, n := range t.Name {
		prior, err := mechanism.NewPrior(t.Count[i])
		if err != nil {
			return err
		}
		if n == unseen {
			return fault.New(fault.Privacy, "make a new plan; one with merged strata has a mechanism for all others, too",
				"%d records of %s are in strata of %q that the plan does not have", prior.Total(), s.path, o.Strata)
		}
		var g int
		fmt.Sscan(n.Text, &g)
		if _, f := p.Strata.Groups[g].Mechanism.Leakage(prior).Max(); f.Cmp(own) > 0 {
			own = f
		}
		for x, c := range t.Count[i] {
			same = same && c == p.Strata.Groups[g].Prior.Count(x)
		}
	}
	if !same {
		d.own = own
	}
	return nil
}
