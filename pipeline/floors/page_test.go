package floors

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// studied makes the survey of a small frontier.
func studied(t *testing.T, counts string, o request.Options) *survey {
	t.Helper()
	o.Counts = []string{filepath.Join(t.TempDir(), "counts.csv")}
	if err := os.WriteFile(o.Counts[0], []byte(counts), 0o600); err != nil {
		t.Fatal(err)
	}
	study, err := o.Study()
	if err != nil {
		t.Fatal(err)
	}
	w, err := count.NewStudy(context.Background(), study)
	if err != nil {
		t.Fatal(err)
	}
	order, err := decide.Order(context.Background(), o.Order(), w.Domain)
	if err != nil {
		t.Fatal(err)
	}
	w.Domain.Groups = []plan.Group{{Prior: w.Domain.Prior, Sample: w.Domain.Sample}}
	v := &survey{o: &o, d: w.Domain, grouped: w.Domain, order: order, limit: o.MaxShift}
	for _, step := range []func(context.Context) error{v.search, v.choose} {
		if err := step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func TestFrontierPage(t *testing.T) {
	v := studied(t, "label,count\ngold,4000\nred,3000\nblue,2000\ngreen,1000\n",
		request.Options{Utility: "ordered:gold,red,blue,green"})
	data, err := v.page(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<bdi class="label">green</bdi> with <bdi class="label">blue</bdi> lowers epsilon from 2.3026 to 1.204.`,
		"--epsilon 2.31 \\\n  --floor-rank 4 \\\n  --write-plan plan.json",
		"10,000 records with 4 values"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{"": "''", "a/b-c.csv": "a/b-c.csv", "a b": "'a b'", "it's": `'it'\''s'`,
		"$(x)": "'$(x)'", "é": "'é'",
		"a\nb": `$'a\012b'`, "\u202ex": `$'\342\200\256x'`, "\xff'": `$'\377\047'`, "~": "'~'"} {
		if got := report.Shell(in); got != want {
			t.Errorf("%q is quoted %s, want %s", in, got, want)
		}
	}
	for in, want := range map[float64]string{0: "0", .691: "0.7", .7: "0.7", 2.3025850929940463: "2.31",
		1.0000000000000002: "1.01"} {
		if got := askFor(in); got != want {
			t.Errorf("%v is asked for as %s, want %s", in, got, want)
		}
	}
}

// What a stop says is what the plan of its command says; a level is named as one.
func TestPageTellsOfPlans(t *testing.T) {
	for _, o := range []request.Options{{Utility: "ordered:a,b,c,d,e"},
		{Utility: "ordered:a,b,c,d,e", Prefer: request.Shares}, {Utility: "ordered:a,b,c,d,e", Headroom: "10%"}} {
		o.Page = "page.html"
		v := studied(t, "label,count\na,4000\nb,3000\nc,2000\nd,900\ne,100\n", o)
		p := &page.Page{}
		all, err := v.places(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Limits) != 1+len(limits) {
			t.Errorf("%+v: limits %v", o, p.Limits)
		}
		within := map[string]int{}
		for _, q := range all {
			within[q.limit]++
			if strings.Contains(q.stop.Refused, "tells nothing") { // headroom leaves next to no epsilon
				continue
			}
			if !q.stop.Designed || q.stop.Refused != "" {
				t.Fatalf("%+v: no design at point %d within %q: %s", o, q.at, q.limit, q.stop.Refused)
			}
			again := *q
			made, err := v.plan(context.Background(), &again, q.stop.Ask)
			if err != nil {
				t.Fatal(err)
			}
			s := &q.stop
			if s.Worst != made.Value || s.Mean != made.Expected || s.Words != made.Words || s.Used != made.Counted().Used ||
				s.Shift.Cmp(made.Counted().Shift) != 0 || !strings.HasPrefix(s.Name, fmt.Sprintf("rank %d of 5", made.Rank)) {
				t.Errorf("%+v: the stop says %s, %s, %v, %v, the plan %d, %s", o, s.Name, s.Words, s.Worst, s.Mean, made.Rank,
					made.Words)
			}
			if limit, _ := (&request.Options{MaxShift: q.limit}).ParseMaxShift(); limit != nil && s.Shift.Cmp(limit) > 0 {
				t.Errorf("within %s shares are off by %v", q.limit, s.Shift)
			}
			if !made.Epsilon.Admits(made.Factor()) || s.Asked != made.Epsilon.Nats() {
				t.Errorf("epsilon %v is asked for, %v shown, %v reached", made.Epsilon, s.Asked, made.Factor())
			}
			sum := 0.
			for _, share := range s.Shares {
				sum += share.Published - share.True
			}
			if !(math.Abs(sum) <= 1e-12) {
				t.Errorf("published and true shares differ by %v", sum)
			}
		}
		for _, limit := range append([]string{""}, limits...) {
			if within[limit] < 1 {
				t.Errorf("%+v: %d points within %q: %q", o, within[limit], limit, p.Missing)
			}
		}
	}
	// What analysts get is told where there is something to get.
	v := studied(t, "label,count\na,4000\nb,3000\nc,2000\nd,900\ne,100\n", request.Options{Utility: "ordered:a,b,c,d,e",
		Page: "page.html"})
	all, err := v.places(context.Background(), &page.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		if told := len(q.stop.Outlook); (told == 5) == (q.stop.Nothing || q.stop.Unchanged) || q.plan != nil {
			t.Errorf("of the point %d within %q %d values are told of", q.at, q.limit, told)
		}
		for i, o := range q.stop.Outlook {
			at := slices.IndexFunc(q.stop.Shares, func(s page.Share) bool { return s.Label == o.Label })
			if at < 0 || o.Label.Text != "abcde"[i:i+1] || !(math.Abs(o.Counted-q.stop.Shares[at].Published) <= 1e-12) ||
				o.True != q.stop.Shares[at].True || q.limit != "" && !(o.PlainCovers >= .9) ||
				o.Told && !(o.Half >= 0) {
				t.Errorf("of the point %d within %q: %+v", q.at, q.limit, o)
			}
		}
	}
	v = studied(t, "label,count\n11,4000\n12,3000\n21,2500\n22,500\n", request.Options{Utility: "prefix:1"})
	for i, q := range v.f.Points {
		if q.Level == nil || q.Level.At != i || q.Level.Of != 2 ||
			v.stop(&v.f.Points[i]).Short != fmt.Sprintf("level %d", i) {
			t.Errorf("point %d is level %+v", i, q.Level)
		}
	}
	if a := v.f.Steepest; a == nil || !strings.HasPrefix(a.Floor, "level ") {
		t.Errorf("advice is about %+v", a)
	}
	if by := v.f.curves().By; by != "level" {
		t.Errorf("the chart is by %s", by)
	}
}

// The command carries all that the frontier was made of, and leaves the job file its own.
func TestCommandCarries(t *testing.T) {
	rank := 2
	then := &request.Options{Column: "c", MaxShift: "5%", Output: "o.parquet", Report: "r", FloorRank: &rank, Strata: "s",
		Repeat: request.Repeat{Ledger: "l.db"}}
	o := &request.Options{Input: "in.parquet", Column: "c", Null: "draw", Keep: []string{}, Drop: nil, Smooth: "0.5",
		Utility: "ordered:@a b.txt", AllowIdentifier: true, Threads: 2, Then: then,
		Settings: []report.Setting{{Name: "config", Value: "my job.yaml", Origin: "flag"},
			{Name: "column", Value: "c", Origin: "config"}, {Name: "null", Value: "draw", Origin: "environment"}}}
	want := "tacet run --config 'my job.yaml' --input in.parquet --null draw --allow identifier --utility " +
		"'ordered:@a b.txt' --smooth 0.5 --keep '' --max-shift none --epsilon 1.4 --floor-rank 3"
	v := &survey{o: o, f: &Frontier{By: "rank", Points: []Point{{Rank: 3}}}}
	if got := strings.ReplaceAll(v.command(&place{}, "1.4"), " \\\n  ", " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := v.unjudged(); len(got) != 1 || !strings.HasPrefix(got[0], "--ledger: ") {
		t.Errorf("not judged: %q", got)
	}
}

// Where values are too many to search, the page has the designs of its commands, too: in
// closed form.
func TestSlowDesignsOfManyValues(t *testing.T) {
	var counts strings.Builder
	counts.WriteString("label,count\n")
	for i := range 1040 {
		fmt.Fprintf(&counts, "%d,%d\n", i, 1+i%7)
	}
	v := studied(t, counts.String(), request.Options{Utility: "numeric", Column: "c", SolveTime: time.Minute})
	if !v.f.Large {
		t.Fatal("the search took 1,040 values")
	}
	v.f.Points = spreadPoints(v.f.Points, 3)
	all, err := v.places(context.Background(), &page.Page{})
	if err != nil || len(all) < 3 {
		t.Fatalf("%d places: %v", len(all), err)
	}
	designed := 0
	for _, q := range all {
		if q.stop.Designed {
			designed++
			if q.stop.Outputs != 1040 || len(q.stop.Points) == 0 || !(q.stop.Reached <= q.stop.Asked) {
				t.Errorf("%+v", q.stop)
			}
		}
	}
	if designed < 2 {
		t.Errorf("%d of %d places have a design", designed, len(all))
	}
}

// spreadPoints are so many of all, the ends among them.
func spreadPoints(all []Point, n int) (out []Point) {
	for k := range n {
		out = append(out, all[k*(len(all)-1)/(n-1)])
	}
	return out
}
