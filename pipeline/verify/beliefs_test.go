package verify

import "testing"

func capOf(i int, member string, value func(any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		c := r.report["caps"].([]any)[i].(map[string]any)
		c[member] = value(c[member])
	}
}

func reportOf(member string, value func(any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) { r.report[member] = value(r.report[member]) }
}

// TestAlteredBeliefs: what is said of an observer's beliefs and of what can be
// estimated is recomputed.
func TestAlteredBeliefs(t *testing.T) {
	base := map[string]*release{"optimal": jobs["optimal"].make(t), "safe": jobs["safe"].make(t)}
	for name, r := range base {
		t.Run(name+" untouched", func(t *testing.T) { passes(t, r.request(), nil) })
	}
	for _, a := range []alteration{
		{name: "a cap made smaller", want: "beliefs", do: capOf(0, "cap", plus(-1e-6))},
		{name: "a posterior made smaller", want: "beliefs", do: capOf(1, "reached", plus(-1e-6))},
		{name: "a letter said to be confirmed", want: "beliefs", do: capOf(0, "certain",
			func(old any) any { return !old.(bool) })},
		{name: "a letter's records", want: "beliefs", do: capOf(0, "records", plus(1))},
		{name: "a letter's share", want: "beliefs", do: capOf(0, "share", plus(-1e-9))},
		{name: "a letter left out", want: "beliefs", do: reportOf("caps", func(old any) any { return old.([]any)[1:] })},
		{name: "a letter twice", want: "beliefs", do: reportOf("caps",
			func(old any) any { c := old.([]any); c[1] = c[0]; return c })},
		{name: "the best guess before", want: "beliefs", do: said("guess", "before", 0)},
		{name: "the best guess after", want: "beliefs", do: said("guess", "mean", 0.01)},
		{name: "the worst guess", want: "beliefs", do: said("guess", "worst", 0.01)},
		{name: "the story's guess made unlikely", want: "beliefs", do: said("story", "before", 0.001)},
		{name: "the story's end", want: "beliefs", do: said("story", "after", 0.001)},
		{name: "the story's factor", want: "beliefs", do: said("story", "factor", "1000001/1000000")},
		{name: "the story of another output", want: "beliefs", do: said("story", "output", "none")},
		{name: "the story of nobody", want: "beliefs", do: said("story", "guess", nil)},
		{name: "no story", want: "beliefs", do: reportOf("story", to(nil))},
		{name: "a factor asked for that is smaller", want: "beliefs",
			do: reportOf("target_factor", func(old any) any { return number(old) * .999 })},
		{name: "a factor asked for that is larger", want: "beliefs",
			do: reportOf("target_factor", func(old any) any { return number(old) * 1.001 })},
		{name: "a cap of a round share", want: "beliefs", do: reportOf("grid",
			func(old any) any { old.([]any)[0].(map[string]any)["cap"] = 0.0; return old })},
		{name: "no grid", want: "beliefs", do: reportOf("grid", to([]any{}))},
		{name: "letters that some output confirms", want: "beliefs", do: func(_ *testing.T, r *release) {
			s := at(r.report, "scale")
			s["certain_letters"] = number(s["certain_letters"]) + 1
		}},
		{name: "the rank", want: "analysts", do: said("analysts", "rank", 0)},
		{name: "what can be estimated", want: "analysts", do: said("analysts", "estimable", 999)},
		{name: "nothing said of analysts", want: "analysts", do: reportOf("analysts", to(nil))},
		{name: "a forbidden cell owned up to", want: "records", do: reportOf("forbidden", plus(1))},
	} {
		for from := range base {
			t.Run(from+" "+a.name, func(t *testing.T) {
				r := base[from].copyTo(t, t.TempDir())
				a.do(t, r)
				r.save(t, true)
				r.refused(t, a.want)
			})
		}
	}
}
