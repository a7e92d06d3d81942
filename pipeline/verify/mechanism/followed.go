package mechanism

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// CheckMade checks a plan that was followed against its own counts, where the
// report states others, those of its file. From there on the view has the plan
// as it reads with them: what the plan claims of its own counts gives way to
// what is recomputed, or to what the report states and is checked later.
func CheckMade(v *document.View) {
	const name = "plan as made"
	stated := v.Report.Texts("prior.counts")
	if len(stated) == 0 || v.Groups == nil {
		if len(stated) > 0 {
			v.Leave(name, "the rows are not known", "prior.counts")
		}
		return
	}
	v.Seen("prior.counts")
	var w document.Faults
	if v.Report.Command != "apply" {
		w.Addf("the report states counts that its plan was not made from, and no plan was followed")
	}
	count, ok := whole(stated, len(v.Plan.Inputs))
	if !ok {
		v.Add(name, false, "there is not one count of this file for every input of the plan")
		return
	}
	made := *v // its own view: the checks go on in v
	made.Most = promisedTo(v, crowds(v))
	w.Match(v.Plan.Epsilon.Factor == made.Most.RatString() && exact.Nats(v.Plan.Epsilon.Nats, made.Most),
		"the factor of the plan relative to its own counts")
	if t, known := exact.ParseTarget(v.Plan.Epsilon.Target); !known || !t.Admits(made.Most) {
		w.Addf("the plan does not keep its own epsilon")
	}
	given, ok := givenCounts(v, count)
	if !ok {
		v.Add(name, false, "the counts of the strata are not those of the file")
		return
	}
	if slices.EqualFunc(given, v.Groups, func(c []int64, g document.Group) bool { return slices.Equal(c, g.Sample) }) {
		w.Addf("the report states counts of its file that are those of the plan")
	}
	v.Made = &made
	under(v, count, given)
	v.Settle(name, w, "relative to its own counts its factor is %s; from here on, to the %d records of this file as the "+
		"report states them", made.Most.RatString(), exact.Sum(count))
}

// under puts the counts of the file, by group, in the place of the plan's.
func under(v *document.View, count []int64, given [][]int64) {
	p, r := *v.Plan, v.Report
	v.Plan, v.Stated = &p, count
	v.Groups, p.Groups = slices.Clone(v.Groups), slices.Clone(p.Groups)
	v.Count, v.Total = make([]int64, len(count)), 0
	for i := range v.Groups {
		prior, ok := priorOf(v.Made, given[i])
		if !ok {
			prior = given[i]
		}
		for x, c := range prior {
			v.Count[x] += c
		}
		g, e := &v.Groups[i], &p.Groups[i]
		g.Count, g.Total, g.Sample = prior, exact.Sum(prior), given[i]
		v.Total += g.Total
		e.Factor = exact.Most(g.Rows, prior, g.Total, len(p.Outputs)).RatString()
		e.Nats, e.Expected = r.Float("epsilon.nats"), r.Float("utility.expected")
		if c := r.List("strata.groups"); i < len(c) {
			e.Nats, e.Expected = c[i].Float("nats"), c[i].Float("expected")
		}
	}
	p.Epsilon.Factor, p.Epsilon.Nats = promisedTo(v, crowds(v)).RatString(), r.Float("epsilon.nats")
	p.Floor.NextRank, p.Floor.NextFactor = 0, ""
	p.Certificate.Lower, p.Certificate.Upper, p.Certificate.Pi = r.Text("design.lower_factor"),
		reached(v).RatString(), nil
	p.Utility.Expected, p.Utility.UpperBound, p.Utility.Gap, p.Utility.Share = r.Float("utility.expected"),
		r.Float("utility.upper_bound"), 0, r.Float("utility.unchanged_expected")
	if p.Utility.Prefer == "unchanged" {
		p.Utility.ShareBound = 1
	}
}

func whole(text []string, n int) (count []int64, ok bool) {
	total := int64(0)
	for _, s := range text {
		c, ok := exact.Whole(s)
		if !ok || c > exact.MaxTotal-total {
			return nil, false
		}
		count, total = append(count, c), total+c
	}
	return count, len(count) == n
}

