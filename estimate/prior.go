package estimate

import (
	"fmt"
	"math"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Smoothed adds add/per records to every letter: the prior has the counts
// per c_x + add. Letters that were not seen get a positive probability. It
// fails unless add is at least 0 and per at least 1, and beyond a total of 2^62.
func Smoothed(records mechanism.Prior, add, per int64) (mechanism.Prior, error) {
	if add < 0 || per < 1 {
		return mechanism.Prior{}, fmt.Errorf("prior: pseudo-count %d/%d is negative or no fraction", add, per)
	}
	count := records.Counts()
	for x, k := range count {
		if k > (math.MaxInt64-add)/per {
			return mechanism.Prior{}, fmt.Errorf("prior: smoothed count of letter %d does not fit 64 bits", x)
		}
		count[x] = per*k + add
	}
	return mechanism.NewPrior(count)
}
