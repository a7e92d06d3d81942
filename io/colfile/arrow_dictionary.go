package colfile

import (
	"fmt"
	"sync"

	"github.com/tacet-privacy/tacet/io/arrowraw"
)

// An arrowDictionary holds the values of a dictionary by their index.
type arrowDictionary struct {
	value []Value
	null  []bool // nil where none is
}

// dictionary returns what reads the dictionary of c, once.
func (a *arrowFile) dictionary(c *arrowColumn) func() (*arrowDictionary, error) {
	return sync.OnceValues(func() (*arrowDictionary, error) {
		d, err := a.readDictionary(c)
		if err != nil {
			return nil, arrowError(fmt.Errorf("column %q: %w", c.name, err))
		}
		return d, nil
	})
}

func (a *arrowFile) readDictionary(c *arrowColumn) (*arrowDictionary, error) {
	d := &arrowDictionary{}
	first := true
	for _, m := range a.raw.Dicts {
		if m.ID != c.field.Dict.ID {
			continue
		}
		if !first && !m.Delta {
			return nil, &arrowraw.FormatError{What: "its dictionary is replaced within the file", Hint: "write the file again"}
		}
		first = false
		b, err := a.raw.Dictionary(m)
		if err != nil {
			return nil, err
		}
		values, err := a.raw.Array(b, 0, c.field.Type)
		if err != nil {
			return nil, err
		}
		d.append(values, c.typ)
		values.Release()
	}
	return d, nil
}

func (d *arrowDictionary) append(values *arrowraw.Array, t Type) {
	if values.Nulls > 0 && d.null == nil {
		d.null = make([]bool, len(d.value))
	}
	block := make([]int64, min(values.Len, batchRows))
	for from := 0; from < values.Len; from += batchRows {
		block = block[:min(values.Len-from, batchRows)]
		if t.Kind > Binary {
			values.Ints(block, from)
		}
		for i, v := range block {
			null := values.Null(from + i)
			if d.null != nil {
				d.null = append(d.null, null)
			}
			switch {
			case null:
				d.value = append(d.value, Value{})
			case t.Kind <= Binary:
				d.value = append(d.value, Value{Bytes: string(values.Bytes(from + i))})
			default:
				d.value = append(d.value, Value{Int: v})
			}
		}
	}
}

// isNull reports whether the value at index i is null.
func (d *arrowDictionary) isNull(i int) bool { return d.null != nil && d.null[i] }
