package splice

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	arrowsplice "github.com/tacet-privacy/tacet/io/arrow/splice"
)

// arrowSchemaKey is the file metadata by which Arrow's readers find types that
// Parquet does not have: large strings, dictionaries, time zones.
const arrowSchemaKey = "ARROW:schema"

// arrowSchema makes the Arrow schema of the output from that of the input.
// Copied columns keep all that is said of them, a Fresh one its type unless it
// became text and nothing else; metadata of the schema goes unless its key is
// kept. ok is false where the schema cannot be read or is not of these
// columns: then readers go by the Parquet types.
func (s *Layout) arrowSchema(encoded []byte) (_ string, ok bool) {
	old, err := parseArrowSchema(encoded)
	if err != nil || len(old.Fields) != len(s.footer.Columns) {
		return "", false
	}
	schema := &batch.Schema{Features: old.Features}
	for _, said := range old.Metadata {
		if slices.Contains(s.changes.Keys, said.Key) {
			schema.Metadata = append(schema.Metadata, said)
		}
	}
	for i, field := range old.Fields {
		c := &s.footer.Columns[i]
		if field.Name != c.Name {
			return "", false
		}
		if slices.Contains(s.changes.Drop, i) {
			continue
		}
		if k := s.fresh[c.Leaf]; c.Flat && k >= 0 {
			if len(field.Children) > 0 {
				return "", false
			}
			field = freshField(field, s.changes.Fresh[k].Text)
		}
		schema.Fields = append(schema.Fields, field)
	}
	return formatArrowSchema(schema), true
}

// freshField is the field of a column written anew: what is said of it beside
// its type may be about its old values, such as those of an enumeration.
func freshField(old batch.Field, isText bool) batch.Field {
	fresh := batch.Field{Name: old.Name, Nullable: old.Nullable,
		Type: batch.Type{Code: old.Type.Code, Num: old.Type.Num, Zone: old.Type.Zone}}
	switch {
	case isText:
		fresh.Type = batch.Type{Code: batch.Utf8}
	case old.Dict != nil:
		fresh.Dict = old.Dict
	}
	return fresh
}

// parseArrowSchema reads an IPC message in base64.
func parseArrowSchema(encoded []byte) (_ *batch.Schema, err error) {
	defer batch.Guard("reading the Arrow schema", &err)
	message, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(encoded), "="))
	if err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(message) == batch.Continuation {
		message = message[4:]
	}
	m := batch.Root(message[4:][:binary.LittleEndian.Uint32(message)])
	schema, ok := m.Sub(2)
	if !ok || m.Byte(1) != batch.KindSchema || m.Int64(3) != 0 {
		return nil, batch.Errorf("no message with a schema alone")
	}
	return batch.ReadSchema(schema)
}

func formatArrowSchema(schema *batch.Schema) string {
	return base64.StdEncoding.EncodeToString(arrowsplice.SchemaMessage(schema))
}
