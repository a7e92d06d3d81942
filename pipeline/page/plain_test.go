package page

import (
	"regexp"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestPublicReportAdvisesNoCommand: it is for who uses the file, not for who made it, and
// what it names is there for everyone.
func TestPublicReportAdvisesNoCommand(t *testing.T) {
	bad := regexp.MustCompile(`--[a-z]{2,}|\btacet (run|verify|recover|report|frontier|design|apply|estimate)\b|` +
		`stated above|see the section|\bplan\.json|order\.csv`)
	for format := range showing {
		for _, r := range []*report.Report{sample(), everywhere("plain")} {
			text := shown(t, Public(r.Publish()), format)
			if format == "html" {
				text = regexp.MustCompile(`(?s)<style>.*</style>`).ReplaceAllString(text, "")
			}
			check := regexp.MustCompile(`tacet verify --report report\.json --output`) // which page one names
			if found := bad.FindString(check.ReplaceAllString(flat(text), "")); found != "" {
				t.Errorf("the %s view says %q", format, found)
			}
		}
	}
}

// TestHeads: tables have one word for each idea, and where utility is a distance they say
// so.
func TestHeads(t *testing.T) {
	twice := regexp.MustCompile(`(?i)\b(letters?|symbols?|caps?|laws?|channels?|supports?)\b|^(worst |mean )?utility$`)
	away := regexp.MustCompile(`-[0-9][0-9.,]* ?km\b`)
	full := everywhere("plain")
	full.Utility.Unit = "km"
	full.Utility.Worst, full.Utility.Expected, full.Floor.Value = -1234.5, -12.25, -1234.5
	tables := 0
	for _, r := range []*report.Report{sample(), full} {
		for _, d := range []*report.Document{Internal(r), Public(r.Publish())} {
			for _, s := range d.All() {
				for _, table := range s.Tables {
					tables++
					for _, words := range append(table.Head, table.Caption) {
						if found := twice.FindString(words); found != "" {
							t.Errorf("a table of section %q says %q", s.Title, words)
						}
					}
				}
			}
			for format := range showing {
				if found := away.FindString(shown(t, d, format)); found != "" {
					t.Errorf("the %s view has a distance below 0: %q", format, found)
				}
			}
		}
	}
	if tables < 12 {
		t.Errorf("%d tables were looked at", tables)
	}
}
