package arrow

import (
	"github.com/tacet-privacy/tacet/io/arrowraw/splice"
	"github.com/tacet-privacy/tacet/io/publish"
)

// writer starts the output: as a patch of the input where everything has room
// in its old place, else message by message.
func (a *File) writer(out publish.Output, output []*outputColumn) (*splice.Writer, error) {
	schema := a.schema(output)
	if own := a.patch(output); own != nil {
		if w, err := splice.NewPatch(out, a.raw, schema, own); w != nil || err != nil {
			return w, err
		}
	}
	return splice.NewWriter(out, a.raw, schema)
}

// patch returns the new dictionaries by id where all that changes is the
// private columns' indices and dictionaries: nothing is dropped, no dictionary
// is shared with a kept column, unused or in parts, no index is wider, and no
// null comes or goes.
func (a *File) patch(output []*outputColumn) map[int64]*splice.Batch {
	own := map[int64]*splice.Batch{}
	for i, c := range a.private {
		o := output[i]
		if c.dict == nil || o.null || o.field.Dict.ID != c.field.Dict.ID || !o.field.Dict.Index.Equal(c.field.Dict.Index) {
			return nil
		}
		if d, err := c.dict(); err != nil || d.null != nil {
			return nil
		}
		own[o.field.Dict.ID] = o.dictionary(a.raw.Version)
	}
	for _, role := range a.role {
		if role == dropped {
			return nil
		}
	}
	ids := a.keptDictionaries()
	seen := map[int64]bool{}
	for _, d := range a.raw.Dicts {
		if own[d.ID] == nil && !ids[d.ID] || own[d.ID] != nil && seen[d.ID] {
			return nil
		}
		seen[d.ID] = true
	}
	for id := range own {
		if !seen[id] {
			return nil
		}
	}
	return own
}
