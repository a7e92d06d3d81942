package page

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"math"
	"strconv"
)

// words are what the page's template calls.
var words = template.FuncMap{
	"label":   func(s string) string { return Cut(s, shownRunes) },
	"whole":   Visible,
	"up":      func(v float64) string { return decimal(math.Ceil, v) },
	"down":    func(v float64) string { return decimal(math.Floor, v) },
	"figure":  func(v float64) string { return strconv.FormatFloat(v+0, 'g', 6, 64) },
	"percent": func(v float64) string { return strconv.FormatFloat(100*v+0, 'g', 3, 64) + " %" },
	"count":   several,
	"none":    math.IsNaN,
	"last":    func(i int) int { return i - 1 },
	"next":    func(i int) int { return i + 1 },
	"more":    func(s *Shown) int { return s.Allowed - len(s.Outputs) },
}

// Cut lists the labels that are cut in the page.
func (p *Page) Cut() []string {
	var out []string
	for _, l := range p.Letters {
		if Cut(l.Label, shownRunes) != Visible(l.Label) {
			out = append(out, l.Label)
		}
	}
	return out
}

// Trap is the first stop with more than one group, nil where there is none.
func (p *Page) Trap() *Stop {
	for i := range p.Stops {
		if p.Stops[i].Groups != nil {
			return &p.Stops[i]
		}
	}
	return nil
}

// decimal has four decimals, so rounded that a bound stays one.
func decimal(round func(float64) float64, v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "none"
	}
	return strconv.FormatFloat(round(v*1e4)/1e4+0, 'f', -1, 64)
}

// count puts a thin gap between thousands.
func several(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// policy forbids every resource and every script but the page's own.
func policy() string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}
