package claim

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"text/template"
)

// sentences are the words of every claim and figure, by its key, and the clauses in them.
//
//go:embed words.tmpl
var sentences string

// text is read for the first claim: most commands make none.
var text = sync.OnceValue(func() *Text {
	return NewText(sentences, template.FuncMap{
		"about": about, "several": several, "cells": cells,
		"times": (*Figure).times, "leaks": (*Figure).leaks, "nothing": (*Figure).nothing,
		"nearest": func(f *Figure) int { return f.Of - f.Rank + 1 }, "place": Place,
		"up": func(nats float64) string { return RoundUp(nats, 4) }, "down": TimesDown,
		"hundred": InHundred, "under": FromHundred, "points": Points, "edges": edges,
	})
})

// Words is the sentence of the claim of a key; of a figure that has none, its note. It fails where the
// value lacks a figure that the sentence names.
func Words(key string, v Value) (string, error) {
	if !text().has(key) && v.Standing == "" {
		return v.Note, nil
	}
	return text().Say(key, v)
}

// leaks is a factor with its epsilon.
func (f *Figure) leaks() string {
	how := ""
	switch {
	case f.Exact && f.Factor != "":
		how = Exactly(f.Factor)
	case !f.Exact:
		how = "; a bound, the exact figure is not known"
	}
	return fmt.Sprintf("%s times as likely (epsilon %s, rounded up%s)", f.times(), RoundUp(f.Nats, 4), how)
}

// nothing reports a factor of 1: no factor is less, so that a bound of 1 is exact.
func (f *Figure) nothing() bool { return f.Factor == "1" }

// times is the factor, rounded up.
func (f *Figure) times() string {
	if f.Factor == "" {
		return RoundUp(f.Times, 4)
	}
	return Times(f.Factor, f.Nats)
}

// about names the records of a claim where these are not all, as a clause about one of them.
func about(r Records) string {
	return map[Records]string{Valued: " that has a value", Drawn: " that was drawn anew",
		DrawnValued: " that has a value and was drawn anew", WholeData: " of the data that this file is a part of"}[r]
}

// several is the same of several records, and cells of cells.
func several(r Records) string {
	return strings.NewReplacer(" has ", " have ", " was ", " were ").Replace(about(r))
}

func cells(r Records) string {
	return strings.Replace(several(r), " that have a value", " that have one", 1)
}

// mostEdges are named one by one.
const mostEdges = 40

// edges says a rule of bins in words; of is what the column holds.
func edges(rule, of string) string {
	if width, ok := strings.CutPrefix(rule, "width:"); ok {
		unit, from := "", "0"
		if of == "date" {
			unit, from = " days", "1970-01-01"
		}
		return fmt.Sprintf("each is %s%s wide, and one begins at %s", width, unit, from)
	}
	all := strings.Split(rule, ",")
	switch n := len(all); {
	case n == 1:
		zone := ""
		if strings.HasPrefix(of, "timestamp") {
			zone = ", in UTC"
		}
		return fmt.Sprintf("each is one %s of the calendar%s", rule, zone)
	case n > mostEdges:
		return fmt.Sprintf("they have %d edges, from %s to %s, and each holds its lower edge and not its upper one", n,
			all[0], all[n-1])
	}
	return fmt.Sprintf("their edges are %s, and each holds its lower edge and not its upper one", strings.Join(all, ", "))
}
