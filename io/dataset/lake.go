package dataset

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/delta"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
)

// A lake is a table format whose folders hold files of older versions, too: only its log
// says which files are the rows of the table.
type lake struct {
	name string
	log  string // pattern of a path that only folders of such tables have
	list string // how its live files are listed
}

var lakes = []lake{
	{"a Delta", delta.Folder, "or for one of Delta --input delta:FOLDER"},
	{"an Iceberg", "metadata/*.metadata.json", "tacet_iceberg.py list TABLE files.txt does it"},
	{"a Hudi", ".hoodie", "as its readers do"},
}

// refuse says what to do with the folder of such a table, or with one below it.
func (l lake) refuse(is string) error {
	return table.Errorf("list the files of its present version and give --input @files.txt, "+l.list,
		"the folder %s %s table, which keeps removed rows in files that are no longer part of it", is, l.name)
}

// outOfLakes refuses what is part of the log of a table, by its path.
func outOfLakes(rel string) error {
	part := strings.Split(rel, "/")
	for _, l := range lakes {
		deep := strings.Count(l.log, "/") + 1
		for to := deep; to <= len(part); to++ {
			if ok, _ := path.Match(l.log, strings.Join(part[to-deep:to], "/")); ok {
				return l.refuse("is")
			}
		}
	}
	return nil
}

// noLake refuses a folder of this machine that has the log of a table, or lies below one that has.
func noLake(folder string) error {
	at, err := filepath.Abs(folder)
	for is := "is"; err == nil; is = "lies in" {
		for _, l := range lakes {
			if found, _ := fs.Glob(os.DirFS(at), l.log); len(found) > 0 {
				return l.refuse(is)
			}
		}
		if at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	return err
}

// noStoredLake refuses an address below a table, by logs whose folder is nobody else's.
func noStoredLake(ctx context.Context, address string) error {
	for at := address; store.Key(at) != ""; {
		at = store.Folder(store.Join(at, ".."))
		for _, l := range lakes {
			if strings.Contains(l.log, "/") {
				continue
			}
			all, err := store.List(ctx, store.Folder(store.Join(at, l.log)))
			var refused *store.Error
			switch {
			case errors.As(err, &refused) && refused.Kind == store.Denied: // nothing says that there is one
			case err != nil:
				return err
			case len(all) > 0:
				return l.refuse("lies in")
			}
		}
	}
	return nil
}

// ofDelta begins the name of a Delta table, whose folder follows.
const ofDelta = "delta:"

// delta takes the files that are the rows of a Delta table now.
func (s *Set) delta(folder string) error {
	t, err := delta.Read(folder)
	if err != nil {
		return err
	}
	s.Root = folder
	for _, f := range t.Files {
		own := keysOf([]Member{{Rel: f.Path}})
		for _, c := range t.Columns {
			if !slices.ContainsFunc(own, func(k *key) bool {
				v := f.Values[c]
				return k.name == c && k.has[0] == (v != nil) && (v == nil || *v == k.value[0])
			}) {
				return table.Errorf("write the table again with paths such as dt=2026-11-21/part-0.parquet", "%q does not tell "+
					"its value of column %q, by which the table is partitioned", f.Path, c)
			}
		}
		if err := s.add(filepath.Join(folder, filepath.FromSlash(f.Path)), f.Path); err != nil {
			return err
		}
	}
	return nil
}
