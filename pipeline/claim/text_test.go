package claim

import (
	"strings"
	"testing"
	"text/template"
)

const sample = `about: {{if .Many}} of
  {{.Many}} others{{end}}
said: one{{template "about" .}}

# lines
## with .Names
{{index . 0}}: first
-: {{index . 1}}
## if .Many
many: {{.Many}}
none: {{if not .Many}}none{{end}}
`

type things struct {
	Many  int
	Names []string
}

// TestLines: lines that go on are one, entries without words and those of an action that is not
// taken are left out, and a key may have gaps.
func TestTextLines(t *testing.T) {
	lines := NewText(sample, nil)
	if s := lines.Must("said", things{Many: 3}); s != "one of 3 others" {
		t.Errorf("said: %q", s)
	}
	for _, c := range []struct {
		of   things
		want string
	}{
		{things{}, ""},
		{things{2, []string{"a", "b"}}, "a:        first\n          b\nmany:     2\n"},
	} {
		var b strings.Builder
		if err := lines.Lines(&b, "lines", c.of); err != nil || b.String() != c.want {
			t.Errorf("%v: %q (%v)", c.of, b.String(), err)
		}
	}
	if _, err := lines.Say("said", "no things"); err == nil {
		t.Error("words were filled in by what they are not about")
	}
}

// TestFaults: a text that cannot be read ends the program.
func TestTextFaults(t *testing.T) {
	for name, text := range map[string]string{"without a key": "words", "twice": "a: x\na: y", "a gap": "a: {{.",
		"a name that is none": "a: {{if eq . Known}}x{{end}}"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: a text was read", name)
				}
			}()
			NewText(text, template.FuncMap{"known": Constant(1)})
		}()
	}
}

// TestOf: what a pointer points to, zero where it points nowhere.
func TestOf(t *testing.T) {
	if Of((*float64)(nil)) != 0. || Of(new(3)) != 3 || Of("x") != "x" || Int((*int)(nil)) != 0 || Int(int64(4)) != 4 {
		t.Error("a pointer is read as another value")
	}
}
