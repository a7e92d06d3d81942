package pipeline_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

// TestNights releases a changing file night after night over the one before: nothing of
// a night stays open, on the heap or on disk once the next one is there. What it says of
// the series is held to an observer in package oracle.
func TestNights(t *testing.T) {
	const nights, early = 12, 4
	dir, secret, r := t.TempDir(), newKey(t), rand.New(rand.NewPCG(11, 7))
	input, rows := filepath.Join(dir, "in"), visits(500, r)
	var fds int
	var heap uint64 // of an early night, when all that is made once is there
	for night := 1; night <= nights; night++ {
		if night == nights/2 {
			rotate(t, secret)
		}
		writeVisits(t, input, rows, 200)
		job := remembered(dir, input, secret, "id")
		job.Keep, job.Overwrite, job.Headroom = []string{"id"}, true, "40%"
		job.Ledger, job.Dataset, job.OnChange = filepath.Join(dir, "ledger"), "visits", "draw"
		if _, err := pipeline.Run(context.Background(), job); err != nil {
			t.Fatalf("night %d: %v", night, err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "ledger.history", "*", "*.history"))
		if err != nil || len(files) != 1 {
			t.Errorf("night %d: %d record histories are left, want that in effect", night, len(files))
		}
		if n := openFiles(); night == 2 {
			fds = n
		} else if night > 2 && n > fds+3 { // the runtime may open some of its own
			t.Errorf("night %d: %d files are open, %d in the second night", night, n, fds)
		}
		if night == early {
			heap = liveHeap()
		} else if live := liveHeap(); night > early && live > heap+1<<20 {
			t.Errorf("night %d: %d bytes are live in the heap, %d in night %d", night, live, heap, early)
		}
		for i := range rows {
			if r.IntN(100) == 0 {
				rows[i].X = letterOf(r)
			}
		}
	}
	l, err := ledger.Open(context.Background(), filepath.Join(dir, "ledger"), ledger.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if v, err := l.Verify(context.Background(), ""); err != nil || v.Releases != nights {
		t.Errorf("the ledger has %d releases of %d: %v", v.Releases, nights, err)
	}
}

func rotate(t *testing.T, path string) {
	t.Helper()
	if _, _, _, err := key.Rotate(path, "2026-02-01T00:00:00Z"); err != nil {
		t.Fatal(err)
	}
}

func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

// liveHeap is what the heap holds once all garbage is gone, in bytes.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
