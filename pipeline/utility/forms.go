package utility

import "strings"

// A Form is one way to give an order.
type Form struct {
	Name   string
	Syntax string // as it is written after --utility
	Help   string // one line

	ownOutputs bool // the file says which outputs there are
	build      func(b *builder, arg string) (*draft, error)
}

// Forms is the registry; to add a form, write its builder in a file of its
// own and name it here.
func Forms() []Form {
	return []Form{
		{"matrix", "matrix:FILE.csv", "a utility per cell; header = outputs, first column = letters, -inf = forbidden", true, buildMatrix},
		{"ranks", "ranks:FILE.csv", "the same with ranks, every row a permutation of 1..M, M is best", true, buildRanks},
		{"pairs", "pairs:FILE.csv", "columns from,to,utility; a missing pair is forbidden", true, buildPairs},
		{"positions", "positions:FILE.csv", "label,latitude,longitude: minus kilometres; label,x,y,...: minus distance", false, buildPositions},
		{"ordered", "ordered:A,B,C or ordered:@FILE", "minus the difference in place in the list", false, buildOrdered},
		{"circular", "circular:A,B,C or circular:@FILE", "the same on a circle, for hours and months", false, buildCircular},
		{"numeric", "numeric", "minus the difference of the labels as numbers, of dates in days", false, buildNumeric},
		{"hierarchy", "hierarchy:FILE.csv", "lines leaf;level1;...;*: minus the level of the lowest common ancestor", false, buildHierarchy},
		{"tree", "tree:FILE.csv", "columns code,parent[,label]: minus the level of the lowest common ancestor", false, buildTree},
		{"prefix", "prefix or prefix:1,3,4 or prefix:naics", "minus the level at which two codes part, by their first characters; dots ignored", false, buildPrefix},
	}
}

// Syntaxes lists how the forms are written after --utility.
func Syntaxes() []string {
	var out []string
	for _, f := range Forms() {
		out = append(out, f.Syntax)
	}
	return out
}

// parse splits a spec at its first colon and finds its form.
func parse(spec string) (Form, string, error) {
	name, arg, colon := strings.Cut(spec, ":")
	var names []string
	for _, f := range Forms() {
		if f.Name != name {
			names = append(names, f.Name)
			continue
		}
		if !colon && strings.Contains(f.Syntax, ":") && f.Name != "prefix" {
			return f, "", errorf("write "+f.Syntax, "%s: the spec says nothing after the name", name)
		}
		if colon && !strings.Contains(f.Syntax, ":") {
			return f, "", errorf("write "+f.Syntax, "%s takes nothing after the name", name)
		}
		return f, arg, nil
	}
	hint := "the forms are " + strings.Join(names, ", ")
	if strings.HasSuffix(strings.ToLower(spec), ".csv") && !colon {
		hint = "say what the file is, for example matrix:FILE.csv; " + hint
	}
	return Form{}, "", errorf(hint, "utility: %s is no form of order", quote(name))
}
