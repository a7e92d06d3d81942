package law

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
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
	h := sha256.New()
	var b []byte
	number := func(n uint64) { b = binary.BigEndian.AppendUint64(b, n) }
	list := func(labels []cells.Label) {
		number(uint64(len(labels)))
		for _, l := range labels {
			if l.Null {
				b = append(b, 0)
				continue
			}
			b = append(b, 1)
			number(uint64(len(l.Text)))
			b = append(b, l.Text...)
		}
	}
	s := v.Plan.Strata
	list(v.Plan.Inputs)
	list(v.Plan.Outputs)
	number(math.MaxUint64)
	list([]cells.Label{{Text: s.Of}, {Text: s.Function}})
	number(uint64(len(v.Laws)))
	for _, rows := range v.Laws {
		number(uint64(len(rows)))
		for _, r := range rows {
			number(uint64(r.Total))
			number(uint64(len(r.Output)))
			for i, y := range r.Output {
				number(uint64(y))
				number(uint64(r.Weight[i]))
			}
			h.Write(b)
			b = b[:0]
		}
	}
	number(uint64(len(s.Groups)))
	for _, g := range s.Groups {
		number(uint64(g.Law))
		rest := uint64(0)
		if g.Rest {
			rest = 1
		}
		number(rest)
		list(g.Names)
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}
