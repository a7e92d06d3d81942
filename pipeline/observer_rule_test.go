package pipeline_test

import (
	"testing"
)

// A ruled is a question to the rule.
type ruled struct {
	law   int
	last  byte
	first bool
}

// A rule is what docs/series.md says may become of the draws of a night, from
// the published history alone.
type rule struct {
	free     bool // nothing is barred
	over     bool // some output passes the total
	admitted set
	barred   set
	fixed    bool // even s passes it, so that nothing is drawn
}

// judge finds the rule of a node tonight.
func (o *observer) judge(n *node, last byte, first bool) *rule {
	q := ruled{len(o.law) - 1, last, first}
	if r := n.rules[q]; r != nil {
		return r
	}
	r := &rule{}
	outputs := set(0)
	for _, row := range o.law[len(o.law)-1] {
		for y, p := range row {
			if p != nil {
				outputs |= 1 << y
			}
		}
	}
	for y := range byte(len(kinds)) {
		if !outputs.has(y) {
			continue
		}
		like := o.times(n, 1<<y)
		switch f := factorUnder(n.prior, &like); {
		case f == nil:
			r.barred |= 1 << y
		case f.Cmp(o.total) <= 0:
			r.admitted |= 1 << y
		default:
			r.barred |= 1 << y
			r.over = true
		}
	}
	r.free = first && !r.over
	if r.over {
		like := o.times(n, r.merged(last, first))
		f := factorUnder(n.prior, &like)
		r.fixed = f == nil || f.Cmp(o.total) > 0
	}
	if n.rules == nil {
		n.rules = map[ruled]*rule{}
	}
	n.rules[q] = r
	return r
}

// merged are the outputs that are published as the one before: those barred,
// and itself where it is admitted.
func (r *rule) merged(last byte, first bool) set {
	if first || !r.admitted.has(last) {
		return r.barred
	}
	return r.barred | 1<<last
}

// publish is the node of a record once y was published under a draw that has
// shown nothing of it before.
func (o *observer) publish(t *testing.T, id int64, s *seen, y byte, first bool) *node {
	t.Helper()
	if o.total == nil {
		return o.after(s.at, 1<<y)
	}
	r := o.judge(s.at, s.last, first)
	switch {
	case r.free:
		return o.after(s.at, 1<<y)
	case first:
		t.Fatalf("record %d begins where the total bars an output", id)
	case !r.over:
		if !r.barred.has(y) && y != s.last {
			return o.after(s.at, 1<<y)
		}
		if y != s.last {
			t.Errorf("record %d shows what no constant letter gives", id)
		}
		return o.after(s.at, r.barred|1<<s.last)
	case r.fixed:
		if y != s.last {
			t.Errorf("record %d does not show the fixed symbol", id)
		}
		return s.at // published without a draw
	case y == s.last:
		return o.after(s.at, r.merged(s.last, false))
	}
	if !r.admitted.has(y) {
		t.Errorf("record %d shows what the total bars", id)
	}
	return o.after(s.at, 1<<y)
}
