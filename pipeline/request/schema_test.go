package request

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// The JSON Schema of job files (draft 2020-12), by which editors complete and check one.
const (
	schemaFile = "../../docs/schema/job-v1.json"
	schemaID   = "https://github.com/tacet-privacy/tacet/docs/schema/job-v1.json"
)

type object = map[string]any

// schemaOf is the schema of a job file with these keys.
func schemaOf(keys []*Option) object {
	all, own, about := object{}, object{}, object{}
	for _, k := range keys {
		one := member(k)
		all[k.Name] = one
		if k.Each == "" {
			continue
		}
		list := object{"type": "array", "minItems": 1, "items": maps.Clone(one)}
		if k.Name == columnKey {
			list["uniqueItems"] = true
		} else {
			own[k.Name] = one
		}
		all[k.Name] = object{"description": k.Usage, "anyOf": []any{one, list}}
	}
	own[nameKey] = object{"description": "name of the column", "type": "string", "minLength": 1}
	for _, name := range aboutNames() {
		about[name] = object{"type": []string{"string", "number", "null"}}
	}
	all[columnsKey] = object{
		"description": "several private columns, each with its own values of these keys; what one has not is that of the " +
			"file",
		"type": "array", "minItems": 1,
		"items": object{"type": "object", "additionalProperties": false, "required": []string{nameKey}, "properties": own},
	}
	all[aboutKey] = object{"description": "what people say of the release; what is missing is reported as not stated",
		"type": "object", "additionalProperties": false, "properties": about}
	return object{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": schemaID, "title": "Tacet job file",
		"type": "object", "additionalProperties": false, "properties": all}
}

// member is what a value of the key must be.
func member(k *Option) object {
	m := object{"description": strings.ReplaceAll(k.Usage, "`", ""), "type": "string"}
	switch k.Kind {
	case Switch:
		m["type"] = "boolean"
	case Whole:
		m["type"] = "integer"
	case Number:
		m["type"] = "number"
	case Bound:
		m["type"] = []string{"number", "string"}
	case Duration:
		m["pattern"] = `^-?([0-9.]+(ns|us|µs|ms|s|m|h))+$|^0$`
	case Names:
		m["type"], m["uniqueItems"], m["items"] = "array", true, object{"type": "string", "minLength": 1}
	default:
		if k.Choices != nil {
			m["enum"] = k.Choices
		}
	}
	return m
}

func written(t *testing.T, keys []*Option) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(schemaOf(keys)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compiled(t *testing.T, data []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schemaID, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(schemaID)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchema holds schema and parser together: each takes what the other does.
func TestSchema(t *testing.T) {
	s := compiled(t, written(t, keys))
	for _, text := range []string{complete, "epsilon: 1\n", "epsilom: 1\n", "about: {ownr: x}\n", "about: me\n",
		"input: 2024\n", "null: maybe\n", "epsilon: true\n",
		"floor-rank: 1.5\n", "floor-rank: \"1\"\n", "floor-value: low\n", "keep: a\n", "keep: [3]\n", "keep: [\"b,c\"]\n",
		"keep: [a, a]\n", "overwrite: yes\n",
		"overwrite: True\n", "solve-time: 90\n", "solve-time: soon\n", "input: [a]\n", "about: {owner: [a]}\n",
		"floor-value: 3\n", "solve-time: 1m30s\n"} {
		// As editors read it: keys, and dates, are text.
		plain := strings.NewReplacer("null:", "'null':", "2026-11-21", "'2026-11-21'").Replace(text)
		agree(t, s, keys, text, plain)
	}
}

// TestSchemaFile holds the schema that is shipped to the options there are; with
// TACET_UPDATE=1 it writes it.
func TestSchemaFile(t *testing.T) {
	want := written(t, Keys())
	if os.Getenv("TACET_UPDATE") == "1" {
		if err := os.WriteFile(schemaFile, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not that of the options; TACET_UPDATE=1 go test -run TestSchemaFile ./pipeline/request writes it",
			schemaFile)
	}
	page, err := os.ReadFile("../../docs/jobfile.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```yaml file=job.yaml\n")
	example, _, ok := strings.Cut(example, "```")
	if !ok {
		t.Fatal("docs/jobfile.md shows no job.yaml")
	}
	s := compiled(t, got)
	for _, text := range []string{example, strings.Replace(example, "epsilon:", "epsilom:", 1),
		strings.Replace(example, "owner:", "ownr:", 1),
		strings.Replace(example, "drop: [", "drop: [3, ", 1), example + "floor-rank: best\n", example +
			"overwrite: \"yes\"\n",
		example + "test-seed: 1\n", example + "config: other.yaml\n"} {
		if valid := agree(t, s, Keys(), text, text); valid != (text == example) {
			t.Errorf("taken is %v:\n%s", valid, text)
		}
	}
}

// agree holds schema and parser to one opinion of a text, which is returned.
func agree(t *testing.T, s *jsonschema.Schema, keys []*Option, text, plain string) bool {
	t.Helper()
	var v object
	if err := yaml.Load([]byte(plain), &v); err != nil {
		t.Fatal(err)
	}
	valid := s.Validate(any(v))
	_, parsed := Parse("job.yaml", []byte(text), keys)
	if (valid == nil) != (parsed == nil) {
		t.Errorf("%.30q: the schema says %v, the parser %v", text, valid, parsed)
	}
	return parsed == nil
}
