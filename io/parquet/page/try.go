package page

import (
	"errors"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// A trial looks at the chunks of a leaf that will be copied as they stand: at the headers
// of all their pages; and of every kind of chunk at the dictionary and at the levels and
// values of a first page, which show whether codec, type and levels are those that the
// footer says. Type and levels are those of the schema, so one chunk shows them for all
// chunks of its kind: values that nobody reads in a run are not decoded for each.
type trial struct {
	head window
	leaf *meta.Leaf
	done map[kind]bool // kinds of which values were decoded
	room int64         // bytes of the largest of the pages that values are decoded from, with what it is decompressed to
}

// smallTrial is how many bytes the pages of a trial may take beside those of others; larger
// ones are tried in turn.
const smallTrial = 2 << 20

var largeTrial sync.Mutex

// A kind is what a chunk and the headers of its dictionary and its first page with values
// say of how these are to be decoded.
type kind struct {
	codec      format.CompressionCodec
	dictionary bool
	page       format.PageType
	encoding   format.Encoding
	levels     format.Encoding
	compressed bool
}

func newTrial(r io.ReaderAt, leaf *meta.Leaf) *trial {
	return &trial{head: window{r: r, ahead: headAhead}, leaf: leaf, done: map[kind]bool{}}
}

// chunk tries a chunk. What is not supported may be sound, and passes.
func (t *trial) chunk(c *meta.Chunk, group int) error {
	k, err := t.walk(c)
	if err == nil && c.Values > 0 && c.Physical != format.Int96 && !t.done[k] {
		if t.room > smallTrial {
			largeTrial.Lock()
			defer largeTrial.Unlock()
		}
		x := Open(t.head.r, t.leaf, c, group)
		defer x.Close()
		t.done[k], err = x.try()
	}
	if errors.Is(err, meta.ErrUnsupported) {
		return nil
	}
	return meta.InChunk(err, t.leaf.Name(), group)
}

// walk goes from header to header, to the end of the chunk: some readers go on
// to it, whatever the number of values that they have.
func (t *trial) walk(c *meta.Chunk) (k kind, err error) {
	w := &t.head
	w.pos, w.end, w.base, w.low = c.Start, c.Start+c.Size, w.base[:0], 0
	left, first := c.Values, true
	k.codec, t.room = c.Codec, 0
	for left > 0 || left == 0 && w.pos < w.end {
		at := w.pos
		h, err := w.header(left)
		if err != nil {
			return k, err
		}
		if data := h.typ == format.DataPage || h.typ == format.DataPageV2; data && first {
			// Some writers name the dictionary page.
			if first = false; at != c.DataPage && c.DataPage != c.Start {
				return k, meta.Damaged("its first page is not where its metadata say")
			}
		}
		w.skip(h.size)
		if left == c.Values { // up to and with the first page with values
			t.room = max(t.room, int64(h.size)+int64(h.plain))
		}
		switch h.typ {
		case format.DataPage, format.DataPageV2:
			if left == c.Values {
				k.page, k.encoding, k.levels, k.compressed = h.typ, h.encoding, h.levels, h.compressed
			}
			left -= h.values
		case format.DictionaryPage:
			if left != c.Values || k.dictionary {
				return k, meta.Damaged("a second dictionary page, or one behind values")
			}
			k.dictionary = true
		}
	}
	if left < 0 {
		return k, meta.Damaged("its pages have more values than the column chunk")
	}
	return k, nil
}

// try decodes up to and with the first page with values, and reports whether one of them
// is not null.
func (x *Reader) try() (decoded bool, err error) {
	for {
		h, stored, err := x.stored()
		if err != nil {
			return false, err
		}
		switch {
		case h.typ == format.IndexPage:
		case meta.CheckCodec(x.chunk.Codec) != nil:
			if h.typ == format.DataPageV2 && !h.compressed {
				return false, nil
			}
			levels := h.repetition + h.definition
			return true, resembles(x.chunk.Codec, stored[levels:], h.plain-levels)
		case h.typ == format.DictionaryPage:
			if err := x.openDictionary(&h, stored); err != nil {
				return false, err
			}
		case h.values > 0:
			return x.tryValues(&h, stored)
		}
	}
}

// tryValues decodes a page, and reports whether it has a value.
func (x *Reader) tryValues(h *header, stored []byte) (decoded bool, err error) {
	runs, body, err := x.unfold(*h, stored)
	if err != nil {
		return false, err
	}
	values, err := tryLevels(runs, h.values, x.leaf.Most, x.level)
	if err != nil || values == 0 {
		return false, err
	}
	if x.decode, err = x.dict.decoder(h.encoding, body); err != nil {
		return false, err
	}
	codes := make([]int32, block)
	for values > 0 {
		n := min(values, block)
		x.dict.forget()
		if err := x.decode.next(codes[:n]); err != nil {
			return false, err
		}
		values -= n
	}
	return true, nil
}

// tryLevels counts the values that are there, of so many with their levels.
func tryLevels(runs [2]hybrid, left int64, most meta.Levels, level []int32) (values int64, err error) {
	for first := true; left > 0; first = false {
		n := min(left, int64(len(level)))
		some, err := runs[0].few(level[:n])
		if err != nil {
			return 0, err
		}
		for i, l := range some {
			if l > most.Repetition || first && i == 0 && l != 0 {
				return 0, meta.Damaged("a page has a repetition level that its column cannot have")
			}
		}
		if some, err = runs[1].few(level[:n]); err != nil {
			return 0, err
		}
		for _, l := range some {
			if l > most.Definition {
				return 0, meta.Damaged("a page has a definition level that its column cannot have")
			}
			if l == most.Definition {
				values += n / int64(len(some))
			}
		}
		left -= n
	}
	return values, nil
}

// few decodes len(level) values, or one that stands for all of them.
func (h *hybrid) few(level []int32) ([]int32, error) {
	l, same, err := h.repeated(len(level))
	if same || err != nil {
		level[0] = l
		return level[:1], err
	}
	return level, h.next(level)
}
