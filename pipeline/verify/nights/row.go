package nights

import (
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/redraw"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// row makes one draw again.
func (r *redrawn) row(values [][]int32, texts [][]string, i int) {
	x, y := values[0][i], values[1][i]
	if x < 0 || int(x) >= len(r.nights.Rows) {
		return // a null that is public; strangers are told elsewhere
	}
	r.rows++
	encode := func(columns []int) ([]byte, bool) {
		r.id = r.id[:0]
		for _, c := range columns {
			at := values[2+c][i]
			if at < 0 {
				return nil, false
			}
			r.id = redraw.Part(r.id, texts[c][at])
		}
		return r.id, true
	}
	id, ok := encode(r.drawn)
	if !ok {
		r.unknown++
		return
	}
	drawn := r.drawer.Draw(id, int(x))
	once := true
	if r.person != nil {
		key := fmt.Sprintf("%d %s", x, id)
		once = !r.person[key]
		r.person[key] = true
	}
	if r.history == nil {
		if drawn != y {
			r.other++
		}
		if once {
			count(r.result.Drawn, x, drawn)
		}
		return
	}
	if id, ok = encode(r.named); !ok {
		r.unknown++
		return
	}
	r.list = r.history.Find(r.namer.Name(id), r.list[:0])
	r.recorded(x, y, drawn, once)
}

// recorded holds a row to what the history has of its record.
func (r *redrawn) recorded(x, y, drawn int32, once bool) {
	tonight := uint16(r.claims.Night)
	past, at := r.list, -1
	for i, e := range r.list {
		if e.First == tonight && len(past) == len(r.list) {
			past = r.list[:i]
		}
		if e.Last == tonight {
			at = i
		}
	}
	v, ok := r.nights.judge(past)
	if at < 0 || !ok {
		r.unknown++
		return
	}
	shown := r.of(r.list[at])
	written := r.world.Null
	if y >= 0 {
		written = r.symbol[r.channel][y]
	}
	want := shown // of what is drawn from an earlier output
	if !v.derives {
		want = r.publishes(&v, drawn)
	}
	if written != shown || written != want || y == cells.Stranger {
		r.other++
	}
	held := !v.fits || want != r.symbol[r.channel][drawn]
	if held {
		r.result.Held++
	} else if y < 0 || !gives(&r.nights.Rows[x], y) {
		r.result.Forbidden++
	}
	if y < 0 {
		r.result.Suppressed++
	}
	if v.fits && once {
		count(r.result.Drawn, x, drawn)
	}
}

func gives(r *exact.Row, y int32) bool {
	for _, o := range r.Output {
		if o == y {
			return true
		}
	}
	return false
}

// count adds one pair of letters.
func count(t *pair.Tally, x, y int32) {
	if t.In[x]++; t.Dense != nil {
		t.Dense[int(x)*t.Outputs+int(y)]++
		return
	}
	t.Sparse[uint64(x)<<32|uint64(y)]++
}

// judge compares what was drawn again with what was published.
func (r *redrawn) judge(name string) {
	var w verdict.Faults
	if r.unknown > 0 {
		w.Addf("%d of %d rows are of records that the history does not have, or have no id", r.unknown, r.rows)
	}
	if r.other > 0 {
		w.Addf("%d of %d rows do not hold what key, plan, id and history give", r.other, r.rows)
	}
	if k := r.claims.Kept; k != nil {
		w.Match(k.Held == r.result.Held, "the number of rows held")
		w.Match(k.Suppressed == r.result.Suppressed || r.claims.Again && len(k.Spread) == 0, "the number of rows published as a null")
	}
	if r.Settle(name, w, "%d rows made again with the key: each holds what plan, id and history give; %d held", r.rows, r.result.Held) {
		r.nights.View.Again = r.result
	}
}
