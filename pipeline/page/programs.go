package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// programs count the published column of a file, each in about ten lines. A name stands in
// them as a literal that it cannot end; there is no query for one that SQL cannot spell.
func programs(p *report.Public) []report.Program {
	c := counting{column: p.Column, file: "./" + p.Output.Name, arrow: p.Output.Format == "arrow",
		csv: p.Output.Dialect, present: p.Domain.Null == "public", fresh: p.Draws.Kind == "fresh"}
	for _, other := range p.Columns {
		c.names = append(c.names, other.Name)
	}
	if plainFile.MatchString(p.Output.Name) {
		c.file = p.Output.Name
	}
	if limit := shares(p).Limit; shareText.MatchString(limit) {
		c.limit = strings.Replace(limit, "%", " / 100", 1)
	}
	all := []report.Program{{Language: "python", Library: "pandas", Code: c.pandas()},
		{Language: "python", Library: "Polars", Code: c.polars()}}
	switch {
	case c.arrow: // which DuckDB reads from Python
		all = append(all, report.Program{Language: "python", Library: "DuckDB", Code: "import duckdb, pyarrow\n\n" +
			"column = " + python(c.column) + "\nfile = pyarrow.ipc.open_file(" + python(c.file) + ")\n" +
			"published = file.read_all().select([column]).rename_columns([\"value\"])\n" +
			"print(duckdb.sql(\"\"\"\n" + c.query("value", "published") + "\n\"\"\"))\n"})
	case c.inSQL():
		all = append(all, report.Program{Language: "sql", Library: "DuckDB",
			Code: c.query(sqlName(c.column), c.table()) + ";\n"})
	}
	return all
}

// counting is what a program counts.
type counting struct {
	column, file string
	limit        string          // of the shares, as an expression; "" for none
	names        []string        // of all columns
	arrow        bool            // the file is Arrow IPC
	csv          *report.Dialect // nil where the file is no CSV
	present      bool            // nulls are published as they are, and not counted
	fresh        bool            // every row has a draw of its own
}

var (
	// A file name of another kind could be taken for an option, a folder or a home.
	plainFile = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_. -]*$`)
	shareText = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?%?$`)
	// DuckDB takes a name for a pattern; a class of one character is that character.
	unglobbed = strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]")
)

// off is how far a share may be from the true one, with its comment, given the
// expression for one over the root of the number of rows.
func (c *counting) off(chance string) (expression, comment string) {
	if c.fresh {
		return c.limit + " + " + chance, "the limit, and at most two standard errors of the draws"
	}
	return c.limit, "the limit; chance comes on top, since rows share draws"
}

const unlimited = "no limit is stated: the true shares may be far from these"

func (c *counting) pandas() string {
	read := "parquet"
	if c.arrow {
		read = "feather"
	}
	lines := []string{"import pandas as pd", "", "column = " + python(c.column),
		fmt.Sprintf("values = pd.read_%s(%s, columns=[column], dtype_backend=\"pyarrow\")[column]", read, python(c.file))}
	if c.csv != nil {
		key := "column"
		if !c.csv.Header {
			key = fmt.Sprint(slices.Index(c.names, c.column))
		}
		lines = append(lines[:2], yes(c.csv.Header, "column = "+python(c.column), "# the file has no header"),
			fmt.Sprintf("values = pd.read_csv(%s, sep=%s, header=%s, usecols=[%s], dtype=\"string\",", python(c.file),
				python(c.csv.Delimiter), yes(c.csv.Header, "0", "None"), key),
			fmt.Sprintf("    keep_default_na=False, na_values=[\"\"], skip_blank_lines=False)[%s]  # \"\" is a null here", key))
	}
	lines = append(lines, fmt.Sprintf("count = values.value_counts(dropna=%s)", yes(c.present, "True", "False")),
		`table = pd.DataFrame({"count": count, "share": count / count.sum()})`)
	if c.limit == "" {
		lines = append(lines, "# "+unlimited)
	} else {
		off, why := c.off("count.sum() ** -0.5")
		lines = append(lines, "off = "+off+"  # "+why, `table["least"] = (table["share"] - off).clip(lower=0)`,
			`table["most"] = (table["share"] + off).clip(upper=1)`)
	}
	return strings.Join(append(lines, "print(table)"), "\n") + "\n"
}

