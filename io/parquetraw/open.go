package parquetraw

import (
	"io"

	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/page"
)

// OpenValues begins the chunk of a leaf whose values may be any and many: see
// page.Chunk.Loose. The leaf must be flat.
func (f *Footer) OpenValues(r io.ReaderAt, group, leaf int) (*page.Reader, error) {
	if err := f.CheckValues(group, leaf); err != nil {
		return nil, err
	}
	c := f.chunk(group, leaf)
	c.Loose = true
	return page.Open(r, c), nil
}

// OpenChunk begins the chunk of a leaf in a row group, both counted from 0.
// The leaf must be flat: at the top level and not repeated.
func (f *Footer) OpenChunk(r io.ReaderAt, group, leaf int) (*page.Reader, error) {
	if err := f.CheckChunk(group, leaf); err != nil {
		return nil, err
	}
	return page.Open(r, f.chunk(group, leaf)), nil
}

func (f *Footer) chunk(group, leaf int) page.Chunk {
	l, c := &f.Leaves[leaf], &f.Groups[group].Chunks[leaf]
	return page.Chunk{
		Column: l.Name(), Group: group, Start: c.Start, Size: c.Size, Values: c.Values,
		Codec: c.Codec, Physical: l.Physical, Width: int(l.Length), Optional: l.Repetition == format.Optional,
	}
}
