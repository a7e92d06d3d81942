package pipeline_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// changes are what may happen to an input while it is worked on. All of them
// change what stands under the file's name.
var changes = []struct {
	name string
	do   func(path string, data []byte) error
}{
	{"touched", func(path string, _ []byte) error {
		return os.Chtimes(path, time.Time{},
			time.Now().Add(time.Hour))
	}},
	{"appended", func(path string, _ []byte) error {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.Write([]byte{0})
		return err
	}},
	{"cut", func(path string, data []byte) error { return os.Truncate(path, int64(len(data)/2)) }},
	{"emptied", func(path string, _ []byte) error { return os.Truncate(path, 0) }},
	{"written over", func(path string, data []byte) error {
		return os.WriteFile(path, bytes.Repeat([]byte("PAR1"), len(data)/4), 0o666)
	}},
	{"replaced by another file", func(path string, data []byte) error {
		if err := os.WriteFile(path+".new", data[:len(data)/2], 0o666); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	}},
	{"removed", func(path string, _ []byte) error { return os.Remove(path) }},
}

// TestInputChanges: an input that changes after it was opened, in any phase of
// a run, is noticed before anything is put in place.
func TestInputChanges(t *testing.T) {
	source := filepath.Join(t.TempDir(), "in")
	counted(t, source, four, []int{900, 700, 300, 100})
	data := read(t, source)
	for _, phase := range []string{"counting", "drawing", "checking"} {
		for _, c := range changes {
			t.Run(fmt.Sprintf("%s while %s", c.name, phase), func(t *testing.T) {
				input := filepath.Join(t.TempDir(), "in")
				must(t, os.WriteFile(input, data, 0o666))
				dir := t.TempDir()
				o := flights(dir, input, 1)
				o.Epsilon, o.Column, o.Utility, o.Design, o.Drop, o.Overwrite = "1", "c", "ordered:a,b,c,d", "optimal", nil, true
				run(t, o)
				before := listing(t, dir)
				var once sync.Once
				o.Progress = func(now string, done, total int64) {
					if now == phase {
						once.Do(func() {
							if err := c.do(input, data); err != nil {
								t.Error(err)
							}
						})
					}
				}
				seed := uint64(2)
				o.TestSeed = &seed
				_, err := pipeline.Run(context.Background(), o)
				if err == nil {
					t.Fatal("the change was not noticed")
				}
				if f := fault.As(err); f.Class != fault.Environment || !strings.Contains(f.What, "changed while it was read") ||
					f.Hint == "" {
					t.Errorf("class %d: %s; hint: %s", f.Class, f.What, f.Hint)
				}
				if !maps.Equal(listing(t, dir), before) {
					t.Error("files of the earlier run are not what they were, or others were left")
				}
			})
		}
	}
}

// listing is every file below dir with its content.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files[path] = string(read(t, path))
		}
		return err
	})
	must(t, err)
	return files
}
