package files

import (
	"encoding/binary"
	"io"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

const arrowMagic = "ARROW1"

const (
	// maxBuffer bounds what a compressed buffer says it is without
	// compression, in bytes; maxLength an array, in cells.
	maxBuffer = 2 << 30
	maxLength = 1 << 33
)

// An arrowFile is a footer and messages as this package reads them. arrow-go
// sees the buffers of the private column alone, batch by batch.
type arrowFile struct {
	in      io.ReaderAt
	size    int64
	footer  table
	end     int64 // of the messages, where the footer starts
	dicts   []block
	batches []block
	fields  []arrowField
	name    []string
	at      int // of the private column
	typ     Type
	as      arrow.DataType // of its values
	rows    []int64
	entries func() ([]arrow.Array, error) // of its dictionary, message by message

	mu     sync.Mutex
	letter map[*Letters][]int32 // of the entries
}

type arrowReader struct {
	column   arrow.Array
	unit, at int
	null     int32
	letter   func(i int) int32
}

func openArrow(in io.ReaderAt, size int64, column string, bins *Bins) (_ File, err error) {
	defer guard(&err, "has an Arrow footer that cannot be decoded")
	a := &arrowFile{in: in, size: size, at: -1, letter: map[*Letters][]int32{}}
	a.entries = sync.OnceValues(a.readEntries)
	raw, end, err := footerOf(in, size, arrowMagic, "an Arrow IPC", 8)
	if err != nil {
		return nil, err
	}
	a.footer, a.end = root(raw), end
	a.dicts, a.batches = a.footer.blocks(2), a.footer.blocks(3)
	for _, b := range a.blocks() {
		if b.at < 8 || b.meta < 8 || b.body < 0 || b.at > a.end-b.meta || b.body > a.end-b.at-b.meta {
			return nil, errorf("has a message that lies outside the file")
		}
	}
	if a.footer.sub(1).word(0, 2, 0) != 0 {
		return nil, errorf("is big-endian, which is not supported")
	}
	a.fields = arrowFields(a.footer.sub(1))
	if err := a.find(column); err != nil {
		return nil, err
	}
	a.typ.Bins = bins
	if !a.sound() {
		return nil, errorf("has messages that cannot be decoded")
	}
	return a, nil
}

// find sets the private column.
func (a *arrowFile) find(column string) error {
	for i := range a.fields {
		f := &a.fields[i]
		a.name = append(a.name, f.name)
		if f.name != column {
			continue
		}
		if a.at >= 0 {
			return errorf("has two columns %q", column)
		}
		a.at = i
		var ok bool
		if a.typ, a.as, ok = f.private(); !ok {
			return errorf("has a column %q of a type that is never privatized", column)
		}
	}
	if a.at < 0 {
		return errorf("has no column %q", column)
	}
	return nil
}

func (a *arrowFile) Format() string { return "arrow" }

func (a *arrowFile) Columns() []string { return a.name }

func (a *arrowFile) Type() Type { return a.typ }

func (a *arrowFile) Units() []int64 { return a.rows }

// blocks are all messages that the footer lists.
func (a *arrowFile) blocks() []block { return slices.Concat(a.dicts, a.batches) }

// column is the private column of a record batch: indices, where it is
// dictionary encoded.
func (a *arrowFile) column(unit int) (_ arrow.Array, err error) {
	defer guard(&err, "record batch %d cannot be decoded", unit+1)
	b, err := a.batch(unit)
	if err != nil {
		return nil, err
	}
	c, as := b.column[a.at], a.as
	if d := a.fields[a.at].dict; d != nil {
		var ok bool
		if as, ok = d.index.integer(); !ok {
			return nil, errorf("cannot be decoded in record batch %d", unit+1)
		}
	}
	column, err := a.array(c, b.codec, as)
	if err != nil || int64(column.Len()) != a.rows[unit] {
		return nil, errorf("cannot be decoded in record batch %d", unit+1)
	}
	return column, nil
}

// readEntries reads the dictionary of the private column, in its messages'
// order.
func (a *arrowFile) readEntries() (entries []arrow.Array, err error) {
	defer guard(&err, "the dictionary cannot be decoded")
	for i := range a.dicts {
		id, delta, b, err := a.dictionary(i)
		if err != nil {
			return nil, err
		}
		if id != a.fields[a.at].dict.id {
			continue
		}
		if len(entries) > 0 && !delta {
			return nil, errorf("has a dictionary that is replaced within the file")
		}
		values, err := a.array(b.column[0], b.codec, a.as)
		if err != nil {
			return nil, err
		}
		entries = append(entries, values)
	}
	return entries, nil
}

// letters are those of the dictionary's entries, looked up once for each
// alphabet.
func (a *arrowFile) letters(l *Letters) ([]int32, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known, ok := a.letter[l]; ok {
		return known, nil
	}
	entries, err := a.entries()
	if err != nil {
		return nil, err
	}
	letters := []int32{}
	for _, values := range entries {
		of := letterOf(values, l)
		for i := range values.Len() {
			letter := l.null
			if values.IsValid(i) {
				letter = of(i)
			}
			letters = append(letters, letter)
		}
	}
	a.letter[l] = letters
	return letters, nil
}

func (a *arrowFile) Open(unit int, l *Letters) (_ Reader, err error) {
	defer guard(&err, "record batch %d cannot be decoded", unit+1)
	column, err := a.column(unit)
	if err != nil {
		return nil, err
	}
	r := &arrowReader{column: column, unit: unit, null: l.null}
	if a.fields[a.at].dict == nil {
		r.letter = letterOf(column, l)
		return r, nil
	}
	index := numberOf(column)
	if l.texts != nil {
		r.letter, err = a.texts(l, index)
		return r, err
	}
	letter, err := a.letters(l)
	r.letter = func(i int) int32 { return letter[index(i)] }
	return r, err
}

// texts are the letters of ids: those of entries that occur in one unit.
func (a *arrowFile) texts(l *Letters, index func(i int) int64) (func(i int) int32, error) {
	entries, err := a.entries()
	if err != nil {
		return nil, err
	}
	known := map[int64]int32{}
	return func(i int) int32 {
		at := index(i)
		letter, ok := known[at]
		if !ok {
			letter = l.null
			if values, k := entry(entries, at); values.IsValid(k) {
				letter = letterOf(values, l)(k)
			}
			known[at] = letter
		}
		return letter
	}, nil
}

// entry is where an index leads to.
func entry(entries []arrow.Array, at int64) (arrow.Array, int) {
	for _, values := range entries {
		if at >= 0 && at < int64(values.Len()) {
			return values, int(at)
		}
		at -= int64(values.Len())
	}
	panic("an index beyond the dictionary")
}

func (r *arrowReader) Next(dst []int32) (n int, err error) {
	defer guard(&err, "record batch %d cannot be decoded", r.unit+1)
	if n = min(len(dst), r.column.Len()-r.at); n == 0 {
		return 0, io.EOF
	}
	for i := range n {
		if dst[i] = r.null; r.column.IsValid(r.at + i) {
			dst[i] = r.letter(r.at + i)
		}
	}
	r.at += n
	return n, nil
}

// letterOf looks up the values of an array.
func letterOf(values arrow.Array, l *Letters) func(i int) int32 {
	switch v := values.(type) {
	case interface{ Value(int) string }:
		return func(i int) int32 { return l.bytes([]byte(v.Value(i))) }
	case interface{ Value(int) []byte }:
		return func(i int) int32 { return l.bytes(v.Value(i)) }
	case *array.Boolean:
		return func(i int) int32 { return l.truth(v.Value(i)) }
	case *array.Date64: // a time of day, which no value has, tells more than its day
		if l.bins == nil && l.part == nil {
			return func(i int) int32 {
				if v.Value(i)%86400_000 != 0 {
					return Stranger
				}
				return l.num(int64(v.Value(i)) / 86400_000)
			}
		}
	}
	if n := decimalOf(values); n != nil {
		return func(i int) int32 { return l.bytes(twosComplement(n(i))) }
	}
	number := numberOf(values)
	return func(i int) int32 { return l.num(number(i)) }
}

// decimalOf is the decimal at a place, without its point; nil for other types.
func decimalOf(values arrow.Array) func(i int) *big.Int {
	switch v := values.(type) {
	case *array.Decimal32:
		return func(i int) *big.Int { return big.NewInt(int64(v.Value(i))) }
	case *array.Decimal64:
		return func(i int) *big.Int { return big.NewInt(int64(v.Value(i))) }
	case *array.Decimal128:
		return func(i int) *big.Int { return v.Value(i).BigInt() }
	case *array.Decimal256:
		return func(i int) *big.Int { return v.Value(i).BigInt() }
	}
	return nil
}

// twosComplement is a decimal as Parquet stores it.
func twosComplement(n *big.Int) []byte {
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	return n.FillBytes(make([]byte, 32))
}

// numberOf is the number at a place, null or not.
func numberOf(values arrow.Array) func(i int) int64 {
	switch v := values.(type) {
	case *array.Int8:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Int16:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Int32:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Int64:
		return v.Value
	case *array.Uint8:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Uint16:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Uint32:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Uint64:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Timestamp:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Date32:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Date64: // milliseconds; a day begins at the first of them
		return func(i int) int64 { return down(int64(v.Value(i)), 86400_000) }
	case *array.Duration:
		return func(i int) int64 { return int64(v.Value(i)) }
	case *array.Float16:
		return func(i int) int64 { return int64(math.Float64bits(half(v.Value(i).Uint16()))) }
	case *array.Float32:
		return func(i int) int64 { return int64(math.Float64bits(float64(v.Value(i)))) }
	case *array.Float64:
		return func(i int) int64 { return int64(math.Float64bits(v.Value(i))) }
	}
	panic("a type that is never privatized")
}

// sound walks the heads of messages before their buffers are read, and notes
// how many rows each record batch states. It panics where an object lies
// outside the bytes.
func (a *arrowFile) sound() bool {
	a.footer.sub(1).pairs(2)
	dictionaries := len(a.dicts)
	for i, b := range a.blocks() {
		m, err := a.message(b)
		if err != nil {
			return false
		}
		batch := m.sub(2)
		if i < dictionaries {
			batch = batch.sub(1)
		} else {
			a.rows = append(a.rows, int64(batch.word(0, 8, 0)))
		}
		if !a.soundBatch(batch, b) {
			return false
		}
	}
	return true
}

// soundBatch checks that the buffers of a batch lie in its body, and that
// neither they nor the arrays are larger than any that is written.
func (a *arrowFile) soundBatch(batch table, b block) bool {
	at, n := batch.vector(1)
	for ; n > 0; n, at = n-1, at+16 {
		rows, nulls := int64(binary.LittleEndian.Uint64(batch.b[at:])), int64(binary.LittleEndian.Uint64(batch.b[at+8:]))
		if rows < 0 || rows > maxLength || nulls < 0 || nulls > rows {
			return false
		}
	}
	head := make([]byte, 8)
	at, n = batch.vector(2)
	for ; n > 0; n, at = n-1, at+16 {
		from, size := int64(binary.LittleEndian.Uint64(batch.b[at:])), int64(binary.LittleEndian.Uint64(batch.b[at+8:]))
		if from < 0 || size < 0 || from > b.body || size > b.body-from {
			return false
		}
		if batch.slot(3) == 0 || size == 0 {
			continue
		}
		if k, _ := a.in.ReadAt(head, b.at+b.meta+from); k < len(head) || size < 8 {
			return false
		}
		if plain := int64(binary.LittleEndian.Uint64(head)); plain < -1 || plain > maxBuffer {
			return false
		}
	}
	return true
}
