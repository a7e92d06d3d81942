package utility

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Form is one way to give an order.
type Form struct {
	Name   string
	Syntax string // as it is written after --utility; what stands where FILE does is a path
	Help   string // one line
	Words  string // what the order prefers

	ownOutputs bool                                // the file says which outputs there are
	unlisted   bool                                // the spec lists no letters: it orders whatever there are
	levels     bool                                // utilities are minus levels: a value floor parts letters into groups
	build      func(b *builder, arg string) *draft // see failure
}

// forms is the registry; to add a form, write its builder in a file of its own
// and name it here.
var forms = []Form{
	{Name: "matrix", Syntax: "matrix:FILE.csv", ownOutputs: true, build: buildMatrix,
		Help:  "a line for each value, a column for each output: how well it fits, -inf where it may not be",
		Words: "a table says how well each output stands for each value"},
	{Name: "pairs", Syntax: "pairs:FILE.csv", ownOutputs: true, build: buildPairs,
		Help:  "lines from,to,utility: how well it fits; a pair that is not there may not be",
		Words: "a list says which output may replace which value, and how well"},
	{Name: "positions", Syntax: "positions:FILE.csv", build: buildPositions,
		Help:  "lines label,latitude,longitude, or label,x,y: the nearer, the better",
		Words: "the nearer in space, the better"},
	{Name: "ordered", Syntax: "ordered:A,B,C or ordered:@FILE", build: buildOrdered,
		Help: "a list from low to high, or a file with a value a line: the nearer, the better", Words: "the nearer in a " +
			"list, the better"},
	{Name: "circular", Syntax: "circular:A,B,C or circular:@FILE", build: buildCircular,
		Help: "a list that closes, such as hours or months", Words: "the nearer on a circle, the better"},
	{Name: "numeric", Syntax: "numeric", unlisted: true, build: buildNumeric,
		Help:  "numbers and dates: the nearer, the better",
		Words: "the nearer as a number, the better"},
	{Name: "hierarchy", Syntax: "hierarchy:FILE.csv", levels: true, build: buildHierarchy,
		Help:  "lines value;group;larger group;*: the smaller the group of both, the better",
		Words: "the lower the common group in a hierarchy, the better"},
	{Name: "tree", Syntax: "tree:FILE.csv", levels: true, build: buildTree,
		Help:  "lines code,parent: the same for groups that are not all of one depth",
		Words: "the lower the common ancestor in a tree, the better"},
	{Name: "prefix", Syntax: "prefix or prefix:1,3,4 or prefix:naics", unlisted: true, levels: true, build: buildPrefix,
		Help:  "codes such as zip codes: the more first characters in common, the better",
		Words: "the longer the common prefix of two codes, the better"},
	{Name: "any", Syntax: "any", unlisted: true, levels: true, build: buildAny,
		Help:  "values in no order: keep the value, or else take any other",
		Words: "the value itself is best, and all others are equally good"},
	{Name: "us-states", Syntax: "us-states", levels: true, build: buildStates,
		Help:  "US states by census division and region: postal codes, names or FIPS codes",
		Words: "a state of the same census division or region is better"},
	{Name: "countries", Syntax: "countries", levels: true, build: buildCountries,
		Help:  "countries by UN region and continent: ISO 3166 codes of two or three letters, or numbers",
		Words: "a country of the same UN region or continent is better"},
}

// FormOf is the form of that name.
func FormOf(name string) (Form, bool) {
	i := slices.IndexFunc(forms, func(f Form) bool { return f.Name == name })
	if i < 0 {
		return Form{}, false
	}
	return forms[i], true
}

// Known fails where a spec begins with the name of no form.
func Known(spec string) error {
	name, _, _ := strings.Cut(spec, ":")
	if _, ok := FormOf(name); ok {
		return nil
	}
	_, _, err := parse(spec)
	return err
}

// InLevels reports whether the order of a spec, or of the name of a form, has
// levels: two letters are as near as the lowest group that holds both, so that
// every floor of a utility parts the letters into groups.
func InLevels(spec string) bool {
	name, _, _ := strings.Cut(spec, ":")
	f, _ := FormOf(name)
	return f.levels
}

// LevelOf is a utility as a level: 0 where any value may replace any, and of where
// each is replaced by itself. Ok is false for an order of another form, and for one in
// which nothing is apart.
func LevelOf(form string, lowest, value float64) (level, of int, ok bool) {
	if !InLevels(form) || !(lowest < 0) {
		return 0, 0, false
	}
	return int(value - lowest), int(-lowest), true
}

// NameFloor names a floor of an order whose least utility is lowest.
func NameFloor(form string, lowest float64, f mechanism.Floor) string {
	if level, _, ok := LevelOf(form, lowest, f.Value); ok && f.ByValue {
		return fmt.Sprintf("level %d (%v)", level, f)
	}
	return f.String()
}

// FileOf is the path of the file that a spec names, "" where it names none.
func FileOf(spec string) string {
	name, arg, _ := strings.Cut(spec, ":")
	f, _ := FormOf(name)
	path, marked := strings.CutPrefix(arg, "@")
	switch {
	case marked && strings.Contains(f.Syntax, ":@FILE"):
		return path
	case strings.Contains(f.Syntax, ":FILE"):
		return arg
	}
	return ""
}

// Forms are the ways to give an order.
func Forms() []Form { return slices.Clone(forms) }

// parse splits a spec at its first colon and finds its form.
func parse(spec string) (Form, string, error) {
	name, arg, colon := strings.Cut(spec, ":")
	var names []string
	for _, f := range forms {
		if f.Name != name {
			names = append(names, f.Name)
			continue
		}
		if !colon && strings.HasPrefix(f.Syntax, name+":") {
			return f, "", errorf("write "+f.Syntax, "%s: the spec ends after the name", name)
		}
		if colon && !strings.Contains(f.Syntax, ":") {
			return f, "", errorf("write "+f.Syntax, "%s takes nothing after the name", name)
		}
		return f, arg, nil
	}
	hint := "the forms are " + strings.Join(names, ", ")
	if strings.HasSuffix(strings.ToLower(spec), ".csv") && !colon {
		hint = "if it is a file, write its form before it, for example matrix:FILE.csv; " + hint
	}
	return Form{}, "", errorf(hint, "utility: %s is not a form of order", quote(name))
}
