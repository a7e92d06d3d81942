package count

import (
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Fates says of every column of the input what became of it.
func (s *Input) Fates() []report.Column {
	private, asText := s.Names(), []string{}
	for _, p := range s.Private {
		if p.Alphabet == nil {
			continue
		}
		if p.Alphabet.Type().Bins != nil {
			asText = append(asText, p.Column.Name)
		}
	}
	var out []report.Column
	for _, c := range s.File.Columns() {
		fate := "published in clear"
		switch {
		case slices.Contains(private, c.Name):
			fate = "privatized"
		case slices.Contains(s.Dropped, c.Name):
			fate = "dropped"
		}
		if slices.Contains(asText, c.Name) {
			c.Type = "string" // as it is written: bins have labels
		}
		out = append(out, report.Column{Name: c.Name, Type: c.Type, Fate: fate})
	}
	return out
}

// dropped lists the columns that leave the output; keep is nil where all but
// those of drop stay.
func dropped(columns []table.Column, private []string, keep, drop []string) ([]string, error) {
	name := make([]string, len(columns))
	for i, c := range columns {
		name[i] = c.Name
	}
	for _, n := range slices.Concat(keep, drop) {
		if !slices.Contains(name, n) {
			return nil, fault.New(fault.Usage, "its columns are "+strings.Join(name, ", "), "the input has no column %q", n)
		}
	}
	for _, p := range private {
		if slices.Contains(drop, p) {
			return nil, fault.New(fault.Usage, "remove it from --drop", "the private column %q cannot be dropped", p)
		}
	}
	if keep == nil {
		return drop, nil
	}
	out := []string{}
	for _, n := range name {
		if !slices.Contains(private, n) && !slices.Contains(keep, n) {
			out = append(out, n)
		}
	}
	return out, nil
}
