package page

import (
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// howTo is the section of a public report for who uses the column. Page one says whether it
// may be counted.
func howTo(p *report.Public) report.Section {
	_, tables := countable(p)
	return report.Section{ID: "use", Title: "How to use this column", Brief: tables,
		Fields: []report.Sentence{field("tables with other columns", "%s", tables), field("mechanism", "%s", access(p)),
			field("how to cite", "%s", cite(p))}}
}

// countable says whether the column may be counted, and a table of it against another one. A
// limit is one only where it was promised for all rows.
func countable(p *report.Public) (column, table string) {
	const tables = "A table of this column against another one has no such limit: its cells may be off by much more " +
		"than the shares of the column, and what holds of all rows need not hold of a group of them."
	c, asked := claim.Find(p.Claims, "shift")
	switch {
	case asked && c.Standing == claim.Promised:
		given := ""
		if c.Given != "" {
			given = " Groups of " + brisk(quoted(c.Given)) + " are the exception: the limit holds in each."
		}
		return "Large groups yes, within the limit that the publisher set. " + c.Words +
			" A value that is rarer may be missing, or be many times too common.", tables + given
	case asked:
		return "Not as it stands. " + c.Words, tables
	}
	return "Not as it stands: the shares of the published column may be far from the true ones; " +
			"the publisher states no limit. A value may be many times too common, or be missing.",
		"Nothing is stated of tables of this column against another one: their cells may be far from the true ones."
}

// access says who gets the mechanism, and what that tells.
func access(p *report.Public) string {
	from := "the publisher"
	if owner := strings.TrimSpace(about(p.About).Owner); owner != "" {
		from = brisk(quoted(owner))
	}
	return "The chance of every published value given every true one stands in mechanism.json where it may be " +
		"published; with it, true shares can be estimated. Otherwise that file gives the reason, and the mechanism is on " +
		"request from " + from + ": it may encode how many records have which value. So whoever is given it may learn " +
		"these counts, and it should be given on the terms on which the counts would be."
}

// cite is the citation of the published file: what people said of it, its name and hash.
func cite(p *report.Public) string {
	a := about(p.About)
	var parts []string
	if s := strings.TrimSpace(a.Owner); s != "" {
		parts = append(parts, s)
	}
	if s := strings.TrimSpace(a.Date); s != "" {
		parts = append(parts, "("+s+")")
	}
	if s := strings.TrimSpace(a.Release); s != "" {
		parts = append(parts, s)
	}
	head := strings.Join(parts, " ")
	if head != "" {
		head += ". "
	}
	head += fmt.Sprintf("%s, %s.", quoted(p.Output.Name), count(int(p.Output.Rows), "row"))
	if p.Output.SHA256 != "" {
		head += " SHA-256 " + p.Output.SHA256 + "."
	}
	return head + fmt.Sprintf(" Its column %s was privatized at epsilon %s, with Tacet %s.", quoted(p.Column), p.Target,
		p.Version)
}
