package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
)

// A Set is the files that a path names.
type Set struct {
	Path    string
	Root    string            // the folder that was searched, "" where files were named one by one
	Tree    bool              // files are told by relative paths, and so are their outputs; else there is one file
	Members []Member          // by relative path, bytewise
	Empty   []string          // relative paths of files of no bytes, which are no members
	Earlier map[string]string // paths of files that are no members, since releases before have them, by SHA-256
}

// A Member is one file of a set.
type Member struct {
	Rel  string // path from the root of the set, with slashes; the name of a single file
	Open func() (table.Content, error)
	Path string // on this machine; "" of an object in a store
	Size int64  // in bytes, where many were found; else 0

	address, tag string // of an object, as the list of its store has it; "" where that has none
}

// Mark tells the bytes of a member from those that it had before, without a look at them; ""
// where nothing does.
func (m Member) Mark() (string, error) {
	if m.Path == "" {
		return m.tag, nil
	}
	return publish.Mark(m.Path)
}

// Find lists the files at path: a file; the files of a folder and of those below it,
// save names that begin with _ or ., as Spark has it; the files that match a pattern
// with *, ? or [; those that the list @path names, one a line; or those that are the rows of the
// Delta table in a folder, after delta:. An address of a store
// that ends in a slash is a folder; objects are read until ctx ends.
func Find(ctx context.Context, path string) (*Set, error) {
	if store.Is(path) {
		return stored(ctx, path)
	}
	s := &Set{Path: path, Tree: true}
	st, err := os.Stat(path)
	switch {
	case err == nil && !st.IsDir():
		return &Set{Path: path, Members: []Member{Local(path, filepath.Base(path))}}, nil
	case err == nil:
		s.Root = path
		if err = noLake(path); err == nil {
			err = s.walk(path)
		}
	case strings.HasPrefix(path, ofDelta):
		err = s.delta(path[len(ofDelta):])
	case strings.HasPrefix(path, "@"):
		err = s.read(path[1:])
	case strings.ContainsAny(path, wild):
		err = s.match(path)
	}
	if err != nil {
		return nil, err
	}
	return s, s.settle()
}

// wild are the characters of patterns.
const wild = "*?["

// match takes the files that match a pattern, told from the last folder before the
// first of its wild characters.
func (s *Set) match(pattern string) error {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return table.Errorf("write it as a shell does, such as 'data/dt=*/part-*.parquet'", "the pattern cannot be read")
	}
	root := pattern[:strings.IndexAny(pattern, wild)]
	root = root[:strings.LastIndexByte(root, '/')+1]
	if err := noLake(root); err != nil {
		return err
	}
	return s.take(filepath.Clean(root), names)
}

// read takes the files of a list, told from the folder of the list, which they must
// be in.
func (s *Set) read(list string) error {
	data, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	var names []string
	at := 0
	for line := range strings.Lines(string(data)) {
		at++
		if line = strings.TrimRight(line, "\r\n"); strings.ContainsFunc(line, unicode.IsControl) {
			return table.Errorf("write one path a line", "line %d of the list is no path: it has control characters", at)
		}
		if name := store.Local(line); name != "" && !filepath.IsAbs(name) {
			names = append(names, filepath.Join(filepath.Dir(list), name))
		} else if name != "" {
			names = append(names, name)
		}
	}
	return s.take(filepath.Dir(list), names)
}

// take adds files that are named one by one.
func (s *Set) take(root string, names []string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		abs, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, abs)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return table.Errorf("put the list into a folder that all of its files are in or below", "%s is not below the "+
				"folder of the list", name)
		}
		if slices.ContainsFunc(strings.Split(rel, string(filepath.Separator)), hidden) {
			continue
		}
		if err := s.add(abs, filepath.ToSlash(rel)); err != nil {
			return err
		}
	}
	return nil
}

// Local is a file of this machine.
func Local(path, rel string) Member {
	return Member{Rel: rel, Path: path, Open: func() (table.Content, error) {
		local, err := table.OpenLocal(path)
		if err != nil { // a nil *table.Local is no nil Content
			return nil, err
		}
		return local, nil
	}}
}

// walk takes the files of a folder. What a link names is taken as if it stood there;
// links to folders are not followed, which may lie above them.
func (s *Set) walk(root string) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == root {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if err := outOfLakes(rel); err != nil {
			return err
		}
		switch {
		case hidden(e.Name()) && e.IsDir():
			return filepath.SkipDir
		case hidden(e.Name()), e.IsDir():
			return nil
		}
		return s.add(path, rel)
	})
}

