package table

import (
	"slices"
	"strings"
)

// What becomes of a column that is not private.
const (
	Kept    = -1
	Dropped = -2
)

// A Choice is what is done with the columns of a file, which are told by their places.
type Choice struct {
	Role            []int // of every column: its place among the private ones, Kept or Dropped
	Private, Beside []int // in the order of the request
}

// An Index finds the columns of a file by their names.
type Index struct {
	Below map[string]string // names of what stands below a column, and that column; nil where nothing is said
	names []string
	at    map[string]int // -1 where several have that name
}

// NewIndex is of these names, one of every column.
func NewIndex(names []string) *Index {
	x := &Index{names: names, at: make(map[string]int, len(names))}
	for i, name := range names {
		if _, twice := x.at[name]; twice {
			i = -1
		}
		x.at[name] = i
	}
	return x
}

// Names are those of columns.
func Names(columns []Column) (names []string) {
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// Find is the one column of that name. Where there is none the error lists the first.
func (x *Index) Find(name string) (int, error) {
	at, found := x.at[name]
	top, nested := x.Below[name]
	switch {
	case found && at < 0:
		return 0, Errorf("rename one of them", "the file has two columns named %q", name)
	case found:
		return at, nil
	case nested:
		return 0, Errorf("make it a column of its own", "column %q is nested in %q", name, top)
	}
	names := x.names
	if len(names) > 20 {
		names = append(slices.Clone(names[:20]), "...")
	}
	return 0, Errorf("its columns are "+strings.Join(names, ", "), "the file has no column %q", name)
}

// Choose finds the columns of a request.
func (x *Index) Choose(r *Request) (c Choice, err error) {
	drop, err := x.all(r.Drop)
	if err == nil {
		c.Beside, err = x.all(r.Beside)
	}
	if err == nil {
		c.Private, err = x.all(r.Private)
	}
	c.Role = slices.Repeat([]int{Kept}, len(x.names))
	for _, at := range drop {
		c.Role[at] = Dropped
	}
	for i, at := range c.Private {
		c.Role[at] = i
	}
	return c, err
}

func (x *Index) all(names []string) (at []int, err error) {
	for _, name := range names {
		one, err := x.Find(name)
		if err != nil {
			return nil, err
		}
		at = append(at, one)
	}
	return at, nil
}
