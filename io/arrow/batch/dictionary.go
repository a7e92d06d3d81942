package batch

import "slices"

// A Dictionary is one dictionary message.
type Dictionary struct {
	Block Block
	ID    int64
	Delta bool // adds to what came before
}

// Dictionary reads the head of dictionary message d: one column, the values.
func (f *File) Dictionary(d Dictionary) (b *RecordBatch, err error) {
	defer Guard("reading a dictionary", &err)
	m, err := f.message(d.Block)
	if err != nil {
		return nil, err
	}
	sub, ok := m.header.Sub(1)
	values := f.value[d.ID]
	if !ok || values == nil {
		return nil, Errorf("the dictionary has no values")
	}
	return m.recordBatch(sub, d.Block, []Tally{ValueTally(values, m.version)})
}

func (f *File) dictionaryHead(b Block) (d Dictionary, err error) {
	defer Guard("reading a dictionary", &err)
	m, err := f.message(b)
	if err != nil {
		return d, err
	}
	if m.kind != KindDictionary {
		return d, Errorf("the message is not a dictionary")
	}
	return Dictionary{b, m.header.Int64(0), m.header.Flag(2)}, nil
}

func dictionaryValues(s *Schema) (map[int64]*Field, error) {
	value := map[int64]*Field{}
	var err error
	for i := range s.Fields {
		s.Fields[i].Dictionaries(func(id int64, f *Field) {
			if known := value[id]; known == nil {
				value[id] = f
			} else if !sameValues(known, f) {
				err = Errorf("columns of different types share dictionary %d", id)
			}
		})
	}
	return value, err
}

// sameValues reports whether two fields' values, without their own dictionary
// encoding, are stored alike.
func sameValues(a, b *Field) bool {
	return a.Type.Equal(b.Type) && slices.EqualFunc(a.Children, b.Children, func(a, b Field) bool {
		if a.Dict == nil || b.Dict == nil {
			return a.Dict == b.Dict && sameValues(&a, &b)
		}
		return a.Dict.ID == b.Dict.ID && a.Dict.Index.Equal(b.Dict.Index) && sameValues(&a, &b)
	})
}
