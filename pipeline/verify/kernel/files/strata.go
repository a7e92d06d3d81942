package files

// NewStrata are letters that stand for the places of labels; every other value is the letter rest.
func NewStrata(t Type, place map[Label]int32, rest int32) (*Letters, error) {
	l := &Letters{Type: t, null: rest, rest: rest, of: map[Key]int32{}}
	for label, g := range place {
		k, ok := t.Key(label.Text)
		switch {
		case label.Null:
			l.null = g
		case !ok:
			return nil, errorf("a stratum is no value of the column's type")
		default:
			l.of[k] = g
		}
	}
	return l, nil
}
