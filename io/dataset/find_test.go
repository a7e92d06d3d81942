package dataset

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLakes: removed rows of a table are not published because their files are still there.
func TestLakes(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, ".", map[string]string{"delta/_delta_log/0.json": "x", "delta/a": "x", "ice/metadata/v1.metadata.json": "x",
		"ice/data/a": "x", "hudi/.hoodie/x": "x", "hudi/a": "x", "near/delta_log/a": "x", "near/metadata/a.json": "x",
		"delta/files.txt": "a\n", "delta/dt=1/b/a": "x"})
	for path, fails := range map[string]bool{"delta": true, "delta/*": true, ".": true, "ice": true, "ice/data": true,
		"hudi": true, "delta/dt=1": true, "delta/dt=1/b": true, "delta/dt=*/b/a": true, "delta/dt=1/b/*": true, "hudi/[a]": true, "near": false, "@delta/files.txt": false, "delta/a": false,
		"delta/dt=1/b/a": false} {
		s, err := Find(t.Context(), path)
		if (err != nil) != fails || fails && !strings.Contains(err.Error(), "removed rows") {
			t.Errorf("%s: %v, error %v", path, s, err)
		}
	}
}

// put writes files below a folder, by their paths; "" is a file of no bytes.
func put(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for rel, text := range files {
		path := filepath.Join(folder, rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func rels(s *Set) (all []string) {
	for _, m := range s.Members {
		all = append(all, m.Rel)
	}
	return all
}

// TestFind: a folder, a pattern and a list name files by paths from one root, bytewise
// and each once; what readers of sets leave out is left out.
func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, ".", map[string]string{"d/k=2/b": "x", "d/k=10/a": "x", "d/k=2/none": "", "d/_SUCCESS": "x", "d/.tmp/c": "x",
		"d/k=2/_m": "x",
		"d/Z":      "x", "one": "x", "d/.list": "k=2/b\r\n\nk=10/a\nk=2/b\nk=2/none\n_SUCCESS", "d/.out": "../one\n",
		"d/.lost": "k=3/x\n"})
	if err := os.Symlink("../one", "d/link"); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	put(t, "d", map[string]string{".whole": filepath.Join(here, "d/Z") + "\n"})
	for path, want := range map[string]string{
		"d": "Z k=10/a k=2/b link; k=2/none", "d/": "Z k=10/a k=2/b link; k=2/none", "d/k=*/*": "k=10/a k=2/b; k=2/none",
		"d/k=2/[ab]": "b; ", "*/k=10/?": "d/k=10/a; ", "@d/.list": "k=10/a k=2/b; k=2/none", "@d/.whole": "Z; ",
		"one": "one; ",
	} {
		s, err := Find(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := strings.Join(rels(s), " ") + "; " + strings.Join(s.Empty, " "); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if s.Tree != (path != "one") || s.Tree != Tree(path) {
			t.Errorf("%s: a tree is %v, said to be %v", path, s.Tree, Tree(path))
		}
		for _, m := range s.Members {
			c, err := m.Open()
			if err != nil {
				t.Fatal(err)
			}
			if c.Size() != 1 {
				t.Errorf("%s: %s is another file", path, m.Rel)
			}
			c.Close()
		}
	}
	put(t, "bad", map[string]string{"line\nbreak": "x"})
	put(t, "empty", map[string]string{"a": "", "_b": "x"})
	for path, want := range map[string]string{
		"@d/.out": "is not below the folder of the list", "@d/.lost": "no such file", "@d/.nolist": "no such file",
		"nothing": "no such file",
		"d/x*":    "no file matches", "d/[": "pattern", "bad": "no plain text",
		"empty": "there is no file in it but 1 of 0 " +
			"bytes",
	} {
		if s, err := Find(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want an error with %q", path, s, err, want)
		}
	}
	if _, err := Find(t.Context(), "nothing"); !os.IsNotExist(err) {
		t.Errorf("nothing: %v, want %v", err, fs.ErrNotExist)
	}
}

// TestLegible: names that are no paths, or no text, are refused.
func TestLegible(t *testing.T) {
	for rel, want := range map[string]bool{"a/b c%3A.parquet": true, "dt=2026/é": true, "a//b": false, "/a": false,
		"a\x00": false, "a\nb": false, "a\xff": false} {
		if err := legible(rel); (err == nil) != want {
			t.Errorf("%q: %v", rel, err)
		}
	}
}

// TestShard: every file is in one shard, and shards differ by one file at most.
func TestShard(t *testing.T) {
	for files := range 12 {
		for n := 1; n <= files; n++ {
			var all []string
			for i := range n {
				s := &Set{}
				for f := range files {
					s.Members = append(s.Members, Member{Rel: fmt.Sprint(f)})
				}
				s.Shard(i+1, n)
				if got := len(s.Members); got != files/n && got != files/n+1 {
					t.Errorf("shard %d/%d of %d files has %d", i+1, n, files, got)
				}
				all = append(all, rels(s)...)
			}
			slices.Sort(all)
			if len(all) != files || len(slices.Compact(all)) != files {
				t.Errorf("%d shards of %d files have %q", n, files, all)
			}
		}
	}
}

// TestKeys: folders name=value are columns, as Hive writes them.
func TestKeys(t *testing.T) {
	keys := keysOf([]Member{{Rel: "dt=1/r=a%2Fb/x"}, {Rel: "dt=__HIVE_DEFAULT_PARTITION__/x=y"},
		{Rel: "r=%zz/=7/plain/x"}, {Rel: "x"}})
	var got []string
	for _, k := range keys {
		got = append(got, fmt.Sprint(k.name, k.value, k.has))
	}
	want := []string{"dt[1 __HIVE_DEFAULT_PARTITION__  ] [true false false false]", "r[a/b  %zz ] [true false true false]"}
	if !slices.Equal(got, want) {
		t.Errorf("keys are\n%q, want\n%q", got, want)
	}
}
