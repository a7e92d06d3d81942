package request

import (
	"reflect"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/tacet-privacy/tacet/pipeline/key"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Decimals are passed on as they are written, so only one way to write them
// is taken: 0x10, 1_000, 0o17 and .inf are not.
var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// forms are the types of YAML that kinds of options take, and what to say of others. All other kinds
// take text.
var forms = map[Kind]struct{ types, what, example string }{
	Text:     {"!!str", "text", `"..." with the quotes`},
	Switch:   {"!!bool", "true or false", "true"},
	Whole:    {"!!int", "a whole number", "10"},
	Number:   {"!!int !!float", "a number", "1.5"},
	Bound:    {"!!int !!float !!str", "a number, or a fraction in quotes", `1.5, or "7/3"`},
	Duration: {"!!str", "a time with its unit", "90s"},
}

// value is the text of a value as the flag takes it.
func (p *parser) value(k *Option, at, v *yaml.Node) (string, error) {
	switch {
	case v.Kind == yaml.ScalarNode && v.Tag == "!!null":
		return "", p.errorf(at, "write a value, or remove the line", "%s has no value", k.Name)
	case k.Kind == Names:
		return p.list(k, v)
	case v.Kind != yaml.ScalarNode:
		return "", p.errorf(v, "write the value on the line of the key", "%s must be one value", k.Name)
	case k.Kind == Secret && key.LooksSecret(v.Value):
		return "", p.errorf(v, "make a new key, whose text nobody has seen, and give the path of its file",
			"%s is a key itself, which must not stand in a job file", k.Name)
	}
	form, ok := forms[k.Kind]
	if !ok {
		form = forms[Text]
	}
	_, wrong := k.Parse(v.Value)
	number := v.Tag == "!!int" || v.Tag == "!!float"
	switch {
	case !has(form.types, v.Tag) || number && !decimal.MatchString(v.Value) || wrong != nil && k.Kind == Duration:
		return "", p.errorf(v, "write "+k.Name+": "+form.example, "%s must be %s", k.Name, form.what)
	case wrong != nil && k.Choices != nil:
		return "", p.errorf(v, wrong.Hint, "%s has an unknown value", k.Name)
	}
	return v.Value, nil
}

// list joins a sequence of names as flags have them.
func (p *parser) list(k *Option, v *yaml.Node) (string, error) {
	if v.Kind != yaml.SequenceNode {
		return "", p.errorf(v, "write "+k.Name+": [a, b]", "%s must be a list", k.Name)
	}
	var items []string
	for _, c := range v.Content {
		switch {
		case c.Kind != yaml.ScalarNode || c.Tag != "!!str" || c.Value == "":
			return "", p.errorf(c, "write each name in quotes", "%s must be a list of texts", k.Name)
		case slices.Contains(items, c.Value):
			return "", p.errorf(c, "leave one of them out", "%s has a name twice", k.Name)
		}
		items = append(items, c.Value)
	}
	return report.NameList(items), nil
}

// about fills in what people say, to all and inside; nothing said is left empty.
func (p *parser) about(v *yaml.Node, f *File) error {
	if v.Kind != yaml.MappingNode {
		return p.errorf(v, "write about: and below it, indented, a line for each field", "about must be a list of fields")
	}
	f.About, f.Inside = &report.About{}, &report.Inside{}
	err := p.members(v, aboutNames(), func(name string, _, value *yaml.Node) error {
		if value.Kind != yaml.ScalarNode {
			return p.errorf(value, "write it as one text", "%s must be text", name)
		}
		if value.Tag != "!!null" {
			*aboutField(f, name) = value.Value
		}
		return nil
	})
	if *f.Inside == (report.Inside{}) {
		f.Inside = nil
	}
	return err
}

// aboutField is where a field of about: is kept.
func aboutField(f *File, name string) *string {
	for _, to := range []any{f.About, f.Inside} {
		if i := slices.Index(yamlNames(reflect.TypeOf(to).Elem()), name); i >= 0 {
			return reflect.ValueOf(to).Elem().Field(i).Addr().Interface().(*string)
		}
	}
	panic("job: an unknown field of about")
}

// aboutNames are the fields of about:, those for all and those for inside.
func aboutNames() []string {
	return append(yamlNames(reflect.TypeFor[report.About]()), yamlNames(reflect.TypeFor[report.Inside]())...)
}

// yamlNames are the fields of a struct, in order.
func yamlNames(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		names = append(names, f.Tag.Get("yaml"))
	}
	return names
}
