package source

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/declared"
	"github.com/tacet-privacy/tacet/pipeline/options"
)

// A declaration is a letter that stands in a file of the user.
type declaration struct {
	label, path string
	line        int
}

// declarations are the letters of the --domain and --prior files, each once.
func (d *Domain) declarations(o *options.Options) ([]declaration, error) {
	var out []declaration
	if o.Domain != "" {
		labels, err := declared.ReadLabels(o.Domain, "--domain")
		if err != nil {
			return nil, err
		}
		for i, l := range labels {
			out = append(out, declaration{l, o.Domain, i + 1})
		}
	}
	if o.Other != "" && !slices.ContainsFunc(out, func(n declaration) bool { return n.label == o.Other }) {
		out = append(out, declaration{o.Other, "--other", 1})
	}
	if o.Prior == "" {
		return out, nil
	}
	var err error
	if d.law, err = declared.ReadLaw(o.Prior); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, n := range out {
		seen[n.label] = true
	}
	for i, l := range d.law.Label {
		if !seen[l] {
			out = append(out, declaration{l, o.Prior, i + 2})
		}
	}
	return out, nil
}
