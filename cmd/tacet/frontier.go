package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/floors"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

var _ = does("frontier", onData(frontier))

func frontier(c *cli.Context, o pipeline.Options) (err error) {
	if o.Then, err = following(askedOf(c), &o); err != nil {
		return err
	}
	return found(floors.New, frontierText, frontierRows)(c, o)
}

// following are the options of the run or the design that frontier leads to, from the
// same flags, environment and job file.
func following(a *asked, o *request.Options) (*request.Options, error) {
	name := "run"
	if o.Input == "" {
		name = "design"
	}
	var flags []*parsedFlag
	for _, t := range request.For(name) {
		f := &parsedFlag{Option: t}
		if i := slices.IndexFunc(a.flags, func(of *parsedFlag) bool { return of.Name == t.Name }); i >= 0 {
			f.values = a.flags[i].values
		}
		flags = append(flags, f)
	}
	then, err := askFor(name, flags)
	if err != nil {
		return nil, err
	}
	return then.Options()
}

// A below is what the lines below the table of a frontier are about.
type below struct {
	*floors.Frontier
	Shown           int    // floors
	Between         bool   // the least epsilon of some is only known to lie between two
	Worst           string // head of the worst utility
	Renamed, Silent bool   // some design publishes the values as they are, up to names; some tells nothing
}

// frontierText shows the floors that cost more than the one before in any of
// the designs; one that costs no less than a better floor is never chosen.
// Worst, mean and shift are those of the optimum.
func frontierText(w io.Writer, f *floors.Frontier) error {
	floor := "rank"
	switch {
	case len(f.Points) > 0 && f.Points[0].Level != nil:
		floor = "level"
	case f.By == "value":
		floor = "utility"
	}
	of := below{Frontier: f, Worst: "worst"}
	if f.Unit != "" {
		of.Worst = "farthest"
	}
	const line = "%8s %8s  %10s %10s  %12s %12s %7s\n"
	fmt.Fprintf(w, line, floor, "outputs", "safe", "optimal", of.Worst, "mean", "off by")
	for i := range f.Points {
		p := &f.Points[i]
		for _, d := range []*floors.Mechanism{p.Safe, p.Optimal} {
			of.Renamed, of.Silent = of.Renamed || d != nil && d.Unchanged, of.Silent || d != nil && d.Nothing
		}
		if i+1 < len(f.Points) && sameCost(p, &f.Points[i+1]) {
			continue
		}
		of.Shown++
		at := strconv.Itoa(p.Rank)
		switch {
		case p.Level != nil:
			at = fmt.Sprintf("%d of %d", p.Level.At, p.Level.Of)
		case f.By == "value":
			at = strconv.FormatFloat(p.Value, 'g', 6, 64)
		}
		outputs := strconv.Itoa(p.Least)
		if p.Most != p.Least {
			outputs += "-" + strconv.Itoa(p.Most)
		}
		optimal := report.RoundUp(p.To, 4) + marked(p.Optimal)
		if p.Open && !f.Large {
			optimal = ">=" + strconv.FormatFloat(math.Floor(p.From*1e4)/1e4, 'f', -1, 64) + " " + optimal
			of.Between = true
		}
		worst, mean, off := "-", "-", "-"
		if d := p.Optimal; d != nil {
			worst, mean, off = measured(d.Worst, f.Unit), measured(d.Expected, f.Unit), pointsOff(d.Shift)
		}
		fmt.Fprintf(w, line, at, outputs, nats(p.Safe), optimal, worst, mean, off)
	}
	words().Each("frontier", of, func(_, text string) { fmt.Fprintln(w, text) })
	err := choices(w, f)
	if a := f.Steepest; a != nil {
		for i, line := range a.Lines() {
			_, err = fmt.Fprintf(w, "%-9s %s\n", []string{"steepest:", "", "", ""}[i], line)
		}
	}
	return err
}

// measured is a utility in a column whose head has the unit, if there is one: then as a
// distance.
func measured(v float64, unit string) string {
	if unit == "" {
		return strconv.FormatFloat(v+0, 'g', 6, 64)
	}
	return strings.TrimSuffix(report.Measured(v, unit), " "+unit)
}

