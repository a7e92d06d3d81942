package oracle_test

import (
	"encoding/json"
	"math/big"
	"path/filepath"
	"testing"
)

// A law is p(y | x), by input and output.
type law map[string]map[string]*big.Rat

// counts are records by value.
type counts map[string]int64

// A planned is what the oracle reads of plan.json: the mechanisms that were
// drawn from, and the counts that they were made for.
type planned struct {
	counts counts
	of     map[string]law  // by stratum; "" where there are none
	rest   law             // of strata that are not named
	names  [][]string      // of the strata of every group; nil where there are none
	merged map[string]bool // strata of a group of several
	rests  map[string]bool // strata of the rest
	rank   int
	other  string                    // letter of values that the plan does not list; "" for none
	ranks  map[string]map[string]int // of every output, by input
}

// letter is what a value counts as.
func (p *planned) letter(v string) string {
	if _, listed := p.counts[v]; !listed && p.other != "" && v != null {
		return p.other
	}
	return v
}

// group is that of a stratum: the rest where none names it.
func (p *planned) group(stratum string) string {
	for _, names := range p.names {
		if len(names) == 1 && names[0] == stratum && !p.rests[stratum] {
			return stratum
		}
	}
	return "the rest"
}

// groups have a stratum each, by which their mechanism is found.
func (p *planned) groups() map[string]string {
	if p.names == nil {
		return map[string]string{"": ""}
	}
	out := map[string]string{}
	for _, names := range p.names {
		if len(names) == 0 {
			names = []string{"a stratum that is not named"}
		}
		out[p.group(names[0])] = names[0]
	}
	return out
}

// at is the mechanism of a stratum.
func (p *planned) at(stratum string) law {
	if l, ok := p.of[""]; ok {
		return l
	}
	if l, ok := p.of[stratum]; ok {
		return l
	}
	return p.rest
}

type planFile struct {
	Inputs []*string `json:"inputs"`
	Counts []string  `json:"counts"`
	Strata *struct{} `json:"strata"`
	Groups []struct {
		Names []string `json:"strata"`
		Rest  bool     `json:"rest"`
		Law   int      `json:"mechanism"`
	} `json:"groups"`
	Laws []struct {
		Rows []planRow `json:"rows"`
	} `json:"mechanisms"`
	Floor struct {
		Rank int `json:"rank"`
	} `json:"floor"`
	Other struct {
		Label string `json:"label"`
	} `json:"other"`
}

type planRow struct {
	Input   *string              `json:"input"`
	Total   string               `json:"total"`
	Outputs [][2]json.RawMessage `json:"outputs"`
}

func name(label *string) string {
	if label == nil {
		return null
	}
	return *label
}

// readPlan reads the mechanisms of a plan.
func readPlan(t *testing.T, path string) *planned {
	t.Helper()
	data := bytesOf(t, path)
	var f planFile
	must(t, json.Unmarshal(data, &f))
	p := &planned{counts: counts{}, of: map[string]law{}, merged: map[string]bool{}, rests: map[string]bool{},
		rank: f.Floor.Rank, other: f.Other.Label}
	for i, x := range f.Inputs {
		n, ok := new(big.Int).SetString(f.Counts[i], 10)
		if !ok {
			t.Fatalf("%s: a count is no number", filepath.Base(path))
		}
		p.counts[name(x)] = n.Int64()
	}
	for _, g := range f.Groups {
		l := lawOf(t, f.Laws[g.Law].Rows)
		if f.Strata == nil {
			p.of[""] = l
			break
		}
		p.names = append(p.names, g.Names)
		for _, s := range g.Names {
			p.of[s] = l
			p.merged[s], p.rests[s] = len(g.Names) > 1, g.Rest
		}
		if g.Rest {
			p.rest = l
		}
	}
	return p
}

func lawOf(t *testing.T, rows []planRow) law {
	t.Helper()
	l := law{}
	for _, r := range rows {
		to := map[string]*big.Rat{}
		for _, c := range r.Outputs {
			var y *string
			var w string
			must(t, json.Unmarshal(c[0], &y))
			must(t, json.Unmarshal(c[1], &w))
			p, ok := new(big.Rat).SetString(w + "/" + r.Total)
			if !ok {
				t.Fatal("a weight is no number")
			}
			to[name(y)] = p
		}
		l[name(r.Input)] = to
	}
	return l
}

// A kind is what an observer takes a record to be before anything is seen: a
// share of all records, the law that its output is drawn from, and what a guess
// may be about. Records of one guess that differ in what the observer does not
// see have the same guess.
type kind struct {
	guess string
	share *big.Rat
	law   map[string]*big.Rat
}

// factor is the largest factor by which seeing one output makes a guess about a
// record likelier: max over outputs y and guesses g of P(y | g) / P(y).
func factor(kinds []kind) *big.Rat {
	most := big.NewRat(1, 1)
	beliefs(kinds, func(before, after *big.Rat) {
		if f := new(big.Rat).Quo(after, before); f.Cmp(most) > 0 {
			most = f
		}
	})
	return most
}

// beliefs visits the chances P(g) of a guess and P(g | y) once y is seen, of all that occur.
func beliefs(kinds []kind, visit func(before, after *big.Rat)) {
	share, joint, all := map[string]*big.Rat{}, map[string]map[string]*big.Rat{}, map[string]*big.Rat{}
	total := new(big.Rat)
	add := func(to map[string]*big.Rat, key string, v *big.Rat) {
		if to[key] == nil {
			to[key] = new(big.Rat)
		}
		to[key].Add(to[key], v)
	}
	for _, k := range kinds {
		if k.share.Sign() == 0 {
			continue
		}
		total.Add(total, k.share)
		add(share, k.guess, k.share)
		if joint[k.guess] == nil {
			joint[k.guess] = map[string]*big.Rat{}
		}
		for y, p := range k.law {
			v := new(big.Rat).Mul(k.share, p)
			add(joint[k.guess], y, v)
			add(all, y, v)
		}
	}
	for g, ys := range joint {
		for y, v := range ys {
			if v.Sign() > 0 {
				visit(new(big.Rat).Quo(share[g], total), new(big.Rat).Quo(v, all[y]))
			}
		}
	}
}
