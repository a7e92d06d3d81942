package pipeline_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// counted writes a Parquet file of one string column with so many records of
// each letter, shuffled the same way whatever they are.
func counted(t *testing.T, path string, letters []string, count []int) {
	t.Helper()
	type record struct {
		C string `parquet:"c,dict"`
	}
	var rows []record
	for x, n := range count {
		for range n {
			rows = append(rows, record{letters[x]})
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
	var b bytes.Buffer
	w := parquet.NewGenericWriter[record](&b)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestPublicReportsOfDifferentCounts: two inputs with other counts, achieved
// epsilon and hashes, but the same declared choices, rows, floor and output
// bytes, have the same public report, byte for byte. One output is given by
// every letter, so the output does not depend on the draws.
func TestPublicReportsOfDifferentCounts(t *testing.T) {
	dir := t.TempDir()
	order := filepath.Join(dir, "order.csv")
	if err := os.WriteFile(order, []byte("c,u,v\na,1,0\nb,1,0\nd,1,0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	two := filepath.Join(dir, "two.csv")
	if err := os.WriteFile(two, []byte("c,u,v\na,1,0\nb,1,0\nd,0,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	domain := filepath.Join(dir, "domain.txt")
	if err := os.WriteFile(domain, []byte("a\nb\nd\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	type made struct {
		folder string
		r      *report.Report
	}
	make := func(name, spec, epsilon string, seed uint64, count ...int) made {
		input := filepath.Join(dir, name+".parquet")
		counted(t, input, []string{"a", "b", "d"}, count)
		o := pipeline.Options{Input: input, Column: "c", Utility: "matrix:" + spec, Epsilon: epsilon, Design: "safe",
			Domain: domain, Settings: []report.Setting{{Name: "design", Value: "safe"}}, TestSeed: &seed,
			Output: filepath.Join(dir, name, "out.parquet"), Report: filepath.Join(dir, name, "report")}
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		return made{o.Report, run(t, o)}
	}
	same := func(one, other made) {
		t.Helper()
		if one.r.Input.SHA256 == other.r.Input.SHA256 || one.r.Plan.Plan == other.r.Plan.Plan ||
			fmt.Sprint(one.r.Caps) == fmt.Sprint(other.r.Caps) {
			t.Fatal("control: the runs do not differ")
		}
		for _, name := range []string{plan.OpenFile, "report.json", "report.txt", "report.html", "codebook.json",
			"codebook.html"} {
			a, b := read(t, filepath.Join(one.folder, "public", name)), read(t, filepath.Join(other.folder, "public", name))
			if !bytes.Equal(a, b) {
				t.Errorf("public/%s differs:\n%s\n%s", name, a, b)
			}
			if strings.HasPrefix(name, "report") && bytes.Equal(read(t, filepath.Join(one.folder, name)),
				read(t, filepath.Join(other.folder, name))) {
				t.Errorf("control: the internal %s does not differ", name)
			}
		}
	}
	same(make("one", order, "0", 1, 500, 300, 200), make("other", order, "0", 1, 200, 100, 700))
	if m, err := plan.DecodeOpen(read(t, filepath.Join(dir, "one", "report", "public", plan.OpenFile))); err != nil ||
		m.Mechanism == nil {
		t.Errorf("control: the mechanism is not published: %v, %q", err, m.Withheld)
	}

	// The letter d is told by its output: factors 5 and 10/7, one output file.
	one := make("first", two, "2.5", 1, 500, 300, 200)
	other := make("second", two, "2.5", 1, 200, 600, 200)
	if one.r.Epsilon.Factor != "5" || other.r.Epsilon.Factor != "5" {
		t.Fatalf("control: factors %s and %s", one.r.Epsilon.Factor, other.r.Epsilon.Factor)
	}
	same(one, other)

	// Other achieved epsilons, with outputs that cannot be the same file: all
	// but the output's hash, size and name of nothing is.
	third := make("third", two, "2.5", 1, 200, 100, 700)
	if third.r.Epsilon.Factor == one.r.Epsilon.Factor {
		t.Fatal("control: the epsilons reached do not differ")
	}
	third.r.Output = one.r.Output
	a, b := one.r.Publish(), third.r.Publish()
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// TestCommitment: the public statement holds the HMAC of the internal one under
// its key, and no plain hash of a file that holds counts.
func TestCommitment(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "in.parquet")
	counted(t, input, []string{"a", "b"}, []int{30, 70})
	var said []string
	for i := range 2 {
		folder := filepath.Join(dir, fmt.Sprint(i))
		o := pipeline.Options{Input: input, Column: "c", Utility: "ordered:a,b", Epsilon: "0", Design: "safe",
			Output: filepath.Join(dir, fmt.Sprint("out", i)), Report: folder}
		run(t, o)
		key, err := hex.DecodeString(strings.TrimSpace(string(read(t, filepath.Join(folder, report.CommitmentFile)))))
		if err != nil || len(key) != 32 {
			t.Fatalf("the key: %v", err)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(read(t, filepath.Join(folder, report.StatementFile)))
		want := hex.EncodeToString(mac.Sum(nil))
		public := string(read(t, filepath.Join(folder, "public", report.StatementFile)))
		if !strings.Contains(public, want) {
			t.Errorf("the public statement does not hold %s", want)
		}
		said = append(said, want)
		for name, mode := range map[string]os.FileMode{report.CommitmentFile: 0o600, report.StatementFile: 0o600,
			"report.html": 0o600,
			"report.json": 0o600, "plan.json": 0o600, "order.csv": 0o600,
			"report.txt": 0o600, "public/report.json": 0o644, "public/" + report.StatementFile: 0o644} {
			if st, err := os.Stat(filepath.Join(folder, name)); err != nil || st.Mode().Perm()&^0o022 != mode&^0o022 {
				t.Errorf("%s: %v, %v", name, st.Mode(), err)
			}
			if mode != 0o600 {
				continue
			}
			sum := sha256.Sum256(read(t, filepath.Join(folder, name)))
			for _, f := range []string{"report.json", "report.txt", "report.html", report.StatementFile,
				"codebook.json",
				"codebook.html"} {
				if strings.Contains(string(read(t, filepath.Join(folder, "public", f))), hex.EncodeToString(sum[:])) {
					t.Errorf("public/%s has the hash of %s", f, name)
				}
			}
		}
	}
	if said[0] == said[1] {
		t.Error("two runs have one commitment")
	}
}

// TestPublicReportsAreSmall: of 229 letters and of 2,500, and at once.
func TestPublicReportsAreSmall(t *testing.T) {
	for _, n := range []int{229, 2500} {
		dir := t.TempDir()
		input := filepath.Join(dir, "in.parquet")
		letters, count := []string{}, []int{}
		for x := range n {
			letters, count = append(letters, fmt.Sprintf("%05d", x)), append(count, 1+x%3)
		}
		counted(t, input, letters, count)
		domain := filepath.Join(dir, "domain.txt")
		if err := os.WriteFile(domain, []byte(strings.Join(letters, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		o := pipeline.Options{Input: input, Column: "c", Utility: "ordered:@" + domain, Domain: domain, Epsilon: "2",
			Design: "safe", AllowIdentifier: true, AllowSorted: true,
			Output: filepath.Join(dir, "out"), Report: filepath.Join(dir, "report")}
		run(t, o)
		for _, name := range []string{"report.html", "report.txt", "report.json"} {
			if size := len(read(t, filepath.Join(o.Report, "public", name))); size > 1<<20 || size > 50_000 {
				t.Errorf("%d letters: public/%s has %d bytes", n, name, size)
			}
		}
		if size := len(read(t, filepath.Join(o.Report, "report.html"))); size > 1<<20 {
			t.Errorf("%d letters: report.html has %d bytes", n, size)
		}
	}
}

// TestReadingTheCountingQuery: report.txt of the paper's counting query states
// in its first ten lines what was promised, what was reached and what it does
// not mean; every number is that of the mechanism's closed form: with all
// seven letters equally common, M*(3) leaks log(7/3), and its worst value is -17.
func TestReadingTheCountingQuery(t *testing.T) {
	dir := t.TempDir()
	input, order := filepath.Join(dir, "in.parquet"), filepath.Join(dir, "u.csv")
	counted(t, input, strings.Split("0123456", ""), []int{1000, 1000, 1000, 1000, 1000, 1000, 1000})
	query := "x,0,1,2,3,4,5,6\n0,0,-1,-4,-9,-16,-25,-36\n1,-2,0,-1,-4,-9,-16,-25\n2,-5,-2,0,-1,-4,-9,-16\n3,-9,-5,-2,0,-1,-4,-9\n" +
		"4,-17,-9,-5,-2,0,-1,-4\n5,-26,-17,-9,-5,-2,0,-1\n6,-37,-26,-17,-9,-5,-2,0\n"
	if err := os.WriteFile(order, []byte(query), 0o666); err != nil {
		t.Fatal(err)
	}
	o := pipeline.Options{Input: input, Column: "c", Utility: "matrix:" + order, Epsilon: "0.85", Design: "safe",
		Output: filepath.Join(dir, "out"), Report: filepath.Join(dir, "report")}
	r := run(t, o)
	up := func(v float64) string { return fmt.Sprintf("%.4f", math.Ceil(v*1e4)/1e4) }
	want := fmt.Sprintf("promised: Seeing the published c makes any guess about the true one at most %s times as likely "+
		"to be right (epsilon 0.85). "+
		"This holds for someone who sees one published cell and knows how common each value is in this file. "+
		"kept: Every record is published as one of its 5 nearest values (of utility -17 or better; rank 3 of 7, 1 is the "+
		"worst). counting: Not as it stands, no limit was asked for. The share of a group of values is off by up to "+
		"17.15 points, plus chance (",
		up(math.Exp(.85)))
	then := fmt.Sprintf("as written). largest risk: Whoever sees one published cell finds some guess of the true value at most %s "+
		"times as likely to be right. That is promised: accept it; a smaller --epsilon lowers it. limits: The promise is "+
		"about one published cell. It does not cover what other columns tell, other releases, "+
		"the population that the records come from, or several rows of one person (rows per person: not stated). "+
		"open: 17 declarations missing: release id, data of, single or series, owner, contact, preparer, reviewer, approver "+
		"and 9 more. risk: one published cell: at most %[1]s times; promised: yes; accept it; a smaller --epsilon lowers "+
		"it rows: 7000 in clear: none dropped: none", up(7./3))
	last := fmt.Sprintf("accept: shares of the published column are off by up to 17.15 "+
		"points: --max-shift 5%% keeps them closer, at another floor or with a larger epsilon decision: [ ] approve [ ] "+
		"reject name ________________ date __________ signature ____________ reached: At most %s times as likely "+
		"(epsilon %s, rounded up; exactly 7/3). others: No other column is published.", up(7./3), up(math.Log(7./3)))
	lines := strings.Split(string(read(t, filepath.Join(o.Report, "report.txt"))), "\n")
	first := strings.Join(strings.Fields(strings.Join(lines[1:slices.Index(lines, "")], " ")), " ")
	if !strings.HasPrefix(first, want) || !strings.Contains(first, then) || !strings.HasSuffix(first, last) {
		t.Errorf("the lead says\n%s\nwant\n%s ...\n%s ...\n%s", first, want, then, last)
	}
	if len(lines) > 75 {
		t.Errorf("%d lines", len(lines))
	}
	// Beliefs of M*(3) by its closed form: a letter has 1/7 of the records, and
	// the output that the fewest letters give has three of equal weight.
	for _, c := range r.Caps {
		if !(math.Abs(c.Cap-1./3) <= 1e-15 && c.Reached <= c.Cap*(1+1e-14)) {
			t.Errorf("%v: cap %v, reached %v", c.Label, c.Cap, c.Reached)
		}
	}
	if !(math.Abs(r.Guess.Worst-1./3) <= 1e-14 && math.Abs(r.Guess.Before-1./7) <= 1e-15 &&
		math.Abs(r.Guess.Mean-.2) <= 1e-14) || r.Analysts.Rank != 3 || r.Most < math.Exp(.85) {
		t.Errorf("guess %+v, analysts %+v, target factor %v", r.Guess, r.Analysts, r.Most)
	}
	for _, c := range []struct {
		share, cap float64
	}{{.01, .0233964685192599}, {.05, .1169823425962995}, {.1, .233964685192599}, {.25, .5849117129814977}, {.5, 1}} {
		found := false
		for _, g := range r.Grid {
			found = found || g.Share == c.share && math.Abs(g.Cap-c.cap) <= 1e-14
		}
		if !found {
			t.Errorf("the grid %v lacks %v", r.Grid, c)
		}
	}
}

// TestReportsKeepTheirSchemas: what a run writes is what the schemas say, and
// is read again to the same views.
func TestReportsKeepTheirSchemas(t *testing.T) {
	o := flights(t.TempDir(), fewFlights(t), 5)
	o.Settings = []report.Setting{{Name: "design", Value: "safe", Origin: "flag"}}
	o.About = &report.About{Owner: "The airport authority", Persons: "1"}
	run(t, o)
	for name, schema := range map[string]string{"report.json": "report-v2.json",
		"public/report.json": "public-report-v2.json"} {
		data := read(t, filepath.Join(o.Report, name))
		c := jsonschema.NewCompiler()
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(read(t, "../docs/schema/"+schema)))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource(schema, doc); err != nil {
			t.Fatal(err)
		}
		compiled, err := c.Compile(schema)
		if err != nil {
			t.Fatal(err)
		}
		is, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(is); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		profile := "internal"
		if strings.HasPrefix(name, "public") {
			profile = "public"
		}
		for format, file := range map[string]string{"text": "report.txt", "html": "report.html",
			"json": "report.json"} {
			for _, from := range []string{name, "report.json"} {
				var again bytes.Buffer
				if err := page.Write(page.Request{From: filepath.Join(o.Report, from), Format: format, Profile: profile},
					&again); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(again.Bytes(), read(t, filepath.Join(o.Report, filepath.Dir(name), file))) {
					t.Errorf("%s of %s is not shown again as it was", format, from)
				}
			}
		}
	}
}

// TestRenderRefuses: one line, nothing shown, nothing written.
func TestRenderRefuses(t *testing.T) {
	o := flights(t.TempDir(), fewFlights(t), 5)
	run(t, o)
	whole := read(t, filepath.Join(o.Report, "report.json"))
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	out := filepath.Join(dir, "shown")
	for name, c := range map[string]struct {
		q     page.Request
		class fault.Class
	}{
		"half": {page.Request{From: put("half", whole[:len(whole)/2])}, fault.Input},
		"another version": {page.Request{From: put("version", bytes.Replace(whole, []byte("report/v2"), []byte("report/v1"),
			1))}, fault.Input},
		"unknown field": {page.Request{From: put("unknown", bytes.Replace(whole, []byte(`"column"`),
			[]byte(`"x": 1, "column"`), 1))}, fault.Input},
		"NaN": {page.Request{From: put("nan", bytes.Replace(whole, []byte(`"rank": 1`), []byte(`"rank": NaN`),
			1))}, fault.Input},
		"the plan":  {page.Request{From: filepath.Join(o.Report, "plan.json")}, fault.Input},
		"missing":   {page.Request{From: filepath.Join(dir, "missing")}, fault.Input},
		"nothing":   {page.Request{}, fault.Usage},
		"a format":  {page.Request{From: filepath.Join(o.Report, "report.json"), Format: "pdf"}, fault.Usage},
		"a profile": {page.Request{From: filepath.Join(o.Report, "report.json"), Profile: "secret"}, fault.Usage},
		"more than it has": {page.Request{From: filepath.Join(o.Report, "public/report.json"), Profile: "internal"},
			fault.Input},
		"over its source": {page.Request{From: put("over", whole), Output: filepath.Join(dir, "over"), Overwrite: true},
			fault.Usage},
	} {
		var shown bytes.Buffer
		if c.q.Output == "" && name != "nothing" {
			c.q.Output = out
		}
		err := page.Write(c.q, &shown)
		var f *fault.Fault
		if f = fault.As(err); err == nil || f.Class != c.class || f.Hint == "" || strings.Contains(f.What, "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(out); shown.Len() > 0 || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: something was shown or written", name)
		}
	}
}
