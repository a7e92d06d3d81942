package decide

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
	"github.com/tacet-privacy/tacet/test/torture"
)

// besideOf is a domain of letters a, b, ... with these records, whose prior is another.
func besideOf(t *testing.T, records, prior []int64) *count.Domain {
	t.Helper()
	d := &count.Domain{Of: plan.Declared}
	for x := range records {
		d.Letters.Label = append(d.Letters.Label, string(rune('a'+x)))
	}
	var err error
	if d.Sample, err = mechanism.NewPrior(records); err != nil {
		t.Fatal(err)
	}
	if d.Prior, err = mechanism.NewPrior(prior); err != nil {
		t.Fatal(err)
	}
	d.Groups = []plan.Group{{Prior: d.Prior, Sample: d.Sample}}
	return d
}

// TestLimitBesideAPrior: a design with a limit of the shift keeps epsilon for the prior and,
// unless that is given up, for the records, and its shift among the records is within the
// limit; one that is out of reach is had for what the hint says.
func TestLimitBesideAPrior(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	made, refused, unseen := 0, 0, 0
	tries := torture.Count(100, 400)
	for range tries {
		n := 3 + r.IntN(4)
		records, prior := make([]int64, n), make([]int64, n)
		spec, none := "ordered:", 0
		for x := range records {
			if records[x], prior[x] = r.Int64N(60), 1+r.Int64N(60); r.IntN(4) == 0 && x > 0 {
				records[x] = 0
				none++
			}
			spec += string(rune('a'+x)) + ","
		}
		records[0]++
		o := &request.Options{Column: "x", Utility: spec[:len(spec)-1], MaxFactor: []string{"2", "4", "10"}[r.IntN(3)],
			MaxShift: []string{"5%", "20%", "60%"}[r.IntN(3)], Prior: "prior.csv", PriorOnly: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			o.FloorRank = new(1 + r.IntN(n))
		}
		if r.IntN(4) == 0 {
			o.Prefer = request.Shares
		}
		asked, err := o.Decision()
		if err != nil {
			t.Fatal(err)
		}
		d := besideOf(t, records, prior)
		p, err := Plan(context.Background(), asked, d)
		var off *design.ShiftError
		if err != nil {
			if refused++; !errors.As(err, &off) || off.Factor == nil {
				continue
			}
			o.MaxFactor = off.Factor.RatString()
			if asked, err = o.Decision(); err != nil {
				t.Fatal(err)
			}
			if p, err = Plan(context.Background(), asked, d); err != nil {
				t.Errorf("records %v, prior %v, %s, %s: factor %s does not suffice: %v", records, prior, spec, o.MaxShift,
					off.Factor.RatString(), err)
				continue
			}
		}
		if made++; none > 0 {
			unseen++
		}
		m, held := p.Mechanism(), []mechanism.Prior{d.Prior}
		if !o.PriorOnly {
			held = append(held, d.Sample)
		}
		for _, k := range held {
			if f := m.Factor(k); !p.Epsilon.Admits(f) {
				t.Errorf("records %v, prior %v: factor %s above %s", records, prior, f.RatString(), o.MaxFactor)
			}
		}
		d1 := m.Shares(d.Sample, plan.Stands(p.Inputs, p.Outputs)).Shift
		if d1.Cmp(asked.Goal.MaxShift) > 0 || p.Shares == nil || p.Shares.Shift.Cmp(d1) != 0 || p.Shares.Factor != nil {
			t.Errorf("records %v, prior %v: shift %s of %s: %+v", records, prior, d1.RatString(), o.MaxShift, p.Shares)
		}
		if p.Lower.Cmp(p.Upper) > 0 || p.Expected > p.UpperBound || p.Kind == "optimal" && p.Gap == 0 &&
			p.Expected < p.UpperBound-1e-9 {
			t.Errorf("records %v, prior %v: %s %v to %v, %v of %v, gap %v", records, prior, p.Kind, p.Lower, p.Upper, p.Expected,
				p.UpperBound, p.Gap)
		}
	}
	if made < tries*3/8 || refused < tries/14 || unseen < tries/8 {
		t.Errorf("%d designs, %d of them with values without records, and %d refused", made, unseen, refused)
	}
}

// TestLimitInGroups: in every stratum, or among all records where there is none, the shift is
// within the limit, also where epsilon is relative to another prior; and where the shift is
// made least. One stratum may have no record.
func TestLimitInGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	made, refused, apart := 0, 0, 0
	tries := torture.Count(75, 300)
	for range tries {
		o := &request.Options{Column: "x", Utility: "ordered:a,b,c,d,e", MaxFactor: []string{"4", "12"}[r.IntN(2)],
			MaxShift: []string{"2%", "10%", "40%"}[r.IntN(3)], Strata: "s", GivenOnly: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			o.FloorRank = new(1 + r.IntN(3))
		}
		beside := r.IntN(3) > 0
		if beside {
			o.Prior, o.PriorOnly = "prior.csv", r.IntN(2) == 0
		}
		if r.IntN(3) == 0 {
			o.Prefer = request.Shares
		}
		asked, err := o.Decision()
		if err != nil {
			t.Fatal(err)
		}
		d := &count.Domain{Letters: utility.Letters{Label: []string{"a", "b", "c", "d", "e"}},
			By: plan.Given{Column: "s", Only: o.GivenOnly}}
		if beside {
			d.Of = plan.Declared
		}
		prior := func(count []int64) mechanism.Prior {
			p, err := mechanism.NewPrior(count)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		all, weighed := make([]int64, 5), make([]int64, 5)
		groups := 1 + r.IntN(3)
		if groups == 1 {
			d.By = plan.Given{}
		}
		for g := range groups {
			records := []int64{r.Int64N(60), r.Int64N(60), r.Int64N(60), r.Int64N(5), 1 + r.Int64N(20)}
			if g == 2 {
				clear(records)
			}
			own := slices.Clone(records)
			for x, n := range records {
				if beside {
					own[x] = 1 + r.Int64N(60)
				}
				all[x], weighed[x] = all[x]+n, weighed[x]+own[x]
			}
			d.Groups = append(d.Groups, plan.Group{Prior: prior(own), Sample: prior(records)})
			if groups > 1 {
				d.Groups[g].Names = []report.Label{{Text: string(rune('p' + g))}}
			}
		}
		d.Prior, d.Sample = prior(weighed), prior(all)
		p, err := Plan(context.Background(), asked, d)
		if err != nil {
			if fault.As(err).Class != fault.Privacy {
				t.Errorf("%v", err)
			}
			refused++
			continue
		}
		if made++; p.Given.Rule == plan.Apart {
			apart++
		}
		most := new(big.Rat)
		for i, g := range p.Groups {
			s := g.Mechanism.Shares(p.RecordsOf(i), plan.Stands(p.Inputs, p.Outputs)).Shift
			if s.Cmp(asked.Goal.MaxShift) > 0 || !p.Epsilon.Admits(g.Mechanism.Factor(g.Prior)) {
				t.Errorf("%+v: group %d: shift %s of %s", *o, i+1, s.RatString(), o.MaxShift)
			}
			if s.Cmp(most) > 0 {
				most = s
			}
		}
		if p.Shares == nil || p.Shares.Shift.Cmp(most) != 0 {
			t.Errorf("%+v: the plan says %+v, and the rows have %s", *o, p.Shares, most.RatString())
		}
	}
	if made < tries/8 || refused < tries/15 || apart < tries/30 {
		t.Errorf("%d designs, %d of them with a mechanism for each stratum, and %d refused", made, apart, refused)
	}
}
