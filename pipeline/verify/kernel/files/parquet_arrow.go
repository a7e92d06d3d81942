package files

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// arrowSchemaKey is the key of the schema that Arrow's readers use.
const arrowSchemaKey = "ARROW:schema"

// scanArrowSchema looks at the metadata in the schema that Arrow's readers
// use. What it says of kept columns is theirs.
func (p *parquetFile) scanArrowSchema(out *Faults, encoded []byte, keep []string) {
	schema, err := parseArrowSchema(encoded)
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
	theirs := slices.Concat(q.arrowSchemas()...)
	for _, f := range slices.Concat(p.arrowSchemas()...) {
		j := slices.IndexFunc(theirs, func(g arrow.Field) bool { return g.Name == f.Name })
		if !slices.Contains(redrawn, f.Name) && (j < 0 || !sameField(f, theirs[j])) {
			return false
		}
	}
	return true
}

// arrowSchemas are the columns of ARROW:schema, which may stand more than once.
func (p *parquetFile) arrowSchemas() (all [][]arrow.Field) {
	for _, e := range p.footer.items(5) {
		if key := e.get(1); key == nil || string(key.text) != arrowSchemaKey || e.get(2) == nil {
			continue
		}
		if schema, err := parseArrowSchema(e.get(2).text); err == nil {
			all = append(all, schema.Fields())
		}
	}
	return all
}

// parseArrowSchema reads a message in base64 that holds a schema, and nothing else.
func parseArrowSchema(encoded []byte) (_ *arrow.Schema, err error) {
	defer guard(&err, "cannot be decoded")
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(encoded), "="))
	if err != nil {
		return nil, err
	}
	framed := raw
	if binary.LittleEndian.Uint32(raw) == math.MaxUint32 {
		framed = raw[4:]
	}
	message := root(framed[4:][:binary.LittleEndian.Uint32(framed)])
	if message.word(3, 8) != 0 {
		return nil, errorf("holds a body")
	}
	left := maxFields
	message.pairs(4, &left)
	message.sub(2).pairs(2, &left)
	message.sub(2).soundFields(1, 0, &left, inBatch, map[int64]need{})
	r, err := ipc.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, errorf("cannot be decoded")
	}
	return r.Schema(), nil
}
