package verify

import (
	"context"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// checkDraws makes every draw again, where key and input are given; the fit is then of these.
func (n *nights) checkDraws(ctx context.Context) error {
	const name = "record draws"
	k, c, why := n.drawKey, n.stated, ""
	switch {
	case k == nil && n.s != nil && c.Draws.Kind == "memoised":
		why = "no key: which record a row is of, and what was drawn for it, takes the key and the input"
	case k == nil:
		return nil
	case k.ID() != c.Draws.KeyID:
		return kernel.Errorf("give the key file of that night: a key that was rotated since draws otherwise",
			"%s holds the key %s, and the draws were made with the key %s", n.q.Key, k.ID(), c.Draws.KeyID)
	case n.s != nil && n.s.Names != "" && k.HistoryID() != n.s.Names:
		return kernel.Errorf("give the key file of that night",
			"%s names records as %s, and the record history names them as %s", n.q.Key, k.HistoryID(), n.s.Names)
	case n.in == nil || len(n.Groups) == 0 || n.Tally == nil:
		why = "no input, or the rows are not known"
	case n.s != nil && n.history == nil:
		why = "no record history that tells which records are held"
	}
	if why != "" {
		n.Skip(name, why)
		return nil
	}
	r := &kernel.Redraw{Nights: n.proof, Secret: k.Secret(), Naming: k.History(), Unit: c.Draws.Unit,
		Person: c.Setting("person")}
	r.Record, _ = report.Names(c.Setting("record-id"))
	if n.s != nil {
		var at [1]ledger.Place
		var past []ledger.RecordEntry
		r.Population, r.Find = n.s.Population, func(name [16]byte, dst []kernel.Entry) []kernel.Entry {
			n.history.Find([]ledger.Record{name}, at[:])
			past = n.history.Past(at[0], past[:0])
			return appended(dst, past)
		}
	}
	w, why, err := r.Check(ctx)
	if err != nil {
		return err
	}
	if why != "" {
		n.Skip(name, why)
		return nil
	}
	if n.s != nil {
		h := n.shown
		w.Match(h.Rows == r.Held.Rows && h.Absent == r.Held.Absent, "the number of rows held")
		if n.Order != nil {
			rank, value, forbidden := n.Worst(r.Shown)
			w.Match(h.Rank == rank && h.Forbidden == forbidden && (h.Value == nil) == (value == nil) &&
				(value == nil || *value == *h.Value), "the worst of rows held")
		}
		n.checkHeld("rows by draw, with the key", &r.Held)
	}
	if !n.Settle(name, w, "%d rows made again with the key: each holds what plan, id and history give; %d held", r.Rows,
		r.Held.Rows) {
		return nil
	}
	n.Checks = slices.DeleteFunc(n.Checks, func(k kernel.Check) bool { return k.Name == "fit" })
	n.AddFit(kernel.FitPairs(r.Again, n.Groups), "the draws made again")
	return nil
}
