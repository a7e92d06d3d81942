package document

// Rules for what is not one value. Number and Truth take what other checks hold by
// its relation to more figures.
var (
	Text   Rule = Node.IsText // which may be empty
	Filled Rule = func(n Node) bool { return n.Text("") != "" }
	Number Rule = Node.IsNumber
	Truth  Rule = Node.IsBool
)

// Round is a float and the size of what was summed, 0 for its own.
func Round(value, size float64) Rounded { return Rounded{Value: value, Size: size} }

// Same is a rule for what a value is written as.
func Same(as any) Rule { return func(n Node) bool { return Written(n, as) } }

// OneOf is a rule for texts.
func OneOf(words ...string) Rule {
	return func(n Node) bool {
		for _, w := range words {
			if n.Has("") && n.Text("") == w {
				return true
			}
		}
		return false
	}
}
