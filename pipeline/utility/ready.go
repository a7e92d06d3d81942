package utility

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// ready has the hierarchies that the program brings along, each under the name of its form. A line is a
// value in three notations, its group, and the group of that. States are those of the US Census Bureau,
// Census Regions and Divisions of the United States (public domain). Countries are those that a region of
// UN M49 holds as of CLDR 32, which leaves Antarctica and some islands out.
//
//go:embed countries.csv us-states.csv
var ready embed.FS

// ReadyOrders are the names of the hierarchies that the program brings along.
func ReadyOrders() []string { return []string{"us-states", "countries"} }

// Knows reports whether a ready order has all of these labels, in one notation.
func Knows(name string, label []string) bool {
	_, known := written(name, label)
	return known == len(label)
}

// written is a ready order as a file for hierarchy:, in the notation that has most of the labels, the first
// of those that have as many. The fourth is the third, a number, without zeros in front.
func written(name string, label []string) (text string, known int) {
	table, err := ready.ReadFile(name + ".csv")
	if err != nil {
		panic(err)
	}
	lines, asked := strings.Split(strings.TrimSpace(string(table)), "\n")[1:], setOf(label)
	known = -1
	for notation := range 4 {
		var all strings.Builder
		n := 0
		for _, line := range lines {
			cell := strings.Split(line, ",")
			leaf := cell[min(notation, 2)]
			if notation == 3 {
				leaf = strings.TrimLeft(leaf, "0")
			}
			if fmt.Fprintf(&all, "%s;%s;%s;*\n", leaf, cell[3], cell[4]); asked[leaf] {
				n++
			}
		}
		if n > known {
			text, known = all.String(), n
		}
	}
	return text, known
}

// setOf has the labels of a list.
func setOf(label []string) map[string]bool {
	set := make(map[string]bool, len(label))
	for _, l := range label {
		set[l] = true
	}
	return set
}

func buildStates(b *builder, _ string) *draft    { return b.ready("us-states") }
func buildCountries(b *builder, _ string) *draft { return b.ready("countries") }

// ready builds the hierarchy. Groups may be outputs, as in a file.
func (b *builder) ready(name string) *draft {
	text, _ := written(name, slices.Concat(b.in.Letters.Label, b.in.Outputs))
	b.hint = "docs/orders/" + name +
		".md has the order as a file: add these values there, and give --utility hierarchy:FILE"
	return b.hierarchy(newSheet(name, text, ';'))
}
