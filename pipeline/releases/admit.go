package releases

import (
	"context"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// admitKeyed refuses draws by record ids where there were draws without.
func (b *Booking) admitKeyed(earlier []ledger.Entry) error {
	for _, e := range earlier {
		if e.Series == b.of && e.KeyID == "" {
			return fault.New(fault.Privacy,
				"start another series with --dataset or --population, and add the leakage of the earlier releases by hand",
				"dataset %q was released before without record ids, so the ledger cannot say what single records leaked",
				b.of.Dataset)
		}
	}
	return nil
}

// Anew refuses to draw every record of a series anew after an earlier release, unless
// that is asked for and was done before.
func Anew(o *request.Repeat, earlier ledger.Entry) error {
	switch {
	case o.Memoised():
	case earlier.KeyID != "":
		return fault.New(fault.Privacy, "give the same --record-id and --key-file as in the earlier releases",
			"dataset %q is released with record ids, and this run has none", earlier.Dataset)
	case !o.Independent:
		return fault.New(fault.Privacy, "give --independent-releases, and the ledger counts what both tell together; to "+
			"keep the outputs of unchanged records begin another series with another --dataset, --record-id and --key-file",
			"dataset %q was released before without record ids, and a second draw of the same records leaks more than epsilon",
			earlier.Dataset)
	}
	return nil
}

// admitFresh accounts for draws without record ids: every release is a new
// draw of every record.
func (b *Booking) admitFresh(ctx context.Context, earlier []ledger.Entry, document ledger.Documents) (ledger.Claim,
	error) {
	var laws []*mechanism.Mechanism
	known := map[string]*plan.Plan{b.p.Hash: b.p}
	byDesign := map[string]*mechanism.Mechanism{b.p.DesignHash: b.p.Mechanism()}
	var first *plan.Plan
	same := true
	for _, e := range earlier {
		if e.Series != b.of {
			continue
		}
		if err := Anew(b.o, e); err != nil {
			return ledger.Claim{}, err
		}
		if known[e.PlanSHA256] == nil {
			p, err := planOf(ctx, e, document)
			if err != nil {
				return ledger.Claim{}, err
			}
			known[e.PlanSHA256] = p
		}
		p := known[e.PlanSHA256]
		if byDesign[e.DesignSHA256] == nil {
			byDesign[e.DesignSHA256] = p.Mechanism()
		}
		if first == nil {
			first = p
		}
		same = same && slices.Equal(first.InputLabels(), p.InputLabels())
		laws = append(laws, byDesign[e.DesignSHA256])
	}
	laws = append(laws, b.p.Mechanism())
	if first == nil {
		first = b.p
	}
	same = same && slices.Equal(first.InputLabels(), b.p.InputLabels())
	a := composition.Account{Bound: true}
	rule := "all outputs of all releases together"
	if same {
		a = composition.Fresh(first.Prior, laws)
	} else {
		_, least := first.Prior.Least()
		a.Factor = big.NewRat(first.Prior.Total(), least)
	}
	label := "exact"
	if a.Bound {
		label, rule = "bound", "the least of 1/P_min and PML of one release times the LDP factors of the others"
	}
	total, err := b.o.ParseTotal()
	if err != nil {
		return ledger.Claim{}, err
	}
	return ledger.Claim{Factor: a.Factor.RatString(), Label: label, Rule: rule}, b.admits(total, a.Factor, label)
}

// admits refuses a factor beyond the total.
func (b *Booking) admits(total *mechanism.Epsilon, f *big.Rat, label string) error {
	if total == nil || total.Admits(f) {
		return nil
	}
	return fault.New(fault.Privacy, "nothing was published; give a smaller epsilon, or a larger --total-epsilon if "+
		"that total is acceptable",
		"this release would bring the total to %s nats (factor %s, %s), and --total-epsilon is %s", report.Nats(f),
		f.RatString(), label, b.o.TotalEpsilon)
}
