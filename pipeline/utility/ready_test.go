package utility

import (
	"slices"
	"strings"
	"testing"
)

// TestReady holds the ready orders to what their sources say of sizes and of some
// members, in every notation.
func TestReady(t *testing.T) {
	group := func(r Ready, label ...string) string {
		t.Helper()
		for line := range strings.Lines(string(r.CSV(label))) {
			if cells := strings.Split(line, ";"); cells[0] == label[0] {
				return strings.Join(cells[1:3], ", ")
			}
		}
		return ""
	}
	states, countries, decades := readies[0], readies[1], readies[2]
	for _, c := range []struct {
		order Ready
		label []string
		want  string
	}{
		{states, []string{"TX", "CA"}, "West South Central, South"},
		{states, []string{"District of Columbia"}, "South Atlantic, South"},
		{states, []string{"01", "06"}, "East South Central, South"},
		{states, []string{"1", "10"}, "East South Central, South"},
		{countries, []string{"DE"}, "Western Europe, Europe"},
		{countries, []string{"AFG", "DEU"}, "Southern Asia, Asia"},
		{countries, []string{"004", "276"}, "Southern Asia, Asia"},
		{countries, []string{"4", "276"}, "Southern Asia, Asia"},
		{decades, []string{"2000"}, "2000-2009, 2000-2099"},
		{decades, []string{"99"}, "90-99, 0-99"},
		{decades, []string{"0099"}, ""},
		{decades, []string{"10000"}, ""},
	} {
		if got := group(c.order, c.label...); got != c.want {
			t.Errorf("%s in %s is in %q, want %q", c.label[0], c.order.Name, got, c.want)
		}
	}
	for i, notation := range append(byDivision(nil), byRegion(nil)...) {
		seen, groups := map[string]bool{}, map[string]bool{}
		continents := map[string]int{}
		for _, line := range notation {
			if seen[line[0]] || line[0] == "" {
				t.Errorf("notation %d has %q twice, or a leaf of no name", i, line[0])
			}
			seen[line[0]], groups[line[1]] = true, true
			continents[line[2]]++
		}
		if i < 4 && (len(seen) != 51 || len(groups) != 9 || continents["Northeast"] != 9 || continents["Midwest"] != 12 ||
			continents["South"] != 17 || continents["West"] != 13) {
			t.Errorf("notation %d: %d states, %d divisions, %v", i, len(seen), len(groups), continents)
		}
		if i >= 4 && (len(seen) < 240 || len(seen) > 252 || len(groups) != 22 || len(continents) != 5) {
			t.Errorf("notation %d: %d countries, %d regions, %v", i, len(seen), len(groups), continents)
		}
	}
	if n := states.Knows([]string{"TX", "PR", "CA"}); n != 2 {
		t.Errorf("us-states knows %d of TX, PR, CA", n)
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
