package kernel

import (
	"fmt"
	"math/big"
	"slices"
)

// groups reads the groups of the records: who is in them, their counts, and the mechanism
// that draws each. Without a column that is given there is one.
func (p *proof) groups(laws [][]Row, prior, records []int64) {
	var w Faults
	if why := p.readGroups(laws, prior, records); why != "" {
		w, p.Groups = Faults{why}, nil
	}
	p.Settle("strata", w, "%d groups, each with its records and its mechanism", len(p.Groups))
}

func (p *proof) readGroups(laws [][]Row, prior, records []int64) (why string) {
	given := p.Plan.Given
	if (p.Plan.Method.Kind == "strata") != (given.Of != "") || len(p.Plan.Groups) == 0 || len(laws) == 0 ||
		given.Of == "" && (len(p.Plan.Groups) > 1 || p.Plan.Groups[0].Names != nil || p.Plan.Groups[0].Rest) {
		return "the plan has no groups or mechanisms, or no column that tells groups apart"
	}
	all, sampled := make([]int64, len(prior)), make([]int64, len(prior))
	least, ok := Whole(given.Least)
	if !ok && given.Of != "" {
		return "the strata of the plan have no least number of records"
	}
	shown := slices.Contains(p.Claimed.Columns, Column{given.Of, Published})
	for i, g := range p.Plan.Groups {
		counts, ok := Wholes(g.Counts, len(prior))
		drawn, sampledToo := counts, true
		if p.Plan.Prior != nil || len(g.Records) > 0 {
			drawn, sampledToo = Wholes(g.Records, len(prior))
		}
		of, made := p.priorOf(drawn, prior, records)
		switch size := sum(drawn); {
		case g.Law < 0 || g.Law >= len(laws) || !ok || !sampledToo || !add(all, counts) || !add(sampled, drawn):
			why = "has no mechanism, or not one count, which is a number of its records, for each input"
		case !made || !slices.Equal(of, counts):
			why = "has counts that are not what the plan's prior makes of its records"
		case shown && (len(g.Names) > 1 || g.Rest && size > 0):
			why = "has strata that were merged and that the output tells apart"
		case given.Of != "" && !g.Rest && len(g.Names) != 1:
			why = "has several strata, and does not take what the plan does not name"
		case given.Of != "" && size < least && (!g.Rest || len(p.Plan.Groups) > 1):
			why = "has fewer records than strata are merged at"
		}
		if why != "" {
			return fmt.Sprintf("group %d %s", i+1, why)
		}
		p.Groups = append(p.Groups, Group{Rows: laws[g.Law], Prior: counts, Now: counts, Records: drawn, Here: drawn})
	}
	switch shared := len(laws) == 1 && len(p.Groups) > 1; {
	case !slices.Equal(all, prior) || !slices.Equal(sampled, records):
		return "the groups have other records than the plan"
	case given.Of != "" && given.Rule != "shared" && given.Rule != "apart" || shared && given.Rule == "apart" ||
		len(laws) > 1 && given.Rule == "shared":
		return "the rule of the strata is not what their mechanisms show"
	}
	return ""
}

// add adds counts; false where there are more than there can be.
func add(to, n []int64) bool {
	total := sum(to)
	for x, c := range n {
		if c > maxTotal-total {
			return false
		}
		to[x], total = to[x]+c, total+c
	}
	return true
}

// priorOf is what the prior of the plan is for these records of a group: they, and what was
// added to every letter, or the law that was declared; of several groups, in lowest terms as
// often as there are records.
func (p *proof) priorOf(sample, prior, records []int64) ([]int64, bool) {
	switch {
	case p.Plan.Prior == nil:
		return sample, true
	case p.Plan.Prior.Of == "smoothed": // a share of a record more, all brought to whole numbers
		a, ok := Share(p.Plan.Prior.Smooth)
		if !ok || !a.Num().IsInt64() || !a.Denom().IsInt64() {
			return nil, false
		}
		return scaled(sample, a.Denom(), big.NewInt(1), a.Num(), 46)
	case p.Plan.Prior.Of != "declared":
		return nil, false
	case p.Plan.Given.Of == "":
		return prior, true
	}
	n, common := sum(sample), new(big.Int)
	if sum(records) == 0 {
		n = 1
	}
	for _, c := range prior {
		common.GCD(nil, nil, common, big.NewInt(c))
	}
	if common.Sign() == 0 {
		return nil, false
	}
	return scaled(prior, big.NewInt(n), common, new(big.Int), 63)
}

// scaled are counts by a factor and over another, and so much more; false where one has more bits.
func scaled(count []int64, by, over, more *big.Int, bits int) ([]int64, bool) {
	out := make([]int64, len(count))
	for x, c := range count {
		n := big.NewInt(c)
		n.Add(n.Quo(n.Mul(n, by), over), more)
		if out[x] = n.Int64(); n.BitLen() > bits {
			return nil, false
		}
	}
	return out, true
}

// otherCounts: a plan that was followed by other records keeps its own epsilon; from here on
// everything is relative to the records of the file, as they are claimed. That they are
// those of the input is proven where it is there.
func (p *proof) otherCounts(prior []int64) {
	const name = "plan as made"
	claimed := p.Claimed.Counts
	if claimed == nil || p.Groups == nil {
		return
	}
	ok, same := p.Claimed.Followed && !p.Claimed.Part && len(claimed) == len(p.Groups), true
	records := make([]int64, len(prior))
	for i := 0; ok && i < len(claimed); i++ {
		ok = len(claimed[i]) == len(prior) && !slices.ContainsFunc(claimed[i], func(n int64) bool { return n < 0 }) &&
			add(records, claimed[i])
		same = same && slices.Equal(claimed[i], p.Groups[i].Records)
	}
	if !p.Add(name, ok && !same, "%s", Either(ok && !same, "from here on all is relative to the records of this file",
		"no plan was followed, or there is not one count of other records for every group and input of it")) {
		return
	}
	p.Records = records
	for i := range p.Groups {
		g := &p.Groups[i]
		g.Here, g.Now = claimed[i], claimed[i]
		if now, ok := p.priorOf(g.Here, prior, records); ok {
			g.Now = now
		}
	}
}
