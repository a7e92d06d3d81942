package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// SchemaID names the JSON Schema of job files.
const SchemaID = "https://github.com/tacet-privacy/tacet/docs/schema/job-v1.json"

// Schema is the JSON Schema (draft 2020-12) of a job file with these keys, by
// which editors complete and check one.
func Schema(keys []Key) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"$schema\": %q,\n  \"$id\": %q,\n  \"title\": \"Tacet job file\",\n  \"type\": \"object\",\n  \"additionalProperties\": false,\n  \"properties\": {\n",
		"https://json-schema.org/draft/2020-12/schema", SchemaID)
	for _, k := range keys {
		if err := member(&b, "    ", k.Name, k.oneOrMany(), ","); err != nil {
			return nil, err
		}
	}
	if err := columnsSchema(&b, keys); err != nil {
		return nil, err
	}
	b.WriteString("    \"about\": {\n      \"description\": \"what people say of the release; what is missing is reported as not stated\",\n" +
		"      \"type\": \"object\",\n      \"additionalProperties\": false,\n      \"properties\": {\n")
	names := aboutNames()
	for i, name := range names {
		comma := ","
		if i == len(names)-1 {
			comma = ""
		}
		if err := member(&b, "        ", name, []field{{"type", []string{"string", "number", "null"}}}, comma); err != nil {
			return nil, err
		}
	}
	b.WriteString("      }\n    }\n  }\n}\n")
	return b.Bytes(), nil
}

// A field is a keyword of a schema and its value; their order is kept.
type field struct {
	name  string
	value any
}

// columnsSchema is what stands under columns:.
func columnsSchema(b *bytes.Buffer, keys []Key) error {
	b.WriteString("    \"columns\": {\n      \"description\": \"several private columns, each with its own values of these keys; what one has not is that of the file\",\n" +
		"      \"type\": \"array\",\n      \"minItems\": 1,\n      \"items\": {\n        \"type\": \"object\",\n        \"additionalProperties\": false,\n" +
		"        \"required\": [\"name\"],\n        \"properties\": {\n")
	for _, k := range keys {
		if k.Many && k.Name != columnKey {
			if err := member(b, "          ", k.Name, k.schema(), ","); err != nil {
				return err
			}
		}
	}
	if err := member(b, "          ", nameKey, []field{{"description", "of the column"}, {"type", "string"}, {"minLength", 1}}, ""); err != nil {
		return err
	}
	b.WriteString("        }\n      }\n    },\n")
	return nil
}

// oneOrMany is what stands at the key: a value, or a list of them where one
// may be given for each private column.
func (k Key) oneOrMany() []field {
	one := k.schema()
	if !k.Many {
		return one
	}
	item := map[string]any{}
	for _, f := range one[1:] {
		item[f.name] = f.value
	}
	list := map[string]any{"type": "array", "minItems": 1, "items": item}
	if k.Name == columnKey {
		list["uniqueItems"] = true
	}
	return []field{one[0], {"anyOf", []any{item, list}}}
}

// schema is what a value of the key must be.
func (k Key) schema() []field {
	out := []field{{"description", k.Usage}}
	switch k.Kind {
	case Boolean:
		return append(out, field{"type", "boolean"})
	case Whole:
		return append(out, field{"type", "integer"})
	case Number:
		return append(out, field{"type", "number"})
	case Bound:
		return append(out, field{"type", []string{"number", "string"}})
	case Duration:
		return append(out, field{"type", "string"}, field{"pattern", `^-?([0-9.]+(ns|us|µs|ms|s|m|h))+$|^0$`})
	case List:
		return append(out, field{"type", "array"}, field{"items", map[string]any{"type": "string", "minLength": 1, "pattern": "^[^,]*$"}}, field{"uniqueItems", true})
	}
	if out = append(out, field{"type", "string"}); k.Choices != nil {
		out = append(out, field{"enum", k.Choices})
	}
	return out
}

// member writes a schema on one line.
func member(b *bytes.Buffer, indent, name string, fields []field, comma string) error {
	var parts []string
	for _, f := range fields {
		var v bytes.Buffer
		e := json.NewEncoder(&v)
		e.SetEscapeHTML(false)
		if err := e.Encode(f.value); err != nil {
			return err
		}
		parts = append(parts, fmt.Sprintf("%q: %s", f.name, bytes.TrimSpace(v.Bytes())))
	}
	_, err := fmt.Fprintf(b, "%s%q: {%s}%s\n", indent, name, strings.Join(parts, ", "), comma)
	return err
}
