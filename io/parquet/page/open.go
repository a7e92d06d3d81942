package page

import (
	"io"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// OpenValues begins the chunk of a leaf whose values may be any and many: see
// Chunk.Loose. The leaf must be flat.
func OpenValues(f *meta.Footer, r io.ReaderAt, group, leaf int) (*Reader, error) {
	if err := f.CheckValues(group, leaf); err != nil {
		return nil, err
	}
	c := chunkOf(f, group, leaf)
	c.Loose = true
	return Open(r, c), nil
}

// OpenChunk begins the chunk of a leaf in a row group, both counted from 0.
// The leaf must be flat: at the top level and not repeated.
func OpenChunk(f *meta.Footer, r io.ReaderAt, group, leaf int) (*Reader, error) {
	if err := f.CheckChunk(group, leaf); err != nil {
		return nil, err
	}
	return Open(r, chunkOf(f, group, leaf)), nil
}

func chunkOf(f *meta.Footer, group, leaf int) Chunk {
	l, c := &f.Leaves[leaf], &f.Groups[group].Chunks[leaf]
	return Chunk{
		Column: l.Name(), Group: group, Start: c.Start, Size: c.Size, Values: c.Values,
		Codec: c.Codec, Physical: l.Physical, Width: int(l.Length), Optional: l.Repetition == meta.Optional,
	}
}

// CheckKept looks at a top-level column that will be copied as it stands, and
// refuses what its readers would stumble over: a footer that is damaged where
// the copy takes its word for it. Values are decoded as far as the first page of
// every chunk.
func CheckKept(f *meta.Footer, r io.ReaderAt, column int) error {
	c := &f.Columns[column]
	levels, err := f.CheckSchema(c)
	if err != nil {
		return err
	}
	for group, chunks := range f.Chunks() {
		for i := range c.Leaves {
			leaf := c.Leaf + i
			if err := f.CheckMeta(chunks, group, leaf); err != nil {
				return err
			}
			chunk := chunkOf(f, group, leaf)
			chunk.First = f.Groups[group].Chunks[leaf].DataPage
			if err := Try(r, chunk, levels[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
