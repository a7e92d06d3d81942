package request

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// columnKey is the flag that names a private column where there is one.
const columnKey = "column"

// many are the values of a key, one for each private column.
func (p *parser) many(k *Option, v *yaml.Node) ([]string, error) {
	var out []string
	for _, c := range v.Content {
		text, err := p.value(k, c, c)
		if err != nil {
			return []string{}, err
		}
		if k.Name == columnKey && slices.Contains(out, text) {
			return []string{}, p.errorf(c, "leave one of them out", "%s has a name twice", k.Name)
		}
		out = append(out, text)
	}
	if out == nil {
		return []string{}, p.errorf(v, "write one for each private column", "%s is an empty list", k.Name)
	}
	return out, nil
}

// columns reads the list of private columns, each with its own values.
func (p *parser) columns(key, v *yaml.Node, f *File) error {
	if v.Kind != yaml.SequenceNode || len(v.Content) == 0 {
		return p.errorf(v, "write columns: and below it, for each, - name: and its own keys",
			"columns must be a list of private columns")
	}
	for _, c := range v.Content {
		if c.Kind != yaml.MappingNode {
			return p.errorf(c, "write - name: and below it, indented, its own keys", "a private column must be a list of keys")
		}
		own := map[string]string{}
		err := p.members(c, p.columnNames(), func(name string, key, value *yaml.Node) error {
			k := &Option{Name: nameKey}
			if name != nameKey {
				k = p.key(name)
			}
			text, err := p.value(k, key, value)
			own[name] = text
			return err
		})
		if err != nil {
			return err
		}
		switch {
		case own[nameKey] == "":
			return p.errorf(c, "write - name: and the column's name", "a private column has no name")
		case slices.ContainsFunc(f.Columns, func(o map[string]string) bool { return o[columnKey] == own[nameKey] }):
			return p.errorf(c, "leave one of them out", "a private column appears twice")
		}
		own[columnKey] = own[nameKey]
		delete(own, nameKey)
		f.Columns = append(f.Columns, own)
	}
	return nil
}

// columnNames are the keys of a private column.
func (p *parser) columnNames() []string {
	names := []string{nameKey}
	for _, k := range p.keys {
		if k.Each != "" && k.Name != columnKey {
			names = append(names, k.Name)
		}
	}
	return names
}