// pointsOff are the points by which shares are off, - where that is not known.
func pointsOff(shift *float64) string {
	if shift == nil {
		return "-"
	}
	return report.RoundUp(100**shift, 2)
}

// marked is the sign of a design at an extreme.
func marked(d *floors.Mechanism) string { return mark(d.Unchanged, d.Nothing) }

func mark(unchanged, nothing bool) string {
	switch {
	case unchanged:
		return " ="
	case nothing:
		return " *"
	}
	return ""
}

// choices print the best floor for each epsilon, within the limit of the shift that was
// asked for.
func choices(w io.Writer, f *floors.Frontier) (err error) {
	const line = "%8s %8s  %-*s %12s %7s%s\n"
	name := func(c *floors.Choice) string {
		return c.Floor + " (" + c.Words + ")" + mark(c.Unchanged, c.Nothing)
	}
	within, wide, first := "", len("best floor"), true
	for i := range f.Choices {
		wide = max(wide, utf8.RuneCountInString(name(&f.Choices[i])))
	}
	if f.MaxShift != "" {
		within = ", with shares within " + f.MaxShift
	}
	for i := range f.Choices {
		c := &f.Choices[i]
		if c.MaxShift != f.MaxShift {
			continue
		}
		if first {
			fmt.Fprintf(w, "what tacet design gives for an epsilon%s:\n"+line, within, "factor", "epsilon", wide, "best floor",
				"mean", "off by", "")
			first = false
		}
		factor, epsilon := report.RoundUp(c.Factor, 2), report.RoundUp(c.Nats, 4)
		asked := ""
		if c.Asked {
			asked = "  <- asked for"
		}
		switch {
		case c.Open:
			_, err = fmt.Fprintf(w, "%8s %8s  not searched in the time there was%s\n", factor, epsilon, asked)
		case c.Refused != "":
			_, err = fmt.Fprintf(w, "%8s %8s  %s%s\n", factor, epsilon, c.Refused, asked)
		default:
			_, err = fmt.Fprintf(w, line, factor, epsilon, wide, name(c), measured(c.Expected, f.Unit),
				pointsOff(c.Shift), asked)
		}
	}
	return err
}

// sameCost reports whether q, the next better floor, costs no more than p.
func sameCost(p, q *floors.Point) bool {
	return nats(p.Safe) == nats(q.Safe) && report.RoundUp(p.To, 4) == report.RoundUp(q.To, 4)
}

func nats(d *floors.Mechanism) string {
	if d == nil {
		return "-"
	}
	return report.RoundUp(d.Nats, 4) + marked(d)
}

// csvColumns are those of each design.
var csvColumns = []string{"factor", "nats", "worst", "expected", "information", "guess", "shift", "unchanged",
	"tells_nothing"}

// frontierRows are a head and a row for every floor, a group of columns for each
// design; the group of a design that there is not is empty.
func frontierRows(f *floors.Frontier) [][]string {
	head := []string{"rank", "value", "allowed", "allowed_most", "safe_here", "lower_factor", "upper_factor", "lower_nats",
		"upper_nats"}
	for _, d := range []string{"safe", "optimal"} {
		for _, name := range csvColumns {
			head = append(head, d+"_"+name)
		}
	}
	rows := [][]string{head}
	for i := range f.Points {
		p := &f.Points[i]
		row := []string{"", exact(p.Value), strconv.Itoa(p.Least), strconv.Itoa(p.Most), p.Here, p.Lower, p.Upper,
			exact(p.From), exact(p.To)}
		if f.By == "rank" {
			row[0] = strconv.Itoa(p.Rank)
		}
		for _, d := range []*floors.Mechanism{p.Safe, p.Optimal} {
			if d == nil {
				row = append(row, make([]string, len(csvColumns))...)
				continue
			}
			row = append(row, d.Factor, exact(d.Nats), exact(d.Worst), exact(d.Expected), exact(d.Information), exact(d.Guess),
				shift(d), strconv.FormatBool(d.Unchanged), strconv.FormatBool(d.Nothing))
		}
		rows = append(rows, row)
	}
	return rows
}

// shift is by how much shares are off, "" where it was not computed.
func shift(d *floors.Mechanism) string {
	if d.Shift == nil {
		return ""
	}
	return exact(*d.Shift)
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
