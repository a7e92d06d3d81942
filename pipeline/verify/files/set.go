package files

import (
	"io"
	"os"
	"slices"
	"sync"
)

// A Member is one file of a data set.
type Member struct {
	Rel  string // path from the folder of the set, with slashes
	In   io.ReaderAt
	Size int64
}

// set is many files as one: their units one file after the other. A file is opened
// anew for each unit, so that memory does not grow with them.
type set struct {
	File  // the first, for what all share
	all   []Member
	open  func(in io.ReaderAt, size int64) (File, error)
	units []int64
	first []int // of every file, its first unit

	mu   sync.Mutex
	last File // that was opened for a unit: one of CSV is read to its end for that
	at   int
}

// OpenSet opens files that must be alike in format, columns and type.
func OpenSet(all []Member, open func(in io.ReaderAt, size int64) (File, error)) (File, error) {
	s := &set{all: all, open: open}
	for i, m := range all {
		f, err := open(m.In, m.Size)
		if err != nil {
			return nil, in(m, err)
		}
		if i == 0 {
			s.File = f
		}
		if f.Format() != s.Format() || f.Type() != s.Type() || !slices.Equal(f.Columns(), s.Columns()) {
			return nil, errorf("is no data set: %q has other columns than %q", m.Rel, all[0].Rel)
		}
		s.first, s.units = append(s.first, len(s.units)), append(s.units, f.Units()...)
	}
	return s, nil
}

func in(m Member, err error) error {
	if e, ok := err.(*Error); ok {
		return errorf("holds %q, which %s", m.Rel, e.What)
	}
	return err
}

func (s *set) Units() []int64 { return s.units }

func (s *set) Open(unit int, l *Letters) (Reader, error) {
	at, found := slices.BinarySearch(s.first, unit)
	if !found {
		at--
	}
	for at+1 < len(s.first) && s.first[at+1] == unit { // files without units
		at++
	}
	f, err := s.again(at)
	if err != nil {
		return nil, in(s.all[at], err)
	}
	return f.Open(unit-s.first[at], l)
}

// again opens a file, unless it was the last.
func (s *set) again(at int) (f File, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || s.at != at {
		if f, err = s.open(s.all[at].In, s.all[at].Size); err != nil {
			return nil, err
		}
		s.last, s.at = f, at
	}
	return s.last, nil
}

// Scan looks through every file; a finding fails where it does in one of them.
func (s *set) Scan(l *Letters, keep []string) (found []Finding) {
	for _, m := range s.all {
		f, err := s.open(m.In, m.Size)
		if err != nil {
			return append(found, Finding{"files", false, in(m, err).Error()})
		}
		for _, one := range f.Scan(l, keep) {
			at := slices.IndexFunc(found, func(f Finding) bool { return f.Name == one.Name })
			switch {
			case !one.Passed:
				one.Detail = m.Rel + ": " + one.Detail
				if at < 0 {
					found = append(found, one)
				} else if found[at].Passed {
					found[at] = one
				}
			case at < 0:
				found = append(found, one)
			}
		}
	}
	return found
}

// Same compares file by file.
func (s *set) Same(input File, redrawn []string) (differ []string, err error) {
	other, ok := input.(*set)
	if !ok || len(other.all) != len(s.all) {
		return nil, errorf("is another number of files than the input")
	}
	for i, m := range s.all {
		f, err := s.open(m.In, m.Size)
		if err != nil {
			return nil, in(m, err)
		}
		was, err := other.open(other.all[i].In, other.all[i].Size)
		if err != nil {
			return nil, in(other.all[i], err)
		}
		columns, err := f.Same(was, redrawn)
		if err != nil {
			return nil, in(m, err)
		}
		for _, c := range columns {
			if !slices.Contains(differ, c) {
				differ = append(differ, c)
			}
		}
	}
	return differ, nil
}

// RowsOf are the rows of every file of a data set, nil for one file.
func RowsOf(f File) (rows []int64) {
	s, ok := f.(*set)
	if !ok {
		return nil
	}
	for i, from := range s.first {
		to := len(s.units)
		if i+1 < len(s.first) {
			to = s.first[i+1]
		}
		rows = append(rows, total(s.units[from:to]))
	}
	return rows
}

// A Path is a file that is open only while it is read.
type Path string

// ReadAt reads from the file as it stands now.
func (p Path) ReadAt(b []byte, off int64) (int, error) {
	f, err := os.Open(string(p))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(b, off)
}
