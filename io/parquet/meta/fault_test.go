package meta

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestInChunk(t *testing.T) {
	for _, c := range []struct {
		err        error
		what, hint string
	}{
		{Damaged("%d pages", 3), `column "a", row group 1: the Parquet file is damaged: 3 pages`, ""},
		{Unsupported("write it again", "encoding %d", 9), `column "a", row group 1: encoding 9`, "write it again"},
		{fmt.Errorf("while reading: %w", Unsupported("", "this")), `column "a", row group 1: this`, ""},
	} {
		var f *Error
		if err := InChunk(c.err, "a", 1); !errors.As(err, &f) || f.What != c.what || f.Hint != c.hint ||
			err.Error() != c.what {
			t.Errorf("%v became %v", c.err, err)
		}
	}
	var f *Error
	if err := InChunk(io.ErrClosedPipe, "a", 1); errors.As(err, &f) || !errors.Is(err, io.ErrClosedPipe) ||
		err.Error() != `column "a", row group 1: `+io.ErrClosedPipe.Error() {
		t.Errorf("a failure to read became %v", err)
	}
}
