package verify_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// An alteration is something that a forger does to a release. Nothing that is refused
// here may ever be accepted.
type alteration struct {
	name, base string
	want       string // a check that has to fail, or, in quotes, part of the message of a refusal
	plain      bool   // hashes stay as they were; else the forger makes every one fit
	raw        bool   // files are changed as they lie, and no document is written again
	blind      bool   // it is refused without the input, too
	ask        func(r *release, q *verify.Request)
	do         func(t *testing.T, r *release)
}

// alterations are all of them, by what they change.
var alterations = slices.Concat(ofPlan, ofParquet, ofArrow, ofCSV, ofNights, ofWeights, ofDocuments,
	ofSignatures, ofPublic, consistent)

// anyOf are checks that find what no check of the name wanted looks at: it is told again.
var anyOf = []string{"told again", "views", "joint reports", "options"}

// bases are the releases that alterations start from.
func bases() map[string]func(t *testing.T) *release {
	all := map[string]func(t *testing.T) *release{}
	add := func(name string, j job) { all[name] = func(t *testing.T) *release { return j.make(t) } }
	for name, j := range jobs {
		add(name, j)
		j.arrow = true
		add("arrow "+name, j)
	}
	for name, j := range byStrata {
		add("strata "+name, j)
	}
	for name, j := range byPrior {
		add("prior "+name, j)
	}
	for name, j := range certainties {
		add("certain "+name, j)
	}
	for name, c := range courses {
		all["nights "+name] = func(t *testing.T) *release { return c.run(t, name == "fresh") }
	}
	all["csv"] = csvRelease
	all["signed"] = signed
	declared := func(only bool) func(t *testing.T) *release {
		return func(t *testing.T) *release {
			prior := filepath.Join(t.TempDir(), "prior.csv")
			must(t, writeText(prior, "label,probability\na,1/5\nb,1/5\nc,1/5\nd,1/5\ne,1/5\n"))
			return job{cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "0.9",
				Prior: prior, PriorOnly: only, Audit: "off"}}.make(t)
		}
	}
	all["prior declared"], all["prior given up"] = declared(false), declared(true)
	all["open"] = func(t *testing.T) *release {
		domain := filepath.Join(t.TempDir(), "domain.txt")
		must(t, writeText(domain, "a\nb\nc\nd\ne\n"))
		return job{cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "2.5",
			Design: "safe", Domain: domain, Settings: []report.Setting{{Name: "design", Value: "safe", Origin: "flag"}}}}.make(t)
	}
	following := func(base job, cell []string, rows int, o pipeline.Options) func(t *testing.T) *release {
		return func(t *testing.T) *release {
			o.Plan = base.make(t).path("plan.json")
			return job{cell: cell, rows: rows, options: o}.make(t)
		}
	}
	all["strata applied"] = following(byStrata["both"], lopsided(), 2500, pipeline.Options{Audit: "off"})
	all["elsewhere"] = following(jobs["optimal"], strings.Fields(strings.Repeat("a ", 15)+strings.Repeat("b ", 8)+
		strings.Repeat("c ", 4)+"d d d e"), 3100, pipeline.Options{})
	all["part"] = following(jobs["optimal"], []string{"a", "b", "e", "e"}, 40, pipeline.Options{PartOfPlan: true})
	return all
}

// TestAlterations: every release passes as it is, and no alteration of it does.
func TestAlterations(t *testing.T) {
	t.Parallel()
	all, made, seen := bases(), map[string]*release{}, map[string]bool{}
	for _, a := range alterations {
		name := a.base + ": " + a.name
		if seen[name] {
			t.Errorf("%s stands twice", name)
		}
		seen[name] = true
		base := made[a.base]
		if base == nil {
			if all[a.base] == nil {
				t.Fatalf("%s: there is no release %q", a.name, a.base)
			}
			base = all[a.base](t)
			made[a.base] = base
			q := base.request(t)
			for _, q.Input = range []string{q.Input, ""} {
				if got, err := verify.Run(t.Context(), q); err != nil || len(got.Failed()) > 0 {
					t.Fatalf("control: %s, untouched, input %q: %v, %v", a.base, q.Input, got, err)
				}
			}
		}
		t.Run(name, func(t *testing.T) {
			r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
			a.do(t, r)
			if !a.raw {
				r.save(t, !a.plain)
			}
			q := r.request(t)
			if a.ask != nil {
				a.ask(r, &q)
			}
			refused(t, q, a.want)
			if q.Input = ""; a.blind {
				refused(t, q, a.want)
			}
		})
	}
	if len(seen) < 140 {
		t.Errorf("only %d alterations", len(seen))
	}
}

// refused wants the check of that name to fail, or the files to be refused with a message
// that holds the quoted words.
func refused(t *testing.T, q verify.Request, want string) {
	t.Helper()
	got, err := verify.Run(t.Context(), q)
	if words, ok := strings.CutPrefix(want, `"`); ok {
		var e *verify.Error
		if words = strings.TrimSuffix(words, `"`); !errors.As(err, &e) || !strings.Contains(e.What, words) {
			t.Errorf("the answer is %v, want %q", err, words)
		}
		return
	}
	if err != nil {
		t.Errorf("the answer is %v, want %s", err, want)
		return
	}
	failed := got.Failed()
	made := slices.ContainsFunc(got.Checks, func(c verify.Check) bool { return c.Name == want })
	if !slices.ContainsFunc(failed, func(name string) bool { return name == want || !made && slices.Contains(anyOf, name) }) {
		t.Errorf("%v failed, want %s", failed, want)
	}
}
