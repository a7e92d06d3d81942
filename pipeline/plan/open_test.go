package plan

import (
	"bytes"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// safePlan is a plan of two values and three outputs, as far as publishing it asks.
func safePlan(t *testing.T) *Plan {
	t.Helper()
	m, err := mechanism.New(3, []mechanism.Row{mechanism.UniformRow([]uint16{0, 2}),
		mechanism.WeightedRow([]uint16{0, 1}, []int64{3, 1})})
	if err != nil {
		t.Fatal(err)
	}
	return &Plan{Column: "c", Null: "refuse", Design: Design{Kind: "safe"}, Groups: []Group{{Mechanism: m}},
		Inputs:  utility.Letters{Label: []string{"a", "b,\"c"}},
		Outputs: utility.Letters{Label: []string{"u", "v"}, Null: true},
		Bracket: Bracket{Pi: []int64{123456}}, Worth: Worth{Expected: .123456}}
}

// What is published can be read again, and has nothing of counts in it.
func TestOpenMechanism(t *testing.T) {
	p := safePlan(t)
	p.Stated = &Stated{Design: "safe", All: true}
	o := p.Open()
	o.Person, o.Held = "who", true
	data, err := o.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeOpen(data)
	if err != nil {
		t.Fatal(err)
	}
	if back.Mechanism == nil || !reflect.DeepEqual(back, o) {
		t.Errorf("%+v became %+v", o, back)
	}
	if bytes.Contains(data, []byte("123456")) {
		t.Error("it holds more than the mechanism")
	}
	for _, wrong := range []string{"{}", "", `{"schema":"tacet.plan/v2"}`, strings.Replace(string(data), `"total":"4"`,
		`"total":"5"`, 1), strings.Replace(string(data), `"rows"`, `"lines"`, 1)} {
		if _, err := DecodeOpen([]byte(wrong)); err == nil {
			t.Errorf("%.40q is read as a mechanism", wrong)
		}
	}
}

// A mechanism that depends on the counts, or tells which values occur, is withheld.
func TestWithheldMechanism(t *testing.T) {
	blind := func(p *Plan) { p.Kind, p.Of, p.PriorOnly = "optimal", Declared, true }
	all := []string{"a", "b,\"c"}
	for _, c := range []struct {
		name, design string
		limited      bool
		known        []string
		change       func(*Plan)
		open         bool
	}{
		{"safe", "safe", false, all, func(*Plan) {}, true},
		{"safe, but the search chose it", "auto", false, all, func(*Plan) {}, false},
		{"optimal", "safe", false, all, func(p *Plan) { p.Kind = "optimal" }, false},
		{"not declared", "safe", false, []string{"a"}, func(*Plan) {}, false},
		{"null may not occur", "safe", false, all, func(p *Plan) { p.Inputs.Null = true }, false},
		{"shares are limited", "safe", true, all, func(*Plan) {}, false},
		{"rare values are merged", "safe", false, all, func(p *Plan) { p.Other = &Other{Label: "a"} }, false},
		{"strata", "safe", false, all, func(p *Plan) { p.Given.Column = "s" }, false},
		{"no values", "safe", false, all, func(p *Plan) { p.Groups = nil }, false},
		{"a declared prior", "auto", false, all, blind, true},
		{"and the frequencies", "auto", false, all, func(p *Plan) { blind(p); p.PriorOnly = false }, false},
		{"a smoothed prior", "auto", false, all, func(p *Plan) { blind(p); p.Of = Smoothed }, false},
		{"for a population", "auto", false, all, func(p *Plan) { blind(p); p.Population = &Population{} }, false},
	} {
		p := safePlan(t)
		p.Lower, p.Upper = big.NewRat(1, 1), big.NewRat(1, 1)
		c.change(p)
		known := map[string]bool{}
		for _, l := range c.known {
			known[l] = true
		}
		if p.Stated = (&Stated{Design: c.design, All: p.Names(known)}); c.limited {
			p.Shares = &Shares{}
		}
		o := p.Open()
		if (o.Mechanism != nil) != c.open || (o.Withheld == "") != c.open || !c.open && o.Inputs != nil {
			t.Errorf("%s: published is %v, withheld %q", c.name, o.Mechanism != nil, o.Withheld)
		}
	}
}
