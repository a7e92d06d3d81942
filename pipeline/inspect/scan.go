package inspect

import (
	"context"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// scan counts a column as a run does, all its rows; none is sampled for links.
func (c *Column) scan(ctx context.Context, local table.Content) error {
	in, err := count.OpenFile(local, table.Request{Private: []string{c.Name}, Threads: 1})
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
