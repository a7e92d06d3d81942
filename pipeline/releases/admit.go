package releases

import (
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
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

// Anew refuses to draw the records of a series that was released before unless by
// the ids and the key of before.
func Anew(o *request.Repeat, earlier ledger.Entry) error {
	switch {
	case o.Memoised():
	case earlier.KeyID != "":
		return fault.New(fault.Privacy, "give the same --record-id and --key-file as in the earlier releases",
			"dataset %q is released with record ids, and this run has none", earlier.Dataset)
	default:
		return fault.New(fault.Privacy, "begin another series with another --dataset, --record-id and --key-file, so that "+
			"unchanged records keep their outputs",
			"dataset %q was released before without record ids, and a second draw of the same records leaks more than epsilon",
			earlier.Dataset)
	}
	return nil
}

// admitFresh accounts for a release without record ids, which is the only one of
// its series.
func (b *Booking) admitFresh(earlier []ledger.Entry) (claim ledger.Claim, err error) {
	for _, e := range earlier {
		if e.Series == b.of {
			if err := Anew(b.o, e); err != nil {
				return claim, err
			}
		}
	}
	f := b.p.Factor()
	claim = ledger.Claim{Factor: f.RatString(), Label: "exact", Rule: "one release"}
	total, err := b.o.ParseTotal()
	if err != nil || total == nil || total.Admits(f) {
		return claim, err
	}
	return claim, fault.New(fault.Privacy,
		"nothing was published; give a smaller epsilon, or a larger --total-epsilon if that total is acceptable",
		"this release would bring the total to %s nats (factor %s), and --total-epsilon is %s", report.Nats(f),
		f.RatString(), b.o.TotalEpsilon)
}
