package inspect

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// WriteJSON writes what is told as one document.
func (f *File) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(f)
}

// WriteText writes it for people.
func (f *File) WriteText(w io.Writer) error {
	var b strings.Builder
	path := f.Path
	if f.Files > 0 {
		path = fmt.Sprintf("%s, the largest of %s in %s", f.Largest, report.Several(f.Files, "file", "files"), f.Path)
	}
	fmt.Fprintf(&b, "file:     %s (%s), %s, %s\n", path, f.Format, report.Several(f.Rows, "row", "rows"),
		report.Several(int64(len(f.Columns)), "column", "columns"))
	fmt.Fprintf(&b, "figures:  %s\n", f.basis())
	f.table(&b)
	f.notes(&b)
	for _, c := range f.Columns {
		for i, v := range c.Shown {
			if i == 0 {
				fmt.Fprintf(&b, "\nvalues of %s, commonest first:\n", c.Name)
			}
			fmt.Fprintf(&b, "  %-24s %d\n", label(v.Label), v.Records)
		}
	}
	if f.Judged != nil {
		f.Judged.text(&b)
	}
	for i, s := range f.Next {
		if i == 0 {
			b.WriteString("\nnext, if the column is private:\n")
		}
		fmt.Fprintf(&b, "  # %s: %s\n  %s\n", s.Column, s.Does, s.Command)
	}
	if len(f.Next) == 0 {
		b.WriteString("\nnext:     no column can be private as it is\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// basis says of which rows the figures are.
func (f *File) basis() string {
	if f.Read < f.Rows {
		return fmt.Sprintf("from a sample: the first rows of each part of the file, %d of %d in all", f.Read, f.Rows)
	}
	return "of all rows"
}

// table is a line for each column.
func (f *File) table(b *strings.Builder) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	b.WriteString("\n")
	fmt.Fprintln(t, "column\ttype\tvalues\tnulls\tcommonest\trarest\tprivate\torder that suits")
	for _, c := range f.Columns {
		values, common, rare := fmt.Sprint(c.Values), percent(c.Commonest), "-"
		switch {
		case !c.Readable:
			fmt.Fprintf(t, "%s\t%s\t-\t-\t-\t-\tno\t-\n", label(c.Name), c.Type)
			continue
		case c.More:
			values, common = fmt.Sprintf("more than %d", c.Values), "at least "+common
		case c.Values > 0:
			rare = fmt.Sprintf("%s (%s)", report.Several(c.Rarest, "row", "rows"),
				percent(float64(c.Rarest)/float64(c.records)))
		default:
			common = "-"
		}
		private, order := "no", "-"
		switch {
		case c.Bins != "":
			private, order = "could be", "--bins "+c.Bins
		case c.Private:
			private, order = "could be", c.Order
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", label(c.Name), c.Type, values, c.Nulls, common, rare,
			private, order)
	}
	t.Flush()
}

// notes are what speaks against columns, and why orders suit.
func (f *File) notes(b *strings.Builder) {
	var lines []string
	for _, c := range f.Columns {
		switch {
		case c.Private:
			lines = append(lines, fmt.Sprintf("%s: %s", label(c.Name), c.Reason))
		case c.Why != "":
			lines = append(lines, fmt.Sprintf("%s: no: %s", label(c.Name), c.Why))
		}
	}
	private := slices.ContainsFunc(f.Columns, func(c Column) bool { return c.Private })
	if private && f.Rows > 0 && f.Judged == nil {
		lines = append(lines, "", "which columns give a private one away is told with --column")
	}
	for i, l := range lines {
		if i == 0 && l != "" {
			b.WriteString("\n")
		}
		b.WriteString(l + "\n")
	}
}

// label is a name on one line.
func label(name string) string { return report.Clean(name) }

// percent is a share with two decimals, or with one digit where it is small.
func percent(share float64) string {
	if share >= 1e-4 {
		return fmt.Sprintf("%.2f %%", 100*share)
	}
	digits := -int(math.Floor(math.Log10(100 * share)))
	return fmt.Sprintf("%.*f %%", max(2, digits), 100*share)
}
