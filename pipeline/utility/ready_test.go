package utility

import (
	"slices"
	"strings"
	"testing"
)

// TestReady holds the ready orders to what their sources say of sizes and of some
// members, in every notation.
func TestReady(t *testing.T) {
	for _, c := range []struct {
		order, want string
		label       []string
	}{
		{"us-states", "West South Central;South", []string{"TX", "CA"}},
		{"us-states", "South Atlantic;South", []string{"District of Columbia"}},
		{"us-states", "East South Central;South", []string{"01", "06"}},
		{"us-states", "East South Central;South", []string{"1", "10"}},
		{"countries", "Western Europe;Europe", []string{"DE"}},
		{"countries", "Southern Asia;Asia", []string{"AFG", "DEU"}},
		{"countries", "Southern Asia;Asia", []string{"004", "276"}},
		{"countries", "Southern Asia;Asia", []string{"4", "276"}},
	} {
		text, known := written(c.order, c.label)
		if known != len(c.label) || !strings.Contains("\n"+text, "\n"+c.label[0]+";"+c.want+";*\n") {
			t.Errorf("%s knows %d of %q, and the first is not in %s", c.order, known, c.label, c.want)
		}
		leaves, groups, largest := map[string]bool{}, map[string]bool{}, map[string]int{}
		for line := range strings.Lines(text) {
			cell := strings.Split(line, ";")
			if leaves[cell[0]] || cell[0] == "" {
				t.Errorf("%s has %q twice, or a leaf of no name", c.order, cell[0])
			}
			leaves[cell[0]], groups[cell[1]] = true, true
			largest[cell[2]]++
		}
		if n := len(leaves); c.order == "countries" && (n != 241 || len(groups) != 22 || len(largest) != 5) ||
			c.order == "us-states" && (n != 51 || len(groups) != 9 || largest["Northeast"] != 9 ||
				largest["Midwest"] != 12 || largest["South"] != 17 || largest["West"] != 13) {
			t.Errorf("%s: %d values, %d groups, %v", c.order, n, len(groups), largest)
		}
	}
	if Knows("us-states", []string{"TX", "PR", "CA"}) || !Knows("us-states", []string{"TX", "CA"}) {
		t.Error("us-states knows PR, or does not know TX and CA")
	}
}

// TestStarter: every starter is refused until it is filled in, and then has every
// label, however odd.
func TestStarter(t *testing.T) {
	labels := []string{"", "# tacet: x", "<fill in>", "a,b", "a;b", "line\nbreak", "quote\"", " space "}
	fill := map[string][2]string{
		"hierarchy:f": {";<fill in>;", ";g;"}, "ordered:@f": {"\n<fill in>\n", "\n"}, "circular:@f": {"\n<fill in>\n", "\n"},
		"positions:f": {",<fill in>,<fill in>", ",1,2"}, "matrix:f": {",<fill in>", ",-1"},
		"tree:f": {",<fill in>", ","}, "pairs:f": {",<fill in>,<fill in>", ",o,1"},
	}
	for spec, f := range fill {
		labels := labels
		if spec == "tree:f" { // whose codes are not empty
			labels = labels[1:]
		}
		path, data, err := Starter(spec, "c", labels)
		if err != nil || path != "f" {
			t.Fatalf("%s: path %q, error %v", spec, path, err)
		}
		in := Input{Letters: letters(labels...), ReadFile: file(string(data))}
		p, err := Unfinished(spec, in)
		if err != nil || len(p.Gaps) == 0 || p.Lacking != nil {
			t.Errorf("%s: %+v, error %v", spec, p, err)
		}
		if _, err := Build(spec, in); err == nil || !strings.Contains(err.Error(), "still to fill in") {
			t.Errorf("%s: built as it is: error %v", spec, err)
		}
		whole := strings.ReplaceAll(string(data), f[0], f[1])
		in.ReadFile = file(whole)
		if p, err := Unfinished(spec, in); err != nil || len(p.Gaps) != 0 || p.Lines != len(labels) {
			t.Errorf("%s, filled in: %+v, error %v", spec, p, err)
		}
		// A header cannot hold an empty label where the data have none.
		if l, err := Named(spec, in.ReadFile); spec != "matrix:f" && (err != nil || len(l.Label) != len(labels)) {
			t.Errorf("%s, filled in: %q, error %v", spec, l.Label, err)
		}
		r := build(t, spec, in)
		out := slices.Sorted(slices.Values(r.Outputs.Label))
		if spec != "pairs:f" && !slices.Equal(out, slices.Sorted(slices.Values(labels))) {
			t.Errorf("%s: outputs %q", spec, out)
		}
	}
}
