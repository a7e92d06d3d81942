package utility

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A table is what matrix and ranks files hold: outputs in the header, a row
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
	rows, err := pick(b, t, value)
	if err != nil {
		return nil, err
	}
	o, err := mechanism.NewMatrix(rows)
	if err != nil {
		return nil, &Error{What: b.file + ": " + err.Error(), Err: err}
	}
	return t.draft(o, "utilities as given", func(v float64) string { return fmt.Sprintf("of utility %v or better", v) }), nil
}

// buildRanks reads ranks:FILE.csv.
func buildRanks(b *builder, path string) (*draft, error) {
	var rank [][]uint16
	t, err := b.table(path, func(s *sheet, cell []string) error {
		m := len(cell) - 1
		row, at := make([]uint16, m), make([]int, m+1)
		for i, c := range cell[1:] {
			r, err := strconv.Atoi(strings.TrimSpace(c))
			if err != nil || r < 1 || r > m {
				return s.errorf(i+2, "every row holds each of the ranks once; the largest is best", "%s is no rank from 1 to %d", quote(c), m)
			}
			if at[r] > 0 {
				return s.errorf(i+2, "every row holds each of the ranks once; for ties use matrix", "rank %d stands twice, first in column %d", r, at[r])
			}
			row[i], at[r] = uint16(r), i+2
		}
		rank = append(rank, row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows, err := pick(b, t, rank)
	if err != nil {
		return nil, err
	}
	o, err := mechanism.NewRanks(rows)
	if err != nil {
		return nil, &Error{What: b.file + ": " + err.Error(), Err: err}
	}
	return t.draft(o, "ranks as given", func(v float64) string { return fmt.Sprintf("of rank %v or better", v) }), nil
}

// table reads header and first column, and hands each record to keep.
func (b *builder) table(path string, keep func(s *sheet, cell []string) error) (*table, error) {
	s, err := b.read(path)
	if err != nil {
		return nil, err
	}
	header, err := s.header(2, "the header holds the output labels, the first column the letters")
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
func pick[T any](b *builder, t *table, cells [][]T) ([][]T, error) {
	b.known = t.row
	letters := b.rows(t.namesNull)
	out := make([][]T, 0, len(letters))
	var lost []int
	for x, l := range letters {
		i, ok := t.row[l]
		if !ok {
			lost = append(lost, x)
			continue
		}
		row := make([]T, len(t.column))
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

func (t *table) draft(o mechanism.Order, basis string, describe func(float64) string) *draft {
	return &draft{order: o, outputs: t.outputs, namesNull: t.namesNull, extra: t.extra, basis: basis, describe: describe}
}
