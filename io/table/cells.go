package table

import "context"

// Cells reads the cells of one unit, some rows at a time.
type Cells interface {
	// Next are the next rows, none at the end. They are good until it is called again.
	Next() (Rows, error)
	Close()
}

// Rows are consecutive rows of one unit.
type Rows struct {
	First int64 // counted from 0 in the file
	N     int
	Cells []Values // of the private columns, then of those that are read beside
}

// Scan counts the values of private columns in all units, as File.Scan promises.
func Scan(ctx context.Context, units, threads int, columns []*PrivateColumn,
	open func(unit int) (Cells, error)) ([]*Alphabet, [][]int64, error) {
	total := make([]Tally, len(columns))
	err := EachUnit(ctx, units, threads, func(_, unit int) error {
		cells, err := open(unit)
		if err != nil {
			return err
		}
		defer cells.Close()
		return countUnit(ctx, cells, columns, total)
	})
	if err != nil {
		return nil, nil, err
	}
	alphabet, count := make([]*Alphabet, len(columns)), make([][]int64, len(columns))
	for i, c := range columns {
		if err := total[i].Refuse(c); err != nil {
			return nil, nil, err
		}
		alphabet[i], count[i] = total[i].Alphabet(c.Type)
	}
	return alphabet, count, nil
}

func countUnit(ctx context.Context, cells Cells, columns []*PrivateColumn, total []Tally) (err error) {
	defer guard(&err)
	counter := make([]*counter, len(columns))
	for i, c := range columns {
		counter[i] = newCounter(c)
	}
	for {
		rows, err := cells.Next()
		if err != nil {
			return err
		}
		if rows.N == 0 {
			break
		}
		for i, c := range counter {
			if err := c.add(&rows.Cells[i], rows.First); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for i, c := range counter {
		if err := c.into(&total[i]); err != nil {
			return err
		}
	}
	return nil
}

// Hand hands out the letters of a unit, as File.Read promises.
func (l *Lexicon) Hand(ctx context.Context, unit int, cells Cells, columns []*PrivateColumn, in []*Alphabet,
	f func(Batch) error) error {
	if len(in) != len(columns) {
		panic("table: not one alphabet per private column")
	}
	lexicon := l.Of(in)
	letters, room := make([]*letters, len(columns)), make([][]int32, len(columns))
	for i, c := range columns {
		if in[i].Type() != c.Type {
			return Errorf("", "column %q is of type %s, its alphabet of type %s", c.Name, c.Type, in[i].Type())
		}
		letters[i], room[i] = newLetters(c, lexicon[i]), make([]int32, BatchRows)
		defer letters[i].close()
	}
	b := Batch{Unit: Unit{Group: unit}, Letters: make([][]int32, len(columns))}
	for {
		rows, err := cells.Next()
		if rows.N == 0 || err != nil {
			return err
		}
		for i, l := range letters {
			b.Letters[i] = room[i][:rows.N]
			if err := l.put(b.Letters[i], &rows.Cells[i], rows.First); err != nil {
				return err
			}
		}
		b.Row, b.Beside = rows.First, rows.Cells[len(columns):]
		if err := f(b); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// guard turns a panic in what reads cells into an error. What it says may quote data and is
// dropped.
func guard(err *error) {
	if recover() != nil {
		*err = Errorf("write the file again", "decoding a column: the bytes are corrupt")
	}
}

// A counter counts the values of one private column in one unit.
type counter struct {
	*PrivateColumn
	bins   *binCount // nil without bins
	cells  Values    // the last ones
	code   []int64   // how many nulls there are, then how many cells of every code below Entries
	values Tally     // of all other codes
	recent Recent    // places in values
}

func newCounter(c *PrivateColumn) *counter {
	n := &counter{PrivateColumn: c}
	if bins := c.Type.Bins; bins != nil {
		n.bins = &binCount{Binner: NewBinner(bins)}
	}
	return n
}

// add counts cells, the first of which is in this row.
func (n *counter) add(v *Values, row int64) error {
	if n.bins != nil {
		if at := n.bins.add(v); at >= 0 {
			return n.noBin(row + int64(at))
		}
		return nil
	}
	if n.code == nil {
		n.code = make([]int64, v.Entries+1)
	}
	n.cells = *v
	if !countCodes(n.code, v.Code) {
		return n.addValues(v)
	}
	return nil
}

// addValues counts cells of which some are in no dictionary.
func (n *counter) addValues(v *Values) error {
	for i, code := range v.Code {
		if int(code) < v.Entries {
			n.code[code+1]++
			continue
		}
		key, short := v.key(i, n.Type.Kind)
		at, ok := n.recent.Get(key)
		if !short || !ok {
			var err error
			if at, err = n.values.put(v, i, n.PrivateColumn); err != nil {
				return err
			}
			if short {
				n.recent.Put(key, at)
			}
		}
		n.values.Count[at]++
	}
	return nil
}

// into adds what was counted to the total of the column.
func (n *counter) into(t *Tally) error {
	t.Lock()
	defer t.Unlock()
	if n.bins != nil {
		return n.bins.into(t, n.PrivateColumn)
	}
	if len(n.code) > 0 {
		t.Null += n.code[0]
	}
	one := n.cells
	for code, count := range n.code[min(1, len(n.code)):] {
		if count == 0 {
			continue
		}
		one.Code = []int32{int32(code)}
		at, err := t.put(&one, 0, n.PrivateColumn)
		if err != nil {
			return err
		}
		t.Count[at] += count
	}
	for i, value := range n.values.Value {
		if err := t.Put(value, n.values.Count[i], n.PrivateColumn); err != nil {
			return err
		}
	}
	return t.Check(n.PrivateColumn)
}

// few codes, null among them, are so few that one often follows itself.
const few = 256

// countCodes counts codes below len(count)-1, or nothing where there are others. Neighbours
// among few codes are counted apart, so that no increment waits for the one before.
func countCodes(count []int64, code []int32) bool {
	sign, entries := int32(-1), int32(len(count)-1)
	for _, c := range code {
		sign &= c - entries
	}
	if sign >= 0 {
		return false
	}
	if len(count) > few {
		for _, c := range code {
			count[c+1]++
		}
		return true
	}
	var part [4][few]uint32
	for len(code) >= 4 {
		c := code[:4:4]
		part[0][uint8(c[0]+1)]++
		part[1][uint8(c[1]+1)]++
		part[2][uint8(c[2]+1)]++
		part[3][uint8(c[3]+1)]++
		code = code[4:]
	}
	for _, c := range code {
		part[0][uint8(c+1)]++
	}
	for i := range count {
		count[i] += int64(part[0][i]) + int64(part[1][i]) + int64(part[2][i]) + int64(part[3][i])
	}
	return true
}

// key is that of row i in a Recent; ok is false for long texts.
func (v *Values) key(i int, k Kind) (key uint64, ok bool) {
	if k <= Binary {
		return ShortKey(v.Bytes(i))
	}
	return uint64(v.Int(i)), true
}
