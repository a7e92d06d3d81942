package page

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
)

// notStated stands for what people did not say.
const notStated = "not stated"

func stated(s string) string {
	if strings.TrimSpace(s) == "" {
		return notStated
	}
	return s
}

func field(head, format string, args ...any) view.Sentence {
	return view.Sentence{Head: head, Body: fmt.Sprintf(format, args...)}
}

// told is a field that people fill in.
func told(head, body string) view.Sentence { return view.Sentence{Head: head, Body: stated(body)} }

// brief is the fields in one paragraph, those that are not stated last.
func brief(fields []view.Sentence) string {
	var parts, missing []string
	for _, f := range fields {
		if f.Body == notStated {
			missing = append(missing, f.Head)
			continue
		}
		parts = append(parts, f.Head+" "+f.Body)
	}
	if len(missing) > 0 {
		parts = append(parts, notStated+": "+strings.Join(missing, ", "))
	}
	return strings.Join(parts, "; ")
}

// unsaid reports whether nobody stated any of the fields.
func unsaid(fields []view.Sentence) bool {
	return !slices.ContainsFunc(fields, func(f view.Sentence) bool { return f.Body != notStated })
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

func quoted(s string) string {
	_, err := strconv.ParseFloat(s, 64)
	if s == "" || strings.TrimSpace(s) != s || s == report.NullLabel.String() || s[0] == '"' || strings.ContainsRune("=+-@", rune(s[0])) && err != nil {
		return `"` + s + `"`
	}
	return s
}

// brisk cuts what stands in a sentence; the tables have it whole.
func brisk(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
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
func nats(v float64) string { return report.RoundUp(v, 4) }

// inHundred is a probability as so many in 100, to the nearest.
func inHundred(p float64) string {
	return strconv.FormatFloat(100*p, 'g', 3, 64) + " in 100"
}

// atMost is a bound on a probability as so many in 100, rounded up to three
// digits; 100 only where it is reached, or closer than can be shown.
func atMost(p float64) string {
	if p <= 0 {
		return "0 in 100"
	}
	v := min(100, 100*p)
	unit := math.Pow10(int(math.Floor(math.Log10(v))) - 2)
	v = min(100, math.Ceil(v/unit*(1-1e-12))*unit)
	return strconv.FormatFloat(v, 'g', 3, 64) + " in 100"
}

func percent(share float64) string {
	return strconv.FormatFloat(100*share, 'g', 3, 64) + " %"
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// measured is a utility with its unit.
func measured(v float64, unit string) string {
	if unit == "" {
		return number(v)
	}
	return number(v) + " " + unit
}

func span(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// exactly shows a fraction that is short enough to be read.
func exactly(fraction string) string {
	if len(fraction) > 24 {
		return "; the exact fraction is in report.json"
	}
	return "; exactly " + fraction
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

// decimals is a fraction "p/q" with at most so many decimals, rounded up or
// down in exact arithmetic: a bound stays one, and 5/2 is 2.5.
func decimals(fraction string, places int, up bool) (string, bool) {
	const most = 4096 // digits of what a report may hold
	f, ok := new(big.Rat).SetString(fraction)
	if !ok || len(fraction) > most || strings.ContainsAny(fraction, ".eEpP") {
		return "", false
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	n, rest := new(big.Int).DivMod(new(big.Int).Mul(f.Num(), scale), f.Denom(), new(big.Int))
	if up && rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	s := new(big.Rat).SetFrac(n, scale).FloatString(places)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), "."), true
}

// value is a fraction "p/q" as a float.
func value(fraction string) (float64, bool) {
	num, den, ok := strings.Cut(fraction, "/")
	if !ok {
		den = "1"
	}
	a, err1 := strconv.ParseFloat(num, 64)
	b, err2 := strconv.ParseFloat(den, 64)
	v := a / b
	return v, err1 == nil && err2 == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

func yes(ok bool, then, otherwise string) string {
	if ok {
		return then
	}
	return otherwise
}

// base takes the folders off a path: where a file lies is nobody's business
// but its owner's.
func base(path string) string {
	return path[strings.LastIndexByte(path, '/')+1:]
}
