package count

import (
	"slices"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A declaration is a letter that stands in a file of the user.
type declaration struct {
	label, path string
	line        int
}

// declarations are the letters of the --domain and --prior files, each once.
func (d *Domain) declarations(asked request.Letters, b *table.Bins) ([]declaration, error) {
	var out []declaration
	if asked.Domain != "" {
		labels, err := declared(asked.Domain, b)
		if err != nil {
			return nil, err
		}
		for i, l := range labels {
			out = append(out, declaration{l, asked.Domain, i + 1})
		}
	}
	other := asked.Rare.Other
	if other != "" && !slices.ContainsFunc(out, func(n declaration) bool { return n.label == other }) {
		out = append(out, declaration{other, "--other", 1})
	}
	if asked.Prior == "" {
		return out, nil
	}
	var err error
	if d.law, err = ReadLaw(asked.Prior); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, n := range out {
		seen[n.label] = true
	}
	for i, l := range d.law.Label {
		if !seen[l] {
			out = append(out, declaration{l, asked.Prior, i + 2})
		}
	}
	return out, nil
}

// declared are the labels of a --domain file, or of all bins.
func declared(domain string, b *table.Bins) ([]string, error) {
	switch {
	case domain != request.AllBins:
		return ReadLabels(domain, "--domain")
	case b == nil:
		return nil, fault.New(fault.Usage, "give the bins with --bins; a file of that name is ./bins",
			"--domain bins is given without --bins")
	case b.All() == nil:
		return nil, fault.New(fault.Usage, "list the labels in a file, and give that to --domain",
			"--domain bins needs a list of edges: there is no last bin of %s", b.Spec)
	}
	return b.All(), nil
}
