package recover

import (
	"bytes"
	"encoding/csv"
	"os"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Grouping is one figure: letters and outputs that count for it.
type Grouping struct {
	Label report.Label
	estimate.Set
}

// groupings are what figures are told of: every value, or the groups of a file.
func groupings(path string, m *source) (out []Grouping, err error) {
	if path != "" {
		return Groupings(path, m.inputs, m.outputs)
	}
	all, in, to := slices.Clone(m.inputs), plan.PlacesOf(m.inputs), plan.PlacesOf(m.outputs)
	for _, l := range m.outputs {
		if _, known := in[l]; !known {
			all = append(all, l)
		}
	}
	for _, l := range all {
		g := newGrouping(l, []report.Label{l}, in, to)
		if m.laws == nil || g.Letters != nil {
			out = append(out, g)
		}
	}
	return out, nil
}

// newGrouping finds letters and outputs of these labels.
func newGrouping(name report.Label, of []report.Label, in, to map[report.Label]int) Grouping {
	g := Grouping{Label: name}
	for _, l := range of {
		if x, ok := in[l]; ok && !slices.Contains(g.Letters, x) {
			g.Letters = append(g.Letters, x)
		}
		if y, ok := to[l]; ok && !slices.Contains(g.Outputs, y) {
			g.Outputs = append(g.Outputs, y)
		}
	}
	return g
}

// Groupings are those that a file label,group has of these inputs and outputs; a value may
// be in several groups.
func Groupings(path string, inputs, outputs []report.Label) (out []Grouping, err error) {
	names, members, err := readGroups(path)
	if err != nil {
		return nil, err
	}
	in, to := plan.PlacesOf(inputs), plan.PlacesOf(outputs)
	for _, name := range names {
		if g := newGrouping(report.Label{Text: name}, members[name], in, to); g.Letters != nil || g.Outputs != nil {
			out = append(out, g)
		}
	}
	if out == nil {
		return nil, fault.New(fault.Input, "name values of the column in it", "%s names no value of the column", path)
	}
	return out, nil
}

// readGroups reads the names of groups, in their order, and the labels of each.
func readGroups(path string) (names []string, members map[string][]report.Label, err error) {
	const hint = "give a CSV file with the header label,group"
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fault.Unreadable("--group", path, err)
	}
	all, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))).ReadAll()
	switch {
	case err != nil:
		return nil, nil, fault.New(fault.Input, hint, "%s: %v", path, err)
	case len(all) == 0 || strings.Join(all[0], ",") != "label,group":
		return nil, nil, fault.New(fault.Input, hint, "%s does not start with the header label,group", path)
	}
	members = map[string][]report.Label{}
	for _, record := range all[1:] {
		label, group := record[0], record[1]
		if members[group] == nil {
			names = append(names, group)
		}
		members[group] = append(members[group], report.Label{Text: label})
	}
	return names, members, nil
}
