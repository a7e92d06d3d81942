package files

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// arrowSchemaKey is the key of the schema that Arrow's readers use.
const arrowSchemaKey = "ARROW:schema"

// scanArrowSchema looks at the metadata in the schema that Arrow's readers
// use. What it says of kept columns is theirs.
func (p *parquetFile) scanArrowSchema(out *problems, encoded []byte, keep []string) {
	schema, fields, err := parseArrowSchema(encoded)
	switch {
	case err != nil:
		out.addf("ARROW:schema cannot be decoded")
	case slices.ContainsFunc(schema, func(said pair) bool { return !slices.Contains(keep, said.key) }):
		out.addf("ARROW:schema holds metadata that was not asked for")
	case !slices.EqualFunc(fields, p.name, func(f arrowField, name string) bool { return f.name == name }):
		out.addf("ARROW:schema is of other columns")
	case len(fields[p.at].said()) > 0:
		out.addf("ARROW:schema holds metadata of column %d", p.at+1)
	}
}

// otherFields names the columns but those redrawn of which ARROW:schema says
// something else than the input's does. A run may leave it out and makes none.
func (p *parquetFile) otherFields(q *parquetFile, redrawn []string) (differ []string) {
	theirs := q.arrowFields()
	for _, f := range p.arrowFields() {
		j := slices.IndexFunc(theirs, func(g arrowField) bool { return g.name == f.name })
		if f.name != p.name[p.at] && !slices.Contains(redrawn, f.name) && (j < 0 || !f.same(&theirs[j])) {
			differ = append(differ, f.name)
		}
	}
	return differ
}

// arrowFields are the columns of ARROW:schema, which may stand more than once.
func (p *parquetFile) arrowFields() (all []arrowField) {
	for _, e := range p.footer.items(5) {
		if e.name(1) == arrowSchemaKey && e.get(2) != nil {
			if _, fields, err := parseArrowSchema(e.get(2).text); err == nil {
				all = append(all, fields...)
			}
		}
	}
	return all
}

// parseArrowSchema reads a message in base64 that holds a schema: what is said
// of the file, and its columns.
func parseArrowSchema(encoded []byte) (said []pair, fields []arrowField, err error) {
	defer guard(&err, "cannot be decoded")
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(encoded), "="))
	if err != nil {
		return nil, nil, err
	}
	if binary.LittleEndian.Uint32(raw) == math.MaxUint32 {
		raw = raw[4:]
	}
	message := root(raw[4:][:binary.LittleEndian.Uint32(raw)])
	if message.word(3, 8, 0) != 0 {
		return nil, nil, errorf("holds a body")
	}
	schema := message.sub(2)
	return schema.pairs(2), arrowFields(schema), nil
}
