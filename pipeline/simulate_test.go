package pipeline_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// simulatedRows are some of each value in each of three strata.
func simulatedRows() (rows []stratumRow) {
	for w, count := range map[string][]int{"n": {90, 10, 30, 20}, "s": {10, 60, 40, 5}, "e": {100, 30, 5, 15}} {
		for x, n := range count {
			for range n {
				rows = append(rows, stratumRow{four[x], w})
			}
		}
	}
	return rows
}

// spelled is a file with this text.
func spelled(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestSimulateDesigns: every epsilon is simulated with every limit, and has the figures of the
// plan that tacet design writes.
func TestSimulateDesigns(t *testing.T) {
	o := pipeline.Options{Input: parquetOf(t, simulatedRows()), Column: "x", Utility: "ordered:a,b,c,d", MaxFactor: "2, 3",
		MaxShift: "none,4%", Simulation: request.Simulation{Top: 3}}
	o.Group = spelled(t, "g.csv", "label,group\na,ends\nd,ends\nz,ends\nb,b\n")
	s, err := pipeline.Simulate(context.Background(), o)
	must(t, err)
	if len(s.Designs) != 4 || s.Records != 415 || s.Values != 4 || s.Column != "x" {
		t.Fatalf("%+v", s)
	}
	for i, asked := range [][2]string{{"2", ""}, {"2", "4%"}, {"3", ""}, {"3", "4%"}} {
		d, one := s.Designs[i], o
		one.MaxFactor, one.MaxShift, one.WritePlan = asked[0], asked[1], filepath.Join(t.TempDir(), "plan.json")
		p, _, err := pipeline.Design(context.Background(), one)
		if err != nil || d.MaxFactor != asked[0] || d.MaxShift != asked[1] || d.Prospect == nil {
			t.Fatalf("design %d is %+v, %v", i, d, err)
		}
		if d.Rank != p.Rank || d.Mean != p.Expected || d.Words != p.Words || d.Shift != p.Counted().Shift.RatString() {
			t.Errorf("floor %d, mean %v, %q and shift %s are not those of the plan", d.Rank, d.Mean, d.Words, d.Shift)
		}
		var names []string
		law, held := p.Groups[0].Mechanism.OutputLaw(p.Prior), p.Prior.Counts()
		for _, f := range d.Shares {
			names = append(names, f.Name)
			share, bias := 0., 0.
			for _, x := range map[string][]int{"a": {0}, "b": {1}, "c": {2}, "ends": {0, 3}}[f.Name] {
				share, bias = share+float64(held[x])/415, bias+law[x]-float64(held[x])/415
			}
			if !(math.Abs(f.Share-share) <= 1e-12 && math.Abs(f.Bias-bias) <= 1e-12) ||
				d.MaxShift != "" && !(f.PlainCovers >= .9) {
				t.Errorf("%s: share %v, bias %v, and not %v, %v: %+v", f.Name, f.Share, f.Bias, share, bias, f)
			}
		}
		if !slices.Equal(names, []string{"a", "b", "c", "ends", "b"}) {
			t.Errorf("the figures are of %v", names)
		}
	}
}

// TestSimulateNamesNoValue: a value that no file lists is told of by its number.
func TestSimulateNamesNoValue(t *testing.T) {
	var rows []countedRow
	for i := range 40 {
		rows = append(rows, countedRow{E: int32(i*i) % 7})
	}
	o := pipeline.Options{Input: parquetOf(t, rows), Column: "e", Utility: "numeric", MaxFactor: "4",
		Simulation: request.Simulation{Top: 9}}
	for domain, named := range map[string]bool{"": false, spelled(t, "domain.txt", "1970-01-01\n1970-01-02\n1970-01-03\n"+
		"1970-01-05\n"): true} {
		o.Domain = domain
		s, err := pipeline.Simulate(context.Background(), o)
		must(t, err)
		if len(s.Designs[0].Shares) != 4 {
			t.Fatalf("%d values", len(s.Designs[0].Shares))
		}
		for _, f := range s.Designs[0].Shares {
			if number := strings.HasPrefix(f.Name, "value ") && strings.HasSuffix(f.Name, " of 4"); number == named {
				t.Errorf("domain %q: a value is called %q", domain, f.Name)
			}
		}
	}
}

// TestSimulateGroupsByRows: with strata, and with rare values merged, the published shares
// are those that the plan of tacet design gives, record by record in its group; and what a
// stratum does not tell is told of no value.
func TestSimulateGroupsByRows(t *testing.T) {
	rows := simulatedRows()
	for range 3 {
		rows = append(rows, stratumRow{"e", "n"}, stratumRow{"f", "s"})
	}
	for name, ask := range map[string]func(o *pipeline.Options){
		"strata":     func(o *pipeline.Options) { o.Strata = "w" },
		"given only": func(o *pipeline.Options) { o.Strata, o.GivenOnly = "w", true },
		"dropped": func(o *pipeline.Options) {
			o.Strata, o.GivenOnly, o.Drop, o.StrataMin = "w", true, []string{"w"},
				1
		}, "merged": func(o *pipeline.Options) { o.MinCount, o.Other = 5, "g" },
		"merged too":   func(o *pipeline.Options) { o.Strata, o.GivenOnly, o.MinCount, o.Other = "w", true, 5, "g" },
		"with a limit": func(o *pipeline.Options) { o.Strata, o.MaxShift = "w", "30%" },
	} {
		t.Run(name, func(t *testing.T) {
			o := pipeline.Options{Input: parquetOf(t, rows), Column: "x", Utility: "ordered:a,b,c,d,e,f,g", MaxFactor: "4",
				FloorRank: new(1), Simulation: request.Simulation{Top: 9}}
			if ask(&o); o.Other == "" {
				o.Prefer = "unchanged"
			}
			s, err := pipeline.Simulate(context.Background(), o)
			must(t, err)
			o.WritePlan = filepath.Join(t.TempDir(), "plan.json")
			if _, _, err := pipeline.Design(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			p, err := decide.LoadPlan(o.WritePlan)
			must(t, err)
			group, in, out := p.GroupOf(), p.InputLabels(), p.OutputLabels()
			held, shown := map[string]float64{}, map[string]float64{}
			for _, r := range rows {
				g := &p.Groups[max(0, group(report.Label{Text: r.W}))]
				x := slices.Index(in, report.Label{Text: r.X})
				if x < 0 {
					x = p.Rest()
				}
				law := g.Mechanism.Row(x)
				for i, y := range law.Output {
					shown[out[y].Text] += float64(law.At(i)) / float64(law.Total)
				}
				held[in[x].Text]++
			}
			d, n := s.Designs[0], float64(len(rows))
			if laws, _ := p.Laws(); d.Apart != (len(laws) > 1) || (name == "given only") && !d.Apart {
				t.Errorf("%d mechanisms: %v", len(laws), d.Apart)
			}
			told := 0
			for _, f := range d.Shares {
				of := f.Name
				if !(math.Abs(f.Share-held[of]/n) <= 1e-12 && math.Abs(f.Counted-shown[of]/n) <= 1e-9) {
					t.Errorf("%s: %v and %v, not %v and %v", of, f.Share, f.Counted, held[of]/n, shown[of]/n)
				}
				if f.Half != nil {
					told++
				}
			}
			if d.Apart && name == "dropped" && told > 0 {
				t.Errorf("%d values are told although no row says which mechanism drew it", told)
			}
		})
	}
}
