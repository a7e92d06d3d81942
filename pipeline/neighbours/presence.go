package neighbours

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// The bounds beyond which the nulls of a column are refused beside another, where
// more than half of the records that they mark hold one value:
// they are published in clear, and are held to what a published column is.
const (
	refusedGain   = .10  // of the guesses that are right only with them, less those that are right only without
	refusedRecall = .10  // of the records that hold it
	falseRefusal  = 1e-5 // chance that nulls which tell nothing are refused, over all columns of a run
)

// A Pattern is what the nulls of some private columns, which stay where they
// are, tell of the value of another one. It is exact: the combinations of
// letters and nulls of all records are counted.
type Pattern struct {
	By, Of  []string
	Factor  *big.Rat // largest P(value | which are null) / P(value)
	Gain    float64  // share of the records whose value is guessed right with them and not without, less the reverse
	Refused bool
	Warned  bool
}

// patterns are those of every column whose nulls stay beside every other, and of
// all such columns together where there are several.
func patterns(parts []*plan.Plan, cells []judge.Cell) (out []Pattern) {
	var with []int
	tests := 0 // of each pattern
	for i, p := range parts {
		if tests += 1 + p.Inputs.Len(); p.Null == "public" &&
			slices.ContainsFunc(cells, func(c judge.Cell) bool { return c.Letter[i] < 0 }) {
			with = append(with, i)
		}
	}
	var asked [][]int // the column and those by whose nulls it is guessed
	for of, p := range parts {
		by := slices.DeleteFunc(slices.Clone(with), func(i int) bool { return i == of || p.Empty() })
		for _, i := range by {
			asked = append(asked, []int{of, i})
		}
		if len(by) > 1 {
			asked = append(asked, append([]int{of}, by...))
		}
	}
	for _, q := range asked {
		out = append(out, patternOf(parts, cells, q[1:], q[0], falseRefusal/float64(4*max(1, tests*len(asked)))))
	}
	return out
}

// patternOf holds a pattern to the bounds, each at a chance of a of being wrong.
func patternOf(parts []*plan.Plan, cells []judge.Cell, by []int, of int, a float64) Pattern {
	p := Pattern{Of: []string{parts[of].Column}, Factor: big.NewRat(1, 1)}
	for _, i := range by {
		p.By = append(p.By, parts[i].Column)
	}
	rows, count, n := nullsOf(cells, by, of)
	if n == 0 {
		return p
	}
	low := func(hits, n int64) float64 { return estimate.AtLeast(hits, n, a) }
	promised := parts[of].Epsilon.FactorUp()
	base := slices.Index(count, slices.Max(count))
	right, better, worse := int64(0), int64(0), int64(0)
	hits, marked := make([]int64, len(count)), make([]int64, len(count)) // by letter, where it is above epsilon
	for _, row := range rows {
		sum := int64(0)
		for _, k := range row {
			sum += k
		}
		best := slices.Index(row, slices.Max(row))
		if right += row[best]; best != base && row[best] > row[base] {
			better, worse = better+row[best], worse+row[base]
		}
		for x, k := range row {
			if k == 0 {
				continue
			}
			if f := new(big.Rat).Mul(big.NewRat(k, sum), big.NewRat(n, count[x])); f.Cmp(p.Factor) > 0 {
				p.Factor = f
			}
			if k >= 3 && float64(k)/float64(sum) > promised*float64(count[x])/float64(n) {
				hits[x], marked[x] = hits[x]+k, marked[x]+sum
			}
		}
	}
	p.Gain = float64(right-count[base]) / float64(n)
	gain := low(better, n) - (1 - low(n-worse, n))
	p.Refused, p.Warned = gain > refusedGain, gain > 0
	for x, c := range count {
		if marked[x] > 0 && low(hits[x], marked[x]) > promised*float64(c)/float64(n) {
			p.Warned = true
			p.Refused = p.Refused || 2*hits[x] > marked[x] && low(hits[x], c) > refusedRecall
		}
	}
	return p
}

// nullsOf counts the records that have a value: by which other cells are null and by letter, by
// letter, and all.
func nullsOf(cells []judge.Cell, by []int, of int) (rows map[string][]int64, count []int64, n int64) {
	letters := 0
	for _, c := range cells {
		letters = max(letters, int(c.Letter[of])+1)
	}
	rows, count = map[string][]int64{}, make([]int64, letters)
	key := make([]byte, len(by))
	for _, c := range cells {
		x := c.Letter[of]
		if x < 0 {
			continue
		}
		for k, i := range by {
			if key[k] = '1'; c.Letter[i] < 0 {
				key[k] = '0'
			}
		}
		if rows[string(key)] == nil {
			rows[string(key)] = make([]int64, letters)
		}
		rows[string(key)][x] += c.Count
		count[x], n = count[x]+c.Count, n+c.Count
	}
	return rows, count, n
}

// Says puts a pattern in words, without a letter.
func (p *Pattern) Says() string {
	return fmt.Sprintf("which cells of %s are null makes some guess of %q up to %s times as likely, and the best guess "+
		"right in %s %% more of the records",
		strings.Join(quoted(p.By), " and "), p.Of[0], upTo(p.Factor.RatString()), report.RoundUp(100*p.Gain, 1))
}

// Allowed reports whether what is refused was allowed by name: all columns, or
// one that is refused by itself.
func (p *Pattern) Allowed(all []Pattern, allowed []string) bool {
	if !slices.ContainsFunc(p.By, func(n string) bool { return !slices.Contains(allowed, n) }) {
		return true
	}
	return slices.ContainsFunc(all, func(q Pattern) bool {
		return len(q.By) == 1 && q.Refused && q.Of[0] == p.Of[0] && slices.Contains(p.By, q.By[0]) &&
			slices.Contains(allowed, q.By[0])
	})
}

// tellPatterns puts them into the report.
func tellPatterns(out *report.Joint, all []Pattern) {
	for _, p := range all {
		out.Presence = append(out.Presence, report.JointPresence{By: p.By, Of: p.Of[0], Factor: p.Factor.RatString(),
			Nats: mechanism.Nats(p.Factor), Gain: p.Gain, Beyond: p.Refused})
		switch words := "Nulls stay, and " + p.Says(); {
		case p.Refused:
			out.Words = append(out.Words, words+"; that is beyond what a published column may reveal without --allow-linked.")
		case p.Warned:
			out.Words = append(out.Words, words+".")
		}
	}
}
