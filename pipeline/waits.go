package pipeline

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// waits is what shards wrote so far.
type waits struct {
	stands   map[string]dataset.Member // every file, in the folder or in place
	receipts []*receipt                // of files all of which stand
	void     []*receipt                // of others
	told     map[string]*wrote         // what these say of them
}

// waiting looks at what was written of a set. Where files stand in the output and none
// waits, there is a release, to which no shard adds.
func (s *sharding) waiting(ctx context.Context, set *dataset.Set) (*waits, error) {
	w := &waits{told: map[string]*wrote{}}
	var err error
	if w.stands, err = sharded(ctx, s.o.Waiting); err != nil {
		return nil, err
	}
	hidden := len(w.stands) > 0
	var receipts []dataset.Member
	for _, name := range slices.Sorted(maps.Keys(w.stands)) {
		if strings.HasPrefix(name, receiptName) {
			receipts = append(receipts, w.stands[name])
			delete(w.stands, name)
		}
	}
	if err := s.placed(ctx, set, w.stands, hidden); err != nil {
		return nil, err
	}
	all := make([]*receipt, len(receipts))
	err = table.EachUnit(ctx, len(all), filesAtOnce, func(_, i int) (err error) {
		all[i], err = s.take(receipts[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if slices.ContainsFunc(r.Files, func(f wrote) bool { return w.stands[f.Path].Open == nil }) {
			w.void = append(w.void, r)
			continue
		}
		w.receipts = append(w.receipts, r)
		for k := range r.Files {
			f := &r.Files[k]
			if w.told[f.Path] != nil {
				return nil, s.again("two receipts tell of %s", f.Path)
			}
			w.told[f.Path] = f
		}
	}
	return w, nil
}

// placed adds the files of a set that stand in the output, as where Finish was ended.
func (s *sharding) placed(ctx context.Context, set *dataset.Set, stands map[string]dataset.Member, waiting bool) error {
	there := map[string]dataset.Member{}
	if store.Is(s.o.Output) {
		var err error
		if there, err = sharded(ctx, s.o.Output); err != nil {
			return err
		}
	}
	for _, m := range set.Members {
		if stands[m.Rel].Open != nil {
			continue
		}
		path := below(s.o.Output, m.Rel)
		if !store.Is(path) {
			if _, err := os.Lstat(path); err != nil {
				continue
			}
			there[m.Rel] = dataset.Local(path, m.Rel)
		}
		switch {
		case there[m.Rel].Open == nil, s.o.Overwrite && s.Shard != "":
		case !waiting:
			return &publish.TargetError{Path: store.Plain(path), What: "exists", Exists: true,
				Hint: "give another --output; if this is the release of these shards, nothing is left to draw; where tacet " +
					"finish was ended, run it again"}
		default:
			stands[m.Rel] = there[m.Rel]
		}
	}
	return nil
}

// sharded are the files that wait in the hidden folder, by path.
func sharded(ctx context.Context, hidden string) (map[string]dataset.Member, error) {
	there := map[string]dataset.Member{}
	if store.Is(hidden) {
		all, err := store.List(ctx, store.Folder(hidden))
		for _, e := range all {
			rel := strings.TrimPrefix(e.Key, store.Key(store.Folder(hidden)))
			there[rel] = dataset.Listed(ctx, below(hidden, rel), rel, e)
		}
		return there, err
	}
	err := filepath.WalkDir(hidden, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // as where no shard wrote, or all files are in place
			return nil
		case err != nil:
			return fault.Unreadable("--output", hidden, err)
		case e.IsDir() && strings.HasPrefix(e.Name(), ".shard-"):
			return filepath.SkipDir
		case e.IsDir(), strings.HasPrefix(e.Name(), ".tacet-"): // of a receipt that a killed shard began
			return nil
		}
		rel, err := filepath.Rel(hidden, path)
		rel = filepath.ToSlash(rel)
		there[rel] = dataset.Local(path, rel)
		return err
	})
	return there, err
}
