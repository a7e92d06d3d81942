package dataset

import (
	"net/url"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/table"
)

// nullKey is what Hive and Spark write in place of no value.
const nullKey = "__HIVE_DEFAULT_PARTITION__"

// A key is a column that paths tell: dt of dt=2026-11-21/part-0.parquet.
type key struct {
	name  string
	value []string // of every member
	has   []bool   // false where it is null, or the path has no such folder
}

// keysOf are the keys of the paths, in the order in which they come.
func keysOf(members []Member) (keys []*key) {
	for i, m := range members {
		folders := strings.Split(m.Rel, "/")
		for _, folder := range folders[:len(folders)-1] {
			name, value, found := strings.Cut(folder, "=")
			if !found || name == "" {
				continue
			}
			name, value = plain(name), plain(value)
			at := slices.IndexFunc(keys, func(k *key) bool { return k.name == name })
			if at < 0 {
				at = len(keys)
				keys = append(keys, &key{name, make([]string, len(members)), make([]bool, len(members))})
			}
			keys[at].value[i], keys[at].has[i] = value, value != nullKey
		}
	}
	return keys
}

// plain undoes what Hive does to characters that a path cannot have.
func plain(name string) string {
	if text, err := url.PathUnescape(name); err == nil {
		return text
	}
	return name
}

// KeyNames are the names of the columns that paths tell.
func (s *Set) KeyNames() (names []string) {
	for _, k := range keysOf(s.Members) {
		names = append(names, k.name)
	}
	return names
}

// Keys are the columns that paths tell, whatever is published: they may be named in
// Beside. One that the files have, too, has = behind its name.
func (f *Files) Keys() (columns []table.Column) {
	for _, k := range f.keys {
		columns = append(columns, table.Column{Name: f.keyName(k), Type: table.PathType, Nullable: true, Readable: true})
	}
	return columns
}

func (f *Files) keyName(k *key) string {
	if slices.ContainsFunc(f.columns, func(c table.Column) bool { return c.Name == k.name }) {
		return k.name + "="
	}
	return k.name
}

// split says which of the columns beside are told by paths: the key of each, nil for
// those of the files, whose names are left.
func (f *Files) split(beside []string) (of []*key, left []string) {
	for _, name := range beside {
		at := slices.IndexFunc(f.keys, func(k *key) bool { return f.keyName(k) == name })
		if at < 0 {
			of, left = append(of, nil), append(left, name)
			continue
		}
		of = append(of, f.keys[at])
	}
	if len(left) == len(beside) {
		return nil, left
	}
	return of, left
}

// cells are those of a key in n rows of member i.
func (k *key) cells(i, n int) table.Values {
	v := table.Values{Type: table.CellType{Form: table.TextCells}, Code: make([]int32, n), Entries: 1,
		Source: text(k.value[i])}
	if !k.has[i] {
		for r := range v.Code {
			v.Code[r] = -1
		}
	}
	return v
}

// text is the one cell of a column.
type text string

func (t text) Bytes(int) []byte { return []byte(t) }

func (t text) Int(int) int64 { return 0 }
