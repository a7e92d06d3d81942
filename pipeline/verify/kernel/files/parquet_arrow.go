package files

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// arrowSchemaKey is the key of the schema that Arrow's readers use.
const arrowSchemaKey = "ARROW:schema"

// scanArrowSchema looks at the metadata in the schema that Arrow's readers
// use. What it says of kept columns is theirs.
func (p *parquetFile) scanArrowSchema(out *Faults, encoded string, keep []string) {
	schema, err := p.parseArrowSchema(encoded)
	if err != nil {
		out.Addf("ARROW:schema cannot be decoded")
		return
	}
	for _, key := range schema.Metadata().Keys() {
		if !slices.Contains(keep, key) {
			out.Addf("ARROW:schema holds metadata that was not asked for")
		}
	}
	if !slices.EqualFunc(schema.Fields(), p.name, func(f arrow.Field, name string) bool { return f.Name == name }) {
		out.Addf("ARROW:schema is of other columns")
		return
	}
	f := schema.Field(p.at)
	_, extends := f.Type.(arrow.ExtensionType)
	_, nested := f.Type.(arrow.NestedType)
	if f.HasMetadata() || extends || nested {
		out.Addf("ARROW:schema holds metadata of column %d", p.at+1)
	}
}

// sameFields reports whether ARROW:schema says of the columns but those redrawn what the
// input's does. A run may leave it out and makes none.
func (p *parquetFile) sameFields(q *parquetFile, redrawn []string) bool {
	theirs := q.arrowSchemas()
	for _, f := range p.arrowSchemas() {
		j := slices.IndexFunc(theirs, func(g arrow.Field) bool { return g.Name == f.Name })
		if !slices.Contains(redrawn, f.Name) && (j < 0 || !sameField(f, theirs[j])) {
			return false
		}
	}
	return true
}

// arrowSchemas are the columns of ARROW:schema, which may stand more than once.
func (p *parquetFile) arrowSchemas() (all []arrow.Field) {
	for _, pair := range p.footer.Pairs {
		if pair.Key != arrowSchemaKey {
			continue
		}
		if schema, err := p.parseArrowSchema(pair.Value.V); err == nil {
			all = append(all, schema.Fields()...)
		}
	}
	return all
}

// parseArrowSchema reads a message in base64 that holds a schema, and nothing else.
func (p *parquetFile) parseArrowSchema(encoded string) (*arrow.Schema, error) {
	message, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		return nil, err
	}
	return p.lengths.Schema(message)
}
