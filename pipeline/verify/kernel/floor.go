package kernel

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// tableCells is the size up to which order.csv is a table.
const tableCells = 10_000_000

// order reads order.csv, a table of utilities, or the places that utilities are distances of.
func (p *proof) order() {
	const name = "order"
	o, n := p.Plan.Order, len(p.Plan.Inputs)*len(p.Plan.Outputs)
	form, file, _ := strings.Cut(o.Load, ":")
	placed := form == "positions" || (form == "ordered" || form == "circular") && strings.HasPrefix(file, "@") ||
		o.Load == "numeric"
	switch {
	case p.Plan.Empty():
		p.Add(name, len(p.OrderData) == 0, "there are no values, and so no order")
		return
	case n > tableCells && placed && p.Plan.Bins == nil:
		p.places()
		return
	case n > tableCells && form != "matrix":
		p.Skip(name, "order.csv is the spec's own file, not a table of utilities")
		return
	case o.Load != "matrix:order.csv":
		p.Add(name, false, "the plan says that order.csv is no table of utilities, and it is small enough to be one")
		return
	}
	table, why := files.ReadOrder(p.OrderData, p.Plan.Inputs, p.Plan.Outputs)
	if why != "" {
		p.Add(name, false, "%s", why)
		return
	}
	var w Faults
	w.Match(table.Tied() == o.Ties, "the number of rows with ties")
	w.Match(slices.Contains([]string{"text", "integer", "date", "boolean"}, o.Kind), "what the labels stand for")
	p.Settle(name, w, "%d by %d utilities, labels as in the plan, %d rows with ties", len(p.Plan.Inputs),
		len(p.Plan.Outputs), o.Ties)
	p.Order, p.Allow = table, p.supportAt(table, p.Plan.Floor.At)
}

// supportAt is what a floor leaves: outputs of ranks, or utilities, from at on [SO, Section
// III]; -inf is never allowed.
func (p *proof) supportAt(o *files.Order, at float64) *Support {
	s := NewSupport(len(p.Plan.Inputs), len(p.Plan.Outputs))
	for x := range p.Plan.Inputs {
		values, rank := o.Row(x), []int(nil)
		if p.Plan.Floor.By != "value" {
			rank = o.Ranks(x)
		}
		for y, u := range values {
			if meets := rank != nil && float64(rank[y]) >= at || rank == nil && u >= at; meets && !math.IsInf(u, -1) {
				s.Allow(x, y)
			}
		}
	}
	return s
}

// places reads an order by distance that is too large for a table, and what the floor
// leaves, row by row: of outputs as far as the last allowed, the higher ones.
func (p *proof) places() {
	const name = "order"
	o, f := p.Plan.Order, p.Plan.Floor
	read := files.ReadPlaces
	if o.Form != "positions" {
		read = func(data []byte, in, out []files.Label) (*files.Places, string) {
			return files.ReadSteps(o.Form, o.Kind, data, in, out)
		}
	}
	var why string
	if p.Places, why = read(p.OrderData, p.Plan.Inputs, p.Plan.Outputs); why != "" {
		p.Places = nil
		p.Skip(name, "order.csv is the spec's own file, and "+why)
		return
	}
	p.Add(name, true, "%d by %d utilities are distances of the places in order.csv; rows with ties are not counted again",
		len(p.Plan.Inputs), len(p.Plan.Outputs))
	p.Allow = NewSupport(len(p.Plan.Inputs), len(p.Plan.Outputs))
	value, copied := make([]float64, len(p.Plan.Outputs)), make([]float64, len(p.Plan.Outputs))
	for x := range p.Plan.Inputs {
		p.Places.Row(x, value)
		least, left := f.At, len(value)
		if f.By != "value" {
			if left = min(len(value)-int(f.At)+1, len(value)); left < 1 {
				continue
			}
			least = files.Nearest(value, copied, left)
			for _, u := range value {
				if u > least {
					left--
				}
			}
		}
		for y := len(value) - 1; y >= 0; y-- {
			if u := value[y]; u > least || u == least && (f.By == "value" || left > 0) {
				if p.Allow.Allow(x, y); u == least {
					left--
				}
			}
		}
	}
}

