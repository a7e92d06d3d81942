package utility

import "github.com/tacet-privacy/tacet/mechanism"

// A table is what a matrix file holds: outputs in the header, a row
// of cells per letter.
type table struct {
	cast                  // null is the last output
	column []int          // file column, from 0, of each output
	row    map[letter]int // in the file
}

// buildMatrix reads matrix:FILE.csv.
func buildMatrix(b *builder, path string) *draft {
	var value [][]float64
	t := b.table(path, func(s *sheet, cell []string) {
		row := make([]float64, len(cell)-1)
		for i, c := range cell[1:] {
			row[i] = s.number(i+2, c, true)
		}
		value = append(value, row)
	})
	o, err := mechanism.NewMatrix(t.pick(b, value))
	if err != nil {
		fail(&Error{What: b.file + ": " + err.Error(), Err: err})
	}
	return &draft{cast: &t.cast, order: o, basis: "utilities as given"}
}

// table reads header and first column, and hands each record to keep.
func (b *builder) table(path string, keep func(s *sheet, cell []string)) *table {
	s := b.read(path)
	header := s.header(2, "the header holds the output labels, the first column the values")
	if len(header)-1 >= mechanism.MaxLetters {
		s.fail(1, "list fewer outputs", "more than %d outputs", mechanism.MaxLetters-1)
	}
	t := &table{row: map[letter]int{}}
	var across, down list
	for i, label := range header[1:] {
		across.add(label, s.place(i+2))
	}
	last := -1 // the column of null
	for i, l := range b.named(s, across) {
		b.publishable(s, l, across.at[i])
		if l.null {
			last = i
			continue
		}
		t.outputs, t.column = append(t.outputs, l), append(t.column, i)
	}
	if last >= 0 {
		t.namesNull, t.outputs, t.column = true, append(t.outputs, null), append(t.column, last)
	}
	for cell := range s.records {
		down.add(cell[0], s.place(1))
		keep(s, cell)
	}
	for i, l := range b.named(s, down) {
		t.row[l] = i
		t.namesNull = t.namesNull || l.null
	}
	return t
}

// pick takes the rows of the input letters and the columns of the outputs.
func (t *table) pick(b *builder, cells [][]float64) [][]float64 {
	t.rows = b.rows(t.namesNull)
	b.cover(t.row, t.rows, "have no row in "+oneLine(b.file))
	out := make([][]float64, len(t.rows))
	for x, l := range t.rows {
		out[x] = make([]float64, len(t.column))
		for y, c := range t.column {
			out[x][y] = cells[t.row[l]][c]
		}
	}
	t.extra = len(t.row) - len(t.rows)
	return out
}
