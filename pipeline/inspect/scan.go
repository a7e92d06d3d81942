package inspect

import (
	"context"
	"errors"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// readColumns counts a file of a format that has no reader of others, one column after
// the other; a column that a run cannot take is told of without figures.
func readColumns(ctx context.Context, local table.Content, f *File) error {
	for i := range f.Columns {
		c := &f.Columns[i]
		var refused *table.InputError
		err := c.scan(ctx, local, f.dialect)
		if errors.As(err, &refused) && c.tally.rows == 0 && c.Private {
			c.Readable, c.Why, err = false, "cannot be counted", nil
		}
		if err != nil {
			return err
		}
		f.Rows = max(f.Rows, c.tally.rows) // CSV is counted to be known
	}
	f.Read = f.Rows
	return nil
}

// scan counts a column as a run does, all its rows; none is sampled for links.
func (c *Column) scan(ctx context.Context, local table.Content, d table.Dialect) error {
	in, err := count.OpenFile(local, table.Request{Private: []string{c.Name}, Threads: 1, Dialect: d})
	if err != nil {
		return err
	}
	defer in.Close()
	alphabets, counts, err := in.Scan(ctx)
	if err != nil {
		return err
	}
	a, t := alphabets[0], c.tally
	for letter, n := range counts[0] {
		t.rows += n
		switch {
		case letter == int(a.Null()):
			t.nulls = n
		case a.Type().Kind <= table.Binary:
			t.add(t.text([]byte(a.Values()[letter].Bytes)), n)
		default:
			t.add(t.integer(a.Values()[letter].Int), n)
		}
	}
	return nil
}
