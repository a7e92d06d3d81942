package kernel

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// tableCells is the size up to which order.csv is a table.
const tableCells = 10_000_000

// utilities reads order.csv, a table of utilities. A larger order stands there as the file of
// its spec, which whoever opens the release reads; of rows with ties only those count.
func (p *proof) utilities() {
	const name = "order"
	n, why := len(p.Plan.Inputs)*len(p.Plan.Outputs), ""
	switch {
	case p.Plan.Empty():
		p.Add(name, len(p.OrderData) == 0, "there are no values, and so no order")
		return
	case n > tableCells && !strings.HasPrefix(p.Plan.Order.Load, "matrix:") && p.Utility == nil:
		p.Skip(name, "order.csv is the spec's own file, and no table of utilities")
		return
	case n > tableCells && !strings.HasPrefix(p.Plan.Order.Load, "matrix:"):
		p.Add(name, true, "%d by %d utilities, as the product's own code reads them from the file of the spec",
			len(p.Plan.Inputs), len(p.Plan.Outputs))
		p.row = func(x int, row []float64) []float64 {
			p.Utility(x, row)
			return row
		}
	case p.Plan.Order.Load != "matrix:order.csv":
		p.Add(name, false, "the plan says that order.csv is no table of utilities, and it is small enough to be one")
		return
	default:
		if p.Order, why = files.ReadOrder(p.OrderData, p.Plan.Inputs, p.Plan.Outputs); why != "" {
			p.Order = nil
			p.Add(name, false, "%s", why)
			return
		}
		p.Add(name, true, "%d by %d utilities, labels as in the plan", len(p.Plan.Inputs), len(p.Plan.Outputs))
		p.row = func(x int, _ []float64) []float64 { return p.Order.Row(x) }
	}
	p.Allow = p.supportAt(p.Plan.Floor.At)
}

// supportAt is what a floor leaves [SO, Section III]: utilities from at on; or the m-at+1 best
// of m outputs, and of those that are worth as much as the last of these the higher ones; but
// never -inf.
func (p *proof) supportAt(at float64) *Support {
	s := NewSupport(len(p.Plan.Inputs), len(p.Plan.Outputs))
	by, best := p.Plan.Floor.By == "value", len(p.Plan.Outputs)
	if !by {
		if best = min(best-int(math.Ceil(at))+1, best); best < 1 {
			return s
		}
	}
	p.eachRow(func(r *room, x int, value []float64) {
		least, left := at, len(value)
		if !by {
			left = best
			least = nearest(value, r.copied, best)
			for _, u := range value {
				if u > least {
					left--
				}
			}
		}
		for y := len(value) - 1; y >= 0; y-- {
			if u := value[y]; (u > least || u == least && left > 0) && !math.IsInf(u, -1) {
				if s.Allow(x, y); u == least && !by {
					left--
				}
			}
		}
	})
	return s
}

// A room is the memory of one worker for rows of utilities.
type room struct{ row, copied []float64 }

// eachRow visits the utilities of every input, by some workers at once. It panics where one does.
func (p *proof) eachRow(visit func(r *room, x int, value []float64)) {
	n := len(p.Plan.Outputs)
	begin := func() *room { return &room{row: make([]float64, n), copied: make([]float64, n)} }
	if err := eachUnit(len(p.Plan.Inputs), begin, func(r *room, x int) (err error) {
		defer func() {
			if what := recover(); what != nil {
				err = fmt.Errorf("row %d: %v", x+1, what)
			}
		}()
		visit(r, x, p.row(x, r.row))
		return nil
	}, func(*room) {}); err != nil {
		panic(err)
	}
}

// floor: every cell of every row, of letters with and without records alike, keeps to the
// floor, so that no record can become anything worse; and the worst that can occur is what
// the plan states.
func (p *proof) floor() {
	if p.Groups == nil || p.Allow == nil {
		why := Either(p.Plan.Empty(), "there are no values", "the order or the rows are not known")
		p.Skip("support", why)
		p.Skip("floor", why)
		return
	}
	f := p.Plan.Floor
	var outside, w Faults
	if f.By != "rank" && f.By != "value" || f.By == "rank" && f.At != math.Trunc(f.At) {
		outside.Addf("the floor is neither a rank nor a value")
	}
	p.Rank, p.Value = len(p.Plan.Outputs), math.Inf(1)
	for i := range p.Groups {
		rows := p.Groups[i].Rows
		of := make([]struct {
			forbidden bool
			rank      int
			value     float64
		}, len(rows))
		p.eachRow(func(_ *room, x int, value []float64) {
			worst := rows[x].Output[0]
			for _, y := range rows[x].Output {
				of[x].forbidden = of[x].forbidden || !p.Allow.Has(x, int(y))
				if value[y] < value[worst] {
					worst = y
				}
			}
			of[x].rank, of[x].value = rank(value, int(worst)), value[worst]
		})
		least, value := len(p.Plan.Outputs), math.Inf(1)
		for x, r := range of {
			if r.forbidden {
				outside.Addf("row %d%s gives an output that the floor forbids", x+1, p.which(i))
			}
			least, value = min(least, r.rank), min(value, r.value)
		}
		w.Match(least == p.Plan.Groups[i].Rank && value == p.Plan.Groups[i].Value, "the floor"+p.which(i))
		p.Rank, p.Value = min(p.Rank, least), min(p.Value, value)
	}
	p.Settle("support", outside, "no row gives an output that the floor (%s >= %v) forbids", f.By, f.At)
	w.Match(f.Rank == p.Rank && f.Value == p.Value, "the floor of the plan")
	if !p.keepsAsked() {
		w.Addf("the floor that was asked for is not kept")
	}
	p.Settle("floor", w, "the worst that any row gives is rank %d of %d, utility %v", p.Rank, len(p.Plan.Outputs), p.Value)
}

// keepsAsked compares the worst that can occur with the floor that was fixed.
func (p *proof) keepsAsked() bool {
	asked := p.Plan.Floor.Asked
	if h, ok := strings.CutPrefix(asked, "rank >= "); ok {
		rank, err := strconv.Atoi(h)
		return err == nil && p.Rank >= rank
	}
	if t, ok := strings.CutPrefix(asked, "utility >= "); ok {
		value, err := strconv.ParseFloat(t, 64)
		return err == nil && p.Value >= value
	}
	return asked == "best"
}

// rank is that of output y in a row: 1 is worst; of equals the lower output ranks lower.
func rank(value []float64, y int) int {
	at := 1
	for z, v := range value {
		if v < value[y] || v == value[y] && z < y {
			at++
		}
	}
	return at
}

// nearest is the utility of the k-th best output of a row, 1 for the best; it reorders a
// copy.
func nearest(value, copied []float64, k int) float64 {
	copy(copied, value)
	lo, hi, at := 0, len(copied)-1, len(copied)-k
	for lo < hi {
		pivot := copied[lo+(hi-lo)/2]
		less, more := lo, hi
		for less <= more {
			for copied[less] < pivot {
				less++
			}
			for copied[more] > pivot {
				more--
			}
			if less <= more {
				copied[less], copied[more] = copied[more], copied[less]
				less, more = less+1, more-1
			}
		}
		if at <= more {
			hi = more
		} else if at >= less {
			lo = less
		} else {
			break
		}
	}
	return copied[at]
}
