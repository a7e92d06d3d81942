package pipeline_test

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestNights releases a changing file night after night, with a new key now
// and then, and recomputes every figure from what was published alone, in
// every night.
func TestNights(t *testing.T) {
	nights, records := 15, 500
	if os.Getenv("TACET_TORTURE") != "" {
		nights, records = 365, 200_000
	}
	for _, c := range [][2]string{{"draw", ""}, {"hold", ""}, {"draw", "1.5"}, {"draw", "1.0"}} {
		t.Run(strings.TrimSpace(c[0]+" "+c[1]), func(t *testing.T) { simulate(t, nights, records, c[0], c[1]) })
	}
}

// mostDraws is how many keys and designs a simulation goes through.
const mostDraws = 5

func simulate(t *testing.T, nights, records int, change, total string) {
	dir, secret, w := t.TempDir(), newKey(t), newWorld(records, nights, 11)
	input := filepath.Join(dir, "in")
	o := newObserver(cap(w.letter), mostDraws)
	if total != "" {
		o.total = factorOf(t, total)
	}
	var then [mostDraws][]byte // letter when a draw first showed something
	for d := range then {
		then[d] = make([]byte, cap(w.letter))
	}
	var fds int
	var heap uint64 // of an early night, when all that is made once is there
	early := min(20, nights/3)
	for night := 1; night <= nights; night++ {
		if night%(nights/3+1) == 0 {
			rotate(t, secret)
		}
		w.write(t, input)
		job := remembered(dir, input, secret, "id")
		job.Keep, job.Overwrite, job.Headroom = []string{"id"}, true, "40%"
		if job.Redesign = change == "draw" && night == nights/2; job.Redesign || night > nights/2 && change == "draw" {
			job.Epsilon = "0.8"
		}
		job.Ledger, job.Dataset, job.OnChange, job.TotalEpsilon = filepath.Join(dir, "ledger"), "visits", change, total
		took := startWatch()
		rep, err := pipeline.Run(context.Background(), job)
		if err != nil {
			t.Fatalf("night %d: %v", night, err)
		}
		took.stop()
		if night == 1 || job.Redesign {
			o.learn(t, filepath.Join(job.Report, "plan.json"))
		}
		draw, changedNow := o.draw(t, rep[0].Draws.KeyID+rep[0].Plan.Design), int64(0)
		eachPair(t, job.Output, func(id int64, y byte) {
			s, x := &o.record[id], w.letter[id]
			known := s.at != nil
			if known && s.last != y {
				changedNow++
			}
			if known && change == "hold" && y != s.first {
				t.Fatalf("night %d: record %d does not show its first output", night, id)
			}
			if shown := o.shown[draw][id]; shown != 0 && then[draw][id] == x && shown != y|shownBefore && !s.changed {
				t.Fatalf("night %d: record %d is unchanged and shows another output", night, id)
			} else if shown == 0 {
				then[draw][id] = x
			}
			if !known || change != "hold" { // else nothing new was told
				o.see(t, id, draw, y)
			}
		})
		compareBooks(t, night, rep[0], o, changedNow)
		if n := openFiles(); night == 2 {
			fds = n
		} else if n > fds+3 && night > 2 { // the runtime may open some of its own
			t.Errorf("night %d: %d files are open, %d in the second night", night, n, fds)
		}
		if night == 1 || night == early || night == 100 || night == nights {
			live := liveHeap()
			t.Logf("night %d: %s, %d bytes of history, %d live in the heap, %d nodes of the observer", night, took,
				historyBytes(t, dir), live, len(o.nodes))
			if night <= early {
				heap = live
			} else if live > heap+1<<20 {
				t.Errorf("night %d: %d bytes are live in the heap, %d in night %d", night, live, heap, early)
			}
		}
		w.night(.01)
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

func compareBooks(t *testing.T, night int, rep *report.Report, o *observer, changedNow int64) {
	t.Helper()
	s := rep.History.Series

	largest, visible := o.books()
	if s.Cumulative.Factor != largest.RatString() || s.Cumulative.Label != "exact" {
		t.Errorf("night %d: the figure is %s, the published outputs give %s", night, s.Cumulative.Factor, largest.RatString())
	}
	if s.Kept.Visible != visible || s.Kept.Records != o.known || s.Kept.Changed != changedNow {
		t.Errorf("night %d: %d visible of %d records, %d changed outputs; the published outputs give %d of %d, %d", night,
			s.Kept.Visible, s.Kept.Records, s.Kept.Changed, visible, o.known, changedNow)
	}
	reserved, _ := new(big.Rat).SetString(s.Reserved.Factor)
	if !(reserved.Cmp(largest) >= 0) {
		t.Errorf("night %d: more was told than was reserved", night)
	}
	if o.total != nil && largest.Cmp(o.total) > 0 {
		t.Errorf("night %d: a record passed its budget", night)
	}
}

func rotate(t *testing.T, path string) {
	t.Helper()
	if _, _, _, err := key.Rotate(path, "2026-02-01T00:00:00Z"); err != nil {
		t.Fatal(err)
	}
}

func factorOf(t *testing.T, nats string) *big.Rat {
	t.Helper()
	e, err := mechanism.ParseEpsilon(nats)
	if err != nil {
		t.Fatal(err)
	}
	return e.Factor()
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

func historyBytes(t *testing.T, dir string) (n int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "ledger.history", "*", "*.history"))
	if err != nil || len(files) != 1 {
		t.Errorf("%d record histories are left, want that in effect", len(files))
	}
	for _, f := range files {
		if st, err := os.Stat(f); err == nil {
			n += st.Size()
		}
	}
	return n
}

// A watch measures a run in this process.
type watch struct {
	began, ended time.Time
	cpu          time.Duration
	before, peak int64 // resident, in KiB; 0 where the system does not say
}

func startWatch() *watch {
	debug.FreeOSMemory()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak starts anew
	return &watch{began: time.Now(), cpu: -cpuTime(), before: resident("VmRSS:")}
}

func (w *watch) stop() {
	w.ended, w.peak = time.Now(), resident("VmHWM:")
	w.cpu += cpuTime()
}

func (w *watch) String() string {
	return fmt.Sprintf("%.2f s of CPU, %.2f s by the clock, %d MiB at the peak, %d of them before", w.cpu.Seconds(),
		w.ended.Sub(w.began).Seconds(), w.peak>>10, w.before>>10)
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func resident(name string) int64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(status), name)
	if fields := strings.Fields(after); len(fields) > 0 {
		kib, _ := strconv.ParseInt(fields[0], 10, 64)
		return kib
	}
	return 0
}
