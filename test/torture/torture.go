// Package torture is for tests that count how often they tried something: how long they may, and where they draw from.
package torture

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"
)

// Long reports whether tests go on as long as they may, and not as long as usual.
func Long() bool { return os.Getenv("TACET_TORTURE") != "" }

// Count is how often a test tries something: usually, or where tests are long.
func Count(usual, long int) int {
	if Long() {
		return long
	}
	return usual
}

// Seed is what tests draw from, 34 unless TACET_SEED says another. Every run of make torture has its own.
func Seed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("TACET_SEED"), 10, 64); err == nil {
		return n
	}
	return 34
}

// Rand are the draws of try i of what has a name; both and the seed make them again.
func Rand(name string, i int) *rand.Rand {
	seed := Seed()
	for _, b := range []byte(name) {
		seed = (seed ^ uint64(b)) * 0x100000001b3 // as FNV
	}
	return rand.New(rand.NewPCG(seed, uint64(i)))
}

// Until is when a part that begins now, one of parts that are left, has had its time: all end three minutes before the
// test would be stopped.
func Until(t *testing.T, parts int) time.Time {
	t.Helper()
	end, ok := t.Deadline()
	if !ok || !Long() {
		return time.Now().Add(24 * time.Hour)
	}
	return time.Now().Add((time.Until(end) - 3*time.Minute) / time.Duration(parts))
}

// Within counts from 0 to n-1, or as far as a part has time, to 8 at least.
func Within(t *testing.T, n, parts int) iter.Seq[int] {
	t.Helper()
	end := Until(t, parts)
	return func(yield func(int) bool) {
		for i := 0; i < n && (i < 8 || time.Now().Before(end)) && yield(i); i++ {
		}
	}
}

// Most is what reading mutated bytes may allocate.
const Most = 1 << 30

// Guarded runs what reads mutated bytes: it may neither take 20 seconds nor allocate more than that. Nothing is stopped
// for it, so that what other tests allocate at the same time counts, too.
func Guarded(most uint64, read func()) error {
	start, before := time.Now(), allocated()
	read()
	if took, used := time.Since(start), allocated()-before; took > 20*time.Second || used > most {
		return fmt.Errorf("took %v and allocated %d MiB", took, used>>20)
	}
	return nil
}

func allocated() uint64 {
	sample := [...]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample[:])
	return sample[0].Value.Uint64()
}
