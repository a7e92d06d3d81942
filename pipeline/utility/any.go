package utility

// buildAny orders values that have no order: one group holds all of them.
func buildAny(b *builder, _ string) *draft {
	c := &cast{rows: b.rows(false), outputs: b.outputs(false)}
	group := func(letter) []int32 { return []int32{0} }
	return c.levels(newLevels(c, []int32{1}, group), "0 for the value itself, -1 for any other")
}
