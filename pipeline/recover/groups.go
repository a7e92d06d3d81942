package recover

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// groupings are what figures are told of: every value, or the groups of a file.
func groupings(path string, m *source) (out []grouping, err error) {
	all := slices.Clone(m.inputs)
	for _, l := range m.outputs {
		if !slices.Contains(m.inputs, l) {
			all = append(all, l)
		}
	}
	if path == "" {
		for _, l := range all {
			out = append(out, m.grouping(l, []report.Label{l}))
		}
		if m.laws != nil {
			out = slices.DeleteFunc(out, func(g grouping) bool { return g.letters == nil })
		}
		return out, nil
	}
	names, members, err := ReadGroups(path)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if g := m.grouping(report.Label{Text: name}, members[name]); g.letters != nil || g.outputs != nil {
			out = append(out, g)
		}
	}
	if out == nil {
		return nil, fault.New(fault.Input, "name values of the column in it", "%s names no value of the column", path)
	}
	return out, nil
}

// grouping finds letters and outputs of these labels.
func (m *source) grouping(name report.Label, of []report.Label) grouping {
	g := grouping{label: name}
	for _, l := range of {
		if x := slices.Index(m.inputs, l); x >= 0 && !slices.Contains(g.letters, x) {
			g.letters = append(g.letters, x)
		}
		if y := slices.Index(m.outputs, l); y >= 0 && !slices.Contains(g.outputs, y) {
			g.outputs = append(g.outputs, y)
		}
	}
	return g
}

// ReadGroups reads label,group; a value may be in several groups.
func ReadGroups(path string) (names []string, members map[string][]report.Label, err error) {
	const hint = "give a CSV file with the header label,group"
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fault.Unreadable("--group", path, err)
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	header, err := r.Read()
	if err != nil || strings.Join(header, ",") != "label,group" {
		return nil, nil, fault.New(fault.Input, hint, "%s does not start with the header label,group", path)
	}
	members = map[string][]report.Label{}
	for {
		record, err := r.Read()
		if err == io.EOF {
			return names, members, nil
		}
		if err != nil {
			return nil, nil, fault.New(fault.Input, hint, "%s: %v", path, err)
		}
		label, group := record[0], record[1]
		if members[group] == nil {
			names = append(names, group)
		}
		members[group] = append(members[group], report.Label{Text: label})
	}
}
