package columns

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// CheckNeighbours holds what is said of the columns published in clear to the
// columns that there are, and to itself: the largest is that of the list. What held-
// out rows show is not recomputed.
func CheckNeighbours(v *document.View, f *document.Files) {
	const name = "neighbours as stated"
	b := v.Report.At("conditional")
	var all []string
	for _, c := range v.Report.List("columns") {
		all = append(all, c.Text("name"))
	}
	clear := append(v.Report.Fate("published in clear"), f.Out.Keys(all)...)
	var w document.Faults
	state, rows := b.Text("state"), b.Int("records")
	columns, pairs := b.List("columns"), b.List("pairs")
	want := Figures{"state": state, "records": nil, "of": nil, "largest": nil, "blind_letters": nil, "columns": nil,
		"pairs": nil, "together": nil, "place": nil, "runs": nil, "findings": nil}
	none := v.Empty() || v.Report.Int("input.rows") == 0
	switch state {
	case "off":
	case "there are no records to judge":
		w.Match(none && len(clear) > 0, "that there are no records to judge")
	case "measured", "nothing is published beside it":
		w.Match((state == "measured") == (len(clear) > 0), "whether anything is published beside the column")
		if none {
			break
		}
		w.Match(rows > 0 && rows <= b.Int("of") && b.Int("of") == v.Report.Int("input.rows"),
			"the number of rows judged, or of the file,")
		want["records"], want["of"], want["blind_letters"], want["largest"] = number, number, Stated{}, Stated{}
		want["columns?"], want["pairs?"] = toldOf(v, &w, columns, rows), toldOf(v, &w, pairs, rows)
		if !v.Report.Shuffled() || b.Has("place") || b.Has("runs") { // a column may give the order back
			want["place"] = toldOf(v, &w, []Node{b.At("place")}, rows)[0]
			want["runs"] = Figures{"equal": share, "expected": share, "excess": number}
		}
		delete(want, "columns")
		delete(want, "pairs")
		if all := b.At("together"); all.Has("") {
			want["together"] = toldOf(v, &w, []Node{all}, rows)[0]
		}
		var found []Figures
		for range b.List("findings") {
			found = append(found, Figures{"columns": Stated{}, "allowed": truth, "not_judged": Stated{}, "what": some})
		}
		want["findings?"] = found
		delete(want, "findings")
	default:
		w.Addf("nobody knows whether anything was judged")
	}
	var listed []string
	for _, t := range columns {
		listed = append(listed, t.Texts("columns")...)
	}
	w.Match(state != "measured" || slices.Equal(slices.Sorted(slices.Values(listed)), slices.Sorted(slices.Values(clear))),
		"the list of columns published in clear")
	for _, t := range pairs {
		w.Match(!slices.ContainsFunc(t.Texts("columns"), func(c string) bool { return !slices.Contains(clear, c) }),
			"the columns of a pair")
	}
	if l := b.At("largest"); l.Has("") {
		want["largest"] = Rule(func(n Node) bool { return largestOf(slices.Concat(columns, pairs), n) })
	}
	v.Expect(&w, Figures{"conditional": want})
	v.Settle(name, w, "%d columns, %d pairs; what held-out rows show agrees with itself and is not recomputed",
		len(columns), len(pairs))
}

// largestOf reports whether no lift of the list is above the one that is named
// as the largest, and some is it.
func largestOf(list []Node, l Node) bool {
	found := false
	for _, t := range list {
		lift := t.At("held_out_lift")
		if lift.Float("factor") > l.Float("factor") {
			return false
		}
		found = found || document.Written(l, lift.Value())
	}
	return found
}

// toldOf holds entries to the letters, and their shares to what a share may be.
func toldOf(v *document.View, w *document.Faults, list []Node, rows int64) (all []Figures) {
	among := func(labels []files.Label) Rule {
		return func(n Node) bool {
			l, ok := n.Label("")
			return ok && slices.Contains(labels, l)
		}
	}
	guess, output := among(v.Plan.Inputs), among(v.Plan.Outputs)
	few := Rule(func(n Node) bool { return n.IsNumber() && n.Int("") >= 0 && n.Int("") <= rows })
	for _, t := range list {
		verdict := t.Text("verdict")
		want := Figures{"columns": Stated{}, "judged": verdict != "not judged", "why": Stated{},
			"verdict":       document.OneOf("clear", "not judged", "warn", "refuse"),
			"held_out_gain": share, "held_out_gain_at_most": share,
			"by": Stated{}, "held_out_records": Stated{}, "held_out_lift": Stated{}, "above_epsilon": Stated{}}
		if t.Has("held_out_records") {
			want["held_out_records"] = few
		}
		if t.Has("held_out_lift") {
			want["held_out_lift"] = Figures{"columns": Stated{}, "chance": share, "guess": guess,
				"factor": Rule(func(n Node) bool { return n.Float("") >= 1 })}
		}
		if b := t.At("above_epsilon"); b.Has("") {
			want["above_epsilon"] = Figures{"guess": guess, "chance": share, "allowed": share, "recall": share}
			w.Match(b.Float("chance") > b.Float("allowed"), "what a neighbour makes likelier than epsilon allows")
		}
		in := Figures{"identifier": Stated{}, "bins": Stated{}, "strata": number, "small_records": few, "alone_nats": number,
			"given_nats": number, "total_nats": number, "guess": share, "guess_without": share, "guess_with_output": share,
			"certain": share, "certain_with_output": share, "removed": share, "worst": Stated{}, "worst_within": Stated{}}
		for _, key := range []string{"worst", "worst_within"} {
			if s := t.At("in_sample." + key); s.Has("") {
				after := s.Float("after")
				in[key] = Figures{"output": output, "guess": guess, "before": share, "after": share, "factor": number}
				w.Match(math.Abs(after-s.Float("before")*s.Float("factor")) <= 1e-9*max(after, 1),
					"what an output adds to a neighbour")
			}
		}
		want["in_sample"] = in
		w.Match(verdict == "not judged" || t.Float("held_out_gain") <= t.Float("held_out_gain_at_most"),
			"what a neighbour gains")
		all = append(all, want)
	}
	return all
}

// share is a rule for what may be a share.
var share Rule = func(n Node) bool { return n.IsNumber() && n.Float("") >= 0 && n.Float("") <= 1+1e-12 }
