package utility

import (
	"fmt"
	"io"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A table is what a matrix file holds: outputs in the header, a row
// of cells per letter.
type table struct {
	outputs   []letter // null last
	column    []int    // file column, from 0, of each output
	namesNull bool
	row       map[letter]int
	extra     int
}

// buildMatrix reads matrix:FILE.csv.
func buildMatrix(b *builder, path string) (*draft, error) {
	var value [][]float64
	t, err := b.table(path, func(s *sheet, cell []string) error {
		row := make([]float64, len(cell)-1)
		for i, c := range cell[1:] {
			var err error
			if row[i], err = s.number(i+2, c, true); err != nil {
				return err
			}
		}
		value = append(value, row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows, err := t.pick(b, value)
	if err != nil {
		return nil, err
	}
	o, err := mechanism.NewMatrix(rows)
	if err != nil {
		return nil, &Error{What: b.file + ": " + err.Error(), Err: err}
	}
	return &draft{order: o, outputs: t.outputs, namesNull: t.namesNull, extra: t.extra, basis: "utilities as given",
		describe: func(v float64) string { return fmt.Sprintf("of utility %v or better", v) }}, nil
}

// table reads header and first column, and hands each record to keep.
func (b *builder) table(path string, keep func(s *sheet, cell []string) error) (*table, error) {
	s, err := b.read(path)
	if err != nil {
		return nil, err
	}
	header, err := s.header(2, "the header holds the output labels, the first column the values")
	if err != nil {
		return nil, err
	}
	if len(header)-1 >= mechanism.MaxLetters {
		return nil, s.errorf(1, "", "more than %d outputs", mechanism.MaxLetters-1)
	}
	t := &table{row: map[letter]int{}}
	at := make([]place, len(header)-1)
	for i := range at {
		at[i] = place{s.begin, i + 2}
	}
	outputs, err := b.named(s, header[1:], at)
	if err != nil {
		return nil, err
	}
	for i, l := range outputs {
		if err := b.publishable(s, l, at[i]); err != nil {
			return nil, err
		}
		if l.null {
			t.namesNull = true
			continue
		}
		t.outputs, t.column = append(t.outputs, l), append(t.column, i)
	}
	for i, l := range outputs {
		if l.null {
			t.outputs, t.column = append(t.outputs, l), append(t.column, i)
		}
	}
	var label []string
	var rowAt []place
	for {
		cell, err := s.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		label, rowAt = append(label, cell[0]), append(rowAt, place{s.begin, 1})
		if err := keep(s, cell); err != nil {
			return nil, err
		}
	}
	names, err := b.named(s, label, rowAt)
	if err != nil {
		return nil, err
	}
	for i, l := range names {
		t.row[l] = i
		t.namesNull = t.namesNull || l.null
	}
	return t, nil
}

// pick takes the rows of the input letters and the columns of the outputs.
func (t *table) pick(b *builder, cells [][]float64) ([][]float64, error) {
	b.known = t.row
	letters := b.rows(t.namesNull)
	out := make([][]float64, 0, len(letters))
	var lost []int
	for x, l := range letters {
		i, ok := t.row[l]
		if !ok {
			lost = append(lost, x)
			continue
		}
		row := make([]float64, len(t.column))
		for y, c := range t.column {
			row[y] = cells[i][c]
		}
		out = append(out, row)
	}
	if lost != nil {
		return nil, b.missing(lost, "have no row in "+oneLine(b.file), labelHint)
	}
	t.extra = len(t.row) - len(letters)
	return out, nil
}
