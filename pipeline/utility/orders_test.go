package utility

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
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
