package source

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/colfile"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/strata"
)

// maxStrata bounds the different values of the strata column, before small
// strata are merged.
const maxStrata = 10_000

// errStrata says that there are too many.
var errStrata = errors.New("too many strata")

// tabulate counts records by stratum and letter of a. Strata are called as
// rename says. The input must have been opened for the options.
func (s *Source) tabulate(ctx context.Context, o *options.Options, a *colfile.Alphabet, rename func(report.Label) report.Label) (*strata.Table, error) {
	spec, err := o.ParseStrata()
	if err != nil {
		return nil, err
	}
	total := strata.NewTable(a.Len())
	most := int(min(maxStrata, max(1, Memory()/2/int64(8*max(1, a.Len())*(options.Threads(o)+1)))))
	done := options.NewMeter(o, "counting strata", s.Rows)
	units := len(s.File.Units())
	var mu sync.Mutex
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(options.Threads(o), units) {
		group.Go(func() error {
			t := strata.NewTable(a.Len())
			place := func(l report.Label) int32 { return t.Place(rename(l)) }
			var of []int32
			for unit := int(next.Add(1)) - 1; unit < units; unit = int(next.Add(1)) - 1 {
				reader := strata.NewReader(*spec, place)
				err := s.File.Read(ctx, unit, []*colfile.Alphabet{a}, func(b colfile.Batch) error {
					if err := spec.Fits(b.Beside[o.StratumAt()].Type); err != nil {
						return fault.New(fault.Usage, "the functions are "+strings.Join(strata.Functions(), ", "), "--strata: %v", err)
					}
					of = reader.Append(of[:0], &b.Beside[o.StratumAt()])
					t.Add(of, b.Letters[0])
					done.Add(len(of))
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
			"%s: column %q has more than %d strata over %d letters", s.Path, spec.Column, most, a.Len())
	case errors.As(err, &known):
		return nil, err
	case err != nil:
		return nil, s.Failed(err)
	}
	return total, s.Unchanged()
}

// Groups are the strata of a run, small ones merged.
func (s *Source) Groups(ctx context.Context, o *options.Options, d *Domain) ([]strata.Group, error) {
	t, err := s.tabulate(ctx, o, d.alphabet, func(l report.Label) report.Label { return l })
	if err != nil {
		return nil, err
	}
	spec, err := o.ParseStrata()
	if err != nil {
		return nil, err
	}
	return t.Group(*spec, o.LeastStratum(), d.Letters.Len()), nil
}

// Known refuses a file with strata that the plan has no mechanism for, and
// computes what the plan leaks relative to this file's own strata. The letters
// are those of the plan.
func (d *Domain) Known(ctx context.Context, o *options.Options, s *Source, p *plan.Plan) error {
	if p.Strata == nil {
		return nil
	}
	a, err := colfile.ParseAlphabet(s.Alphabet.Type(), p.Inputs.Label, p.Inputs.Null)
	if err != nil {
		return nil // records.AlphabetsOf says so
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
	own := big.NewRat(1, 1)
	for i, n := range t.Name {
		prior, err := mechanism.NewPrior(t.Count[i])
		if err != nil {
			return err
		}
		if n == unseen {
			return fault.New(fault.Privacy, "make a new plan; one with merged strata has a mechanism for all others, too",
				"%d records of %s are in strata of %q that the plan does not have", prior.Total(), s.Path, o.Strata)
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
		d.Own = own
	}
	return nil
}
