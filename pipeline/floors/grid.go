package floors

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A Choice is the best floor within an epsilon and a limit of the shift, as tacet design
// finds it.
type Choice struct {
	Epsilon  string  `json:"epsilon"` // as it is asked for
	Nats     float64 `json:"nats"`
	Factor   float64 `json:"factor"`              // e^Nats, exact where that is a float
	MaxShift string  `json:"max_shift,omitempty"` // as it is asked for; "" for no limit
	Asked    bool    `json:"asked"`               // by --epsilon or --max-factor
	Open     bool    `json:"not_searched"`        // time ended first: nothing is known
	Refused  string  `json:"refused,omitempty"`   // why there is no design; what follows is then zero

	Floor    string   `json:"floor,omitempty"`    // of the design, such as "rank 12 of 20"
	Words    string   `json:"in_words,omitempty"` // what it promises
	Rank     int      `json:"worst_rank,omitempty"`
	Worst    float64  `json:"worst"`
	Expected float64  `json:"expected"`
	Shift    *float64 `json:"shift,omitempty"` // rounded up; nil where there are no records
	Used     int      `json:"used,omitempty"`  // outputs that occur

	Unchanged bool `json:"unchanged"` // as of a Mechanism
	Nothing   bool `json:"tells_nothing"`
}

// factors for which the best floor is looked for, the coarse shape first.
var factors = []string{"4", "2", "10", "1.5", "20", "3", "5", "7", "50"}

// limits of the shift that the page compares beside none, as flags take them.
var limits = []string{"5%", "2%", "1%", "0%"}

// choose makes the designs of factors and limits as far as the time for the search goes:
// those that were asked for first.
func (v *survey) choose(ctx context.Context) error {
	if !v.shows() {
		return nil
	}
	ctx, cancel := v.until(ctx, 11)
	defer cancel()
	cells, err := v.cells()
	if err != nil {
		return err
	}
	order := make([]int, len(cells))
	for i := range order {
		order[i] = i
	}
	if err := v.each(ctx, order, func(i int) error { return v.buy(ctx, cells[i]) }); err != nil {
		return err
	}
	slices.SortStableFunc(cells, func(a, b *place) int {
		return cmp.Or(cmp.Compare(a.stop.Limit, b.stop.Limit), cmp.Compare(a.need, b.need))
	})
	for _, q := range cells {
		s := &q.stop
		c := Choice{Epsilon: q.epsilon, Nats: q.need, Factor: q.factor, MaxShift: q.limit, Asked: q.asked,
			Open: !s.Designed && s.Refused == "", Refused: s.Refused}
		if s.Designed {
			c.Floor, c.Words, c.Rank, c.Worst, c.Expected, c.Used = s.Name, s.Words, q.rank, s.Worst, s.Mean, s.Used
			c.Unchanged, c.Nothing = s.Unchanged, s.Nothing
		}
		if s.Shift != nil {
			off := mechanism.FloatUp(s.Shift)
			c.Shift = &off
		}
		v.f.Choices = append(v.f.Choices, c)
	}
	v.grid = cells
	return nil
}

// giveWay leaves out the limit of the shift where it is the default, and the next command
// has none in this order.
func (v *survey) giveWay() error {
	if v.limit == "" {
		return nil
	}
	next := *v.o.Next()
	next.Epsilon, next.MaxFactor = "1", "" // on which that does not depend
	asked, err := next.Decision()
	if err != nil {
		return err
	}
	usual := decide.Usual(asked, v.d, v.order)
	if v.limit = usual.MaxShift; usual.Goal.Kind != asked.Goal.Kind { // no other floor has the design that stands in
		v.limit = ""
	}
	return nil
}

