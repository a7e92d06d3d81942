package ledger

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestSize plays nights of which the first is all new, the second changes one
// record in a hundred, and the third is of a new design, and looks at memory
// and disk: under 1 GiB for ten million records, which the long form has.
func TestSize(t *testing.T) {
	records, limit := 200_000, int64(0)
	if os.Getenv("TACET_TORTURE") != "" {
		records, limit = 10_000_000, 1<<30
	}
	dir := t.TempDir()
	path, sha := "", ""
	for night := 1; night <= 4; night++ {
		start, used := time.Now(), cpu()
		h := openHistory(t, path, sha, about)
		c := channel(t, h, night/3)
		if err := h.Begin(night); err != nil {
			t.Fatal(err)
		}
		opened := cpu()
		var wg sync.WaitGroup
		threads := runtime.GOMAXPROCS(0)
		for g := range threads {
			wg.Go(func() {
				var past []RecordEntry
				names, at := make([]Record, 100), make([]Place, 100)
				for from := 100 * g; from < records; from += 100 * threads {
					for i := range names {
						names[i] = quick(uint64(from + i))
					}
					h.Find(names, at)
					for i := range names {
						past = h.Past(at[i], past[:0])
						output := uint16((from + i) % 50)
						if i == night {
							output++
						}
						h.Publish(&names[i], at[i], c, output)
					}
				}
			})
		}
		wg.Wait()
		drawn := cpu()
		path = filepath.Join(dir, strconv.Itoa(night)+Suffix)
		tally, err := h.Write(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		sha = tally.SHA256
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		peak := peakMemory(t)
		t.Logf("night %d: %d records, %d entries, %d MB on disk, peak %d MB; CPU %.1f s (open %.1f, publish %.1f, write "+
			"%.1f), %.1f s by the clock",
			night, tally.Records, tally.Entries, st.Size()>>20, peak>>20, (cpu() - used).Seconds(), (opened - used).Seconds(),
			(drawn - opened).Seconds(), (cpu() - drawn).Seconds(), time.Since(start).Seconds())
		changed := int64([]int{0, 0, records / 100 * 2, records / 100 * 2, records / 100 * 4}[night])
		if tally.Records != int64(records) || tally.Changed != changed || tally.Seen != int64(records) {
			t.Errorf("night %d: %+v", night, tally)
		}
		if limit > 0 && (st.Size() > limit || peak > limit) {
			t.Errorf("night %d: %d bytes on disk, %d in memory", night, st.Size(), peak)
		}
		h = nil
		debug.FreeOSMemory()                                  // each night is a process of its own
		os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak starts anew, where the system lets it
	}
}

// quick is a name that looks like one of a keyed hash.
func quick(i uint64) (r Record) {
	p := rand.NewPCG(i, 7)
	binary.LittleEndian.PutUint64(r[:], p.Uint64())
	binary.LittleEndian.PutUint64(r[8:], p.Uint64())
	return r
}

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory is the largest resident memory so far, in bytes; 0 where the
// system does not say.
func peakMemory(t *testing.T) int64 {
	t.Helper()
	status, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		t.Error(err)
	}
	return kib << 10
}
