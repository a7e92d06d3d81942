package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// NotPrivate stamps reports of runs whose draws can be repeated.
const NotPrivate = "NOT A PRIVATE RELEASE"

// WriteText writes report.txt: under 60 lines, for readers who are no
// mathematicians.
func (r *Report) WriteText(w io.Writer) error {
	t := &text{}
	if r.Stamp != "" {
		t.line("*** %s: the draws came from a test seed ***", r.Stamp)
	}
	t.line("Leakage report of column %s", clean(r.Column))
	t.line("")
	t.wrap("Promised:  ", r.promised())
	t.wrap("Reached:   ", r.reached())
	t.wrap("It does not mean: ", notMeant)
	t.line("")
	r.textFigures(t)
	r.textOutputs(t)
	r.textChecks(t)
	r.textWarnings(t)
	_, err := io.WriteString(w, t.String())
	return err
}

const notMeant = "relative to this file's own histogram, for an observer of one row's cell. It is per row: several rows of one " +
	"person together can say more (rows per person: not stated). It says nothing about the population, and columns " +
	"published beside it were not judged."

// promised is what the user asked for, in words.
func (r *Report) promised() string {
	return fmt.Sprintf("no published value makes any guess about a record's true %s more than e^epsilon times as often right, epsilon = %s.",
		clean(r.Column), r.Epsilon.Target)
}

// reached is what the written file keeps, in words.
func (r *Report) reached() string {
	if r.Floor.Of == 0 {
		return "there was nothing to privatize."
	}
	s := fmt.Sprintf("at most %s times as often (epsilon %s, rounded up%s), and no record was replaced by anything worse than rank %d of %d",
		times(r.Epsilon.Factor, r.Epsilon.Nats), RoundUp(r.Epsilon.Nats, 4), exactly(r.Epsilon.Factor), r.Floor.Rank, r.Floor.Of)
	if r.Floor.InWords != "" {
		s += " (" + r.Floor.InWords + ")"
	}
	return s + "."
}

func (r *Report) textFigures(t *text) {
	n := max(r.Records, 1)
	t.row("records", "%d, %d letters", r.Records, r.Letters)
	t.row("design", "%s, %s outputs per record", r.Design.Kind, span(r.Floor.Least, r.Floor.Most))
	t.row("least factor here", "between %s and %s", short(r.Design.Lower), short(r.Design.Upper))
	if r.Floor.NextNeed != "" {
		t.row("next better floor", "rank %d needs --max-factor %s", r.Floor.NextRank, short(r.Floor.NextNeed))
	}
	if r.Design.AnyPrior != "" {
		t.row("under every prior", "no mechanism at this floor stays below factor %s", short(r.Design.AnyPrior))
	}
	unit := ""
	if r.Utility.Unit != "" {
		unit = " " + r.Utility.Unit
	}
	t.row("utility", "worst %s%s, mean %s%s expected, %s%s written", number(r.Utility.Worst), unit, number(r.Utility.Expected), unit, number(r.Utility.Realised), unit)
	for _, b := range r.Baselines {
		if b.Tuned {
			t.row(b.Kind, "worst %s%s, mean %s%s, at the same epsilon", number(b.Worst), unit, number(b.Expected), unit)
		}
	}
	t.row("records changed", "%d (%.2f %%)", r.Records-r.Utility.Unchanged, 100*float64(r.Records-r.Utility.Unchanged)/float64(n))
	if r.Scale.Rarest > 0 {
		t.row("scale of epsilon", "the commonest value may be confirmed from %s nats on, every value from %s on;", RoundUp(r.Scale.Commonest, 4), RoundUp(r.Scale.Rarest, 4))
		t.row("", "at the epsilon reached %d values can be, held by %.1f %% of records", r.Scale.Uncapped, 100*r.Scale.UncappedRow)
	}
	if r.Binding != nil && r.Epsilon.Nats > 0 {
		t.row("decided by", "output %s, given by %d letters that %d records hold", clean(r.Binding.Output.String()), r.Binding.Letters, r.Binding.Records)
	}
	t.row("utility order", "%s", clean(r.Order.Spec))
	fates := map[string][]string{}
	for _, c := range r.Columns {
		fates[c.Fate] = append(fates[c.Fate], clean(c.Name))
	}
	for _, fate := range []string{"published in clear", "dropped"} {
		if len(fates[fate]) > 0 {
			t.row(fate, "%s", list(fates[fate], 8))
		}
	}
	t.line("")
}

func (r *Report) textOutputs(t *text) {
	if len(r.Outputs) == 0 {
		return
	}
	t.line("Outputs that leak most (of %d):", len(r.Outputs))
	for _, o := range r.Outputs[:min(5, len(r.Outputs))] {
		t.line("  %-24s epsilon %-9s factor %-14s from %d letters, %.2f %% of records", cut(clean(o.Label.String()), 24), RoundUp(o.Nats, 4), short(o.Factor), o.Support, 100*o.Share)
	}
	t.line("")
}

func (r *Report) textChecks(t *text) {
	t.line("Checked in the written file:")
	for _, c := range r.Checks {
		t.line("  %-9s %s", c.Name, c.Detail)
	}
	if r.Output.SHA256 != "" {
		t.line("  sha256    %s", r.Output.SHA256)
	}
	t.line("")
}

func (r *Report) textWarnings(t *text) {
	for _, w := range r.Warnings {
		t.wrap("warning: ", clean(w))
	}
}

// text gathers lines.
type text struct{ strings.Builder }

func (t *text) line(format string, args ...any) {
	t.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

func (t *text) row(name, format string, args ...any) {
	t.line("%-19s %s", name, fmt.Sprintf(format, args...))
}

// wrap breaks a paragraph at 100 columns, indented below its head.
func (t *text) wrap(head, body string) {
	line := head
	for _, word := range strings.Fields(body) {
		if len(line)+len(word) > 100 {
			t.line("%s", line)
			line = strings.Repeat(" ", len(head))
		}
		line += word + " "
	}
	t.line("%s", line)
}

// clean shows control characters and text direction marks as escapes.
func clean(s string) string {
	q := strconv.Quote(s)
	q = q[1 : len(q)-1]
	return strings.ReplaceAll(q, `\"`, `"`)
}

// cut shortens a label for a table; the JSON has it whole.
func cut(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-3]) + "..."
	}
	return s
}

// times is a whole factor as it is, and e^nats rounded up otherwise.
func times(fraction string, nats float64) string {
	if len(fraction) <= 24 && !strings.Contains(fraction, "/") {
		return fraction
	}
	return RoundUp(math.Exp(nats), 4)
}

// exactly shows a fraction that is short enough to be read.
func exactly(fraction string) string {
	if len(fraction) > 24 {
		return "; the exact fraction is in report.json"
	}
	return "; exactly " + fraction
}

// short shows a fraction, or its decimals rounded up where it is long.
func short(fraction string) string {
	if len(fraction) <= 12 {
		return fraction
	}
	num, den, ok := strings.Cut(fraction, "/")
	a, err1 := strconv.ParseFloat(num, 64)
	b, err2 := strconv.ParseFloat(den, 64)
	if !ok || err1 != nil || err2 != nil {
		return fraction[:12] + "..."
	}
	return "about " + RoundUp(a/b, 6)
}

// RoundUp shows v rounded up to so many decimals, so that a bound stays one.
func RoundUp(v float64, decimals int) string {
	p := math.Pow10(decimals)
	return strconv.FormatFloat(math.Ceil(v*p)/p, 'f', -1, 64)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func span(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func list(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
