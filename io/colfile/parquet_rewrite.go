package colfile

import (
	"context"

	"github.com/tacet-privacy/tacet/io/publish"
)

// Rewrite is not there yet.
func (p *parquetFile) Rewrite(ctx context.Context, out publish.Output, in, to []*Alphabet, f func(Batch) error) error {
	return inputErrorf("", "parquet: not yet")
}
