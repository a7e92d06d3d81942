package account

import (
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// released makes the figures of a report those of the mechanisms by which its
// rows were really published. Outputs that earlier draws show are listed with
// what they tell. What someone can come to believe who sees one cell takes what
// every row was drawn from: a history holds outputs and no values, so that this
// is not computed. Where no row was drawn anew nothing is said of the mechanism
// that this release's rows would have been drawn from.
func released(r *report.Report, p *plan.Plan) {
	s := published(r)
	if s.Earlier() == 0 {
		return
	}
	showEarlier(r, s)
	said := len(warnings(r)) // those that follow are not about the mechanism
	said = min(said, len(r.Warnings))
	unbelieved(r)
	if s.Drawn == 0 {
		r.Binding = nil
	}
	r.Warnings = slices.Concat(warnings(r), r.Warnings[said:])
	for _, of := range earlierWays(s) {
		if of.shown.Factor != "" && !p.Epsilon.Admits(ratOf(of.shown.Factor)) {
			r.Warnings = append(r.Warnings,
				fmt.Sprintf("%s %s and may tell %s nats (factor %s), which is more than epsilon: --keep-earlier",
					report.Several(of.shown.Rows, "row", "rows"), of.does(of.shown.Rows), report.RoundUp(of.shown.Nats, 4),
					of.shown.Factor))
		}
		if of.shown.Visible > 0 {
			r.Warnings = append(r.Warnings,
				fmt.Sprintf("%s %s changed visibly: nothing bounds what all that was published of %[3]s tells",
					report.Several(of.shown.Visible, "record", "records"), "that "+of.does(of.shown.Visible),
					pick(of.shown.Visible == 1, "it", "them")))
		}
	}
}

// showEarlier lists the outputs by what really shows them. Shares are of all
// records, so that with the null they add up to one.
func showEarlier(r *report.Report, s *report.Published) {
	if s.Drawn == 0 {
		for i := range r.Outputs {
			r.Outputs[i].Factor, r.Outputs[i].Nats = "", 0
		}
	}
	public, of := r.Nulls != nil && r.Nulls.Rule == "public", r.Records
	if public { // shares are of those published with a value
		of += s.Absent()
		for _, w := range earlierWays(s) {
			for _, o := range w.shown.Outputs {
				if o.Label.Null {
					of -= o.Rows
				}
			}
		}
	}
	place := map[report.Label]int{}
	for i, o := range r.Outputs {
		place[o.Label] = i
	}
	extra := map[report.Label]int64{}
	for _, w := range earlierWays(s) {
		for _, o := range w.shown.Outputs {
			i, ok := place[o.Label]
			if !ok && public && o.Label.Null {
				continue
			}
			if !ok {
				i = len(r.Outputs)
				place[o.Label] = i
				r.Outputs = append(r.Outputs, report.Output{Label: o.Label})
			}
			if !ok || extra[o.Label] > 0 {
				extra[o.Label] += o.Rows
				r.Outputs[i].Share = float64(extra[o.Label]) / float64(max(of, 1))
			}
			e := &r.Outputs[i]
			e.EarlierRows += o.Rows
			if f := o.Factor; f != "" && (e.Earlier == "" || ratOf(f).Cmp(ratOf(e.Earlier)) > 0) {
				e.Earlier, e.EarlierNats = f, mechanism.Nats(ratOf(f))
			}
		}
	}
	if s.Drawn == 0 { // what no row shows is no output
		r.Outputs = slices.DeleteFunc(r.Outputs, func(o report.Output) bool { return o.EarlierRows == 0 })
	}
}

// unbelieved takes out what holds only where every row is drawn anew.
func unbelieved(r *report.Report) {
	r.Story, r.Analysts, r.Map, r.Guess, r.Shares = nil, nil, nil, nil, nil
	r.Caps = []report.Cap{}
	for i := range r.Strata.All() {
		r.Strata.Groups[i].Shift = ""
	}
	if c := r.Certainty; c != nil {
		r.Certainty = &report.Certainty{Allowed: c.Allowed}
	}
	if p := r.Persons; p != nil {
		p.Factor, p.Nats, p.Bound = "", nil, nil
	}
	r.Scale = report.Scale{Commonest: r.Scale.Commonest, Rarest: r.Scale.Rarest}
}

// published is by which draws the rows of a release were published; nil where
// all were drawn by its mechanism.
func published(r *report.Report) *report.Published {
	if r.History.Series == nil {
		return nil
	}
	return r.History.Series.Published
}

// A way is one in which rows are not drawn anew.
type way struct {
	key   string
	shown *report.Shown
	one   string // what a row does
	many  string
}

// does is what so many rows do.
func (w way) does(n int64) string { return pick(n == 1, w.one, w.many) }

// earlierWays are those of a release that has such rows.
func earlierWays(s *report.Published) (out []way) {
	if s == nil {
		return nil
	}
	for _, w := range []way{
		{"held", s.Held, "shows its first output again", "show their first output again"},
		{"repeated", s.Repeated, "shows its last output again, by the total,", "show their last output again, by the total,"},
		{"suppressed", s.Suppressed, "is published as null, by the total,", "are published as null, by the total,"},
	} {
		if w.shown != nil {
			out = append(out, w)
		}
	}
	return out
}

func pick(is bool, a, b string) string {
	if is {
		return a
	}
	return b
}
