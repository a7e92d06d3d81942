package splice

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// arrowSchemaKey is the file metadata by which Arrow's readers find types that
// Parquet does not have: large strings, dictionaries, time zones.
const arrowSchemaKey = "ARROW:schema"

// arrowSchema makes the Arrow schema of the output from that of the input.
// Types stay, also that of a Fresh column unless it became text; free metadata
// goes unless its key is kept. ok is false where the schema cannot be read or
// is not of these columns: then readers go by the Parquet types.
func (s *Layout) arrowSchema(encoded []byte) (_ string, ok bool) {
	defer func() {
		if recover() != nil { // the library, on a schema that is none
			ok = false
		}
	}()
	old, err := parseArrowSchema(encoded)
	if err != nil || old.NumFields() != len(s.footer.Columns) {
		return "", false
	}
	var fields []arrow.Field
	for i, field := range old.Fields() {
		c := &s.footer.Columns[i]
		if field.Name != c.Name {
			return "", false
		}
		if slices.Contains(s.changes.Drop, i) {
			continue
		}
		if field, ok = bareField(field); !ok {
			return "", false
		}
		if k := s.fresh[c.Leaf]; c.Flat && k >= 0 {
			field.Metadata = arrow.Metadata{}
			if s.changes.Fresh[k].Text {
				field.Type = arrow.BinaryTypes.String
			}
		}
		fields = append(fields, field)
	}
	kept := pickMetadata(old.Metadata(), s.changes.Keys)
	return formatArrowSchema(arrow.NewSchema(fields, &kept))
}

// parseArrowSchema reads an IPC message in base64. Its lengths are checked
// first, since the library would allocate whatever they say. It may panic.
func parseArrowSchema(encoded []byte) (*arrow.Schema, error) {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(encoded), "="))
	if err != nil {
		return nil, err
	}
	message := raw
	if bytes.HasPrefix(raw, []byte{0xff, 0xff, 0xff, 0xff}) {
		message = raw[4:]
	}
	if len(message) < 8 || uint64(binary.LittleEndian.Uint32(message)) > uint64(len(message)-4) {
		return nil, io.ErrUnexpectedEOF
	}
	checkArrowSchema(message[4:][:binary.LittleEndian.Uint32(message)])
	r, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(bytes.NewReader(raw)))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return r.Schema(), nil
}

func formatArrowSchema(schema *arrow.Schema) (string, bool) {
	var b bytes.Buffer
	if err := ipc.NewWriter(&b, ipc.WithSchema(schema)).Close(); err != nil {
		return "", false
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), true
}

// bareField strips free metadata from a field and those below it. Extension
// types are named in metadata, so that much stays.
func bareField(f arrow.Field) (arrow.Field, bool) {
	f.Metadata = pickMetadata(f.Metadata, []string{"ARROW:extension:name", "ARROW:extension:metadata"})
	var ok bool
	f.Type, ok = bareType(f.Type)
	return f, ok
}

func bareType(t arrow.DataType) (arrow.DataType, bool) {
	if e, isExtension := t.(arrow.ExtensionType); isExtension { // it calls itself nested, whatever it is stored as
		storage, ok := bareType(e.StorageType())
		if !ok {
			return nil, false
		}
		bare, err := e.Deserialize(storage, e.Serialize())
		return bare, err == nil
	}
	nested, isNested := t.(arrow.NestedType)
	if !isNested {
		return t, true
	}
	var below []arrow.Field
	for _, f := range nested.Fields() {
		bare, ok := bareField(f)
		if !ok {
			return nil, false
		}
		below = append(below, bare)
	}
	switch t := t.(type) {
	case *arrow.StructType:
		return arrow.StructOf(below...), true
	case *arrow.ListType:
		return arrow.ListOfField(below[0]), true
	case *arrow.LargeListType:
		return arrow.LargeListOfField(below[0]), true
	case *arrow.ListViewType:
		return arrow.ListViewOfField(below[0]), true
	case *arrow.LargeListViewType:
		return arrow.LargeListViewOfField(below[0]), true
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), below[0]), true
	case *arrow.MapType:
		entry, ok := below[0].Type.(*arrow.StructType)
		if !ok || entry.NumFields() != 2 {
			return nil, false
		}
		m := arrow.MapOfFields(entry.Field(0), entry.Field(1))
		m.KeysSorted = t.KeysSorted
		return m, true
	}
	return nil, false
}

func pickMetadata(m arrow.Metadata, keys []string) arrow.Metadata {
	picked := map[string]string{}
	for _, key := range keys {
		if v, ok := m.GetValue(key); ok {
			picked[key] = v
		}
	}
	return arrow.MetadataFrom(picked)
}
