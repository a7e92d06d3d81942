package pipeline

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/io/colfile"
)

// A source is the opened input with what pass one found in the private column.
type source struct {
	path     string
	local    *colfile.Local
	file     colfile.File
	identity string
	column   colfile.Column
	drop     []string
	rows     int64

	alphabet *colfile.Alphabet
	counts   *estimate.Counts // by letter of alphabet
}

// openSource opens the input and finds the column; nothing is counted yet.
func openSource(o *Options, column string) (*source, error) {
	if o.Input == "" {
		return nil, faultf(Usage, "name the file with --input", "no input is given")
	}
	if column == "" {
		return nil, faultf(Usage, "name the private column with --column", "no column is given")
	}
	local, err := colfile.OpenLocal(o.Input)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, faultf(Input, "check the path given to --input", "%s does not exist", o.Input)
	case err != nil:
		return nil, err
	}
	s := &source{path: o.Input, local: local}
	if err := s.open(o, column); err != nil {
		local.Close()
		return nil, inFile(o.Input, err)
	}
	return s, nil
}

func (s *source) open(o *Options, column string) (err error) {
	if s.identity, err = s.local.Identity(); err != nil {
		return err
	}
	request := colfile.Request{Private: []string{column}, Threads: o.Threads, Metadata: o.Metadata}
	// Keep is turned into Drop once the columns are known.
	if s.file, err = colfile.Open(s.local, request); err != nil {
		return err
	}
	if s.drop, err = dropped(s.file.Columns(), column, o.Keep, o.Drop); err != nil {
		return err
	}
	if len(s.drop) > 0 {
		s.file.Close()
		request.Drop = s.drop
		if s.file, err = colfile.Open(s.local, request); err != nil {
			return err
		}
	}
	for _, c := range s.file.Columns() {
		if c.Name == column {
			s.column = c
		}
	}
	for _, n := range s.file.Units() {
		s.rows += n
	}
	return nil
}

// scan is pass one.
func (s *source) scan(ctx context.Context, o *Options) error {
	o.progress("counting", 0, s.rows)
	alphabets, counts, err := s.file.Scan(ctx)
	if err != nil {
		return s.failed(err)
	}
	if err := s.unchanged(); err != nil {
		return err
	}
	s.alphabet = alphabets[0]
	s.counts, err = estimate.CountsOf(counts[0])
	return err
}

// failed is the error of a pass over the input, or what lies behind it: a file
// that changes under the reader looks damaged.
func (s *source) failed(err error) error {
	return cmp.Or(s.unchanged(), inFile(s.path, err))
}

// unchanged compares the identity of the input with that at the start.
func (s *source) unchanged() error {
	now, err := s.local.Identity()
	if err != nil {
		return err
	}
	if now != s.identity {
		return faultf(Environment, "run again when nothing writes to it", "%s changed while it was read", s.path)
	}
	return nil
}

func (s *source) close() error {
	return errors.Join(s.file.Close(), s.local.Close())
}

// dropped lists the columns that leave the output.
func dropped(columns []colfile.Column, private string, keep, drop []string) ([]string, error) {
	name := make([]string, len(columns))
	for i, c := range columns {
		name[i] = c.Name
	}
	for _, n := range slices.Concat(keep, drop) {
		if !slices.Contains(name, n) {
			return nil, faultf(Usage, "its columns are "+strings.Join(name, ", "), "the input has no column %q", n)
		}
	}
	if slices.Contains(drop, private) {
		return nil, faultf(Usage, "leave it out of --drop", "the private column %q cannot be dropped", private)
	}
	if len(keep) == 0 {
		return drop, nil
	}
	out := []string{}
	for _, n := range name {
		if n != private && !slices.Contains(keep, n) {
			out = append(out, n)
		}
	}
	return out, nil
}

// inFile puts the file's name before what is wrong with its content.
func inFile(path string, err error) error {
	var input *colfile.InputError
	if errors.As(err, &input) {
		return &Fault{Input, path + ": " + input.What, cmp.Or(input.Hint, "write the file again, or name another"), err}
	}
	return err
}
