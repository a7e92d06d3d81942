package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
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
	night   *releases.Night // by the product's own code
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
	var l *ledger.Error
	var k *key.Error
	switch {
	case errors.As(err, &l) && l.Kind == ledger.Broken:
		n.Add("ledger", false, "%s", l.What)
		return nil
	case errors.As(err, &l):
		return &kernel.Error{What: l.What, Hint: l.Hint, Err: err}
	case errors.As(err, &k):
		return &kernel.Error{What: k.What, Hint: k.Hint, Err: err}
	case err != nil:
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
		if i := slices.IndexFunc(n.book.Entries, func(e ledger.Entry) bool { return e.ID == n.s.Release }); i >= 0 {
			n.booked = &n.book.Entries[i]
		}
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
	if given != "" {
		if st, err := os.Stat(given); err != nil || !st.IsDir() {
			return given, "" // what is wrong shows as it is read
		}
	}
	switch {
	case n.book == nil && given == "":
		return "", ""
	case n.book == nil:
		return "", "a folder is given and no ledger that names the file"
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

// checkLedger compares the report with the ledger, of which the product's own code tells what
// a report says; false where the ledger cannot be used for more.
func (n *nights) checkLedger() bool {
	s, r, c := n.s, n.booked, n.stated
	n.Add("ledger", true, "its chain holds")
	var w kernel.Faults
	w.Match(n.book.ID == s.Ledger, "the ledger's id")
	head := int64(slices.Index(n.book.Heads, s.Head)) + 1
	switch {
	case head == 0:
		w.Addf("the head that the report names is not in its chain: events were taken off its end, or it was written anew")
	case r != nil && (head < r.ID || !s.Again && r.Sealed > 0 && head >= r.Sealed):
		w.Addf("the head that the report names is not of the time of this release")
	}
	n.Settle("ledger head", w, "the head that the report names is event %d of %d", head, len(n.book.Heads))
	if r == nil {
		return n.Add("ledger release", false, "the ledger has no release %d", s.Release)
	}
	w = nil
	is := &ledger.Realised{}
	if !r.Counts() {
		w.Addf("release %d is voided: it was never published, by the ledger", r.ID)
	} else if r.Realised == nil {
		w.Addf("release %d was reserved and never sealed: nothing of it was published, by the ledger", r.ID)
	} else {
		is = r.Realised
	}
	w.Match(n.proven.Column == r.Column && n.proven.Hash == r.PlanSHA256 && n.proven.Design == r.DesignSHA256 &&
		c.Draws.KeyID == r.KeyID, "column, plan, design or key")
	w.Match(c.Input.SHA256 == r.InputSHA256 && c.Output.SHA256 == is.OutputSHA256 && n.out.rows() == is.Rows,
		"input or output")
	w.Match(r.Factor == n.proven.Epsilon.Factor && is.Factor == r.Factor, "the factor of this release")
	w.Match(is.Held == n.shown.Rows || s.Kept == nil, "the number of rows held")
	told := releases.SeriesOf(n.book.ID, r, is)
	told.Head, told.Again, told.Names, told.Published, told.Limits = s.Head, s.Again, s.Names, s.Published, s.Limits
	if told.Earlier = s.Earlier; told.Kept != nil && s.Kept != nil {
		told.Kept.Changed, told.Kept.Spread = s.Kept.Changed, s.Kept.Spread
	}
	stated, _ := json.Marshal(s)
	want, _ := json.Marshal(told)
	for _, name := range differences(stated, want) {
		w.Match(false, name)
	}
	n.Settle("ledger release", w, "release %d, night %d, %s: what was reserved and reached is as the report has it",
		r.ID, r.Night, r.State)
	n.checkEarlier()
	return true
}

// checkEarlier compares the list of releases before; a void that came after the report takes
// none off it. A release without record ids is the only one of its series.
func (n *nights) checkEarlier() {
	const name = "reserved worst case"
	var w, alone kernel.Faults
	r, listed, found := n.booked, map[int64]report.Earlier{}, 0
	for _, e := range n.s.Earlier {
		listed[e.Release] = e
	}
	for i := range n.book.Entries {
		o := &n.book.Entries[i]
		if o.Series != r.Series || o.ID == r.ID {
			continue
		}
		e, is := listed[o.ID]
		if is && o.Realised != nil {
			found++
			w.Match(e == releases.EarlierOf(o), "a release before")
		} else if o.ID < r.ID && o.Counts() && o.Sealed > 0 && o.Sealed < r.ID {
			w.Addf("release %d before is left out", o.ID)
		}
		if o.ID < r.ID && o.Counts() {
			alone.Addf("earlier releases drew the same records anew, which only the version that made them adds up")
		}
	}
	w.Match(found == len(n.s.Earlier), "the number of releases before")
	n.Settle("releases before", w, "%d, as the ledger has them", len(n.s.Earlier))
	switch {
	case r.KeyID != "":
	case alone != nil:
		n.Skip(name, alone[0])
	default:
		alone.Match(r.Claim.Label == "exact" && r.Claim.Factor == r.Factor, "what one release tells")
		n.Settle(name, alone, "the factor of this release, which is the first and only one without record ids")
	}
}

// checkHistory compares the report with what the record history shows: the kernel proves
// what all nights tell, and the product's own code tells how that is spread.
func (n *nights) checkHistory(ctx context.Context) {
	h, s, of := n.history, n.s, n.history.About()
	file := h.Segment()
	n.history = nil // unless it can be used for more
	var w kernel.Faults
	w.Match(of.Ledger == s.Ledger && of.Dataset == s.Dataset && of.Column == n.proven.Column &&
		of.Population == s.Population, "the series")
	w.Match(of.Names == s.Names && h.Night() == s.Night, "the night, or the key that names records")
	if r := n.booked; r != nil && r.Realised != nil && r.Realised.History != nil {
		is := r.Realised.History
		w.Match(file.SHA256 == is.SHA256 && file.Records == is.Records && file.Entries == is.Entries,
			"its hash, which the ledger names,")
	}
	if !n.Settle("record history", w, "%d records, %d outputs, up to night %d; as ledger and report name it",
		file.Records, file.Entries, h.Night()) {
		return
	}
	const name = "records of the history"
	if why := n.prepare(ctx, h); why != "" {
		n.Skip(name, why)
		return
	}
	t, k := n.proof.Count(), s.Kept
	switch {
	case t.Astray > 0:
		n.Skip(name, fmt.Sprintf("%d records began under plans that what was given of the ledger does not hold", t.Astray))
		return
	case k == nil || s.Published == nil:
		n.Add(name, false, "the report counts none, or does not say which rows are drawn anew")
		return
	}
	n.history, w = h, nil
	w.Match(k.Records == file.Records && k.New == t.New && k.Vanished == t.Vanished && k.Visible == t.Visible,
		"a number of records")
	if !s.Again || len(k.Spread) > 0 { // else the run did not look at the records again
		w.Match(k.Changed >= t.Least && k.Changed <= t.Most, "the number of outputs that changed")
		w.Match(n.proven.Null == "public" || n.release.Claimed.Hidden == t.Hidden, "the number of rows published as a null")
	}
	n.Settle(name, w, "%d known, %d new, %d vanished, %d with a visible change", file.Records, t.New, t.Vanished,
		t.Visible)
	n.checkHeld("rows by draw", &t.Held)
	n.checkReached(t)
}

// checkReached compares what was reached, and what was reserved.
func (n *nights) checkReached(t *kernel.Census) {
	s, h := n.s, n.history
	var w kernel.Faults
	if t.Factor == nil {
		w.Match(s.Cumulative.Label == "none", "the figure that was reached")
	} else {
		w.Match(s.Cumulative.Label == "exact" && s.Cumulative.Factor == t.Factor.RatString(),
			"the largest factor of a record")
		w.Match(within(s.Budget, t.Factor), "that no record is beyond the total")
	}
	var tally composition.Tally
	err := h.Each(func(_ *ledger.Record, list []ledger.RecordEntry) error {
		st, err := n.night.Book.State(list)
		if st != nil {
			tally.Add(st, 1)
		}
		return err
	})
	var reserved *big.Rat
	if err == nil {
		reserved, err = n.night.Worst(h)
	}
	w.Match(s.Again && s.Kept.Spread == nil || slices.Equal(s.Kept.Spread, releases.SpreadOf(&tally)),
		"how the figures are spread over the records")
	n.Settle("cumulative factor", w, "of %d records without a visible change, from published outputs alone", t.Figures)
	w = nil
	w.Match(err == nil && s.Reserved.Factor == reserved.RatString() && s.Reserved.Label == "exact",
		"the largest factor that a record could reach")
	n.Settle("reserved worst case", w, "over every record of the nights before and a new one, whatever is drawn")
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
		past.Document, past.Before = n.book.Document, slices.DeleteFunc(slices.Clone(n.book.Entries),
			func(e ledger.Entry) bool { return e.Series != n.booked.Series })
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
				r.Bins = binsOf(b.Spec, b.Of, b.As)
			}
			designs[of] = kernel.Designed(r)
		}
		return designs[of]
	}
	p.Night, p.Hold, p.Begun = s.Night, s.OnChange == "hold", nil
	for _, of := range plans {
		p.Begun = append(p.Begun, design(of))
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
	n.night = &releases.Night{Book: releases.NewBook(channels, plans), Number: s.Night, Channel: uint16(p.Channel),
		Hold: p.Hold}
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

// checkHeld compares the report with the rows that were counted. Without the key, rows of
// which it is open leave a range.
func (n *nights) checkHeld(name string, h *kernel.Held) {
	var w kernel.Faults
	c := n.shown
	w.Match(c.Rows >= h.Rows && c.Rows <= h.Rows+h.Open, "the number of rows held")
	f, _ := kernel.Fraction(c.Factor)
	w.Match(c.Rows == 0 || h.Tells(f), "what rows held tell")
	if h.Open == 0 {
		w.Match(c.Visible == h.Visible, "the number of rows held of records that changed visibly")
		shows := map[files.Label]int64{}
		for _, o := range c.Outputs {
			shows[files.Label(o.Label)] = o.Rows
		}
		w.Match(maps.Equal(h.Shows, shows), "the rows held by output")
	}
	n.Settle(name, w, "which rows are drawn anew, and what the others tell, from plans and published outputs%s",
		either(h.Open == 0, "", "; of some rows only the key tells"))
}

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
	case n.in == nil || len(n.Groups) != 1 || n.Tally == nil:
		why = "no input, or the rows are not known, or are of several mechanisms"
	case n.release.Claimed.Shuffled:
		why = "the rows were shuffled"
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
	f := kernel.FitPairs(r.Again, n.Groups)
	n.Add("fit", f.Accepted(), "the draws made again %s the plan: G = %.1f over %d rows, %d degrees of freedom (false "+
		"alarm rate %g)", either(f.Accepted(), "fit", "do not fit"), 2*f.Sum, f.Rows, f.Freedom, kernel.Alarm)
	return nil
}
