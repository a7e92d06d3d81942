package utility

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// An orderCase is a spec with the values of a column, null last, and what else Build is given.
type orderCase struct {
	Spec    string
	Values  []*string
	Kind    string
	Outputs []string
	File    string
	Bytes   bool // every character of File is a byte
}

// TestOrders holds orders to testdata/orders.txt, where what a case gives stands below it: the
// order as CSV writes it, and what is known of it; or what is refused, and the hint.
// TACET_UPDATE=1 writes that.
func TestOrders(t *testing.T) {
	const path = "testdata/orders.txt"
	var all []string
	for asked, want := range orderCases(t, path) {
		var c orderCase
		if err := json.Unmarshal([]byte(asked), &c); err != nil {
			t.Fatalf("%s: %v", asked, err)
		}
		got := "\t" + strings.Join(c.gives(t), "\n\t")
		if got != want && os.Getenv("TACET_UPDATE") == "" {
			t.Errorf("%s\ngives\n%s\nand not\n%s", asked, got, want)
		}
		all = append(all, asked+"\n"+got)
	}
	if len(all) < 100 {
		t.Errorf("only %d cases", len(all))
	}
	if os.Getenv("TACET_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(strings.Join(all, "\n\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// orderCases are the cases of a file, each in JSON, and what they give.
func orderCases(t testing.TB, path string) iter.Seq2[string, string] {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(asked, gives string) bool) {
		for _, lines := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n\n") {
			if asked, gives, _ := strings.Cut(lines, "\n"); !yield(asked, gives) {
				return
			}
		}
	}
}

// gives are lines about the order of a case, which is also consistent, and read back as it is written
// and as a plan holds it: by its spec and the outputs in letter order.
func (c orderCase) gives(t *testing.T) []string {
	t.Helper()
	in := Input{ReadFile: file(c.File), Outputs: c.Outputs,
		Kind: map[string]Kind{"integer": Integer, "date": Date, "boolean": Boolean}[c.Kind]}
	if c.Bytes {
		var text []byte
		for _, r := range c.File {
			text = append(text, byte(r))
		}
		in.ReadFile = file(string(text))
	}
	for _, v := range c.Values {
		if v == nil {
			in.Letters.Null = true
		} else {
			in.Letters.Label = append(in.Letters.Label, *v)
		}
	}
	r, err := Build(c.Spec, in)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || strings.ContainsAny(e.What+e.Hint, "\n\r") {
			t.Errorf("%s: %v", c.Spec, err)
		}
		return []string{e.What + "; hint: " + e.Hint}
	}
	if err := consistent(r); err != nil {
		t.Errorf("%s: %v", c.Spec, err)
	}
	roundTrip(t, r)
	if in.Outputs != nil && r.NullRule {
		in.Outputs = r.Outputs.Label
		if again, err := Build(c.Spec, in); err != nil || csvOf(t, again) != csvOf(t, r) {
			t.Errorf("%s: its outputs in letter order give another order: %v", c.Spec, err)
		}
	}
	out := append(strings.Split(strings.TrimSuffix(csvOf(t, r), "\n"), "\n"),
		fmt.Sprintf("%s; unit %q; file %q; %d rows with ties; %d not used; null by the rule: %v", r.Basis, r.Unit, r.File,
			r.Ties, r.Extra, r.NullRule))
	value, _ := table2(r)
	floors := slices.Concat(value...)
	slices.Sort(floors)
	for i, v := range slices.Backward(slices.Compact(floors)) {
		if i == 0 || len(out) < r.Inputs.Len()+5 {
			out = append(out, fmt.Sprintf("%v: %s", v, r.Describe(v)))
		}
	}
	return out
}

// TestDocs builds the example of every form's page: the values and outputs it
// names, its file where there is one, and the order.csv that it shows last.
func TestDocs(t *testing.T) {
	const folder = "../../docs/orders/"
	line := regexp.MustCompile("(?m)^(Utility|Values|Outputs): `(.*)`$")
	block := regexp.MustCompile("(?s)```csv\n(.*?)```")
	index, err := os.ReadFile(folder + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range Forms() {
		if !strings.Contains(string(index), "("+form.Name+".md)") {
			t.Errorf("README.md does not link %s.md", form.Name)
		}
		page, err := os.ReadFile(folder + form.Name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]string{}
		for _, m := range line.FindAllStringSubmatch(string(page), -1) {
			said[m[1]] = m[2]
		}
		files := block.FindAllStringSubmatch(string(page), -1)
		if said["Utility"] == "" || said["Values"] == "" || len(files) == 0 {
			t.Fatalf("%s.md has no example", form.Name)
		}
		in := Input{Letters: letters(strings.Split(said["Values"], ",")...), ReadFile: file(files[0][1])}
		if said["Outputs"] != "" {
			in.Outputs = strings.Split(said["Outputs"], ",")
		}
		r := build(t, said["Utility"], in)
		if got, want := csvOf(t, r), files[len(files)-1][1]; got != want {
			t.Errorf("%s.md: the order is\n%s, the page says\n%s", form.Name, got, want)
		}
		if r.Form != form.Name {
			t.Errorf("%s.md has an example of %s", form.Name, r.Form)
		}
		roundTrip(t, r)
	}
}

func matrixOf(t *testing.T, value [][]float64) mechanism.Order {
	t.Helper()
	o, err := mechanism.NewMatrix(value)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// FuzzSpec feeds any file to any form: no panic, every error is one line and
// typed, and every order that is made is consistent.
func FuzzSpec(f *testing.F) {
	for asked := range orderCases(f, "testdata/orders.txt") {
		var c orderCase
		if err := json.Unmarshal([]byte(asked), &c); err != nil {
			f.Fatal(err)
		}
		f.Add(c.File, uint8(0), false)
		f.Add(c.File, uint8(6), true)
	}
	f.Add("label,x\nA,1e308\nB,-1e308\n", uint8(2), false)
	specs := []string{"matrix:f", "pairs:f", "positions:f", "ordered:@f", "circular:@f", "hierarchy:f", "tree:f"}
	f.Fuzz(func(t *testing.T, text string, pick uint8, null bool) {
		for _, l := range []Letters{{[]string{"A", "B"}, null}, {[]string{"", "0", "1"}, null}} {
			spec := specs[int(pick)%len(specs)]
			r, err := Build(spec, Input{Letters: l, ReadFile: file(text)})
			if err == nil {
				err := consistent(r)
				if err != nil {
					t.Fatalf("%s: %v", spec, err)
				}
				continue
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%s: untyped error %v", spec, err)
			}
			if strings.ContainsAny(e.What+e.Hint, "\n\r") || r != nil {
				t.Fatalf("%s: error %q, hint %q, result %v", spec, e.What, e.Hint, r)
			}
		}
	})
}

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
