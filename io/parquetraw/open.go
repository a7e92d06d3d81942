package parquetraw

import (
	"io"

	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/page"
)

// OpenChunk begins the chunk of a leaf in a row group, both counted from 0.
// The leaf must be flat: at the top level and not repeated.
func (f *Footer) OpenChunk(r io.ReaderAt, group, leaf int) (*page.Reader, error) {
	l, c := &f.Leaves[leaf], &f.Groups[group].Chunks[leaf]
	if err := f.CheckChunk(group, leaf); err != nil {
		return nil, err
	}
	return page.Open(r, page.Chunk{
		Column: l.Name(), Group: group, Start: c.Start, Size: c.Size, Values: c.Values,
		Codec: c.Codec, Physical: l.Physical, Optional: l.Repetition == format.Optional,
	}), nil
}
