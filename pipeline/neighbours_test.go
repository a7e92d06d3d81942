package pipeline_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// beside runs rows with all of their columns judged.
func beside(t *testing.T, rows []stratumRow, epsilon string, letters []string, o pipeline.Options) (*report.Report,
	string, error) {
	t.Helper()
	o.Utility, o.Epsilon, o.Design, o.Audit = "ordered:"+strings.Join(letters, ","), epsilon, cmp.Or(o.Design, "safe"),
		"sample"
	return released(t, rows, o)
}

// lettered are n letters.
func lettered(n int) (letters []string) {
	for x := range n {
		letters = append(letters, string([]byte{'a' + byte(x/26), 'a' + byte(x%26)}))
	}
	return letters
}

// Texts with fewer than 20 rows a value are judged as numbers are: by their
// parts, and by the other rows of a value.
func TestTextsAreJudged(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 2))
	years, states := []string{"2010", "2011", "2012", "2013", "2014"}, lettered(12)
	any := func(of []string) string { return of[rng.IntN(len(of))] }
	for _, c := range []struct {
		name    string
		letters []string
		cell    func(i int, x string) string
	}{
		{"a date", years, func(_ int, x string) string {
			return fmt.Sprintf("%s %02d %s", any([]string{"Jan", "Mar", "Jul", "Oct"}), 1+rng.IntN(28), x)
		}},
		{"an account", years, func(i int, x string) string { return fmt.Sprintf("%s-%06d", x, i) }},
		{"a zip code", states, func(_ int, x string) string {
			return fmt.Sprintf("%05d", 1000+4000*slices.Index(states, x)+rng.IntN(25)*111)
		}},
		{"a code", states, func(i int, x string) string { return fmt.Sprintf("%s-%d", x, i) }},
	} {
		var rows []stratumRow
		for i := range 8000 {
			x := any(c.letters)
			rows = append(rows, stratumRow{x, c.cell(i, x)})
		}
		if _, _, err := beside(t, rows, "1", c.letters, pipeline.Options{}); !refusedFor(err, `column "w"`) {
			t.Errorf("%s is not refused: %v", c.name, err)
		}
	}
	var rows []stratumRow
	for site := range 600 {
		x := any(states)
		for range 15 {
			rows = append(rows, stratumRow{x, fmt.Sprintf("%x", site*7919)})
		}
	}
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	if _, _, err := beside(t, rows, "1", states, pipeline.Options{}); !refusedFor(err, `column "w"`) {
		t.Errorf("a site of 15 rows is not refused: %v", err)
	}
}

// refusedFor reports whether a run was refused for the sake of privacy, and
// names what.
func refusedFor(err error, what string) bool {
	var f *fault.Fault
	return errors.As(err, &f) && f.Class == fault.Privacy && strings.Contains(f.What, what)
}

// Files in random order are released, night after night, and so are columns
// that are noise, however many letters and values there are.
func TestNoiseIsReleased(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 3))
	letters := lettered(29)
	files := []int{0, 8, 12, 13}
	if os.Getenv("TACET_TORTURE") != "" {
		files = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}
	}
	for _, file := range files {
		n, epsilon := 10_000, "3"
		switch {
		case file >= 12:
			n, epsilon = 3201, "3"
		case file >= 8:
			epsilon = "2"
		}
		var rows []stratumRow
		for range n {
			w := "one"
			if n == 3201 {
				w = fmt.Sprint(rng.IntN(60))
			}
			rows = append(rows, stratumRow{letters[min(28, int(29*math.Pow(rng.Float64(), 1.5)))], w})
		}
		slices.SortFunc(rows, func(a, b stratumRow) int { return strings.Compare(a.X, b.X) })
		for range 2 {
			rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			r, _, err := beside(t, rows, epsilon, letters, pipeline.Options{})
			if err != nil {
				t.Fatalf("file %d: %v", file, err)
			}
			if len(r.Beside.Found) > 0 || r.Beside.Largest != nil {
				t.Errorf("file %d: %+v", file, r.Beside.Found)
			}
		}
	}
}

// The largest factor that held-out rows show is what a rule really reaches, or
// less: within one value of the column a letter is twice as common.
func TestLargestFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 5))
	var rows []stratumRow
	for range 20_000 {
		w := rng.IntN(10)
		x := rng.IntN(20)
		if w == 0 && rng.IntN(10) == 0 {
			x = 0
		}
		rows = append(rows, stratumRow{lettered(20)[x], fmt.Sprint(w)})
	}
	_, folder, err := beside(t, rows, "0.4", lettered(20), pipeline.Options{Design: "optimal"})
	if err != nil {
		t.Fatal(err)
	}
	r := written(t, folder)
	// P(x) is .05 + .95/100, that given the column .05 + .95/10: a factor of 2.4.
	l := r.Beside.Largest
	if l == nil || !(l.Factor > 1.5 && l.Factor < 2.5) || l.Guess.Text != "aa" || !slices.Equal(l.Names, []string{"w"}) {
		t.Fatalf("%+v", l)
	}
	words := "with `w`, at least " + claim.TimesDown(l.Factor) + " times"
	hint := "epsilon does not bound what `w` tells: drop it"
	if l.Words() != words || !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, hint) }) {
		t.Errorf("%q: %q is not in %q", l.Words(), hint, r.Warnings)
	}
	if slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, words) }) {
		t.Errorf("the claim of the lead is repeated in %q", r.Warnings)
	}
	if text := string(read(t, filepath.Join(folder, "report.txt"))); !strings.Contains(strings.Join(strings.Fields(text),
		" "), words) {
		t.Errorf("report.txt does not say: %s", words)
	}
	if b := r.Beside.Columns[0]; !b.Judged || b.Verdict != "warn" || b.Breach == nil ||
		!(b.Breach.Chance > b.Breach.Allowed) {
		t.Errorf("%+v", b)
	}
}

// Several rows of a person are no give-away where the person is known: what is
// noise of the person is cleared, and rows in the order of persons are, too.
func TestPersonsAreHeldOutWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 7))
	var rows []visit
	for p := range 1500 {
		x, day := letterOf(rng), fmt.Sprint(rng.IntN(1200))
		for range 4 {
			rows = append(rows, visit{int64(len(rows)), day, fmt.Sprint("p", p), x})
		}
	}
	input := filepath.Join(t.TempDir(), "in")
	writeVisits(t, input, rows, 3000)
	o := remembered(t.TempDir(), input, newKey(t))
	o.Audit, o.Keep, o.Person = "sample", []string{"day"}, "person"
	if rep := run(t, o); len(rep.Beside.Found) > 0 {
		t.Errorf("persons are known: %+v", rep.Beside.Found)
	}
	o = remembered(t.TempDir(), input, "")
	o.Audit, o.Keep = "sample", []string{"day"}
	if _, err := pipeline.Run(t.Context(), o); !refusedFor(err, `column "day"`) {
		t.Errorf("persons are not known: %v", err)
	}
}
