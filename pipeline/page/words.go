package page

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// notStated stands for what people did not say.
const notStated = "not stated"

func stated(s string) string {
	if strings.TrimSpace(s) == "" {
		return notStated
	}
	return s
}

// The shapes of names and numbers are those of claims: atMost is a bound on a
// probability.
var (
	brisk    = claim.Brisk
	quoted   = claim.Quoted
	decimals = claim.Decimals
	times    = claim.Times
	atMost   = claim.InHundred
	measured = report.Measured
)

func field(head, format string, args ...any) report.Sentence {
	return report.Sentence{Head: head, Body: fmt.Sprintf(format, args...)}
}

// brief is the fields in one paragraph.
func brief(fields []report.Sentence) string {
	var parts []string
	for _, f := range fields {
		parts = append(parts, f.Head+" "+f.Body)
	}
	return strings.Join(parts, "; ")
}

// show is a label as people read it. One that could be taken for something
// else is quoted: nothing, blanks at an end, null, or what a spreadsheet would
// run when the table is pasted into it.
func show(l report.Label) string {
	if l.Null {
		return l.String()
	}
	return quoted(l.Text)
}

// names lists labels up to so many.
func names(labels []string, most int) string {
	if len(labels) == 0 {
		return "none"
	}
	if len(labels) <= most {
		return strings.Join(labels, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(labels[:most], ", "), len(labels)-most)
}

// count is a number of things, in the singular where it is one.
func count[N int | int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if strings.HasSuffix(one, "y") && !strings.HasSuffix(one, "ay") {
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(one, "y"))
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// nats is a leakage, rounded up so that a bound stays one.
func nats(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "none"
	}
	return report.RoundUp(v, 4)
}

// natsDown is nats rounded down, for lower bounds.
func natsDown(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "none"
	}
	return strconv.FormatFloat(math.Floor(v*1e4)/1e4+0, 'f', -1, 64)
}

// figure is a number with six digits.
func figure(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "none"
	}
	return strconv.FormatFloat(v+0, 'g', 6, 64)
}

// inHundred is a probability as so many in 100, to the nearest.
func inHundred(p float64) string {
	return strconv.FormatFloat(100*p, 'g', 3, 64) + " in 100"
}

func percent(share float64) string {
	return strconv.FormatFloat(100*share, 'g', 3, 64) + " %"
}

// atMostPercent is a bound on a share in percent, rounded up to three digits.
func atMostPercent(share float64) string { return strings.TrimSuffix(atMost(share), " in 100") + " %" }

// points is a fraction as points in a hundred, rounded up to three digits; "" where it is
// not stated.
func points(fraction string) string {
	if fraction == "" {
		return ""
	}
	return atMostPoints(value(fraction))
}

// atMostPoints is a bound on a share in points, rounded up to three digits.
func atMostPoints(share float64) string {
	return strings.TrimSuffix(atMost(share), " in 100") + " points"
}

// measuredDown is measured for a bound that a distance cannot go below.
func measuredDown(v float64, unit string) string {
	if unit == "" {
		return figure(v)
	}
	d, unitOf := max(0, -v), 1.
	if d < 100 {
		unitOf = 100
	}
	return report.Grouped(strconv.FormatFloat(math.Floor(d*unitOf)/unitOf, 'f', -1, 64)) + " " + unit
}

// farthest is the head of the worst utility.
func farthest(unit string) string { return yes(unit == "", "worst", "farthest replacement") }

func span(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// short shows a fraction, or its decimals rounded up where it is long.
func short(fraction string) string { return shorter(fraction, true) }

// shortDown is short for lower bounds.
func shortDown(fraction string) string { return shorter(fraction, false) }

func shorter(fraction string, up bool) string {
	if len(fraction) <= 12 {
		return fraction
	}
	if exact, ok := decimals(fraction, 6, up); ok {
		return "about " + exact
	}
	return fraction[:12] + "..."
}

// value is a fraction "p/q" as a float, 1 where it is none.
func value(fraction string) float64 {
	f, ok := new(big.Rat).SetString(fraction)
	if !ok || strings.ContainsAny(fraction, ".eEpP") {
		return 1
	}
	v, _ := f.Float64()
	return v
}

func yes(ok bool, then, otherwise string) string {
	if ok {
		return then
	}
	return otherwise
}

// of is what a pointer points to, zero where it points nowhere.
func of[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
