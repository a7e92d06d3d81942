package verify

import (
	"math"
	"strconv"
	"strings"
)

// historyClaims is what the report says of the releases before.
type historyClaims struct {
	State  string       `json:"state"`
	Series *seriesClaim `json:"series"`
	Moved  *struct {
		SHA256   string `json:"sha256"`
		Rows     int64  `json:"rows"`
		Both     int64  `json:"records_in_both"`
		Changed  int64  `json:"changed_letters"`
		New      int64  `json:"new"`
		Vanished int64  `json:"vanished"`
	} `json:"previous_input"`
}

type seriesClaim struct {
	Ledger     string      `json:"ledger"`
	Head       string      `json:"head"`
	Dataset    string      `json:"dataset"`
	Population string      `json:"population"`
	Release    int64       `json:"release"`
	Night      int         `json:"night"`
	Again      bool        `json:"again"`
	Names      string      `json:"names_key_id"`
	Budget     string      `json:"total_epsilon"`
	OnChange   string      `json:"on_change"`
	OverBudget string      `json:"over_budget"`
	Reserved   figureClaim `json:"reserved"`
	Cumulative figureClaim `json:"cumulative"`
	Kept       *struct {
		Records    int64 `json:"known"`
		New        int64 `json:"new"`
		Vanished   int64 `json:"vanished"`
		Changed    int64 `json:"changed"`
		Visible    int64 `json:"visible"`
		Held       int64 `json:"held"`
		Limited    int64 `json:"limited"`
		Suppressed int64 `json:"suppressed"`
		Spread     []struct {
			Share float64 `json:"share"`
			Nats  float64 `json:"nats"`
		} `json:"spread"`
	} `json:"records"`
	Earlier []struct {
		Release    int64       `json:"release"`
		Night      int         `json:"night"`
		When       string      `json:"when"`
		Design     string      `json:"design_sha256"`
		Key        string      `json:"key_id"`
		Rows       int64       `json:"rows"`
		Factor     string      `json:"factor"`
		Cumulative figureClaim `json:"cumulative"`
	} `json:"earlier"`
	Limits []string `json:"not_covered"`
}

type figureClaim struct {
	Factor string  `json:"factor"`
	Nats   float64 `json:"nats"`
	Label  string  `json:"label"`
	Rule   string  `json:"rule"`
}

// personClaims is what rows of one person tell together.
type personClaims struct {
	Persons int64   `json:"persons"`
	Several int64   `json:"with_several_rows"`
	Mixed   int64   `json:"with_several_letters"`
	Most    int     `json:"rows_at_most"`
	Factor  string  `json:"factor"`
	Nats    float64 `json:"nats"`
	Bound   bool    `json:"bound"`
}

// held is the number of rows that repeat or hide something: the report's word,
// since it takes the record history to know them.
func (r *reportFile) held() int64 {
	if s := r.History.Series; s != nil && s.Kept != nil {
		return s.Kept.Held
	}
	return 0
}

// suppressed is the number of rows published as a null, likewise.
func (r *reportFile) suppressed() int64 {
	if s := r.History.Series; s != nil && s.Kept != nil {
		return s.Kept.Suppressed
	}
	return 0
}

// checkSeries holds what the report says of the series and of persons to
// itself; the figures are recomputed from ledger and history, which are not
// part of a release.
func (v *verifier) checkSeries() {
	const name = "series"
	var w wrong
	if p := v.report.Persons; p != nil {
		f, ok := fraction(p.Factor)
		w.match(ok && f.Cmp(one) >= 0 && natsOf(p.Nats, f), "what rows of one person tell together")
		w.match(p.Mixed <= p.Several && p.Several <= p.Persons && p.Persons <= v.report.Records, "the number of persons")
	}
	w.match((v.report.Randomness.Kind == "memoised") == (v.report.Randomness.KeyID != ""), "the kind of the draws")
	if m := v.report.History.Moved; m != nil {
		w.match(m.Both+m.Vanished == m.Rows && m.Both+m.New == v.report.Input.Rows && m.Changed >= 0 && m.Changed <= m.Both && min(m.New, m.Vanished) >= 0, "what differs from the input before")
	}
	s := v.report.History.Series
	if s == nil {
		w.match(v.report.History.State == "no ledger", "the state of the history")
		v.settle(name, w, "no ledger")
		return
	}
	w.match(v.report.History.State == "ledger" && s.Night > 0 && s.Release > 0, "the state of the history")
	total, isTotal := budgetOf(s.Budget)
	for _, c := range []figureClaim{s.Reserved, s.Cumulative} {
		f, ok := fraction(c.Factor)
		switch {
		case c.Label == "none":
			w.match(c.Factor == "" && c.Nats == 0, "a figure of the series")
		case c.Label != "exact" && c.Label != "bound" || !ok || f.Cmp(one) < 0:
			w.addf("a figure of the series is none")
		default:
			w.match(natsOf(c.Nats, f), "the nats of a figure of the series")
			if isTotal && c.Nats > total*(1+1e-12)+1e-12 {
				w.addf("a figure of the series is beyond its total")
			}
		}
	}
	reserved, ok := fraction(s.Reserved.Factor)
	reached, ok2 := fraction(s.Cumulative.Factor)
	if ok && ok2 && reached.Cmp(reserved) > 0 {
		w.addf("more was reached than was reserved")
	}
	last := 0
	for _, e := range s.Earlier {
		w.match(e.Night > last && e.Night != s.Night, "the order of the releases before")
		last = e.Night
	}
	if k := s.Kept; k != nil {
		rows := v.report.Output.Rows
		w.match(k.Limited <= k.Held && k.Held <= rows && k.Suppressed <= k.Held && k.Changed <= rows && k.New <= k.Records && k.Visible <= k.Records && k.Vanished <= k.Records, "the count of records")
		before := 0.0
		for _, q := range k.Spread {
			w.match(q.Nats >= before && q.Share > 0 && q.Share <= 1, "the spread of the figures")
			before = q.Nats
		}
		if n := len(k.Spread); n > 0 && s.Cumulative.Label == "exact" {
			w.match(k.Spread[n-1].Nats >= s.Cumulative.Nats-1e-6 && k.Spread[n-1].Nats <= s.Cumulative.Nats+0.0011, "the largest of the figures")
		}
	}
	v.settle(name, w, "release %d, night %d; figures agree with each other%s", s.Release, s.Night,
		either(v.replays, "", " (ledger, history and key recompute them)"))
}

// budgetOf reads a total in nats.
func budgetOf(text string) (nats float64, ok bool) {
	if inner, cut := strings.CutPrefix(text, "log("); cut {
		f, ok := fraction(strings.TrimSuffix(inner, ")"))
		if !ok || f.Sign() <= 0 {
			return 0, false
		}
		v, _ := f.Float64()
		return math.Log(v), true
	}
	nats, err := strconv.ParseFloat(text, 64)
	return nats, err == nil
}
