package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

var (
	// A file name of another kind could be taken for an option, a folder or a home.
	plainFile = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_. -]*$`)
	shareText = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?%?$`)
)

// program counts the published column of a file by pandas, in about ten lines that are run
// beside it, with how far shares may be off under a limit. A name stands in them as a literal
// that it cannot end.
func program(p *report.Public, limit string) string {
	file := "./" + p.Output.Name
	if plainFile.MatchString(p.Output.Name) {
		file = p.Output.Name
	}
	lines := append([]string{"import pandas as pd", ""}, readColumn(p, python(file))...)
	lines = append(lines, fmt.Sprintf("count = values.value_counts(dropna=%s)",
		yes(p.Domain.Null == "public", "True", "False")),
		`table = pd.DataFrame({"count": count, "share": count / count.sum()})`)
	if !shareText.MatchString(limit) {
		lines = append(lines, "# no limit is stated: the true shares may be far from these")
	} else {
		off := strings.Replace(limit, "%", " / 100", 1)
		if p.Draws.Kind == "fresh" {
			off += " + count.sum() ** -0.5  # the limit, and at most two standard errors of the draws"
		} else {
			off += "  # the limit; chance comes on top, since rows share draws"
		}
		lines = append(lines, "off = "+off, `table["least"] = (table["share"] - off).clip(lower=0)`,
			`table["most"] = (table["share"] + off).clip(upper=1)`)
	}
	return strings.Join(append(lines, "print(table)"), "\n") + "\n"
}

// readColumn are the lines that read the column of a file.
func readColumn(p *report.Public, file string) []string {
	column := "column = " + python(p.Column)
	if d := p.Output.Dialect; d != nil {
		key := "column"
		if !d.Header {
			column = "# the file has no header"
			key = fmt.Sprint(slices.IndexFunc(p.Columns, func(c report.Column) bool { return c.Name == p.Column }))
		}
		return []string{column, fmt.Sprintf("values = pd.read_csv(%s, sep=%s, header=%s, usecols=[%s], dtype=\"string\",",
			file, python(d.Delimiter), yes(d.Header, "0", "None"), key),
			fmt.Sprintf("    keep_default_na=False, na_values=[\"\"], skip_blank_lines=False)[%s]  # \"\" is a null here", key)}
	}
	return []string{column, fmt.Sprintf("values = pd.read_%s(%s, columns=[column], dtype_backend=\"pyarrow\")[column]",
		yes(p.Output.Format == "arrow", "feather", "parquet"), file)}
}

// python is a string literal: all that is not printed in ASCII is escaped.
func python(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= ' ' && r <= '~':
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
