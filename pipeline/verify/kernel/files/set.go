package files

import (
	"io"
	"slices"
	"sort"
	"sync"
)

// A Member is one file of a data set.
type Member struct {
	Rel  string // path from the folder of the set, with slashes
	Size int64
	Open func() (io.ReaderAt, error) // what it reads needs no closing
}

// set is many files as one: their units one file after the other. A file is opened
// anew for each unit, so that memory does not grow with them.
type set struct {
	File   // the first, for what all share
	all    []Member
	column Column
	units  []int64
	first  []int   // of every file, its first unit
	rows   []int64 // of every file

	mu   sync.Mutex
	last File // that was opened for a unit: one of CSV is read to its end for that
	at   int
}

// OpenSet opens files that must be alike in format, columns and type.
func OpenSet(all []Member, c Column) (File, error) {
	s := &set{all: all, column: c}
	for i := range all {
		f, err := s.file(i)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			s.File = f
		}
		if f.Format() != s.Format() || f.Type() != s.Type() || !slices.Equal(f.Columns(), s.Columns()) {
			return nil, errorf("is no data set: %q has other columns than %q", all[i].Rel, all[0].Rel)
		}
		s.first, s.rows = append(s.first, len(s.units)), append(s.rows, total(f.Units()))
		s.units = append(s.units, f.Units()...)
	}
	return s, nil
}

// file is one of the set.
func (s *set) file(i int) (File, error) {
	in, err := s.all[i].Open()
	if err != nil {
		return nil, err
	}
	f, err := s.column.Open(in, s.all[i].Size)
	if e, ok := err.(*Error); ok {
		return nil, errorf("holds %q, which %s", s.all[i].Rel, e.What)
	}
	return f, err
}

func (s *set) Units() []int64 { return s.units }

func (s *set) Open(unit int, l *Letters) (r Reader, err error) {
	at := sort.Search(len(s.first), func(i int) bool { return s.first[i] > unit }) - 1
	s.mu.Lock()
	if s.last == nil || s.at != at {
		s.last, err = s.file(at)
		s.at = at
	}
	f := s.last
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return f.Open(unit-s.first[at], l)
}

// Scan looks through every file; a finding fails where it does in one of them.
func (s *set) Scan(l *Letters, keep []string) (found []Finding) {
	for i, m := range s.all {
		f, err := s.file(i)
		if err != nil {
			return append(found, Finding{"files", Faults{err.Error()}, ""})
		}
		for k, one := range f.Scan(l, keep) {
			if i == 0 {
				found = append(found, Finding{one.Name, nil, one.Holds})
			}
			for _, fault := range one.Faults {
				found[k].Faults.Addf("%s: %s", m.Rel, fault)
			}
		}
	}
	return found
}

// Same compares file by file.
func (s *set) Same(input File, redrawn []string) bool {
	other, ok := input.(*set)
	ok = ok && len(other.all) == len(s.all)
	for i := 0; ok && i < len(s.all); i++ {
		f, err := s.file(i)
		was, gone := other.file(i)
		ok = err == nil && gone == nil && f.Same(was, redrawn)
	}
	return ok
}

// RowsOf are the rows of every file of a data set, nil for one file.
func RowsOf(f File) []int64 {
	if s, ok := f.(*set); ok {
		return s.rows
	}
	return nil
}
