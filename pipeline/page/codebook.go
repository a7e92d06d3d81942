package page

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Guides are the files for who uses a published file, made of the public reports, one for
// each private column.
func Guides(all []*report.Public) (map[string][]byte, error) {
	book := Codebook(all)
	var html bytes.Buffer
	if err := report.HTML(&html, bookDocument(book)); err != nil {
		return nil, err
	}
	data, err := book.Encode()
	return map[string][]byte{"codebook.json": data, "codebook.html": html.Bytes()}, err
}

// GuideNames are the names of the files that Guides makes, in the order in which they are
// put in place.
var GuideNames = []string{"codebook.json", "codebook.html"}

// Codebook is what a data user needs of a published file.
func Codebook(all []*report.Public) *report.Codebook {
	p := all[0]
	c := &report.Codebook{Schema: report.CodebookSchema, Version: p.Version, Stamp: p.Stamp, File: p.Output,
		Cite: cite(all), Columns: []report.Entry{}}
	for i, p := range all {
		e := entryOf(p)
		if len(all) > 1 { // the files of each column lie in a folder of its own
			e.Mechanism.File = fmt.Sprintf("../%d/public/%s", i+1, e.Mechanism.File)
		}
		c.Columns = append(c.Columns, e)
	}
	return c
}

// entryOf is what a data user needs of one private column.
func entryOf(p *report.Public) report.Entry {
	e := report.Entry{Column: p.Column, Given: p.Given, Null: p.Domain.Null, Order: p.Order, Target: p.Target,
		Factor: p.Factor, Floor: p.Floor, Done: []report.Said{}, Shares: shares(p),
		Mechanism: access(p), Formulas: formulas(p), Programs: programs(p)}
	for _, c := range p.Columns {
		if c.Name == p.Column {
			e.Type = c.Type
		}
	}
	for _, c := range claim.In(p.Claims, "lead") {
		e.Done = append(e.Done, report.Said{Key: c.Key, Words: c.Words})
	}
	return e
}

// shares says whether the column may be counted. A limit is one only where it was
// promised for all rows.
func shares(p *report.Public) (s report.Counting) {
	const tables = "A table of this column against another one has no such limit: its cells may be off by much more " +
		"than the shares of the column, and what holds of all rows need not hold of a group of them."
	c, asked := claim.Find(p.Claims, "shift")
	switch {
	case asked && c.Standing == claim.Promised:
		s = report.Counting{Limit: c.Asked, Tables: tables, Words: "Large groups yes, within the limit that the publisher " +
			"set. " + c.Words + " A value that is rarer may be missing, or be many times too common."}
		if c.Given != "" {
			s.Tables += " Groups of " + brisk(quoted(c.Given)) + " are the exception: the limit holds in each."
		}
		return s
	case asked:
		return report.Counting{Words: "Not as it stands. " + c.Words, Tables: tables}
	}
	return report.Counting{Words: "Not as it stands: the shares of the published column may be far from the true ones; " +
		"the publisher states no limit. A value may be many times too common, or be missing.",
		Tables: "Nothing is stated of tables of this column against another one: their cells may be far from the true ones."}
}

// access says who gets the mechanism, and what that tells.
func access(p *report.Public) report.Access {
	const file = "mechanism.json"
	from := "the publisher"
	if owner := strings.TrimSpace(about(p.About).Owner); owner != "" {
		from = brisk(quoted(owner))
	}
	return report.Access{File: file, Words: "The chance of every published value given every true one stands in " + file +
		" where it may be published; with it, true shares can be estimated. Otherwise that file gives the reason, and " +
		"the mechanism is on request from " + from + ": it may encode how many records have which value. So whoever is " +
		"given it may learn these counts, and it should be given on the terms on which the counts would be."}
}

// formulas are those for who has the mechanism.
func formulas(p *report.Public) []report.Formula {
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
	var out []report.Formula
	for _, f := range [][3]string{
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
	} {
		out = append(out, report.Formula{Name: f[0], Formula: f[1], Words: f[2]})
	}
	return out
}

// cite is the citation of the published file: what people said of it, its name and hash.
func cite(all []*report.Public) string {
	p := all[0]
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
	var private []string
	for _, p := range all {
		private = append(private, fmt.Sprintf("column %s was privatized at epsilon %s", quoted(p.Column), p.Target))
	}
	return head + " Its " + strings.Join(private, ", ") + ", with Tacet " + p.Version + "."
}

// howTo is the section of a public report for who uses the column.
func howTo(p *report.Public) report.Section {
	e := entryOf(p)
	s := usage(&e)
	s.ID, s.Title = "use", "How to use this column"
	s.Fields = append(s.Fields[1:], field("how to cite", "%s", cite([]*report.Public{p}))) // page one has the first
	s.Notes = append(s.Notes, "The codebook of the file has the same for all its private columns, with formulas and "+
		"programs.")
	s.Brief = e.Shares.Tables
	s.Programs = e.Programs[:1]
	return s
}

// usage are the answers to what a data user asks first.
func usage(e *report.Entry) report.Section {
	return report.Section{Fields: []report.Sentence{
		field("may it be counted", "%s", e.Shares.Words),
		field("tables with other columns", "%s", e.Shares.Tables),
		field("mechanism", "%s", e.Mechanism.Words),
	}}
}

// bookDocument is codebook.html.
func bookDocument(c *report.Codebook) *report.Document {
	d := &report.Document{Title: "How to use " + quoted(c.File.Name), Stamp: c.Stamp,
		Lead: []report.Sentence{{Head: "file", Body: fmt.Sprintf("%s, %s, %s", quoted(c.File.Name),
			count(int(c.File.Rows), "row"), c.File.Format)}, {Head: "cite as", Body: c.Cite}}}
	for i, e := range c.Columns {
		of := fmt.Sprintf("Column %s", brisk(quoted(e.Column)))
		id := fmt.Sprintf("column-%d", i+1)
		use := usage(&e)
		use.ID, use.Title = id, of
		done := report.Section{ID: id + "-done", Title: of + ": what was done"}
		for _, said := range e.Done {
			done.Items = append(done.Items, said.Words)
		}
		done.Items = append(done.Items, fmt.Sprintf("What may stand for what: %s (%s).", orderInWords(e.Order.Form),
			e.Order.Spec))
		f := report.Section{ID: id + "-formulas", Title: of + ": formulas for who has the mechanism",
			Notes:  []string{"The command tacet recover computes them."},
			Tables: []report.Table{report.NewTable("The mechanism is p", "name", "formula", "")}}
		for _, x := range e.Formulas {
			f.Tables[0].Add(x.Name, x.Formula, x.Words)
		}
		run := report.Section{ID: id + "-programs", Title: of + ": programs", Programs: e.Programs,
			Notes: []string{"Run them in the folder of the published file."}}
		d.Sections = append(d.Sections, use, done, run, f)
	}
	return d
}
