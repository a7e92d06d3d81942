package law

import (
	"fmt"
	"math"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/digest"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
)

// readStrata reads mechanisms and groups; why says what is wrong with them.
func readStrata(v *subject.View) (why string) {
	s := v.Plan.Strata
	if len(v.Plan.Mechanism.Rows) > 0 || v.Plan.Mechanism.Kind != "strata" || len(s.Groups) == 0 || len(s.Laws) == 0 {
		return "the plan has rows for all strata together, or no strata"
	}
	for i, m := range s.Laws {
		rows, why := ReadRows(v, m)
		if why != "" {
			return fmt.Sprintf("mechanism %d: %s", i+1, why)
		}
		v.Laws = append(v.Laws, rows)
	}
	all := make([]int64, len(v.Count))
	seen, rest := map[cells.Label]bool{}, 0
	var strata []subject.Stratum
	for i, g := range s.Groups {
		e := subject.Stratum{Law: g.Law}
		if g.Law < 0 || g.Law >= len(v.Laws) || len(g.Counts) != len(v.Count) {
			return fmt.Sprintf("group %d has no mechanism, or not one count per input", i+1)
		}
		e.Rows = v.Laws[g.Law]
		for x, text := range g.Counts {
			c, ok := exact.Whole(text)
			if !ok || c > exact.MaxTotal-e.Total || c > v.Count[x]-all[x] {
				return fmt.Sprintf("group %d: the count of input %d is no number of its records", i+1, x+1)
			}
			e.Count, e.Total = append(e.Count, c), e.Total+c
			all[x] += c
		}
		for _, n := range g.Names {
			if seen[n] {
				return fmt.Sprintf("group %d has a stratum that stands twice", i+1)
			}
			seen[n] = true
		}
		if g.Rest {
			rest++
		}
		strata = append(strata, e)
	}
	for x, c := range all {
		if c != v.Count[x] {
			return fmt.Sprintf("the strata have %d records of input %d, the plan %d", c, x+1, v.Count[x])
		}
	}
	if rest > 1 {
		return "two groups take what the plan does not name"
	}
	if shared := len(v.Laws) == 1 && len(s.Groups) > 1; s.Rule != "shared" && s.Rule != "apart" || shared && s.Rule == "apart" || len(v.Laws) > 1 && s.Rule == "shared" {
		return "its rule is not what its mechanisms show"
	}
	v.Strata = strata
	return ""
}

// StrataSum is the SHA-256 of what draws depend on where there are strata:
// letters; 2^64-1 in place of the number of rows; column and function as
// labels; number of mechanisms and each of them as rows; number of groups and
// of each its mechanism, 1 for the rest and else 0, and its strata.
func StrataSum(v *subject.View) string {
	s, of := digest.NewStream(), v.Plan.Strata
	s.Labels(v.Plan.Inputs)
	s.Labels(v.Plan.Outputs)
	s.Number(math.MaxUint64)
	s.Labels([]cells.Label{{Text: of.Of}, {Text: of.Function}})
	s.Number(uint64(len(v.Laws)))
	for _, rows := range v.Laws {
		s.Rows(rows)
	}
	s.Number(uint64(len(of.Groups)))
	for _, g := range of.Groups {
		s.Number(uint64(g.Law))
		rest := uint64(0)
		if g.Rest {
			rest = 1
		}
		s.Number(rest)
		s.Labels(g.Names)
	}
	return s.Sum()
}
