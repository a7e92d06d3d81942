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
	c := countable(p)
	return report.Section{ID: "use", Title: "How to use this column", Brief: c.tables, Program: program(p, c.limit),
		Fields: []report.Sentence{field("tables with other columns", "%s", c.tables), field("mechanism", "%s", access(p)),
			field("how to cite", "%s", cite(p))}}
}

// A counting says how wrong a count of the published column can be.
type counting struct {
	limit  string // of the shares, as it was asked for; "" where none was promised
	words  string
	tables string // of the column against another one
}

// countable says whether the column may be counted. A limit is one only where it was
// promised for all rows.
func countable(p *report.Public) counting {
	const tables = "A table of this column against another one has no such limit: its cells may be off by much more " +
		"than the shares of the column, and what holds of all rows need not hold of a group of them."
	c, asked := claim.Find(p.Claims, "shift")
	switch {
	case asked && c.Standing == claim.Promised:
		given := ""
		if c.Given != "" {
			given = " Groups of " + brisk(quoted(c.Given)) + " are the exception: the limit holds in each."
		}
		return counting{c.Asked, "Large groups yes, within the limit that the publisher set. " + c.Words +
			" A value that is rarer may be missing, or be many times too common.", tables + given}
	case asked:
		return counting{"", "Not as it stands. " + c.Words, tables}
	}
	return counting{"", "Not as it stands: the shares of the published column may be far from the true ones; " +
		"the publisher states no limit. A value may be many times too common, or be missing.",
		"Nothing is stated of tables of this column against another one: their cells may be far from the true ones."}
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

// formulas are those for who has the mechanism.
func formulas(p *report.Public) report.Section {
	whole := "p is the mechanism: a row for each true value, a column for each published one. T holds the true count of " +
		"every value, T* the expected count of every published one."
	if p.Given != "" {
		whole += " The mechanism may differ from group to group of " + brisk(quoted(p.Given)) + ": add up the groups."
	}
	if p.Domain.Null == "public" {
		whole += " All counts are of records that have a value."
	}
	drawn := "for rows with a draw of their own"
	if p.Draws.Kind != "fresh" {
		drawn += "; where m_i rows share the draw i, take n^2 / sum m_i^2 for n"
	}
	t := report.NewTable("The mechanism is p", "name", "formula", "remarks")
	t.Rows = [][]string{
		{"expected counts", "T* = p^T T", whole},
		{"unbiased estimate", "T^ = (p^T)^-1 C", "C holds the counts of the published file. It exists only where p has as " +
			"many independent columns as there are true values; estimates may be negative."},
		{"covariance of that estimate", "(p^T)^-1 [diag(p^T T) - p^T diag(T) p] p^-1",
			"It is that of this file, " + drawn + "; put the estimate for T."},
		{"share of a group of values", "c.P is estimated by a.q, where c = p a",
			"P holds the true shares, q the published ones, and c is 1 for the values of the group and 0 for others. Where no " +
				"such a exists, the published column does not determine the share."},
		{"variance of that share", "[sum_y a_y^2 q_y - (a.q)^2] / n for the population of n records; " +
			"[sum_y a_y^2 q_y - sum_x P_x (p a)_x^2] / n for this file", "Both are " + drawn + "."},
		{"bounds where p is not invertible", "least and largest c.P over P >= 0 with p^T P = q",
			"A method that returns one number nevertheless, such as expectation maximisation, picks one of infinitely many."},
	}
	return report.Section{ID: "formulas", Title: "Formulas for who has the mechanism", Tables: []report.Table{t},
		Notes: []string{"Tacet computes them of the published file and the mechanism."}}
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
