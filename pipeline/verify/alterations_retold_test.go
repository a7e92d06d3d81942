package verify_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/test/torture"
)

// TestRetoldLeaves changes every figure and every word of a report that no name of unseen
// members covers, and tells everything anew from it: claims, public report, views
// and statements. None passes. Of releases that alterations start from these are members that
// no other release had; a third of them are changed here, the rest in TestSlowRetoldLeaves.
func TestRetoldLeaves(t *testing.T)     { retoldLeaves(t, false, 180) }
func TestSlowRetoldLeaves(t *testing.T) { retoldLeaves(t, true, 350) }

func retoldLeaves(t *testing.T, slow bool, least int) {
	t.Parallel()
	p, changes, all := picker{slow, map[string]bool{}}, 0, torture.Long()
	for _, name := range []string{"plain", "places", "nulls", "strata", "nights", "strata apart", "strata both",
		"strata applied", "strata merged", "strata smoothed", "strata preferred", "strata spare", "optimal", "beside",
		"elsewhere", "part", "public", "certain some", "certain all", "prior claim", "prior smoothed", "prior declared",
		"prior rare", "by level", "level", "bins", "letters", "shares", "csv"} {
		t.Run(name, func(t *testing.T) {
			r := copied(t, name)
			s := sheetOf(t, r.path("report.json"))
			for _, l := range leavesOf(s.all, false) {
				if nameOf(beyond, l) != "" || strings.HasPrefix(l.path, "claims[]") {
					continue
				}
				if here, first := p.picks(l.key()); !here || !first && !all {
					continue
				}
				for _, fresh := range l.values(all) {
					if fresh == "apply" && name == "prior rare" {
						continue // a plan of the same counts may have been followed
					}
					changes++
					l.set(fresh)
					must(t, os.WriteFile(s.path, asWritten(t, s.all), 0o600))
					if l.out { // no page can be told of such a report
						restate(t, r.path(""))
					} else {
						retell(t, r.path(""))
					}
					refuses(t, fmt.Sprintf("%s: %s is %v instead of %v", name, l.key(), fresh, l.old), r.request(t))
				}
				l.set(l.old)
			}
		})
	}
	enough(t, changes, least)
}

// open are members of plans that no check proves, and why that is no promise broken.
var open = map[string]string{
	"floor.next_rank": "what a better floor needs", "floor.next_factor": "what a better floor needs",
	"order.extra": "rows of the spec's own file", "order.sha256": "it is made to fit",
	"groups[].mechanism taken out": "the first, as before",
	"utility.upper_bound":          "a higher bound holds, too", "shares.worth": "none is claimed",
	"shares.worth.value": "a higher bound holds, too", "shares.refused": "none is claimed",
	"shares.refused_at": "a better floor needs more", "population.delta": "the plan had another than the report",
	"stated.all_named": "no file shows what was declared", "stated.values": "no file shows what was declared",
	"stated.files[].flag": "no file shows what was declared", "stated.files[].name": "no file shows what was declared",
	"stated.files[].sha256": "no file shows what was declared", "stated.domain": "no file shows what was declared",
	"population.domain": "how the values were found", "population.sets": "of a rule that is not used",
}

// TestForgedPlans changes every member of a plan, alone and together with the member of the
// same name of the report, makes every hash fit and tells everything anew. None passes. A third
// of them are changed here, the rest in TestSlowForgedPlans.
func TestForgedPlans(t *testing.T)     { forgedPlans(t, false, 75) }
func TestSlowForgedPlans(t *testing.T) { forgedPlans(t, true, 160) }

func forgedPlans(t *testing.T, slow bool, least int) {
	t.Parallel()
	p, changes := picker{slow, map[string]bool{}}, 0
	for _, name := range []string{"weights", "safe", "shares", "by level", "bins", "public", "prior declared",
		"prior smoothed", "prior rare", "prior claim", "strata both", "strata merged"} {
		r := copied(t, name)
		for _, l := range leavesOf(r.plan, false) {
			path := strings.Split(l.path, ".")
			if path[0] == "plan_sha256" || path[0] == "design_sha256" || l.out && len(path) == 1 ||
				open[l.key()] != "" || open[l.path] != "" {
				continue
			}
			if here, first := p.picks(l.key()); !here || !first {
				continue
			}
			of := r.report
			for _, m := range path[:len(path)-1] {
				of, _ = of[m].(map[string]any)
			}
			last := path[len(path)-1]
			was, there := of[last]
			for _, fresh := range l.values(false) {
				for _, too := range []bool{false, there} {
					if l.set(fresh); too {
						if of[last] = fresh; l.out {
							delete(of, last)
						}
					}
					changes++
					r.save(t, true)
					retell(t, r.path(""))
					refuses(t, fmt.Sprintf("%s: %s is %v instead of %v, in the report too: %v", name, l.key(), fresh, l.old, too),
						r.request(t))
					if l.set(l.old); too {
						of[last] = was
					}
					r.share()
				}
			}
		}
	}
	enough(t, changes, least)
}
