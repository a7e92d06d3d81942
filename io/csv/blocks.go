package csv

import (
	"bytes"
	"fmt"
	"io"

	"github.com/tacet-privacy/tacet/io/table"
)

// BlockRows is how many rows are a unit; the last one may have fewer.
const BlockRows = 65536

// A block is a unit: where its rows stand.
type block struct {
	from, to int64
	row      int64 // the first one, in the file
	rows     int64
}

// blocksOf finds the blocks of the rows from one offset up to the end. A line feed
// ends a row unless it stands in quotes, that is behind an odd number of quotes:
// true of every file that can be read, and what cannot is found by who reads it.
func blocksOf(in io.ReaderAt, from, end int64) ([]block, error) {
	b := blockFinder{begin: from, at: from}
	text := make([]byte, min(window, end-from))
	for from < end {
		n := int(min(int64(len(text)), end-from))
		if err := table.ReadFull(in, text[:n], from); err != nil {
			return nil, fmt.Errorf("reading rows: %w", err)
		}
		b.add(text[:n])
		from += int64(n)
	}
	if b.last < end && end > b.begin { // a row without a line end
		b.rows++
	}
	if b.rows > 0 {
		b.done = append(b.done, b.block(end))
	}
	return b.done, nil
}

// A blockFinder counts rows.
type blockFinder struct {
	done   []block
	begin  int64 // of the block
	rows   int64 // of it so far
	last   int64 // where the row that goes on begins
	at     int64
	quoted bool
}

// block is the one whose rows end there. All before it are full.
func (b *blockFinder) block(end int64) block {
	return block{b.begin, end, int64(len(b.done)) * BlockRows, b.rows}
}

// add goes over the next bytes.
func (b *blockFinder) add(text []byte) {
	for len(text) > 0 {
		quote := bytes.IndexByte(text, '"')
		part := text
		if quote >= 0 {
			part = text[:quote]
		}
		if !b.quoted {
			b.lines(part)
		}
		b.at += int64(len(part))
		if text = text[len(part):]; quote >= 0 {
			b.quoted = !b.quoted
			b.at++
			text = text[1:]
		}
	}
}

// lines counts the line feeds of a part without quotes.
func (b *blockFinder) lines(part []byte) {
	at := b.at
	for n := int64(bytes.Count(part, newline)); n > 0; {
		if b.rows+n < BlockRows {
			b.rows += n
			b.last = at + int64(bytes.LastIndexByte(part, '\n')) + 1
			return
		}
		for ; b.rows < BlockRows; b.rows++ {
			feed := bytes.IndexByte(part, '\n') + 1
			part, at, n = part[feed:], at+int64(feed), n-1
		}
		b.done = append(b.done, b.block(at))
		b.begin, b.last, b.rows = at, at, 0
	}
}

var newline = []byte{'\n'}
