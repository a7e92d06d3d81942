package account

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// knowingMore is a judgement in which two columns, and all together, tell at least what each
// part of them tells: whoever sees more may leave the rest aside.
func knowingMore(b *report.Beside) report.Beside {
	out := *b
	out.Pairs = slices.Clone(b.Pairs)
	for i := range out.Pairs {
		raise(&out.Pairs[i], b.Columns)
	}
	if b.Together != nil {
		all := *b.Together
		raise(&all, slices.Concat(b.Columns, out.Pairs))
		out.Together = &all
	}
	return out
}

// raise takes the larger figures of those whose columns are among those of t.
func raise(t *report.Told, parts []report.Told) {
	for _, p := range parts {
		other := func(n string) bool { return !slices.Contains(t.Names, n) }
		if !t.Judged || !p.Judged || slices.ContainsFunc(p.Names, other) {
			continue
		}
		if p.Gain > t.Gain {
			t.Gain, t.By = p.Gain, p.By
		}
		t.GainMost = max(t.GainMost, p.GainMost)
		if p.Lift != nil && (t.Lift == nil || p.Lift.Factor > t.Lift.Factor) {
			t.Lift = p.Lift
		}
	}
}
