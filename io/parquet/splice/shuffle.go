package splice

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

// cellBytes is the size of a value of parquet-go.
const cellBytes = 24

// Shuffled writes all rows anew, by parquet-go: row groups, pages and dictionaries
// come from the rows in their new order, and there are no statistics. Schema and
// metadata of the file stay as they are, field for field.
func (p *File) Shuffled(ctx context.Context, order []uint32, most int64) (_ table.Input, err error) {
	defer table.Guard(decoding, &err)
	if err := p.mayShuffle(most); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(p.in, p.in.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, p.notShuffled(err)
	}
	rows, err := p.readRows(ctx, file)
	if err != nil {
		return nil, err
	}
	if len(rows) != len(order) {
		return nil, table.Errorf("write no file while it is read", "the file has changed")
	}
	out := bytes.NewBuffer(make([]byte, 0, p.in.Size()))
	w := parquet.NewWriter(out, file.Schema(), parquet.CreatedBy("", "", ""))
	next := make([]parquet.Row, 0, 512)
	write := func() error {
		_, err := w.WriteRows(next)
		next = next[:0]
		return err
	}
	for place, row := range order {
		if next = append(next, rows[row]); len(next) == cap(next) || (place+1)%table.ShuffledRows == 0 ||
			place+1 == len(order) {
			if err := errors.Join(ctx.Err(), write()); err != nil {
				return nil, p.notShuffled(err)
			}
		}
		if (place+1)%table.ShuffledRows == 0 {
			if err := w.Flush(); err != nil {
				return nil, p.notShuffled(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, p.notShuffled(err)
	}
	return p.withFooter(out.Bytes())
}

// mayShuffle refuses what parquet-go does not read or write as it is.
func (p *File) mayShuffle(most int64) error {
	need := 2*p.in.Size() + p.footer.Rows*cellBytes
	for group := range p.footer.Groups {
		for leaf := range p.footer.Leaves {
			c := &p.footer.Groups[group].Chunks[leaf]
			need += c.UncompressedSize + c.Values*cellBytes
			// parquet-go 0.32 decodes runs of booleans wrongly where a run is no multiple of eight.
			if plain := c.Encodings>>format.Plain&1 == 1; c.Physical == format.Boolean && !plain && c.Values > 0 {
				return table.Errorf("leave it out with --drop, or write the file again with plain booleans",
					"column %q holds booleans in runs, which --shuffle does not read", p.footer.Leaves[leaf].Name())
			}
		}
	}
	return table.Fits(need, most)
}

// notShuffled is what parquet-go could not do. Its text may quote data.
func (p *File) notShuffled(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &table.InputError{What: "its rows cannot be read or written one by one by parquet-go, as --shuffle does",
		Hint: "shuffle the file with another program first", Err: err}
}

// readRows reads all rows, values beside each other in a few large slices.
func (p *File) readRows(ctx context.Context, file *parquet.File) ([]parquet.Row, error) {
	all := make([]parquet.Row, 0, p.footer.Rows)
	block := make([]parquet.Row, 256)
	var values []parquet.Value
	var text []byte
	for _, g := range file.RowGroups() {
		rows := g.Rows()
		for {
			n, err := rows.ReadRows(block)
			for _, row := range block[:n] {
				if cap(values)-len(values) < len(row) {
					values = make([]parquet.Value, 0, max(1<<16, len(row)))
				}
				from := len(values)
				for _, v := range row {
					if k := v.Kind(); !v.IsNull() && (k == parquet.ByteArray || k == parquet.FixedLenByteArray) {
						var b []byte
						if b, text = copied(text, v.ByteArray()); k == parquet.ByteArray {
							v = parquet.ByteArrayValue(b).Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
						} else {
							v = parquet.FixedLenByteArrayValue(b).Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
						}
					}
					values = append(values, v)
				}
				all = append(all, values[from:len(values):len(values)])
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err = errors.Join(err, ctx.Err()); err != nil {
				rows.Close()
				return nil, p.notShuffled(err)
			}
		}
		if err := rows.Close(); err != nil {
			return nil, p.notShuffled(err)
		}
	}
	return all, nil
}

// copied is b as it stands in a large slice, which is made anew where it is full.
func copied(text, b []byte) (own, rest []byte) {
	if cap(text)-len(text) < len(b) {
		text = make([]byte, 0, max(1<<20, len(b)))
	}
	from := len(text)
	text = append(text, b...)
	return text[from:len(text):len(text)], text
}

// withFooter gives what parquet-go wrote the footer of the file, but for its row
// groups: what parquet-go does not know of a schema stays.
func (p *File) withFooter(written []byte) (table.Input, error) {
	fresh, err := meta.ReadFooter(bytes.NewReader(written), int64(len(written)))
	if err != nil {
		return nil, p.notShuffled(err)
	}
	same := len(fresh.Leaves) == len(p.footer.Leaves) && fresh.Rows == p.footer.Rows
	for i := range fresh.Leaves {
		a, b := &fresh.Leaves[i], &p.footer.Leaves[min(i, len(p.footer.Leaves)-1)]
		if same && (!slices.Equal(a.Path, b.Path) || a.Repetition != b.Repetition || a.Physical != b.Physical ||
			a.Physical == format.FixedLenByteArray && a.Length != b.Length) {
			return nil, table.Errorf("leave it out with --drop, or shuffle the file with another program first",
				"column %q is of a type that --shuffle cannot write", b.Name())
		}
	}
	if !same {
		return nil, p.notShuffled(nil)
	}
	footer := p.footer.Meta.View()
	groups := fresh.Meta.Get(meta.MetaGroups)
	for g := range groups.Len() {
		chunks := groups.At(g).Get(meta.GroupChunks)
		for i := range chunks.Len() {
			chunks.At(i).Get(meta.ChunkMeta).Delete(meta.ColumnStatistics)
		}
	}
	footer.Set(meta.MetaGroups, groups)
	b := footer.Encode(written[:fresh.Start:fresh.Start])
	b = binary.LittleEndian.AppendUint32(b, uint32(int64(len(b))-fresh.Start))
	return table.InMemory(append(b, meta.Magic...)), nil
}
