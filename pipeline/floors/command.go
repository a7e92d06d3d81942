package floors

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// askFor rounds nats up to hundredths: the epsilon that is asked for may be
// published, and an exact one encodes counts.
func askFor(nats float64) string {
	up := math.Ceil(nats*100) / 100
	if up < nats {
		up += .01
	}
	return strconv.FormatFloat(up+0, 'f', -1, 64)
}

// command is what makes the design of a point from the same data: a release,
// or a plan where only counts are known.
func command(o *request.Options, q *Point, epsilon, by string) string {
	name := "design"
	if o.Input != "" {
		name = "run"
	}
	lines := []string{"tacet " + name}
	add := func(flag, value string) {
		if value != "" {
			lines = append(lines, "--"+flag+" "+quoted(value))
		}
	}
	add("input", o.Input)
	if o.Input == "" && o.Column == "" {
		add("column", "NAME OF THE COLUMN") // which counts do not tell, and apply looks for
	}
	add("column", o.Column)
	add("counts", report.NameList(o.Counts))
	for _, f := range [][3]string{{"null", o.Null, "refuse"}, {"ties", o.Ties, "column"},
		{"prefer", o.Prefer, "utility"}} {
		if f[1] != f[2] {
			add(f[0], f[1])
		}
	}
	if q.Within != nil {
		add("max-shift", o.MaxShift)
	}
	add("domain", o.Domain)
	add("prior", o.Prior)
	add("smooth", o.Smooth)
	if o.PriorOnly {
		lines = append(lines, "--prior-only")
	}
	if o.AllowIdentifier {
		lines = append(lines, "--allow-identifier")
	}
	add("utility", o.Utility)
	add("labels", o.Labels)
	add("epsilon", epsilon)
	if by == "rank" {
		add("floor-rank", strconv.Itoa(q.Rank))
	} else {
		add("floor-value", strconv.FormatFloat(q.Value, 'g', -1, 64))
	}
	if o.Input == "" {
		add("write-plan", "plan.json")
		return strings.Join(lines, " \\\n  ")
	}
	file := filepath.Base(o.Input)
	add("output", strings.TrimSuffix(file, filepath.Ext(file))+".private"+filepath.Ext(file))
	add("report", "report")
	return strings.Join(lines, " \\\n  ")
}

// quoted is a word of a shell's command line. What has no sign of its own is
// written as bytes in octal, which the shells of POSIX 2024 read.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("-_./:,@%+=", r)
	}
	switch {
	case word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }):
		return word
	case utf8.ValidString(word) && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for _, c := range []byte(word) {
		if r := rune(c); plain(r) || r == ' ' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return "$'" + b.String() + "'"
}

// Quoted is quoted, for commands that other rooms suggest.
func Quoted(word string) string { return quoted(word) }
