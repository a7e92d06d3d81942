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
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// An input is the opened file with its private columns.
type input struct {
	path     string
	local    *colfile.Local
	file     colfile.File
	identity string
	drop     []string
	rows     int64
	private  []*source // as they were asked for
}

// A source is one private column of the input and what pass one found in it.
type source struct {
	*input
	at     int // among the private columns
	column colfile.Column

	alphabet *colfile.Alphabet
	counts   *estimate.Counts // by letter of alphabet
}

// openSource opens the input for one private column.
func openSource(o *Options, column string) (*source, error) {
	in, err := openInput(o, []string{column})
	if err != nil {
		return nil, err
	}
	return in.private[0], nil
}

// openInput opens the input and finds the columns; nothing is counted yet.
func openInput(o *Options, columns []string) (*input, error) {
	if o.Input == "" {
		return nil, fault.New(fault.Usage, "name the file with --input", "no input is given")
	}
	if slices.Contains(columns, "") {
		return nil, fault.New(fault.Usage, "name the private column with --column", "no column is given")
	}
	local, err := colfile.OpenLocal(o.Input)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Input, "check the path given to --input", "%s does not exist", o.Input)
	case err != nil:
		return nil, err
	}
	s := &input{path: o.Input, local: local}
	if err := s.open(o, columns); err != nil {
		local.Close()
		return nil, inFile(o.Input, err)
	}
	return s, nil
}

func (s *input) open(o *Options, columns []string) (err error) {
	if s.identity, err = s.local.Identity(); err != nil {
		return err
	}
	request := colfile.Request{Private: columns, Beside: o.beside(), Threads: o.Threads, Metadata: o.Metadata}
	// Keep is turned into Drop once the columns are known.
	if s.file, err = colfile.Open(s.local, request); err != nil {
		return err
	}
	if s.drop, err = dropped(s.file.Columns(), columns, o.Keep, slices.Concat(o.Drop, o.identifiers())); err != nil {
		return err
	}
	if len(s.drop) > 0 {
		s.file.Close()
		request.Drop = s.drop
		if s.file, err = colfile.Open(s.local, request); err != nil {
			return err
		}
	}
	for at, name := range columns {
		p := &source{input: s, at: at}
		for _, c := range s.file.Columns() {
			if c.Name == name {
				p.column = c
			}
		}
		s.private = append(s.private, p)
	}
	for _, n := range s.file.Units() {
		s.rows += n
	}
	return nil
}

// scan is pass one.
func (s *input) scan(ctx context.Context, o *Options) error {
	o.progress("counting", 0, s.rows)
	alphabets, counts, err := s.file.Scan(ctx)
	if err != nil {
		return s.failed(err)
	}
	if err := s.unchanged(); err != nil {
		return err
	}
	for i, p := range s.private {
		p.alphabet = alphabets[i]
		if p.counts, err = estimate.CountsOf(counts[i]); err != nil {
			return err
		}
	}
	return nil
}

// names are those of the private columns.
func (s *input) names() []string {
	var names []string
	for _, p := range s.private {
		names = append(names, p.column.Name)
	}
	return names
}

// read hands f the letters of one unit by alphabet a in row order; those of the
// other private columns are read by the letters that pass one found.
func (s *source) read(ctx context.Context, unit int, a *colfile.Alphabet, f func(row int64, letters []int32) error) error {
	in := make([]*colfile.Alphabet, len(s.private))
	for i, p := range s.private {
		in[i] = p.alphabet
	}
	in[s.at] = a
	return s.file.Read(ctx, unit, in, func(b colfile.Batch) error { return f(b.Row, b.Letters[s.at]) })
}

// failed is the error of a pass over the input, or what lies behind it: a file
// that changes under the reader looks damaged.
func (s *input) failed(err error) error {
	return cmp.Or(s.unchanged(), inFile(s.path, err))
}

// unchanged compares the identity of the input with that at the start.
func (s *input) unchanged() error {
	now, err := s.local.Identity()
	if err != nil {
		return err
	}
	if now != s.identity {
		return fault.New(fault.Environment, "run again when nothing writes to it", "%s changed while it was read", s.path)
	}
	return nil
}

func (s *input) close() error {
	return errors.Join(s.file.Close(), s.local.Close())
}

// dropped lists the columns that leave the output.
func dropped(columns []colfile.Column, private []string, keep, drop []string) ([]string, error) {
	name := make([]string, len(columns))
	for i, c := range columns {
		name[i] = c.Name
	}
	for _, n := range slices.Concat(keep, drop) {
		if !slices.Contains(name, n) {
			return nil, fault.New(fault.Usage, "its columns are "+strings.Join(name, ", "), "the input has no column %q", n)
		}
	}
	for _, p := range private {
		if slices.Contains(drop, p) {
			return nil, fault.New(fault.Usage, "leave it out of --drop", "the private column %q cannot be dropped", p)
		}
	}
	if len(keep) == 0 {
		return drop, nil
	}
	out := []string{}
	for _, n := range name {
		if !slices.Contains(private, n) && !slices.Contains(keep, n) {
			out = append(out, n)
		}
	}
	return out, nil
}

// inFile puts the file's name before what is wrong with its content.
func inFile(path string, err error) error {
	var input *colfile.InputError
	if errors.As(err, &input) {
		return &fault.Fault{Class: fault.Input, What: path + ": " + input.What, Hint: cmp.Or(input.Hint, "write the file again, or name another"), Err: err}
	}
	return err
}
