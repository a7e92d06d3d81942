package publish

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
)

// TestFolderIsOfOneRun: of runs that make one folder at once, one takes it for
// its own. Another that fails must leave it where it is.
func TestFolderIsOfOneRun(t *testing.T) {
	dir := t.TempDir()
	for round := range 300 {
		path := filepath.Join(dir, fmt.Sprint(round), "new")
		sets := make([]*Set, 8)
		var ready, all sync.WaitGroup
		ready.Add(len(sets))
		for i := range sets {
			sets[i] = NewSet()
			all.Go(func() {
				ready.Done()
				ready.Wait()
				if err := sets[i].Folder(path); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		owners := map[string]int{}
		for _, s := range sets {
			for _, f := range s.folders {
				owners[f]++
			}
		}
		for f, n := range owners {
			if n != 1 {
				t.Fatalf("%d runs take %s for their own", n, f)
			}
		}
		if owners[path] != 1 {
			t.Fatalf("round %d: nobody made %s", round, path)
		}
	}
}

// TestFoldersAreMade: those of an output are made with it, and none is left by a set
// that fails.
func TestFoldersAreMade(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "new")
	for _, publishes := range []bool{false, true} {
		s := NewSet()
		addFile(t, s, Target{Path: path}, "x")
		addFile(t, s, Target{Path: filepath.Join(dir, "a", "other")}, "y")
		if !publishes {
			must(t, s.Abort())
			wantNames(t, dir)
			continue
		}
		must(t, s.Commit())
		wantNames(t, dir, "a")
		want(t, path, "x", 0o644)
	}
	must(t, Put(Target{Path: filepath.Join(dir, "c", "d", "new")}, []byte("z")))
	want(t, filepath.Join(dir, "c", "d", "new"), "z", 0o644)
}
