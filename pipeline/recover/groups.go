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
	all, in, to := slices.Clone(m.inputs), placesOf(m.inputs), placesOf(m.outputs)
	for _, l := range m.outputs {
		if _, known := in[l]; !known {
			all = append(all, l)
		}
	}
	if path == "" {
		for _, l := range all {
			out = append(out, newGrouping(l, []report.Label{l}, in, to))
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
		if g := newGrouping(report.Label{Text: name}, members[name], in, to); g.letters != nil || g.outputs != nil {
			out = append(out, g)
		}
	}
	if out == nil {
		return nil, fault.New(fault.Input, "name values of the column in it", "%s names no value of the column", path)
	}
	return out, nil
}

// placesOf says where labels stand.
func placesOf(labels []report.Label) map[report.Label]int {
	place := make(map[report.Label]int, len(labels))
	for i, l := range labels {
		place[l] = i
	}
	return place
}

// newGrouping finds letters and outputs of these labels.
func newGrouping(name report.Label, of []report.Label, in, to map[report.Label]int) grouping {
	g := grouping{label: name}
	for _, l := range of {
		if x, ok := in[l]; ok && !slices.Contains(g.letters, x) {
			g.letters = append(g.letters, x)
		}
		if y, ok := to[l]; ok && !slices.Contains(g.outputs, y) {
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
