package releases

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// A report is what is held to the releases before, of report.json.
type report struct {
	Made, Column  string
	Records       int64
	Input, Output struct{ SHA256 string }
	Floor         struct{ Of int }
	Draws         struct {
		Kind  string
		Unit  string
		KeyID string `json:"key_id"`
	} `json:"randomness"`
	Options []struct{ Name, Value string }
	Outputs []struct {
		Label  files.Label
		Rows   int64   `json:"earlier_rows"`
		Factor string  `json:"earlier_factor"`
		Nats   float64 `json:"earlier_nats"`
	}
	History struct{ Series *series }
}

// A series is what the report says of the releases that it is one of.
type series struct {
	Ledger     string
	Head       string
	Dataset    string
	Population string
	Release    int64
	Night      int
	Again      bool
	Names      string `json:"names_key_id"`
	Budget     string `json:"total_epsilon"`
	OnChange   string `json:"on_change"`
	Reserved   stated
	Cumulative stated
	Kept       *struct {
		Records  int64 `json:"known"`
		New      int64
		Vanished int64
		Changed  int64
		Visible  int64
		Spread   []struct{ Share, Nats float64 }
	} `json:"records"`
	Published *struct {
		Drawn int64
		Held  *shown
	}
	Earlier []struct {
		Release    int64
		Night      int
		When       string
		Design     string `json:"design_sha256"`
		Key        string `json:"key_id"`
		Rows       int64
		Factor     string
		Cumulative stated
	}
}

// A stated figure of a series.
type stated struct {
	Figure
	Nats float64 `json:"nats"`
}

// shown are the rows that are not drawn anew.
type shown struct {
	Rows, Visible, Absent int64
	Factor                string
	Nats                  float64
	Rank                  int
	Value                 *float64
	Forbidden             int64
	Outputs               []struct {
		Label  files.Label
		Rows   int64
		Factor string
	}
}

// held is what the report says of rows that are not drawn anew; no rows where it has none.
func (n *nights) held() *shown {
	if n.claims == nil || n.claims.Published == nil || n.claims.Published.Held == nil {
		return &shown{}
	}
	return n.claims.Published.Held
}

// holds reports whether the figure is none, or a factor with its logarithm.
func (s stated) holds() bool {
	f, ok := kernel.Fraction(s.Factor)
	if s.Label == "none" {
		return s.Factor == "" && s.Nats == 0
	}
	return (s.Label == "exact" || s.Label == "bound") && ok && kernel.IsNats(s.Nats, f)
}

// checkSeries holds what the report says of the series to itself; the figures are
// recomputed from ledger and history, which are not part of a release.
func (n *nights) checkSeries() {
	const name = "series"
	s := n.claims
	if s == nil {
		return
	}
	var w kernel.Faults
	w.Match(s.Night > 0 && s.Release > 0, "the number of the release")
	w.Match(s.Reserved.holds() && s.Cumulative.holds(), "a figure of the series")
	if s.Budget != "" && !(within(s.Budget, s.Reserved.Factor) && within(s.Budget, s.Cumulative.Factor)) {
		w.Addf("a figure of the series is beyond its total")
	}
	if more(s.Cumulative.Factor, s.Reserved.Factor) {
		w.Addf("more was reached than was reserved")
	}
	last := 0
	for _, e := range s.Earlier {
		w.Match(e.Night > last && e.Night != s.Night && e.Cumulative.holds(), "a release before")
		if last = e.Night; len(e.When) >= len(n.report.Made) && e.When[:len(n.report.Made)] > n.report.Made {
			w.Addf("the report is older than a release before")
		}
	}
	if k := s.Kept; k != nil {
		w.Match(k.Changed <= n.Rows && k.New <= k.Records && k.Visible <= k.Records && k.Vanished <= k.Records,
			"the count of records")
		for i, q := range k.Spread {
			w.Match(q.Share > 0 && q.Share <= 1 && (i == 0 || q.Nats >= k.Spread[i-1].Nats), "the spread of the figures")
		}
		if i := len(k.Spread); i > 0 && s.Cumulative.Label == "exact" {
			w.Match(k.Spread[i-1].Nats >= s.Cumulative.Nats-1e-6 && k.Spread[i-1].Nats <= s.Cumulative.Nats+0.0011,
				"the largest of the figures")
		}
	}
	n.Settle(name, w, "release %d, night %d; figures agree with each other", s.Release, s.Night)
}

