package cells

import (
	"bytes"
	"io"
)

// A storedTypes file has another footer in its place.
type storedTypes struct {
	io.ReaderAt
	footer []byte
	at     int64
}

// asStored hides from the library what makes columns those of an extension
// type, a key in the footer that is at end: it reads all by the types they are
// stored as. Runs drop that key, and a uuid and its 16 bytes are one value.
func asStored(in io.ReaderAt, footer []byte, end int64) io.ReaderAt {
	const key = "ARROW:extension:name"
	return storedTypes{in, bytes.ReplaceAll(footer, []byte(key), bytes.ToLower([]byte(key))), end}
}

func (f storedTypes) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.ReaderAt.ReadAt(b, at)
	from, to := max(at, f.at), min(at+int64(n), f.at+int64(len(f.footer)))
	if from < to {
		copy(b[from-at:to-at], f.footer[from-f.at:])
	}
	return n, err
}