// givenCounts are those of the groups, which add up to all.
func givenCounts(v *document.View, all []int64) (given [][]int64, ok bool) {
	if v.Plan.Given.Of == "" {
		return [][]int64{all}, true
	}
	sum := make([]int64, len(all))
	for _, g := range v.Report.List("strata.groups") {
		count, ok := whole(g.Texts("counts"), len(all))
		if !ok {
			return nil, false
		}
		for x, c := range count {
			sum[x] += c
		}
		given = append(given, count)
	}
	return given, len(given) == len(v.Groups) && slices.Equal(sum, all)
}

// bestMean is the mean utility that no mechanism is above: every record gets
// the best output that the floor leaves it.
func bestMean(v *document.View) float64 {
	sum := 0.0
	for x, c := range v.Count {
		if c == 0 {
			continue
		}
		row, best, any := v.Order.Row(x), 0.0, false
		v.Allow.Each(x, func(y int) {
			if !any || row[y] > best {
				best, any = row[y], true
			}
		})
		sum += float64(c) / float64(v.Total) * best
	}
	return sum
}

// CheckMadeUtility holds the utility that is called possible to the best that
// any mechanism keeps, where no plan proves it.
func CheckMadeUtility(v *document.View) {
	if v.Made == nil || v.Order == nil || v.Allow == nil || v.Total == 0 {
		return
	}
	u, best := v.Plan.Utility, bestMean(v) // the plan has what the report states
	ok := u.UpperBound >= u.Expected && u.UpperBound <= best+1e-9*(1+max(best, -best))
	v.Add("utility bound", ok, "%s", document.Either(ok, "between what is expected and the best output of every record",
		"below what is expected, or above the best output of every record"))
}

// CheckPinned recomputes the factor of a plan that was followed under the
// counts of the input. That of a plan that was replaced needs that plan.
func CheckPinned(v *document.View, f *document.Files) {
	const name = "pinned plan"
	if !v.Report.Has("pinned") {
		return
	}
	var w document.Faults
	of := v.Plan.Prior != nil && v.Plan.Prior.Of == "declared"
	want := Figures{"state": "followed", "plan_sha256": v.Plan.Plan, "holds": Stated{}}
	if v.Plan.Other != nil { // an extended plan is another than the one that was followed
		want["plan_sha256"] = Rule(func(n Node) bool { return files.Is(n.Text("")) })
	}
	switch {
	case v.Report.Text("pinned.state") == "redesigned" && files.Is(v.Report.Text("pinned.plan_sha256")):
		v.Leave(name, "the plan that was replaced is not given", "pinned")
		return
	case of && v.Plan.Prior.Only || v.Empty() || !v.Report.Has("pinned.factor") && v.Report.Int("records") == 0:
		want["nats"], want["room"] = Stated{}, Stated{}
		v.Expect(&w, Figures{"pinned": want})
		v.Settle(name, w, "no counts move it")
		return
	case f.In == nil || v.Pairs == nil || v.Rows == nil:
		v.Leave(name, document.Either(f.In == nil, "no input", "the rows are not known"), "pinned")
		return
	}
	tonight := v.Pairs.In
	switch {
	case of: // what was declared does not move
		tonight = v.Count
	case v.Plan.Prior != nil && v.Plan.Prior.Of == "smoothed":
		scaled, ok := exact.Smoothed(tonight, v.Plan.Prior.Smooth)
		if !ok {
			v.Add(name, false, "what was added to the counts is no share")
			return
		}
		tonight = scaled
	}
	t, known := exact.ParseTarget(v.Plan.Epsilon.Target)
	most := exact.Most(v.Rows, tonight, exact.Sum(tonight), len(v.Plan.Outputs))
	if own := exact.Most(v.Rows, v.Pairs.In, exact.Sum(v.Pairs.In), len(v.Plan.Outputs)); v.Held() && own.Cmp(most) > 0 {
		most = own
	}
	holds := known && t.Admits(most)
	if !holds && !v.Report.Has("prior.part") {
		w.Addf("the plan does not keep epsilon under the counts of the input, and was followed")
	}
	want["factor"], want["nats?"], want["holds"], want["room"] = most, most, holds, Stated{}
	if known {
		log, _ := exact.Log(most, 128)
		nats, _ := log.Float64()
		room := math.Expm1(t.Float() - nats)
		tolerance := 1e-8 * (1 + math.Abs(room))
		want["room"] = within(room, tolerance)
		if math.Abs(room) <= tolerance && !v.Report.Has("pinned.room") { // left out where it is 0
			delete(want, "room")
		}
	}
	v.Expect(&w, Figures{"pinned": want})
	v.Settle(name, w, "under the counts of the input its factor is %s, within epsilon", most.RatString())
}
