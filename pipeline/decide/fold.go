package decide

import (
	"math/bits"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// spread divides the weight of OTHER among its letters by their records: in
// the same ratio of weight to records they prove the same. It is nil where that
// takes more than 62 bits.
func spread(f *count.Folding, weight []int64, narrow mechanism.Prior) []int64 {
	if weight == nil {
		return nil
	}
	other := f.To[f.Row]
	unit := narrow.Count(other)
	if unit == 0 {
		unit = 1 // no record, and so no weight
	}
	out, total := make([]int64, len(f.To)), uint64(0)
	for x, to := range f.To {
		by := unit
		if to == other {
			by = f.Wide.Prior.Count(x)
		}
		high, low := bits.Mul64(uint64(weight[to]), uint64(by))
		if total += low; high > 0 || low >= 1<<62 || total > 1<<62 {
			return nil
		}
		out[x] = int64(low)
	}
	return out
}
