package files

import "slices"

// Described compares the fields of the schemas.
func (a *arrowFile) Described(input File, redrawn []string) (differ []string, err error) {
	b, ok := input.(*arrowFile)
	if !ok {
		return nil, errorf("cannot be compared with the input")
	}
	for i := range a.fields {
		f := &a.fields[i]
		j := slices.Index(b.name, f.name)
		if i != a.at && !slices.Contains(redrawn, f.name) && (j < 0 || !f.same(&b.fields[j])) {
			differ = append(differ, f.name)
		}
	}
	return differ, nil
}

// Same compares the columns but those redrawn: what the schema says of them,
// and the bytes of their buffers and dictionaries, which runs copy.
func (a *arrowFile) Same(input File, redrawn []string) (differ []string, err error) {
	defer guard(&err, "has columns that cannot be compared")
	if differ, err = a.Described(input, redrawn); err != nil {
		return nil, err
	}
	b := input.(*arrowFile)
	if len(a.rows) != len(b.rows) {
		return nil, errorf("cannot be compared with the input")
	}
	source := map[int]int{} // by column of the output
	ids := map[int64]bool{}
	for i := range a.fields {
		f := &a.fields[i]
		j := slices.Index(b.name, f.name)
		switch {
		case i == a.at || slices.Contains(redrawn, f.name):
		case j >= 0 && f.same(&b.fields[j]):
			source[i] = j
			for _, id := range f.dictionaries() {
				ids[id] = true
			}
		}
	}
	for unit := range a.rows {
		mine, err := a.batch(unit)
		if err != nil {
			return nil, err
		}
		theirs, err := b.batch(unit)
		if err != nil {
			return nil, errorf("cannot be compared: record batch %d of the input cannot be decoded", unit+1)
		}
		for i, j := range source {
			if mine.codec != theirs.codec || !mine.column[i].same(a, &theirs.column[j], b) {
				differ = append(differ, a.name[i])
			}
		}
	}
	changed, err := a.sameDictionaries(b, ids)
	if err != nil {
		return nil, err
	}
	for i := range source {
		if slices.ContainsFunc(a.fields[i].dictionaries(), func(id int64) bool { return changed[id] }) {
			differ = append(differ, a.name[i])
		}
	}
	slices.Sort(differ)
	return slices.Compact(differ), nil
}

// sameDictionaries names the dictionaries among ids that are not the input's,
// message by message.
func (a *arrowFile) sameDictionaries(b *arrowFile, ids map[int64]bool) (changed map[int64]bool, err error) {
	changed = map[int64]bool{}
	theirs := map[int64][]int{} // messages that are left, by id
	for i := range b.dicts {
		id, _, _, err := b.dictionary(i)
		if err != nil {
			return nil, errorf("cannot be compared: dictionary message %d of the input cannot be decoded", i+1)
		}
		if ids[id] {
			theirs[id] = append(theirs[id], i)
		}
	}
	for i := range a.dicts {
		id, delta, mine, err := a.dictionary(i)
		if err != nil {
			return nil, err
		}
		if !ids[id] {
			continue
		}
		if len(theirs[id]) == 0 {
			changed[id] = true
			continue
		}
		_, adds, other, err := b.dictionary(theirs[id][0])
		if err != nil {
			return nil, err
		}
		theirs[id] = theirs[id][1:]
		if delta != adds || mine.codec != other.codec || !mine.column[0].same(a, &other.column[0], b) {
			changed[id] = true
		}
	}
	for id, left := range theirs {
		changed[id] = changed[id] || len(left) > 0
	}
	return changed, nil
}

// same reports whether two arrays have the same lengths and bytes.
func (c *arrowColumn) same(in *arrowFile, d *arrowColumn, other *arrowFile) bool {
	return slices.Equal(c.nodes, d.nodes) && slices.Equal(c.views, d.views) && slices.EqualFunc(c.buffers, d.buffers,
		func(x, y extent) bool {
			return x.size == y.size && sameBytes(in.in, x.at, other.in, y.at, x.size)
		})
}
