package verify

import (
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/redraw"
)

// row makes one draw again.
func (r *redrawn) row(values [][]int32, texts [][]string, i int) {
	x, y := values[0][i], values[1][i]
	if x < 0 || int(x) >= len(r.nights.rows) {
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
			r.result.drawn.count(x, drawn)
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
		r.result.held++
	} else if y < 0 || !r.nights.rows[x].gives(y) {
		r.result.forbidden++
	}
	if y < 0 {
		r.result.suppressed++
	}
	if v.fits && once {
		r.result.drawn.count(x, drawn)
	}
}

func (r *row) gives(y int32) bool {
	for _, o := range r.output {
		if o == y {
			return true
		}
	}
	return false
}

// count adds one pair of letters.
func (t *tally) count(x, y int32) {
	if t.in[x]++; t.dense != nil {
		t.dense[int(x)*t.outputs+int(y)]++
		return
	}
	t.sparse[uint64(x)<<32|uint64(y)]++
}

// judge compares what was drawn again with what was published.
func (r *redrawn) judge(name string) {
	var w wrong
	if r.unknown > 0 {
		w.addf("%d of %d rows are of records that the history does not have, or have no id", r.unknown, r.rows)
	}
	if r.other > 0 {
		w.addf("%d of %d rows do not hold what key, plan, id and history give", r.other, r.rows)
	}
	if k := r.claims.Kept; k != nil {
		w.match(k.Held == r.result.held, "the number of rows held")
		w.match(k.Suppressed == r.result.suppressed || r.claims.Again && len(k.Spread) == 0, "the number of rows published as a null")
	}
	if r.settle(name, w, "%d rows made again with the key: each holds what plan, id and history give; %d held", r.rows, r.result.held) {
		r.nights.verifier.again = r.result
	}
}
