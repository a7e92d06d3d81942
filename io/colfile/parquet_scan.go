package colfile

import (
	"context"
	"io"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/parquetraw/page"
)

const (
	// maxLetters bounds an alphabet, null included: ranks are 16 bits wide.
	maxLetters = 65535
	// maxLabels bounds the bytes of an alphabet's values.
	maxLabels = 64 << 20
	// batchRows is how many rows are handed out at once.
	batchRows = 4096
)

// Scan counts the values of the private columns, chunks in parallel.
func (p *parquetFile) Scan(ctx context.Context) ([]*Alphabet, [][]int64, error) {
	total := make([]tally, len(p.private))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(p.threads())
	for group := range p.footer.Groups {
		for i := range p.private {
			work.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				return p.scanChunk(ctx, group, &p.private[i], &total[i])
			})
		}
	}
	if err := work.Wait(); err != nil {
		return nil, nil, err
	}
	alphabet, count := make([]*Alphabet, len(total)), make([][]int64, len(total))
	for i := range total {
		alphabet[i], count[i] = total[i].alphabet(p.private[i].typ)
	}
	return alphabet, count, nil
}

func (p *parquetFile) threads() int {
	if p.request.Threads > 0 {
		return p.request.Threads
	}
	return runtime.GOMAXPROCS(0)
}

func (p *parquetFile) scanChunk(ctx context.Context, group int, c *privateColumn, total *tally) (err error) {
	defer recovered(&err)
	r, err := p.footer.OpenChunk(p.in, group, c.leaf)
	if err != nil {
		return parquetError(err)
	}
	defer r.Close()
	var count []int64 // of nulls, then by code
	for {
		if count, err = r.Count(count); err == io.EOF {
			return total.add(r, count, c)
		}
		if err != nil {
			return parquetError(err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// A tally counts the values of a column over all chunks.
type tally struct {
	sync.Mutex
	text  map[string]int // place in value, of Text and Binary
	ints  map[int64]int  // of all else
	value []Value
	count []int64
	null  int64
	bytes int
}

// add takes over the values of a chunk that occur.
func (t *tally) add(r *page.Reader, count []int64, c *privateColumn) error {
	if len(count) == 0 {
		return nil
	}
	t.Lock()
	defer t.Unlock()
	if t.text == nil {
		t.text, t.ints = make(map[string]int), make(map[int64]int)
	}
	t.null += count[0]
	for code, n := range count[1:] {
		if n == 0 {
			continue
		}
		at, err := t.place(r, code, c)
		if err != nil {
			return err
		}
		t.count[at] += n
	}
	return t.check(c)
}

// place finds the value of a code or adds it.
func (t *tally) place(r *page.Reader, code int, c *privateColumn) (int, error) {
	at := len(t.value)
	if c.typ.Kind <= Binary {
		b := r.Bytes(code)
		if at, ok := t.text[string(b)]; ok {
			return at, nil
		}
		s := string(b)
		t.text[s] = at
		t.value = append(t.value, Value{Bytes: s})
		t.bytes += len(s)
	} else {
		v, ok := parquetInt(c.typ, r.Int(code))
		if !ok {
			return 0, inputErrorf("write the file again", "column %q holds a number that is no %s", c.name, c.typ)
		}
		if at, ok := t.ints[v]; ok {
			return at, nil
		}
		t.ints[v] = at
		t.value = append(t.value, Value{Int: v})
	}
	t.count = append(t.count, 0)
	return at, t.check(c)
}

// check holds the alphabet to its bounds.
func (t *tally) check(c *privateColumn) error {
	const hint = "a column of so many values is no alphabet; bucket them first"
	letters := len(t.value)
	if t.null > 0 {
		letters++
	}
	switch {
	case letters > maxLetters:
		return inputErrorf(hint, "column %q has more than %d distinct values", c.name, maxLetters)
	case t.bytes > maxLabels:
		return inputErrorf(hint, "the distinct values of column %q are longer than %d MiB in all", c.name, maxLabels>>20)
	}
	return nil
}

// alphabet sorts the values.
func (t *tally) alphabet(typ Type) (*Alphabet, []int64) {
	order := make([]int, len(t.value))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return typ.Compare(t.value[i], t.value[j]) })
	value, count := make([]Value, len(order)), make([]int64, len(order), len(order)+1)
	for i, at := range order {
		value[i], count[i] = t.value[at], t.count[at]
	}
	if t.null > 0 {
		count = append(count, t.null)
	}
	return NewAlphabet(typ, value, t.null > 0), count
}

// parquetInt is a stored number as a Value has it; ok is false where it is
// outside the type.
func parquetInt(t Type, stored int64) (v int64, ok bool) {
	switch {
	case t.Kind != Integer || t.Bits == 64:
		return stored, true
	case t.Unsigned:
		v = int64(uint32(stored))
		return v, v>>t.Bits == 0
	}
	return stored, stored>>(t.Bits-1) == stored>>63
}
