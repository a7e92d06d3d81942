package verify_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify"
	"github.com/tacet-privacy/tacet/test/torture"
)

// TestDamagedOutput: a flipped bit anywhere before the footer is found though
// the report names the hash of the damaged file, and one in the footer is
// never more than a failed check or a refusal.
func TestDamagedOutput(t *testing.T) {
	tries := 80
	if torture.Long() {
		tries = 200
	}
	for _, arrow := range []bool{false, true} {
		j := jobs["weights"]
		j.arrow, j.rows = arrow, 400
		r := j.make(t)
		whole := []byte(mustRead(t, r.output))
		tail := 8
		if arrow {
			tail = 10
		}
		end := len(whole) - tail - int(binary.LittleEndian.Uint32(whole[len(whole)-tail:]))
		rng := rand.New(rand.NewPCG(1, 1))
		missed := 0
		for i := range tries {
			at := rng.IntN(end)
			if i >= tries*7/10 {
				at = end + rng.IntN(len(whole)-end)
			}
			damaged := slices.Clone(whole)
			damaged[at] ^= 1 << rng.IntN(8)
			must(t, os.WriteFile(r.output, damaged, 0o666))
			r.save(t, true)
			got, err := verify.Run(t.Context(), r.request(t))
			if err == nil && got.Failed() == nil {
				missed++
				if i < tries*7/10 && !arrow { // heads and padding of Arrow messages have room that nothing reads
					t.Errorf("byte %d of %d: nothing is found", at, end)
				}
			}
		}
		if missed > tries/5 {
			t.Errorf("arrow=%v: %d of %d are not found", arrow, missed, tries)
		}
	}
}
