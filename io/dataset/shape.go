package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/table"
)

// A shape is what a file says of itself.
type shape struct {
	format  string
	dialect table.Dialect
	columns []table.Column
	units   []int64
	bytes   int64
}

// alike refuses member i where it is not of the kind of the first.
func (f *Files) alike(s, other *shape, i int) error {
	a, b := f.Members[0].Rel, f.Members[i].Rel
	switch {
	case s.format != other.format:
		return table.Errorf("give files of one format", "%s is a file of format %s, and %s of %s", a, s.format, b,
			other.format)
	case s.dialect != other.dialect:
		return table.Errorf("write the files alike, or say how they are written with --csv-delimiter and --csv-header",
			"%s %s, and %s %s", a, written(s.dialect), b, written(other.dialect))
	case !slices.Equal(s.columns, other.columns) && s.dialect.Header == "yes" && f.request.Dialect.Header != "yes":
		return table.Errorf("write the files with one header; with --csv-header yes all of both is shown", "the headers "+
			"differ: %s has %s; %s has %s", a, s.known(other), b, other.known(s))
	case !slices.Equal(s.columns, other.columns):
		return table.Errorf("write the files with one schema, or give those of one schema", "the schemas differ: %s has "+
			"%s; %s has %s", a, schema(s.columns), b, schema(other.columns))
	}
	return nil
}

// known are the columns of a CSV file that another has, too. Others are not named unless
// the user says that all files have a header: what stands in the first row may be data.
func (s *shape) known(other *shape) string {
	var own []table.Column
	for _, c := range s.columns {
		if slices.Contains(other.columns, c) {
			own = append(own, c)
		}
	}
	switch more := len(s.columns) - len(own); {
	case more == 0:
		return schema(own)
	case len(own) == 0:
		return fmt.Sprintf("%d other columns", more)
	default:
		return fmt.Sprintf("%s, and %d more", schema(own), more)
	}
}

// written is how people call a dialect.
func written(d table.Dialect) string {
	header := "no header"
	if d.Header == "yes" {
		header = "a header"
	}
	return fmt.Sprintf("has %s and cells with %q between them", header, d.Delimiter)
}

// schema is how people read columns.
func schema(columns []table.Column) string {
	var all []string
	for _, c := range columns {
		one := c.Name + " " + c.Type
		if !c.Nullable {
			one += " required"
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

// Shape is how all files are alike.
func (f *Files) Shape() string {
	return fmt.Sprintf("%s %q %q %q", f.format, f.dialect.Delimiter, f.dialect.Header, schema(f.columns))
}