// stored are the objects at an address.
func stored(ctx context.Context, address string) (*Set, error) {
	s := &Set{Path: address, Tree: Tree(address)}
	if !s.Tree {
		s.Members = []Member{Listed(ctx, address, store.Name(address), store.Entry{})}
		return s, nil
	}
	all, err := store.List(ctx, address)
	if err == nil {
		err = noStoredLake(ctx, address)
	}
	if err != nil {
		return nil, err
	}
	root := store.Key(address)
	for _, e := range all {
		rel := strings.TrimPrefix(e.Key, root)
		if err := outOfLakes(rel); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(strings.Split(rel, "/"), hidden) || strings.HasSuffix(rel, "/") {
			continue
		}
		if err := s.found(Listed(ctx, store.Below(address, rel), rel, e), e.Size == 0); err != nil {
			return nil, err
		}
	}
	return s, s.settle()
}

// Listed is an object as the list of its store has it; the zero Entry is of one that no list was asked for.
func Listed(ctx context.Context, address, rel string, e store.Entry) Member {
	return Member{Rel: rel, Size: e.Size, tag: e.Tag, address: address, Open: func() (table.Content, error) {
		o, err := store.OpenListed(ctx, address, e)
		if err != nil { // a nil *store.Object is no nil Content
			return nil, err
		}
		return o, nil
	}}
}

// Found is a file, or an object as it stands now.
func Found(ctx context.Context, path, rel string) (Member, error) {
	if !store.Is(path) {
		return Local(path, rel), nil
	}
	e, err := store.Stat(ctx, path)
	return Listed(ctx, path, rel, e), err
}

// Fetch asks for the small objects of a set, which will be read soon.
func (s *Set) Fetch(ctx context.Context) {
	if !store.Is(s.Path) {
		return
	}
	var all []store.Named
	for _, m := range s.Members {
		all = append(all, store.Named{URL: m.address, Entry: store.Entry{Size: m.Size, Tag: m.tag}})
	}
	store.Fetch(ctx, all)
}

// legible refuses a name that no message can show, and a key of a store that is no path:
// it would be joined to that of another object.
func legible(rel string) error {
	if strings.HasPrefix(rel, "/") || strings.Contains(rel, "//") {
		return table.Errorf("rename it", "%q has a folder without a name", rel)
	}
	if !utf8.ValidString(rel) || strings.ContainsFunc(rel, unicode.IsControl) {
		return table.Errorf("rename it", "%q has a name that is no plain text", rel)
	}
	return nil
}

// hidden are names that are no data to those who write sets.
func hidden(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") }

// add takes a file of this machine; a folder is none.
func (s *Set) add(path, rel string) error {
	st, err := os.Stat(path)
	if err != nil || st.IsDir() {
		return err
	}
	m := Local(path, rel)
	m.Size = st.Size()
	return s.found(m, st.Size() == 0 && st.Mode().IsRegular())
}

// found takes a file, or notes that it is empty.
func (s *Set) found(m Member, empty bool) error {
	if err := legible(m.Rel); err != nil {
		return err
	}
	if empty {
		s.Empty = append(s.Empty, m.Rel)
	} else {
		s.Members = append(s.Members, m)
	}
	return nil
}

// settle sorts what was found.
func (s *Set) settle() error {
	slices.SortFunc(s.Members, func(a, b Member) int { return strings.Compare(a.Rel, b.Rel) })
	s.Members = slices.CompactFunc(s.Members, func(a, b Member) bool { return a.Rel == b.Rel })
	slices.Sort(s.Empty)
	if len(s.Members) > 0 {
		return nil
	}
	what := "there is no file in it"
	if n := len(s.Empty); n > 0 {
		what = fmt.Sprintf("there is no file in it but %d of 0 bytes", n)
	}
	if !store.Is(s.Path) && strings.ContainsAny(s.Path, wild) {
		what = "no file matches"
	}
	return table.Errorf("give a folder with Parquet, Arrow IPC or CSV files; names that begin with _ or . are left out",
		"%s", what)
}

// Hash is that of a file by its hash, or that of the list of files of a set, as sha256sum
// prints it; "" where there are none.
func (s *Set) Hash(sums []string) string {
	if !s.Tree || sums[0] == "" {
		return sums[0]
	}
	h := sha256.New()
	for i, m := range s.Members {
		fmt.Fprintf(h, "%s  %s\n", sums[i], m.Rel)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Shard leaves the files of shard i of n, from 1 on: every n-th.
func (s *Set) Shard(i, n int) {
	var own []Member
	for at, m := range s.Members {
		if at%n == i-1 {
			own = append(own, m)
		}
	}
	s.Members = own
}

// Tree reports whether path names a set of files rather than one.
func Tree(path string) bool {
	if store.Is(path) {
		return strings.HasSuffix(store.Plain(path), "/")
	}
	st, err := os.Stat(path)
	if err == nil {
		return st.IsDir()
	}
	return strings.HasPrefix(path, "@") || strings.HasPrefix(path, ofDelta) || strings.ContainsAny(path, wild)
}
