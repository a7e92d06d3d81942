package verify

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

// A planStrata is there where the promise holds given a column.
type planStrata struct {
	Of       string         `json:"of"`
	Function string         `json:"function"`
	Least    string         `json:"min"`
	Rule     string         `json:"rule"`
	Tried    []weighedClaim `json:"tried"`
	Groups   []struct {
		Names    []cells.Label `json:"strata"`
		Rest     bool          `json:"rest"`
		Counts   []string      `json:"counts"`
		Law      int           `json:"mechanism"`
		Factor   string        `json:"factor"`
		Nats     float64       `json:"nats"`
		Rank     int           `json:"rank"`
		Value    float64       `json:"value"`
		Expected float64       `json:"expected"`
	} `json:"groups"`
	Laws [][]planRow `json:"mechanisms"`
}

// A weighedClaim is a design that was compared with others.
type weighedClaim struct {
	Rule     string  `json:"rule"`
	Found    bool    `json:"found"`
	Rank     int     `json:"rank"`
	Value    float64 `json:"value"`
	Expected float64 `json:"expected"`
}

// A strataClaim is what the report says of strata.
type strataClaim struct {
	Column   string         `json:"column"`
	Function string         `json:"function"`
	Min      int64          `json:"min"`
	Merged   int            `json:"merged"`
	Rule     string         `json:"rule"`
	Overall  string         `json:"overall_factor"`
	Nats     float64        `json:"overall_nats"`
	Tried    []weighedClaim `json:"tried"`
	Groups   []struct {
		Names    []cells.Label `json:"strata"`
		Rest     bool          `json:"rest"`
		Records  int64         `json:"records"`
		Letters  int           `json:"letters"`
		Written  int64         `json:"written"`
		Factor   string        `json:"factor"`
		Nats     float64       `json:"nats"`
		Output   cells.Label   `json:"output"`
		Rank     int           `json:"rank"`
		Value    float64       `json:"value"`
		Expected float64       `json:"expected"`
	} `json:"groups"`
}

// A stratum is a group of strata as it was read.
type stratum struct {
	count []int64
	total int64
	law   int
	rows  []row
}

// readStrata reads mechanisms and groups; why says what is wrong with them.
func (v *verifier) readStrata() (why string) {
	s := v.plan.Strata
	if len(v.plan.Mechanism.Rows) > 0 || v.plan.Mechanism.Kind != "strata" || len(s.Groups) == 0 || len(s.Laws) == 0 {
		return "the plan has rows for all strata together, or no strata"
	}
	for i, m := range s.Laws {
		rows, why := v.readRows(m)
		if why != "" {
			return fmt.Sprintf("mechanism %d: %s", i+1, why)
		}
		v.laws = append(v.laws, rows)
	}
	all := make([]int64, len(v.count))
	seen, rest := map[cells.Label]bool{}, 0
	var strata []stratum
	for i, g := range s.Groups {
		e := stratum{law: g.Law}
		if g.Law < 0 || g.Law >= len(v.laws) || len(g.Counts) != len(v.count) {
			return fmt.Sprintf("group %d has no mechanism, or not one count per input", i+1)
		}
		e.rows = v.laws[g.Law]
		for x, text := range g.Counts {
			c, ok := whole(text)
			if !ok || c > maxTotal-e.total || c > v.count[x]-all[x] {
				return fmt.Sprintf("group %d: the count of input %d is no number of its records", i+1, x+1)
			}
			e.count, e.total = append(e.count, c), e.total+c
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
		if c != v.count[x] {
			return fmt.Sprintf("the strata have %d records of input %d, the plan %d", c, x+1, v.count[x])
		}
	}
	if rest > 1 {
		return "two groups take what the plan does not name"
	}
	if shared := len(v.laws) == 1 && len(s.Groups) > 1; s.Rule != "shared" && s.Rule != "apart" || shared && s.Rule == "apart" || len(v.laws) > 1 && s.Rule == "shared" {
		return "its rule is not what its mechanisms show"
	}
	v.strata = strata
	return ""
}

// strataSum is the SHA-256 of what draws depend on where there are strata:
// letters; 2^64-1 in place of the number of rows; column and function as
// labels; number of mechanisms and each of them as rows; number of groups and
// of each its mechanism, 1 for the rest and else 0, and its strata.
func (v *verifier) strataSum() string {
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
	s := v.plan.Strata
	list(v.plan.Inputs)
	list(v.plan.Outputs)
	number(math.MaxUint64)
	list([]cells.Label{{Text: s.Of}, {Text: s.Function}})
	number(uint64(len(v.laws)))
	for _, rows := range v.laws {
		number(uint64(len(rows)))
		for _, r := range rows {
			number(uint64(r.total))
			number(uint64(len(r.output)))
			for i, y := range r.output {
				number(uint64(y))
				number(uint64(r.weight[i]))
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
