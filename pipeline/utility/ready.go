package utility

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

// A Ready order is a hierarchy that the program brings along.
type Ready struct {
	Name   string
	Source string // who says so
	lacks  string // what to do about values that it does not have

	// lines are leaf and groups, from the leaf to the group below the root, for
	// each way to write the leaves. The labels matter only where years are asked for.
	lines func(label []string) [][][]string
}

// readies are the ready orders; each is a form of its name, too.
var readies = []Ready{
	{"us-states", "US Census Bureau, Census Regions and Divisions of the United States (public domain)",
		printed("us-states"), byDivision},
	{"countries", "UN M49 regions as of CLDR " + language.CLDRVersion + ", by golang.org/x/text/language",
		printed("countries"), byRegion},
	{"decades", "the Gregorian calendar", "decades takes years of one to four digits; for dates use numeric", byDecade},
}

func printed(name string) string {
	return "tacet order --ready " + name + " prints the order as a file: add these values there, and give " +
		"--utility hierarchy:FILE"
}

// ReadyOrders are all of them.
func ReadyOrders() []Ready { return slices.Clone(readies) }

// ReadyNames are their names.
func ReadyNames() (names []string) {
	for _, r := range readies {
		names = append(names, r.Name)
	}
	return names
}

func buildStates(b *builder, _ string) *draft    { return b.ready(readies[0]) }
func buildCountries(b *builder, _ string) *draft { return b.ready(readies[1]) }
func buildDecades(b *builder, _ string) *draft   { return b.ready(readies[2]) }

// Knows counts the labels that the order has, in the notation that has most of them.
func (r Ready) Knows(label []string) int {
	_, n := r.written(label)
	return n
}

// CSV is the order as a file for hierarchy:, in the notation that has most of the
// labels; without labels, in the usual one.
func (r Ready) CSV(label []string) []byte {
	lines, _ := r.written(label)
	return []byte(hierarchyText(lines))
}

// written are the lines in the notation that has most of the labels, the first of
// those that have as many.
func (r Ready) written(label []string) (lines [][]string, known int) {
	known = -1
	for _, notation := range r.lines(label) {
		leaf := make(map[string]bool, len(notation))
		for _, line := range notation {
			leaf[line[0]] = true
		}
		n := 0
		for _, l := range label {
			if leaf[l] {
				n++
			}
		}
		if n > known {
			lines, known = notation, n
		}
	}
	return lines, known
}

func hierarchyText(lines [][]string) string {
	var text strings.Builder
	for _, line := range lines {
		for _, cell := range line {
			text.WriteString(cell + ";")
		}
		text.WriteString("*\n")
	}
	return text.String()
}

// ready builds the hierarchy. Groups may be outputs, as in a file.
func (b *builder) ready(r Ready) *draft {
	label := slices.Concat(b.in.Letters.Label, b.in.Outputs)
	lines, _ := r.written(label)
	b.hint = r.lacks
	if len(lines) == 0 {
		fail(b.missing(allOf(b.in.Letters.Label), "have no place in the order", b.hint))
	}
	return b.hierarchy(newSheet(r.Name, hierarchyText(lines), ';'))
}

func allOf(label []string) (all []int) {
	for x := range label {
		all = append(all, x)
	}
	return all
}

//go:embed us-states.csv
var stateTable string

// byDivision are the 50 states and the District of Columbia by division and region. They
// are written as postal codes, names, or FIPS codes with or without a zero in front.
func byDivision([]string) [][][]string {
	notations := make([][][]string, 4)
	for line := range strings.Lines(stateTable) {
		cell := strings.Split(strings.TrimSpace(line), ",")
		if cell[0] == "postal" {
			continue
		}
		for i, leaf := range []string{cell[0], cell[1], cell[2], strings.TrimPrefix(cell[2], "0")} {
			notations[i] = append(notations[i], []string{leaf, cell[3], cell[4]})
		}
	}
	return notations
}

// regions are the groups of UN M49: code and name of the lowest, then its continent.
var regions = [][3]string{
	{"015", "Northern Africa", "Africa"}, {"011", "Western Africa", "Africa"}, {"014", "Eastern Africa", "Africa"},
	{"017", "Middle Africa", "Africa"}, {"018", "Southern Africa", "Africa"},
	{"021", "Northern America", "Americas"}, {"029", "Caribbean", "Americas"},
	{"013", "Central America", "Americas"}, {"005", "South America", "Americas"},
	{"143", "Central Asia", "Asia"}, {"030", "Eastern Asia", "Asia"}, {"035", "South-eastern Asia", "Asia"},
	{"034", "Southern Asia", "Asia"}, {"145", "Western Asia", "Asia"},
	{"151", "Eastern Europe", "Europe"}, {"154", "Northern Europe", "Europe"},
	{"039", "Southern Europe", "Europe"}, {"155", "Western Europe", "Europe"},
	{"053", "Australia and New Zealand", "Oceania"}, {"054", "Melanesia", "Oceania"},
	{"057", "Micronesia", "Oceania"}, {"061", "Polynesia", "Oceania"},
}

// former are codes of states that are no more; some share a number.
var former = map[string]bool{"AN": true, "CS": true, "NT": true, "SU": true, "YU": true}

// allCountries are those that a region of UN M49 holds, which leaves Antarctica and
// some islands out. They are written as ISO 3166 codes of two or three letters, or as
// numbers with or without zeros in front.
var allCountries = sync.OnceValue(func() [][][]string {
	notations := make([][][]string, 4)
	for _, region := range regions {
		group := language.MustParseRegion(region[0])
		for _, r := range language.Supported.Regions() {
			if !r.IsCountry() || r.Canonicalize() != r || r.M49() == 0 || former[r.String()] || !group.Contains(r) {
				continue
			}
			number := strconv.Itoa(r.M49())
			for i, leaf := range []string{r.String(), r.ISO3(), fmt.Sprintf("%03d", r.M49()), number} {
				notations[i] = append(notations[i], []string{leaf, region[1], region[2]})
			}
		}
	}
	return notations
})

func byRegion([]string) [][][]string { return allCountries() }

// byDecade are years, of one to four digits, by decade and century: 1994, 1990-1999,
// 1900-1999. Without labels they are those of three centuries.
func byDecade(label []string) [][][]string {
	var years []int
	for _, l := range label {
		y, err := strconv.Atoi(l)
		if err == nil && 1 <= y && y <= 9999 && strconv.Itoa(y) == l && !slices.Contains(years, y) {
			years = append(years, y)
		}
	}
	if label == nil {
		for y := 1800; y < 2100; y++ {
			years = append(years, y)
		}
	}
	slices.Sort(years)
	var lines [][]string
	for _, y := range years {
		decade, century := y-y%10, y-y%100
		lines = append(lines, []string{strconv.Itoa(y), fmt.Sprintf("%d-%d", decade, decade+9),
			fmt.Sprintf("%d-%d", century, century+99)})
	}
	return [][][]string{lines}
}
