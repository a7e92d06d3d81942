package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// TestCommitInHalves: what fails once the output is in place is of another
// class than what fails before.
func TestCommitInHalves(t *testing.T) {
	for _, lost := range []string{"out", "report.json"} {
		dir := t.TempDir()
		r := &place{o: &request.Release{}, set: publish.NewSet()}
		for _, name := range []string{"out", "report.json"} {
			sub := filepath.Join(dir, name)
			must(t, errors.Join(os.Mkdir(sub, 0o777), os.WriteFile(filepath.Join(sub, name), []byte("old"),
				0o666)))
			f, err := r.set.Add(publish.Target{Path: filepath.Join(sub, name), Overwrite: true})
			if err == nil {
				err = f.Fill([]byte("new"))
			}
			must(t, err)
			if r.outputs == nil {
				r.outputs = outputs{f}
			}
		}
		temp, _ := filepath.Glob(filepath.Join(dir, lost, ".tacet-*.tmp"))
		if len(temp) != 1 || os.Remove(temp[0]) != nil {
			t.Fatalf("control: %v", temp)
		}
		want := map[string]fault.Class{"out": fault.Environment, "report.json": fault.Published}[lost]
		f := fault.As(r.commit())
		if f.Class != want || strings.Contains(f.What, "is published") != (want == fault.Published) {
			t.Errorf("without %s: class %d, %s", lost, f.Class, f.What)
		}
		if want != fault.Published {
			continue
		}
		if !strings.Contains(f.Hint, "do not simply run again") {
			t.Errorf("fresh draws: %s", f.Hint)
		}
		r.o.KeyFile, r.o.RecordID = "key", []string{"id"}
		if f = fault.As(r.published(f)); !strings.Contains(f.Hint, "run again") || strings.Contains(f.Hint, "do not") {
			t.Errorf("draws by a key: %s", f.Hint)
		}
	}
}

// TestLockedRelease: a second run is told who holds output or report, and
// nothing of the first run is touched.
func TestLockedRelease(t *testing.T) {
	dir := t.TempDir()
	o := func(output, report string) *place {
		o := &request.Release{Output: filepath.Join(dir, output), Report: filepath.Join(dir, report)}
		return &place{o: o, set: publish.NewSet()}
	}
	first := o("a", "r")
	must(t, first.lock(false, first.o.Report))
	for _, second := range []*place{o("a", "s"), o("b", "r")} {
		if f := fault.As(second.lock(false, second.o.Report)); f.Class != fault.Environment ||
			!strings.Contains(f.What, "is being made by process") {
			t.Errorf("%d, %s", f.Class, f.What)
		}
		if err := errors.Join(second.set.Abort(), second.set.Unlock()); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "r")); err != nil {
		t.Errorf("the folder of the first run: %v", err)
	}
	other := o("b", "s")
	if err := other.lock(false, other.o.Report); err != nil {
		t.Fatalf("another release: %v", err)
	}
	for _, r := range []*place{other, first} {
		if err := errors.Join(r.set.Abort(), r.set.Unlock()); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
