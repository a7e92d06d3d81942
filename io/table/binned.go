package table

import (
	"fmt"
	"strings"
)

// PrivateColumn is the private column at a place, with the bins that r asks for where BinsOf calls
// its cells so, "" for those that cannot be read. Without bins it is refused where hint says what
// to do about its type.
func (r *Request) PrivateColumn(at int, c PrivateColumn, of, typeName, hint string) (PrivateColumn, error) {
	switch {
	case r.HasBins(at) && of == "":
		return c, Errorf(r.BinsHint(), "column %q is of type %s, which has no bins", c.Name, typeName)
	case r.HasBins(at):
		b, err := BinsOf(r.Bins[at], of)
		c.Type = Type{Kind: Text, Bins: b}
		if err != nil {
			err = Within(err, "column %q", c.Name)
		}
		return c, err
	case hint != "":
		return c, Errorf(hint, "column %q is of type %s, which is not supported", c.Name, typeName)
	}
	return c, nil
}

// BinsHint is what to do where a column has no bins.
func (r *Request) BinsHint() string {
	if len(r.Private) > 1 {
		return "give --bins once for each private column, in the order of --column, and --bins '' for this one"
	}
	return "name a column of numbers, dates or timestamps"
}

// HasBins reports whether bins are asked of the private column at a place.
func (r *Request) HasBins(at int) bool { return at < len(r.Bins) && r.Bins[at] != "" }

// noBin says that a cell is not what its column's bins are of.
func (c *PrivateColumn) noBin(row int64) error {
	if c.Type.Bins.Of == "timestamp" {
		return Errorf("write dates as 2020-01-31 or 2020-01-31T06:00:00, and leave unknown ones empty",
			"column %q, row %d: the cell is no date", c.Name, row+1)
	}
	return Errorf("write plain numbers such as 12.5, and leave unknown ones empty",
		"column %q, row %d: the cell is no plain number", c.Name, row+1)
}

// Refuse fails where cells have no bin, and says how many.
func (t *Tally) Refuse(c *PrivateColumn) error {
	var said []string
	for i, name := range []string{"", "below the first bin", "above the last bin", "not a number (NaN)"} {
		if n := t.outside[i]; n == 1 {
			said = append(said, "1 record is "+name)
		} else if n > 0 {
			said = append(said, fmt.Sprintf("%d records are %s", n, name))
		}
	}
	if said == nil {
		return nil
	}
	hint := "give edges that hold all values, or -inf as the first and inf as the last edge"
	if t.outside[Below]+t.outside[Above] == 0 {
		hint = "write NaN as null, and choose what nulls are with --null, or leave these rows out"
	}
	return Errorf(hint, "column %q: %s", c.Name, strings.Join(said, ", "))
}