// cells are the places that choose looks at, in that order.
func (v *survey) cells() (all []*place, err error) {
	epsilons, own := []string{}, v.o.Epsilon
	for _, f := range factors {
		if !v.f.Large { // else each takes as long as all floors
			epsilons = append(epsilons, "log("+f+")")
		}
	}
	parse := func(text string) (mechanism.Epsilon, error) { return (&request.Options{Epsilon: text}).ParseEpsilon() }
	if v.o.MaxFactor != "" {
		own = "log(" + v.o.MaxFactor + ")"
	}
	if own != "" {
		asked, err := parse(own)
		if err != nil {
			return nil, err
		}
		epsilons = slices.DeleteFunc(epsilons, func(text string) bool {
			e, err := parse(text)
			return err == nil && e.Nats() == asked.Nats()
		})
		epsilons = slices.Insert(epsilons, 0, own)
	}
	compared := v.compared()
	for i, epsilon := range epsilons {
		e, err := parse(epsilon)
		if err != nil {
			return nil, err
		}
		factor, _ := e.Factor().Float64()
		for k, limit := range compared {
			q := &place{at: -1, limit: limit, epsilon: epsilon, need: e.Nats(), factor: factor,
				asked: i == 0 && own != "" && limit == v.limit}
			q.stop.Limit = k
			all = append(all, q)
		}
	}
	slices.SortStableFunc(all, func(a, b *place) int {
		first := func(q *place) int {
			if q.limit == v.limit {
				return 0
			}
			return 1
		}
		return cmp.Compare(first(a), first(b))
	})
	return all, nil
}

// compared are the limits of the shift that are looked at, "" for none, the loosest first.
func (v *survey) compared() []string {
	if v.o.Page == "" {
		return []string{v.limit}
	}
	size := func(limit string) *big.Rat {
		d, err := (&request.Options{MaxShift: limit}).ParseMaxShift()
		if err != nil {
			panic("floors: a limit of the shift that is none") // it was checked
		}
		if d == nil {
			return big.NewRat(2, 1)
		}
		return d
	}
	out := []string{v.limit}
	add := func(limit string) {
		if size(limit).Cmp(size(v.limit)) != 0 {
			out = append(out, limit)
		}
	}
	add("")
	if !v.f.Large && v.d.Of == "" && v.d.Sample.Total() > 0 && !v.byGroup() {
		for _, limit := range limits {
			add(limit)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return size(b).Cmp(size(a)) })
	return out
}

// buy makes the design of the best floor within an epsilon and a limit. What is refused
// has the reason in its stop; where there was no time it has neither.
func (v *survey) buy(ctx context.Context, q *place) error {
	p, err := v.plan(ctx, q, q.epsilon)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		switch f := fault.As(err); f.Class {
		case fault.Environment:
		case fault.Privacy:
			q.stop.Refused = f.What
		default:
			return err
		}
		return nil
	}
	q.rank = p.Rank
	v.tell(q, p)
	s := &q.stop
	s.Best, s.Safe, s.Optimal, s.Lower = true, math.NaN(), s.Asked, s.Asked
	s.At, s.Short = v.short(p.Rank, p.Value, report.LevelOf(p.Level()))
	at := slices.IndexFunc(v.curves.Points, func(c frontier.CurvePoint) bool { return c.Floor == p.Floor })
	if at >= 0 {
		s.Least, s.Most = v.f.Points[at].Least, v.f.Points[at].Most
	}
	return nil
}

// byGroup reports whether floors are looked at by groups, as levels of many values are:
// these keep all shares.
func (v *survey) byGroup() bool {
	_, levels := v.order.Order.(*mechanism.Tree)
	return levels && v.o.ByValue() && !optimum.Fits(v.order.Order.Inputs(), v.order.Order.Outputs())
}

// missing says of which epsilons and limits the page has no design, and why.
func (v *survey) missing() (out []string) {
	open := map[string][]string{} // by limit
	for _, q := range v.grid {
		switch {
		case q.stop.Refused != "" && q.limit == "":
			out = append(out, "Epsilon "+q.epsilon+": "+q.stop.Refused)
		case q.stop.Refused != "":
			out = append(out, "Epsilon "+q.epsilon+" with shares within "+q.limit+": "+q.stop.Refused)
		case !q.stop.Designed:
			open[q.limit] = append(open[q.limit], q.epsilon)
		}
	}
	for _, limit := range v.compared() {
		if epsilons := open[limit]; epsilons != nil {
			where := "without a limit of shares"
			if limit != "" {
				where = "with shares within " + limit
			}
			out = append(out, "Not searched in the time there was, "+where+": epsilon "+strings.Join(epsilons, ", "))
		}
	}
	return out
}

// shows reports whether the best floors are looked for.
func (v *survey) shows() bool { return v.o.Format != "csv" || v.o.Page != "" }