// within reports whether a total admits a factor, or there is no factor.
func within(total, factor string) bool {
	t, ok := kernel.ParseTarget(total)
	f, is := kernel.Fraction(factor)
	return factor == "" || ok && is && t.Admits(f)
}

// more reports whether a factor is larger than another.
func more(a, b string) bool {
	x, ok := kernel.Fraction(a)
	y, ok2 := kernel.Fraction(b)
	return ok && ok2 && x.Cmp(y) > 0
}

// checkHeld holds what the report says of rows that are not drawn anew to itself, to the
// epsilon asked for, and to input and output side by side. Which rows these are takes
// history and key.
func (n *nights) checkHeld() {
	const name = "earlier draws"
	if n.claims == nil || n.claims.Published == nil {
		return
	}
	var w kernel.Faults
	c, s := n.held(), n.claims
	w.Match(s.Published.Drawn >= 0 && s.Published.Drawn+c.Rows-c.Absent == n.report.Records, "the number of rows drawn anew")
	if s.Published.Held != nil {
		w.Match(c.Rows > 0 && s.Night > 1 && (s.OnChange == "hold" || s.Budget != ""), "that rows show earlier draws")
	}
	w.Match(c.Absent >= 0 && c.Absent <= c.Rows && c.Visible >= 0 && c.Visible <= c.Rows &&
		c.Forbidden >= 0 && c.Forbidden <= c.Rows && c.Rank >= 0 && c.Rank <= len(n.Plan.Outputs), "a count of rows held")
	rows, factor, total, top := map[files.Label]int64{}, map[files.Label]string{}, int64(0), (*big.Rat)(nil)
	for _, o := range c.Outputs {
		w.Match(o.Rows > 0 && rows[o.Label] == 0, "a count of rows held")
		rows[o.Label], factor[o.Label], total = o.Rows, o.Factor, total+o.Rows
		q, ok := kernel.Fraction(o.Factor)
		w.Match(o.Factor == "" || ok && q.Cmp(big.NewRat(1, 1)) >= 0, "what an output tells of rows held")
		if ok && (top == nil || q.Cmp(top) > 0) {
			top = q
		}
	}
	w.Match(total == c.Rows, "the rows held by output")
	if top == nil {
		w.Match(c.Factor == "" && c.Nats == 0, "the factor of rows held")
	} else {
		w.Match(c.Factor == top.RatString() && kernel.IsNats(c.Nats, top), "the factor of rows held")
		if !within(n.Plan.Epsilon.Target, c.Factor) {
			w.Addf("rows held tell more than epsilon")
		}
	}
	for _, o := range n.report.Outputs {
		f, ok := kernel.Fraction(o.Factor)
		w.Match(o.Rows == rows[o.Label] && o.Factor == factor[o.Label] && (ok && kernel.IsNats(o.Nats, f) || !ok && o.Nats == 0),
			"what earlier draws show as an output")
		delete(rows, o.Label)
	}
	if n.Plan.Null == "public" {
		delete(rows, files.Label{Null: true})
	}
	w.Match(len(rows) == 0, "the list of outputs, which lacks some that earlier draws show,")
	n.checkWorst(&w, c)
	n.Settle(name, w, "%d rows are drawn anew, %d are not; their figures agree with each other, and with epsilon",
		s.Published.Drawn, c.Rows)
}

// checkWorst holds the worst rank to the worst of all rows: what is below the floor is not
// drawn anew.
func (n *nights) checkWorst(w *kernel.Faults, c *shown) {
	if n.In == nil || n.Tally == nil || n.Loose > 0 || n.Order == nil || n.Groups == nil {
		return
	}
	said, least, outside := c.Rank, math.MaxInt, int64(0)
	if said == 0 {
		said = math.MaxInt
	}
	var rank []int
	at := -1
	n.Tally.Each(func(_, x, y int, k int64) {
		if x != at {
			rank, at = n.Order.Ranks(x), x
		}
		least = min(least, rank[y])
		if math.IsInf(n.Order.Row(x)[y], -1) {
			outside += k
		}
	})
	w.Match(least == said || least >= n.Rank && said > least, "the worst rank of a row that is not drawn anew")
	w.Match(c.Forbidden == outside, "the number of rows that the order forbids")
}
