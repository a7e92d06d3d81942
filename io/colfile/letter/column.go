package letter

// A Column is a flat column whose values become letters.
type Column struct {
	Name string
	Top  int // among the file's top-level columns
	Leaf int // among the leaves
	Type Type
	Null bool // may hold nulls
}
