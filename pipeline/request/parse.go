package request

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// Keys that are no flags, and the name of a column below the second.
const (
	aboutKey   = "about"
	columnsKey = "columns"
	nameKey    = "name"
)

// A parser knows the file's name and what may stand in it.
type parser struct {
	path string
	keys []*Option
}

// Parse reads a job file; path stands in errors, of class Input where it is no list of keys.
func Parse(path string, data []byte, keys []*Option) (*File, error) {
	p := &parser{path, keys}
	root, err := p.document(data)
	if err != nil {
		return nil, err
	}
	f := &File{}
	err = p.members(root, p.names(), func(name string, key, value *yaml.Node) error {
		if name == aboutKey {
			return p.about(value, f)
		}
		if name == columnsKey {
			return p.columns(key, value, f)
		}
		k := p.key(name)
		if k.Each != "" && value.Kind == yaml.SequenceNode {
			each, err := p.many(k, value)
			f.Values = append(f.Values, Value{name, each})
			return err
		}
		text, err := p.value(k, key, value)
		f.Values = append(f.Values, Value{name, []string{text}})
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// document is the mapping that is the file.
func (p *parser) document(data []byte) (*yaml.Node, error) {
	broken := func(where, what string) error {
		return fault.New(fault.Input, "a job file is YAML with one line per flag, such as epsilon: 4.1", "%s%s: %s", p.path,
			where, what)
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, broken("", "this is not text")
	}
	var root yaml.Node
	err := yaml.Load(data, &root, yaml.WithUniqueKeys(false))
	var at *yaml.LoadError
	switch {
	case errors.As(err, &at) && at.Mark.Line > 0:
		return nil, broken(place(at.Mark.Line, at.Mark.Column), "this is not YAML: "+at.Message)
	case err != nil && root.Kind == yaml.DocumentNode:
		return nil, broken("", "the job file holds more than one document")
	case err != nil:
		return nil, broken("", "the job file is empty")
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, broken(place(top.Line, top.Column), "this is not a list of keys")
	}
	return top, p.plain(top)
}

// plain refuses what makes a value depend on another place.
func (p *parser) plain(n *yaml.Node) error {
	switch {
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		return p.errorf(n, "write the value where it is used", "anchors and aliases are not supported")
	case n.Style&yaml.TaggedStyle != 0:
		return p.errorf(n, "remove the tag", "tags are not supported")
	}
	for _, c := range n.Content {
		if err := p.plain(c); err != nil {
			return err
		}
	}
	return nil
}

// members calls f for each key of a mapping, which must be one of names and
// stand there once.
func (p *parser) members(m *yaml.Node, names []string, f func(name string, key, value *yaml.Node) error) error {
	seen := map[string]*yaml.Node{}
	for i := 0; i < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return p.errorf(key, "write a key, a colon and a value", "this is not a key")
		}
		if !slices.Contains(names, key.Value) {
			return p.errorf(key, cmp.Or(Gone(key.Value), "the nearest key is "+Nearest(key.Value, names)),
				"there is no key %s", shown(key.Value))
		}
		if first := seen[key.Value]; first != nil {
			return p.errorf(key, "leave one of them out", "%s appears twice, first in line %d", key.Value, first.Line)
		}
		seen[key.Value] = key
		if err := f(key.Value, key, value); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) names() []string {
	names := []string{aboutKey, columnsKey}
	for _, k := range p.keys {
		names = append(names, k.Name)
	}
	return names
}

func (p *parser) key(name string) *Option {
	for _, k := range p.keys {
		if k.Name == name {
			return k
		}
	}
	panic("job: an unknown key")
}

func (p *parser) errorf(at *yaml.Node, hint, format string, args ...any) error {
	return fault.New(fault.Usage, hint, "%s%s: %s", p.path, place(at.Line, at.Column), fmt.Sprintf(format, args...))
}

func place(line, column int) string { return fmt.Sprintf(", line %d, column %d", line, column) }
