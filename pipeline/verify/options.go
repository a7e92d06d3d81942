package verify

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// An option is recorded with a value, and holds where plan, report or columns
// do not have it otherwise.
type option struct {
	name  string
	holds func(value string) bool
}

// checkOptions holds the options that are recorded to what came of them: other
// checks have epsilon, the hash, the test seed and what was given up.
func checkOptions(v *document.View) {
	r := v.Report
	var w document.Faults
	seen := map[string]bool{}
	options := r.List("options")
	want := document.Figures{"name": document.Filled, "value": document.Text, "origin": document.OneOf("flag",
		"environment", "config", "default")}
	v.Expect(&w, document.Figures{"options": slices.Repeat([]document.Figures{want}, len(options))})
	for _, o := range options {
		if seen[o.Text("name")] {
			w.Addf("an option stands twice")
		}
		seen[o.Text("name")] = true
	}
	list := released(v)
	if r.Command == "run" && !r.Has("pinned") {
		list = append(list, designed(v)...)
	}
	held := 0
	for _, o := range list {
		if value, ok := r.Recorded(o.name); ok {
			held++
			w.Match(o.holds(value), "the option "+o.name)
		}
	}
	v.Settle("options", w, "%d of %d agree with what came of them", held, len(options))
}

// released are the options of the release, whoever made its plan.
func released(v *document.View) []option {
	r := v.Report
	s := r.Series
	clear := r.Fate("published in clear")
	list := []option{
		{"test-seed", func(o string) bool { return (o != "") == r.Has("stamp") }},
		{"drop", func(o string) bool {
			return o == "" || !slices.ContainsFunc(document.Names(o),
				func(c string) bool { return !slices.Contains(r.Fate("dropped"), c) })
		}},
		{"keep", func(o string) bool {
			kept := document.Names(o)
			return o == "" || !slices.ContainsFunc(clear, func(c string) bool { return !slices.Contains(kept, c) })
		}},
		{"audit", func(o string) bool { return len(clear) == 0 || (o == "off") == (r.Text("conditional.state") == "off") }},
		{"shuffle", func(o string) bool { return (o == "true") == r.Shuffled() }},
		{"ledger", func(o string) bool { return (o != "") == (s != nil) }},
		{"record-id", func(o string) bool { return o == "" || r.Text("randomness.kind") == "memoised" }},
	}
	if s != nil {
		is := func(name, value string) option {
			return option{name, func(o string) bool { return o == "" || o == value }}
		}
		list = append(list, is("dataset", s.Dataset), is("total-epsilon", s.Budget), is("on-change", s.OnChange))
	}
	return list
}

// designed are the options of the plan, where this run made it.
func designed(v *document.View) []option {
	p, r := v.Plan, v.Report
	list := []option{
		{"bins", p.HasBins},
		{"bin-as", func(o string) bool { return p.Bins == nil || cmp.Or(o, "text") == p.Bins.As }},
		{"null", func(o string) bool { return cmp.Or(o, "refuse") == cmp.Or(p.Null, "refuse") }},
		{"strata", func(o string) bool { return (o != "") == (p.Given.Of != "") || v.Empty() }},
		{"min-count", func(o string) bool { return p.Other == nil || o == strconv.FormatInt(p.Other.MinCount, 10) }},
		{"other", func(o string) bool { return p.Other == nil || o == p.Other.Label }},
		{"smooth", func(o string) bool {
			return v.Empty() || (o != "") == (p.Prior != nil && p.Prior.Of == "smoothed") && (o == "" || o == p.Prior.Smooth)
		}},
		{"prior", func(o string) bool { return v.Empty() || (o != "") == (p.Prior != nil && p.Prior.Of == "declared") }},
		{"headroom", func(o string) bool { return v.Empty() || (o != "") == (p.Headroom != nil) }},
	}
	if v.Empty() {
		return list
	}
	list = append(list, option{"design", func(o string) bool {
		return o == "" || o == "auto" || o == p.Method.Kind || p.Method.Kind == "strata"
	}}, option{"prefer", func(o string) bool {
		return cmp.Or(o, "utility") == cmp.Or(p.Utility.Prefer, "utility")
	}}, option{"max-shift", func(o string) bool {
		return p.Shares == nil && o == "" || p.Shares != nil && o == p.Shares.Asked
	}})
	rank, _ := r.Recorded("floor-rank")
	value, _ := r.Recorded("floor-value")
	return append(list,
		option{"floor-rank", func(o string) bool {
			return (o == "") != strings.HasPrefix(p.Floor.Asked, "rank >= ") && (o == "" || sameNumber(o, p.Floor.Asked))
		}},
		option{"floor-value", func(o string) bool {
			return (o == "") != strings.HasPrefix(p.Floor.Asked, "utility >= ") && (o == "" || sameNumber(o, p.Floor.Asked))
		}},
		option{"floor-by", func(o string) bool {
			switch {
			case rank != "" || value != "":
				return true
			case o == "level" || (o == "" || o == "auto") && p.InLevels():
				return p.ByLevel()
			}
			return strings.Replace(cmp.Or(o, "auto"), "auto", "rank", 1) == p.Floor.By
		}})
}

// sameNumber reports whether a floor that was asked for is at a number.
func sameNumber(text, floor string) bool {
	_, at, _ := strings.Cut(floor, ">= ")
	a, err := strconv.ParseFloat(text, 64)
	b, err2 := strconv.ParseFloat(at, 64)
	return err == nil && err2 == nil && a == b
}
