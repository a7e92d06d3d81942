package report

import (
	"html/template"
	"strings"
	"testing"
)

// TestBody: cells that are written without the template are what the template
// would write.
func TestBody(t *testing.T) {
	const rows = `{{range $r := .Rows}}
<tr>{{range $i, $c := $r}}{{if eq $i 0}}<th scope="row"{{if index $.Numeric $i}} class="n"{{end}}><bdi>{{clean $c}}</bdi></th>{{else}}<td{{if index $.Numeric $i}} class="n"{{end}}><bdi>{{clean $c}}</bdi></td>{{end}}{{end}}</tr>{{end}}`
	slow := template.Must(template.New("").Funcs(template.FuncMap{"clean": Clean}).Parse(rows))
	var all strings.Builder
	for r := rune(0); r < 0x3000; r++ {
		all.WriteRune(r)
	}
	hostile := []string{"", "a", "<script>alert('x')</script>", `" onload="x`, "&amp;", "+1", "\x00", "\xff\xfe",
		"\u202egnp", "\uFFFD", "\ufdd0\uffff", "</bdi></td>", "{{.}}", "😀", all.String()}
	table := Table{Numeric: []bool{false, true, false}}
	for _, a := range hostile {
		for _, c := range hostile[:4] {
			table.Rows = append(table.Rows, []string{a, c, a})
		}
	}
	var want strings.Builder
	if err := slow.Execute(&want, table); err != nil {
		t.Fatal(err)
	}
	if got := string(body(table)); got != want.String() {
		for i, line := range strings.Split(want.String(), "\n") {
			if g := strings.Split(got, "\n"); i >= len(g) || g[i] != line {
				t.Fatalf("row %d is not what the template writes: %.200q", i, line)
			}
		}
	}
	table.Numeric, table.Rows = []bool{true, false}, [][]string{{"1", "2"}}
	if got, want := string(body(table)),
		"\n<tr><th scope=\"row\" class=\"n\"><bdi>1</bdi></th><td><bdi>2</bdi></td></tr>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTold: names between backquotes are quoted on a page, and nothing else changes.
func TestTold(t *testing.T) {
	for in, want := range map[string]string{"with `date` and `delay`": `with "date" and "delay"`, "`<b>`": `"<b>"`,
		"``": "``", "one ` alone": "one ` alone"} {
		if got := told(in); got != want {
			t.Errorf("%q is told as %q, want %q", in, got, want)
		}
	}
}
