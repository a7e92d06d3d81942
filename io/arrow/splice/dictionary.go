package splice

import (
	"fmt"
	"sync"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// A dictionary holds the values of a dictionary by their index.
type dictionary struct {
	value []table.Value
	null  []bool // nil where none is
}

// dictionary returns what reads the dictionary of c, once.
func (a *File) dictionary(c *privateColumn) func() (*dictionary, error) {
	return sync.OnceValues(func() (*dictionary, error) {
		d, err := a.readDictionary(c)
		if err != nil {
			return nil, inputError(fmt.Errorf("column %q: %w", c.Name, err))
		}
		return d, nil
	})
}

func (a *File) readDictionary(c *privateColumn) (*dictionary, error) {
	d := &dictionary{}
	first := true
	for _, m := range a.raw.Dicts {
		if m.ID != c.field.Dict.ID {
			continue
		}
		if !first && !m.Delta {
			return nil, &batch.Error{What: "its dictionary is replaced within the file", Hint: "write the file again"}
		}
		first = false
		b, err := a.raw.Dictionary(m)
		if err != nil {
			return nil, err
		}
		values, err := batch.Read(a.raw, b, 0, c.field.Type)
		if err != nil {
			return nil, err
		}
		if err := c.whole(values); err != nil {
			return nil, err
		}
		d.append(values, c.Type)
		values.Release()
	}
	return d, nil
}

func (d *dictionary) append(values *batch.Array, t table.Type) {
	if values.Nulls > 0 && d.null == nil {
		d.null = make([]bool, len(d.value))
	}
	block := make([]int64, min(values.Len, table.BatchRows))
	for from := 0; from < values.Len; from += table.BatchRows {
		block = block[:min(values.Len-from, table.BatchRows)]
		if t.Kind > table.Binary {
			values.Ints(block, from)
		}
		for i, v := range block {
			null := values.Null(from + i)
			if d.null != nil {
				d.null = append(d.null, null)
			}
			switch {
			case null:
				d.value = append(d.value, table.Value{})
			case t.Kind <= table.Binary:
				d.value = append(d.value, table.Value{Bytes: string(values.Bytes(from + i))})
			default:
				d.value = append(d.value, table.Value{Int: v})
			}
		}
	}
}

// isNull reports whether the value at index i is null.
func (d *dictionary) isNull(i int) bool { return d.null != nil && d.null[i] }
