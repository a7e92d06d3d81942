package meta

import "slices"

// CheckFile looks at what of the file and its row groups is taken over.
func (f *Footer) CheckFile() error {
	if !metaShape.fits(f.Meta) {
		return Damaged("the footer has fields of other types than the format gives them")
	}
	schema := f.Schema()
	for i := range schema.Len() {
		s := schema.At(i).View()
		if !elementShape.fits(s) || !logicalFits(s.Get(ElementLogical).View()) ||
			i > 0 && s.Get(ElementRepetition) == nil {
			return Damaged("element %d of its schema is invalid", i)
		}
	}
	list := f.Meta.Get(MetaGroups).View()
	for g := range f.Groups {
		if !groupShape.fits(list.At(g).View()) {
			return Damaged("row group %d has fields of other types than the format gives them", g)
		}
	}
	return nil
}

// CheckMeta looks at the ColumnMetaData of the chunk of a leaf in a row group.
func (f *Footer) CheckMeta(group, leaf int) error {
	if err := f.checkMeta(f.Groups[group].Chunks[leaf].meta.View(), group, leaf); err != nil {
		return InChunk(err, f.Leaves[leaf].Name(), group)
	}
	return nil
}

func (f *Footer) checkMeta(meta *Value, group, leaf int) error {
	l, c := &f.Leaves[leaf], &f.Groups[group].Chunks[leaf]
	if !columnShape.fits(meta) {
		return Damaged("its metadata have fields of other types than the format gives them, or lack one")
	}
	var path []string
	names := meta.Get(ColumnPath).View()
	for i := range names.Len() {
		name, _ := names.At(i).Bytes()
		path = append(path, string(name))
	}
	if !slices.Equal(path, l.Path) {
		return Damaged("its metadata are those of another column")
	}
	if rows := f.Groups[group].Rows; c.Values < rows || c.Values > rows && len(l.Path) == 1 &&
		l.Repetition != Repeated {
		return Damaged("%d values for %d rows", c.Values, rows)
	}
	if c.Codec < Uncompressed || c.Codec > LZ4Raw {
		return Damaged("it is compressed by a codec that does not exist, %d", c.Codec)
	}
	encodings := meta.Get(ColumnEncodings).View()
	for i := range encodings.Len() {
		if e, _ := encodings.At(i).Int(); e < 0 || e == 1 || e > int64(ByteStreamSplit) {
			return Damaged("it has an encoding that does not exist, %d", e)
		}
	}
	if end := c.Start + c.Size; c.Values > 0 && (c.DataPage < c.Start || c.DataPage >= end) {
		return Damaged("its first page is not inside it")
	}
	return checkStatistics(meta.Get(ColumnStatistics).View(), l, c.Values)
}

// Encodings are those that the footer lists for a chunk, as bits by their numbers: 0 where it lists none. The two of
// codes of a dictionary are one, since writers mix them.
func (c *Chunk) Encodings() (bits uint64) {
	list := c.meta.Get(ColumnEncodings).View()
	for i := range list.Len() {
		e, _ := list.At(i).Int()
		if bits |= 1 << uint64(e); e == int64(PlainDictionary) || e == int64(RLEDictionary) {
			bits |= 1<<PlainDictionary | 1<<RLEDictionary
		}
	}
	return bits
}

// checkStatistics holds the least and greatest values against their type.
func checkStatistics(s *Value, l *Leaf, values int64) error {
	if s == nil {
		return nil
	}
	for _, count := range []int16{3, 4} { // nulls, distinct values
		if n, ok := s.Get(count).Int(); ok && (n < 0 || n > values) {
			return Damaged("its statistics count %d of %d values", n, values)
		}
	}
	width := map[Physical]int{Boolean: 1, Int32: 4, Int64: 8, Int96: 12, Float: 4, Float64: 8, FixedLen: int(l.Length)}
	for _, id := range []int16{1, 2, 5, 6} {
		want, fixed := width[l.Physical]
		if v, ok := s.Get(id).Bytes(); ok && fixed && len(v) > 0 && len(v) != want {
			return Damaged("its statistics have a value of %d bytes, where %d are wanted", len(v), want)
		}
	}
	return nil
}

// nodes are the elements of a column, as the schema lists them.
type nodes struct {
	list *Value
	next int
	leaf []Levels
}

// Schema are the elements of the schema, of all columns: whoever looks at many columns
// opens it once.
func (f *Footer) Schema() *Value { return f.Meta.Get(MetaSchema).View() }

// CheckSchema looks at the elements of a top-level column in the schema and gives the
// levels of its leaves.
func (c *Column) CheckSchema(schema *Value) ([]Levels, error) {
	n := nodes{list: schema, next: c.Element}
	if !n.node(Levels{}, Plain) {
		return nil, Damaged("the schema of column %q is invalid", c.Name)
	}
	return n.leaf, nil
}

// node looks at the element that comes next and all below it; false is one that
// cannot be. In is what it stands in: only the elements of a list may be lists
// or maps that are repeated.
func (n *nodes) node(above Levels, in LogicalKind) bool {
	s := n.list.At(n.next).View()
	n.next++
	if !elementShape.fits(s) || !logicalFits(s.Get(ElementLogical).View()) {
		return false
	}
	repetition, _ := s.Get(ElementRepetition).Int()
	switch Repetition(repetition) {
	case Optional:
		above.Definition++
	case Repeated:
		above.Definition++
		above.Repetition++
	}
	children, _ := s.Get(ElementChildren).Int()
	logical := readLogical(s)
	if children == 0 && s.Get(ElementPhysical) != nil {
		n.leaf = append(n.leaf, above)
		physical, _ := s.Get(ElementPhysical).Int()
		length, _ := s.Get(ElementLength).Int()
		return physical >= 0 && physical <= int64(FixedLen) && suits(logical, Physical(physical), length)
	}
	switch logical.Kind {
	case Plain, Variant:
	case Map, Listing:
		repeated := Repetition(repetition) == Repeated && in != Listing
		if !keyValue(s) && (repeated || !n.holds(logical.Kind, children)) {
			return false
		}
	default:
		if logical.Kind <= Geography { // else one that there is not yet
			return false
		}
	}
	for range children {
		if !n.node(above, logical.Kind) {
			return false
		}
	}
	return true
}

// holds reports whether the elements that come next are what stands in a list
// or a map: one that is repeated, and of a map a group of a key and a value.
func (n *nodes) holds(kind LogicalKind, children int64) bool {
	if children != 1 || n.next >= n.list.Len() {
		return false
	}
	inner := n.list.At(n.next).View()
	repetition, _ := inner.Get(ElementRepetition).Int()
	fields, _ := inner.Get(ElementChildren).Int()
	return Repetition(repetition) == Repeated && (kind == Listing || fields == 1 || fields == 2)
}

// keyValue reports the repeated group of a map, which some writers annotate as
// MAP_KEY_VALUE.
func keyValue(s *Value) bool {
	converted, ok := s.Get(ElementConverted).Int()
	return ok && converted == 2 && s.Get(ElementLogical) == nil
}