func (c *counting) polars() string {
	scan := "scan_parquet(" + python(c.file) + ", glob=False)"
	by := "pl.selectors.by_name(column)"
	if c.arrow {
		scan = "scan_ipc(" + python(c.file) + ", glob=False)"
	}
	if c.csv != nil {
		scan = "scan_csv(" + python(c.file) + ", separator=" + python(c.csv.Delimiter) + ", has_header=" +
			yes(c.csv.Header, "True", "False") + ", infer_schema=False, glob=False)"
		if strings.Contains(c.column, `"`) { // which Polars does not find by its name
			by = fmt.Sprintf("pl.nth(%d)", slices.Index(c.names, c.column))
		}
	}
	lines := []string{"import polars as pl", "", "column = " + python(c.column),
		"rows = pl." + scan + ".select(" + by + ").collect()",
		`values = rows.to_series().alias("value")` + yes(c.present, ".drop_nulls()", ""),
		`table = values.value_counts(sort=True, name="count")`,
		`table = table.with_columns(share=pl.col("count") / pl.col("count").sum())`}
	if c.limit == "" {
		lines = append(lines, "# "+unlimited)
	} else {
		off, why := c.off("len(values) ** -0.5")
		lines = append(lines, "off = "+off+"  # "+why,
			`table = table.with_columns(least=(pl.col("share") - off).clip(0, 1), most=(pl.col("share") + off).clip(0, 1))`)
	}
	return strings.Join(append(lines, "print(table)"), "\n") + "\n"
}

// query counts a column of a table, in the SQL of DuckDB.
func (c *counting) query(name, from string) string {
	from += yes(c.present, " WHERE "+name+" IS NOT NULL", "")
	off, why, last := "", unlimited, ""
	if c.limit != "" {
		off, why = c.off("1 / sqrt(sum(count) OVER ())")
		off, last = ", "+off+" AS off", ", greatest(share - off, 0) AS least, least(share + off, 1) AS most"
	}
	return strings.Join([]string{"-- " + why, "WITH counted AS (",
		"  SELECT " + name + " AS value, count(*) AS count FROM " + from + " GROUP BY 1", "), shares AS (",
		"  SELECT value, count, count / sum(count) OVER () AS share" + off + " FROM counted", ")",
		"SELECT value, count, share" + last, "FROM shares ORDER BY count DESC"}, "\n")
}

// table is the file, in the SQL of DuckDB.
func (c *counting) table() string {
	file := sqlText(unglobbed.Replace(c.file))
	if c.csv == nil {
		return "read_parquet(" + file + ")"
	}
	delimiter := strings.ReplaceAll(c.csv.Delimiter, "\t", `\t`)
	names := ""
	if !c.csv.Header {
		var all []string
		for _, name := range c.names {
			all = append(all, sqlText(name))
		}
		names = ", names=[" + strings.Join(all, ", ") + "]"
	}
	return "read_csv(" + file + ", delim=" + sqlText(delimiter) + `, quote='"', escape='"', header=` +
		yes(c.csv.Header, "true", "false") + names + ",\n    all_varchar=true, nullstr='', allow_quoted_nulls=false)"
}

// inSQL reports whether a query can name the column: SQL spells no character that is not
// printed, and takes names that differ by case alone for one.
func (c *counting) inSQL() bool {
	same := 0
	for _, other := range c.names {
		if strings.EqualFold(other, c.column) {
			same++
		}
	}
	if c.csv != nil && c.csv.Delimiter < " " && c.csv.Delimiter != "\t" {
		return false
	}
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	return same <= 1 && c.column != "" && !strings.ContainsFunc(c.column+c.file, hidden)
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

// sqlName is a quoted identifier of SQL, sqlText a string literal.
func sqlName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func sqlText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