// floor: every cell of every row, of letters with and without records alike, keeps to the
// floor, so that no record can become anything worse; and the worst that can occur is what
// the plan states. Rows of a safe design are uniform on all that the floor leaves.
func (p *proof) floor() {
	if p.Groups == nil || p.Order == nil && p.Places == nil {
		why := either(p.Plan.Empty(), "there are no values", "the order or the rows are not known")
		p.Skip("support", why)
		p.Skip("floor", why)
		return
	}
	f := p.Plan.Floor
	var outside, w Faults
	if f.By != "rank" && f.By != "value" || f.By == "rank" && f.At != math.Trunc(f.At) {
		outside.Addf("the floor is neither a rank nor a value")
	}
	alike, common := p.Plan.alike(), p.common()
	p.Rank, p.Value = len(p.Plan.Outputs), math.Inf(1)
	for i := range p.Groups {
		g := &p.Groups[i]
		g.Rank, g.Value = len(p.Plan.Outputs), math.Inf(1)
		for x, r := range g.Rows {
			if shared := x > 0 && &r.Output[0] == &g.Rows[x-1].Output[0]; p.Plan.Method.Kind == "safe" && !shared {
				size := common
				if l := p.Plan.Inputs[x]; l.Null || !alike[l.Text] {
					size = 0
					p.Allow.Each(x, func(int) { size++ })
				}
				if size != len(r.Output) || slices.ContainsFunc(r.Weight, func(w int64) bool { return w != r.Weight[0] }) {
					outside.Addf("row %d of a safe design is not uniform on what the floor allows", x+1)
				}
			}
			for _, y := range r.Output {
				if !p.Allow.Has(x, int(y)) {
					outside.Addf("row %d%s gives an output that the floor forbids", x+1, p.which(i))
				}
			}
			rank, value := p.worst(x, r)
			g.Rank, g.Value = min(g.Rank, rank), min(g.Value, value)
		}
		w.Match(g.Rank == p.Plan.Groups[i].Rank && g.Value == p.Plan.Groups[i].Value, "the floor"+p.which(i))
		p.Rank, p.Value = min(p.Rank, g.Rank), min(p.Value, g.Value)
	}
	p.Settle("support", outside, "no row gives an output that the floor (%s >= %v) forbids", f.By, f.At)
	w.Match(f.Rank == p.Rank && f.Value == p.Value, "the floor of the plan")
	if !p.keepsAsked() {
		w.Addf("the floor that was asked for is not kept")
	}
	p.Settle("floor", w, "the worst that any row gives is rank %d of %d, utility %v", p.Rank, len(p.Plan.Outputs), p.Value)
}

// worst is the worst that a row gives.
func (p *proof) worst(x int, r Row) (rank int, value float64) {
	if p.Order != nil {
		rank, value = len(p.Plan.Outputs), math.Inf(1)
		values, ranks := p.Order.Row(x), p.Order.Ranks(x)
		for _, y := range r.Output {
			rank, value = min(rank, ranks[y]), min(value, values[y])
		}
		return rank, value
	}
	values := make([]float64, len(p.Plan.Outputs))
	p.Places.Row(x, values)
	worst := int(r.Output[0])
	for _, y := range r.Output {
		if values[y] < values[worst] {
			worst = int(y)
		}
	}
	return files.Rank(values, worst), values[worst]
}

// common is how many outputs the floor allows to all letters that are treated alike.
func (p *proof) common() (common int) {
	alike, held, letters := p.Plan.alike(), make([]int, len(p.Plan.Outputs)), 0
	for x, l := range p.Plan.Inputs {
		if !l.Null && alike[l.Text] {
			p.Allow.Each(x, func(y int) { held[y]++ })
			letters++
		}
	}
	for _, n := range held {
		if n == letters {
			common++
		}
	}
	return common
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

// levels: every row of a level design gives the outputs that the floor allows and that are
// called like an input with records, in proportion to these, p(y|x) = P_y / P(S_x) (shift
// 0, at the least factor); all that the floor allows alike where there are none. The counts
// are those of the prior, or of the records where their shares were limited beside another.
func (p *proof) levels(prior, records []int64) {
	const name = "proportions"
	switch {
	case p.Plan.Method.Kind != "level":
		return
	case len(p.Groups) != 1 || p.Order == nil:
		p.Skip(name, "the order or the rows are not known")
		return
	case p.Plan.Other != nil:
		p.Skip(name, "values are treated alike: their row follows from counts of merged values")
		return
	}
	w := p.disproportions(prior)
	if len(w) > 0 && p.Plan.Shares != nil {
		w = p.disproportions(records)
	}
	p.Settle(name, w, "every row gives what the floor allows as often as it is counted")
}

// disproportions are the rows that are not in proportion to counts of the inputs.
func (p *proof) disproportions(count []int64) (w Faults) {
	input := placesOf(p.Plan.Inputs)
	for x, r := range p.Groups[0].Rows {
		var output, all []int32
		var weight []int64
		p.Allow.Each(x, func(y int) {
			all = append(all, int32(y))
			if k, stands := input[p.Plan.Outputs[y]]; stands && count[k] > 0 {
				output, weight = append(output, int32(y)), append(weight, count[k])
			}
		})
		if output == nil {
			output, weight = all, slices.Repeat([]int64{1}, len(all))
		}
		same, whole := slices.Equal(output, r.Output), sum(weight)
		for i := 0; same && i < len(weight); i++ {
			same = big.NewRat(weight[i], whole).Cmp(big.NewRat(r.Weight[i], r.Total)) == 0
		}
		if !same {
			w.Addf("row %d of a level design is not in proportion to the counts", x+1)
		}
	}
	return w
}
