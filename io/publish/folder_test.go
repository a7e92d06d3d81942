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
