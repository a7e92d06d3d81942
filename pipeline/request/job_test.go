package request

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

var keys = []*Option{
	{Name: "input"}, {Name: "null", Choices: []string{"refuse", "draw"}}, {Name: "epsilon", Kind: Bound},
	{Name: "max-factor", Kind: Bound},
	{Name: "floor-rank", Kind: Whole}, {Name: "floor-value", Kind: Number}, {Name: "keep", Kind: Names},
	{Name: "overwrite", Kind: Switch},
	{Name: "solve-time", Kind: Duration}, {Name: "sign", Kind: Secret}, {Name: "utility", Usage: "a <SPEC>"},
}

const complete = `# nightly
input: flights.parquet
null: draw
epsilon: 0.850
max-factor: "7/3"
floor-rank: 12
floor-value: -4.50
keep: [a, "b c"]
overwrite: false
solve-time: 90s
sign: fd:3
utility: ordered:red,orange
about:
  owner: Statistics
  date: 2026-11-21
  persons: 1
  preparer:
  reviewer: R. Reviewer
`

func TestParse(t *testing.T) {
	got, err := Parse("job.yaml", []byte(complete), keys)
	if err != nil {
		t.Fatal(err)
	}
	want := &File{
		Values: []Value{{"input", []string{"flights.parquet"}}, {"null", []string{"draw"}}, {"epsilon", []string{"0.850"}},
			{"max-factor", []string{"7/3"}}, {"floor-rank", []string{"12"}},
			{"floor-value", []string{"-4.50"}}, {"keep", []string{"a,b c"}}, {"overwrite", []string{"false"}},
			{"solve-time", []string{"90s"}}, {"sign", []string{"fd:3"}}, {"utility", []string{"ordered:red,orange"}}},
		About:  &report.About{Owner: "Statistics", Date: "2026-11-21", Persons: "1"},
		Inside: &report.Inside{Reviewer: "R. Reviewer"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, about %+v", got, got.About)
	}
	for _, same := range []string{"{\"epsilon\": 1e-2, \"null\": \"refuse\"}",
		"\ufeffepsilon: 1e-2\r\n'null': refuse\r\n"} {
		got, err := Parse("job.json", []byte(same), keys)
		if err != nil || len(got.Values) != 2 || got.Values[0].Each[0] != "1e-2" || got.About != nil || got.Inside != nil {
			t.Errorf("%q: %+v, %v", same, got, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, what, hint string }{
		{"input: a\nepsilom: 1\n", `, line 2, column 1: there is no key "epsilom"`, "the nearest key is epsilon"},
		{"Floor_Rank: 1\n", `, line 1, column 1: there is no key "Floor_Rank"`, "the nearest key is floor-rank"},
		{"--epsilon: 1\n", `there is no key "--epsilon"`, "the nearest key is epsilon"},
		{"abaut: {}\n", `there is no key "abaut"`, "the nearest key is about"},
		{"<<: {}\n", `there is no key "<<"`, "the nearest key is "},
		{"about:\n  ownr: x\n", `, line 2, column 3: there is no key "ownr"`, "the nearest key is owner"},
		{"input: a\n\n  \ninput: b\n", ", line 4, column 1: input appears twice, first in line 1", ""},
		{"about: {owner: a, owner: b}\n", ", line 1, column 19: owner appears twice, first in line 1", ""},
		{"about: {}\nabout: {}\n", ", line 2, column 1: about appears twice", ""},
		{"about: me\n", ", line 1, column 8: about must be a list of fields", ""},
		{"about:\n  owner: [a]\n", ", line 2, column 10: owner must be text", ""},
		{"input: 2024\n", ", line 1, column 8: input must be text", "with the quotes"},
		{"input: true\n", "input must be text", ""},
		{"input: [a]\n", ", line 1, column 8: input must be one value", ""},
		{"input:\n", ", line 1, column 1: input has no value", ""},
		{"input: ~\n", "input has no value", ""},
		{"null: maybe\n", ", line 1, column 7: null has an unknown value", "choose one of refuse, draw"},
		{"epsilon: true\n", "epsilon must be a number, or a fraction in quotes", ""},
		{"epsilon: .inf\n", "epsilon must be a number", ""},
		{"epsilon: 0x1F\n", "epsilon must be a number", ""},
		{"epsilon: 1_000\n", "epsilon must be a number", ""},
		{"floor-rank: 1.5\n", ", line 1, column 13: floor-rank must be a whole number", ""},
		{"floor-rank: \"1\"\n", "floor-rank must be a whole number", ""},
		{"floor-rank: 0o17\n", "floor-rank must be a whole number", ""},
		{"floor-value: low\n", "floor-value must be a number", ""},
		{"floor-value: .nan\n", "floor-value must be a number", ""},
		{"keep: a,b\n", ", line 1, column 7: keep must be a list", "[a, b]"},
		{"keep: [a, 3]\n", ", line 1, column 11: keep must be a list of texts", ""},
		{"keep: [a, a]\n", "keep has a name twice", ""},
		{"overwrite: yes\n", "overwrite must be true or false", ""},
		{"overwrite: 1\n", "overwrite must be true or false", ""},
		{"solve-time: 90\n", ", line 1, column 13: solve-time must be a time with its unit", "90s"},
		{"solve-time: soon\n", "solve-time must be a time", ""},
		{"sign: |\n  untrusted comment: x\n  RWQAAEIy\n", ", line 1, column 7: sign is a key itself", ""},
		{"sign: QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUI=\n", "sign is a key itself", ""},
		{"a: &x 1\n", ", line 1, column 4: anchors and aliases are not supported", ""},
		{"input: !!str 5\n", "tags are not supported", ""},
		{"? [a]\n: b\n", "this is not a key", ""},
		{"a: 1\n---\nb: 2\n", ": the job file holds more than one document", ""},
		{"- a\n", "this is not a list of keys", ""},
		{"just text", ", line 1, column 1: this is not a list of keys", ""},
		{"", ": the job file is empty", ""},
		{"# nothing\n", ": the job file is empty", ""},
		{"input: [a\nb: 2", ", line 2, column 2: this is not YAML", ""},
		{"\tinput: a", ", line 1, column 1: this is not YAML", ""},
		{"input: \xff", ": this is not text", ""},
		{"input: \x00", ": this is not text", ""},
		{strings.Repeat("[", 20000), "", ""},
	} {
		f, err := Parse("job.yaml", []byte(c.text), keys)
		e, ok := err.(*fault.Fault)
		if !ok || f != nil {
			t.Errorf("%.40q: %v, %v", c.text, f, err)
			continue
		}
		if !strings.HasPrefix(e.What, "job.yaml") || !strings.Contains(e.What, c.what) || !strings.Contains(e.Hint,
			c.hint) || e.Hint == "" || strings.Contains(e.What, "\n") {
			t.Errorf("%.40q: %s; hint: %s", c.text, e.What, e.Hint)
		}
		for _, secret := range []string{"RWQAAEIy", "QUJDQUJD"} {
			if strings.Contains(e.What+e.Hint, secret) {
				t.Errorf("a secret is repeated: %s", e.What)
			}
		}
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, bytes.Repeat([]byte("#"), maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, large, filepath.Join(dir, "absent.yaml"), "/dev/null"} {
		if _, err := Read(path, keys); fault.As(err).Class != fault.Input {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"abc", "abc", 0}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance of %q and %q is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestAboutFields: every name of about: sets the field of its own, and no other.
func TestAboutFields(t *testing.T) {
	for _, name := range aboutNames() {
		f, err := Parse("job.yaml", []byte("about: {"+name+": said}\n"), keys)
		if err != nil {
			t.Fatal(err)
		}
		said, err := json.Marshal(struct {
			*report.About
			*report.Inside
		}{f.About, f.Inside})
		if want := `{"` + name + `":"said"}`; err != nil || string(said) != want {
			t.Errorf("%s sets %s, %v", name, said, err)
		}
	}
}

// FuzzParse: any bytes give a file or one line that says where.
func FuzzParse(f *testing.F) {
	for _, s := range []string{complete, "a: 1\na: 2\n", "about: {owner: &x a, row: *x}\n", "- a", "? [a]\n: b\n",
		"input: !!binary x\n", "{\"epsilon\": 1}", "a: |\n  b\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Parse("job.yaml", data, keys)
		e, ok := err.(*fault.Fault)
		switch {
		case err == nil && got == nil:
			t.Error("neither file nor error")
		case err != nil && (!ok || e.Hint == "" || strings.ContainsAny(e.What+e.Hint, "\n\r")):
			t.Errorf("%v", err)
		}
	})
}
