package composition

import (
	"math/big"
	"slices"
)

// Worst is the largest factor that a record of this state can have after
// tonight, over everything that may be published: what a reservation takes. It
// is nil where nothing can be published or no factor holds (a Refused night, a
// Visible state). The caller must not change it.
func (d *Decision) Worst() *big.Rat {
	d.once.Do(d.settle)
	return d.worst
}

// Alone is the factor that the merged symbol has by tonight's draw alone, under
// the prior of the first plan; nil where it is no draw, or nothing gives it. The
// caller must not change it.
func (d *Decision) Alone() *big.Rat {
	d.single.Do(func() {
		var columns [][]cell
		d.each(d.Symbol, func(c []cell) { columns = append(columns, c) })
		if start := d.state.series.start; d.Action == Merge && start.canAny(columns) {
			d.alone = start.exactFactor(columns)
		}
	})
	return d.alone
}

func (st *State) canAny(columns [][]cell) bool {
	return slices.ContainsFunc(columns, st.can)
}

// settle keeps the symbols whose enclosure reaches the largest lower end, and
// decides among them exactly.
func (d *Decision) settle() {
	st := d.state
	if st.Visible() || d.Action == Refused {
		return
	}
	if d.Action == Fixed {
		d.worst = st.Factor()
		return
	}
	type reach struct {
		columns [][]cell
		hi      float64
	}
	var all []reach
	most := 0.0
	consider := func(columns [][]cell) {
		lo, hi := st.series.merged(st, columns)
		if hi > 0 {
			all = append(all, reach{columns, hi})
			most = max(most, lo)
		}
	}
	symbol := None
	if d.barred != nil {
		symbol = d.Symbol
		var columns [][]cell
		d.each(symbol, func(c []cell) { columns = append(columns, c) })
		consider(columns)
	}
	for y, column := range d.channel.column {
		if z := d.Publish(int32(y)); z != symbol {
			consider([][]cell{column})
		}
	}
	for _, r := range all {
		if r.hi < most {
			continue
		}
		if f := st.exactFactor(r.columns); d.worst == nil || f.Cmp(d.worst) > 0 {
			d.worst = f
		}
	}
}
