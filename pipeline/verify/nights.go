package verify

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// nights are a release with the ledger, the record history and the draw key, which may be
// missing.
type nights struct {
	*column
	s       *report.Series
	shown   *report.Shown // rows that are not drawn anew; none where the report has none
	book    *ledger.Reading
	booked  *ledger.Entry
	history *ledger.History
	drawKey *key.Key
	proof   *kernel.Nights
}

// checkNights holds the release to the ones before.
func (c *column) checkNights(ctx context.Context) error {
	n := &nights{column: c, s: c.stated.History.Series, shown: &report.Shown{},
		proof: &kernel.Nights{Release: c.release, Facts: c.Facts, Result: &c.Result}}
	if n.s != nil {
		n.checkSeries()
	}
	switch q := c.q; {
	case q.Ledger+q.History+q.Key == "":
		return nil
	case n.s == nil && q.Ledger+q.History != "":
		return kernel.Errorf("leave --ledger and --history out, or name the report of a release that is in a ledger",
			"%s is the report of a release without a ledger", q.Report)
	case q.Key != "" && c.stated.Draws.Kind != "memoised":
		return kernel.Errorf("leave --key-file out, or name the report of a release with record ids",
			"%s is the report of a release whose draws depend on no draw key", q.Report)
	}
	err := n.open(ctx)
	if l, ok := errors.AsType[*ledger.Error](err); ok && l.Kind == ledger.Broken {
		n.Add("ledger", false, "%s", l.What)
		return nil
	} else if ok {
		return &kernel.Error{What: l.What, Hint: l.Hint, Err: err}
	}
	if k, ok := errors.AsType[*key.Error](err); ok {
		return &kernel.Error{What: k.What, Hint: k.Hint, Err: err}
	}
	if err != nil {
		return err
	}
	if n.book != nil && !n.checkLedger() {
		return nil
	}
	if n.history != nil {
		n.checkHistory(ctx)
	}
	return n.checkDraws(ctx)
}

// open reads what is given.
func (n *nights) open(ctx context.Context) (err error) {
	if n.q.Ledger != "" {
		if n.book, err = ledger.Read(ctx, n.q.Ledger); err != nil {
			return err
		}
		n.booked, _ = n.book.Entry(n.s.Release) // whose absence is a fault
	}
	if n.q.Key != "" {
		if n.drawKey, err = key.Read(n.q.Key, key.Draw, "--key-file"); err != nil {
			return err
		}
	}
	path, why := n.find(n.q.History)
	if why != "" {
		n.Skip("record history", why)
	}
	if path == "" {
		return nil
	}
	if n.history, err = ledger.ReadHistory(path); err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			return unreadable(path, "--history", p)
		}
		return kernel.Errorf("give the record history that the ledger names", "%v", err)
	}
	return nil
}

// find is the record history: the file that is named, or the one in a folder that the ledger
// names.
func (n *nights) find(given string) (path, why string) {
	if st, err := os.Stat(given); given != "" && (err != nil || !st.IsDir()) {
		return given, "" // what is wrong shows as it is read
	}
	switch {
	case n.book == nil:
		return "", kernel.Either(given == "", "", "a folder is given and no ledger that names the file")
	case n.booked == nil || n.booked.Realised == nil || n.booked.Realised.History == nil:
		return "", ""
	}
	folder, name := n.book.Folder(n.booked.Series), n.booked.Realised.History.File
	for _, dir := range []string{given, filepath.Join(given, filepath.Base(folder)), folder} {
		if path = filepath.Join(dir, name); dir != "" && filepath.Base(name) == name && exists(path) {
			return path, ""
		}
	}
	return "", "the record history of this night is not there: a later night replaced it, or --history has to name it"
}

// prepare hands the kernel the channels of the record history and the plans of its nights;
// why says what is missing.
func (n *nights) prepare(ctx context.Context, h *ledger.History) (why string) {
	p, s, own := n.proof, n.s, n.Design(n.proven)
	if own == nil || n.plan == nil {
		return "the rows are not known, or are of several mechanisms"
	}
	for _, e := range s.Earlier {
		if e.Night < s.Night {
			p.Before = max(p.Before, e.Night)
		}
	}
	past := releases.Past{Plan: n.plan}
	if n.book != nil {
		past.Document, past.Before = n.book.Document, n.book.Of(n.booked.Series)
	}
	channels, plans, err := past.Plans(ctx, h, s.Night)
	if err != nil {
		return "plans of nights before, which the ledger keeps: " + err.Error()
	}
	designs := map[*plan.Plan]*kernel.Design{nil: nil, n.plan: own}
	design := func(of *plan.Plan) *kernel.Design {
		if _, known := designs[of]; !known {
			data, _ := of.Encode()
			r := &kernel.Release{PlanData: data, OrderData: of.OrderCSV, Weights: bytes.NewReader(of.Weights()),
				Utility: placed(of)}
			if b := of.Bins; b != nil {
				r.Bins = binsOf(b)
			}
			designs[of] = kernel.Designed(r)
		}
		return designs[of]
	}
	p.Night, p.Hold, p.Begun = s.Night, s.OnChange == "hold", map[int]*kernel.Design{}
	for night, of := range plans {
		p.Begun[night] = design(of)
	}
	for i := range channels {
		of := kernel.Channel{Design: design(channels[i].Plan)}
		if channels[i].Total != nil {
			t, _ := kernel.ParseTarget(channels[i].Total.String())
			of.Total = &t
		}
		if p.Channels = append(p.Channels, of); of.Design == nil {
			return "plans of nights before cannot be read, or are of several mechanisms"
		}
	}
	p.Channel = slices.Index(h.Channels(), ledger.Channel{Design: n.proven.Design, Key: n.stated.Draws.KeyID,
		Kind: releases.Kind(s.Budget)})
	if p.Channel < 0 {
		return "the record history has no draws under this release's design, key and total"
	}
	var entries []kernel.Entry
	p.Each = func(visit func([]kernel.Entry)) {
		_ = h.Each(func(_ *ledger.Record, list []ledger.RecordEntry) error {
			entries = appended(entries[:0], list)
			visit(entries)
			return nil
		})
	}
	return ""
}

// appended are entries as the kernel takes them.
func appended(dst []kernel.Entry, list []ledger.RecordEntry) []kernel.Entry {
	for _, e := range list {
		dst = append(dst, kernel.Entry(e))
	}
	return dst
}
