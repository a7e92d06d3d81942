package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tacet-privacy/tacet/pipeline"
)

// TestSinceOpens: of the files that releases before have, none is opened.
func TestSinceOpens(t *testing.T) {
	dir := t.TempDir()
	put := func(folder string, from, n int) {
		must(t, os.MkdirAll(filepath.Join(dir, "in", folder), 0o700))
		for i := range n {
			must(t, os.WriteFile(filepath.Join(dir, "in", folder, fmt.Sprint(i, ".csv")), fmt.Appendf(nil, "c,n\nA,%d\nB,2\nA,3\n",
				from+i), 0o600))
		}
	}
	put("dt=1", 1000, 300)
	o := pipeline.Options{Input: filepath.Join(dir, "in"), Header: "yes", Column: "c", Utility: "ordered:A,B", MaxFactor: "2",
		Audit: "off", Output: filepath.Join(dir, "out"), Report: filepath.Join(dir, "1")}
	if _, err := pipeline.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	put("dt=2", 2000, 3)
	watch, err := unix.InotifyInit1(unix.IN_NONBLOCK)
	must(t, err)
	defer unix.Close(watch)
	if _, err := unix.InotifyAddWatch(watch, filepath.Join(dir, "in/dt=1"), unix.IN_OPEN); err != nil {
		t.Fatal(err)
	}
	opened := func() (n int) {
		events := make([]byte, 1<<20)
		size, err := unix.Read(watch, events)
		for at := 0; err == nil && at < size; at += unix.SizeofInotifyEvent + int(events[at+12]) {
			if events[at+7]&(unix.IN_ISDIR>>24) == 0 { // not the folder, which is listed
				n++
			}
		}
		return n
	}
	o.Plan, o.Utility, o.MaxFactor = filepath.Join(o.Report, "plan.json"), "", ""
	o.Since, o.Report = []string{o.Report}, filepath.Join(dir, "2")
	reports, err := pipeline.Run(t.Context(), o)
	if err != nil || reports[0].Input.Files != 3 {
		t.Fatalf("%v of %+v", err, reports)
	}
	if n := opened(); n > 0 {
		t.Errorf("%d files are opened that are not new", n)
	}
	if _, err := os.ReadFile(filepath.Join(dir, "in/dt=1/0.csv")); err != nil || opened() != 1 {
		t.Errorf("control: a file that is opened is not seen (%v)", err)
	}
}
