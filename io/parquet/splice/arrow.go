package splice

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	arrowio "github.com/tacet-privacy/tacet/io/arrow"
	"github.com/tacet-privacy/tacet/io/table"
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
	message, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(encoded), "="))
	if err != nil {
		return "", false
	}
	old, err := arrowio.ReadSchema(message)
	if err != nil || old.NumFields() != len(s.footer.Columns) {
		return "", false
	}
	var keys, values []string
	said := old.Metadata()
	for i, key := range said.Keys() {
		if slices.Contains(s.changes.Keys, key) {
			keys, values = append(keys, key), append(values, said.Values()[i])
		}
	}
	var fields []arrow.Field
	for i, field := range old.Fields() {
		c := &s.footer.Columns[i]
		if field.Name != c.Name {
			return "", false
		}
		k := s.changes.Role[i]
		if k == table.Dropped {
			continue
		}
		if k >= 0 {
			if field, ok = freshField(field, s.changes.Fresh[k].Text); !ok {
				return "", false
			}
		}
		fields = append(fields, field)
	}
	about := arrow.NewMetadata(keys, values)
	out, err := arrowio.SchemaMessage(arrow.NewSchema(fields, &about))
	return base64.StdEncoding.EncodeToString(out), err == nil
}

// freshField is the field of a column written anew: what is said of it beside its type may
// be about its old values, such as those of an enumeration. ok is false where it has
// columns below it.
func freshField(old arrow.Field, isText bool) (fresh arrow.Field, ok bool) {
	fresh = arrow.Field{Name: old.Name, Nullable: old.Nullable, Type: old.Type}
	if e, ok := fresh.Type.(arrow.ExtensionType); ok {
		fresh.Type = e.StorageType()
	}
	values := fresh.Type
	if d, ok := values.(*arrow.DictionaryType); ok {
		values = d.ValueType
	}
	_, nested := values.(arrow.NestedType)
	if isText {
		fresh.Type = arrow.BinaryTypes.String
	}
	return fresh, !nested
}
