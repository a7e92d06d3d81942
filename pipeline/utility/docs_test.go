package utility

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

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
