package verify

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// A figure is the number of a claim.
type figure struct {
	Factor string  `json:"factor,omitempty"`
	Times  float64 `json:"times,omitempty"`
	Nats   float64 `json:"nats,omitempty"`
	Least  float64 `json:"least,omitempty"`
	Rank   int64   `json:"rank,omitempty"`
	Of     int64   `json:"of,omitempty"`
	Level  *level  `json:"level,omitempty"`
	Count  int64   `json:"count,omitempty"`
	Share  float64 `json:"share,omitempty"`
	Exact  bool    `json:"exact"`
}

// confirmable is 1 / e^epsilon, rounded down: the share from which on an output may
// confirm a value.
func confirmable(target float64) float64 {
	if !(target >= 1) {
		return 0
	}
	share := 1 / target
	if q := new(big.Rat).SetFloat64(target); new(big.Rat).SetFloat64(share).Cmp(q.Inv(q)) > 0 {
		share = math.Nextafter(share, 0)
	}
	return share
}

// saidOf is what the words of a claim must hold, whatever case they begin with:
// its factor rounded up to four decimals, its rank, or its records.
func saidOf(f figure) string {
	switch {
	case f.Rank > 0:
		return f.place()
	case f.Factor != "":
		q, ok := exact.Fraction(f.Factor)
		if !ok {
			return "\x00"
		}
		return "t most " + fourUp(q) + " times"
	case f.Times > 0:
		q := new(big.Rat).SetFloat64(f.Times)
		if q == nil {
			return "\x00"
		}
		return "t most " + strconv.FormatFloat(max(math.Ceil(f.Times*1e4)/1e4, f.Times), 'f', -1, 64) + " times"
	case f.Share > 0 && f.Share < 1:
		return hundredUp(f.Share) + " in 100 of"
	case f.Least > 0:
		return "at least " + threeDown(f.Least)
	case f.Count > 0:
		return strconv.FormatInt(f.Count, 10)
	}
	return ""
}

// threeDigits is a share in 100, rounded down.
func threeDigits(share float64) string {
	unit := math.Pow10(int(math.Floor(math.Log10(100*share))) - 2)
	return strconv.FormatFloat(math.Floor(100*share/unit)*unit, 'g', 3, 64)
}

// threeDown is a factor rounded down to three digits, whole from 100 on.
func threeDown(f float64) string {
	unit := 1.0
	for unit > .01 && f/unit < 100 {
		unit /= 10
	}
	return strconv.FormatFloat(math.Floor(f/unit+1e-9)*unit, 'g', 4, 64)
}

// fourUp is a fraction rounded up to four decimals, without zeros at its end.
func fourUp(q *big.Rat) string {
	n := new(big.Int).Mul(q.Num(), big.NewInt(10000))
	n, rest := n.DivMod(n, q.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	s := new(big.Rat).SetFrac(n, big.NewInt(10000)).FloatString(4)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// hundredUp is a share in 100, rounded up to three digits.
func hundredUp(share float64) string {
	digits := 2 - int(math.Floor(math.Log10(100*share)))
	scale := math.Pow10(digits)
	return strconv.FormatFloat(min(100, math.Ceil(100*share*scale*(1-1e-12))/scale), 'g', 3, 64)
}

// counted is a number with what it counts.
func counted(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// binned reports whether the claim on bins names their rule, of what they are, and what is
// published of one: every edge of a short list, the ends of a long one, a width with the
// edge that it counts from, or a unit of the calendar.
func binned(c document.Node, of, as string) bool {
	words, rule := c.Text("words"), c.Text("asked")
	said, width := []string{"into bins before anything was drawn", "none was computed from the records"}, false
	if rule, width = strings.CutPrefix(rule, "width:"); width {
		wide, from, _ := strings.Cut(rule, ":")
		if of == "date" {
			from, wide = cmp.Or(from, "1970-01-01"), wide+" days"
		}
		said = append(said, "each is "+wide+" wide", "begins at "+cmp.Or(from, "0"))
	} else if edges := strings.Split(rule, ","); len(edges) == 1 {
		said = append(said, "each is one "+rule+" of the calendar")
	} else if len(edges) > 40 {
		said = append(said, fmt.Sprintf("%d edges, from %s to %s,", len(edges), edges[0], edges[len(edges)-1]))
	} else {
		said = append(said, "edges are "+strings.Join(edges, ", ")+",")
	}
	for part, said := range map[string]string{"lower": "its lower end is published", "middle": "its middle is published"} {
		if strings.Contains(words, said) != (as == part) {
			return false
		}
	}
	return c.Text("given") == of && c.Text("note") == as &&
		!slices.ContainsFunc(said, func(s string) bool { return !strings.Contains(words, s) })
}
