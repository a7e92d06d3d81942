package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// relativeTo names the prior.
func relativeTo(r *report.Report) string {
	switch r.Prior.Of {
	case "the plan":
		return "the counts of the plan that was followed"
	case "declared prior":
		return "a declared prior; where records are counted by value below, they are its weights"
	case "this file, smoothed":
		return "the histogram of this file with " + r.Prior.Smooth +
			" records added for every value; where records are counted by value below, they are its weights"
	}
	return "the histogram of this file, exactly"
}

func ownNats(r *report.Report) string {
	if r.Prior.Own != "" {
		return nats(r.Prior.OwnNats)
	}
	return nats(r.Epsilon.Nats)
}

// briefReadings are both readings in a line.
func briefReadings(r *report.Report) string {
	s := fmt.Sprintf("%s; this file: epsilon %s (delta 0); the population: ", strings.Split(relativeTo(r), ";")[0],
		ownNats(r))
	b := r.Population
	if !b.Bounded {
		return s + "nothing can be said"
	}
	return s + fmt.Sprintf("at most %s with probability 1 - %s over the sample, by rule %q", nats(b.Nats), b.Delta, b.Rule)
}

// populationFields are the second reading, its rules and what it needs.
func populationFields(r *report.Report) []report.Sentence {
	out := []report.Sentence{field("the population", "%s", cmp.Or(wordsOf(r.Claims, "leakage.population"),
		"nothing is claimed of it (--confidence)"))}
	if m := r.Other; m != nil {
		out = append(out, field("treated alike",
			"%s of %s, each fewer than %d, and %s later: all have the row of %s. They were chosen from the data, so that the "+
				"sets of values that may give an output depend on it, and only the ball and the bounds value by value hold for "+
				"the population",
			count(m.Letters, "value"), count(m.Records, "record"), m.MinCount, yes(m.Adopted == 0, "any that come",
				fmt.Sprintf("%d that came", m.Adopted)), brisk(quoted(m.Label))))
	}
	b := r.Population
	if b == nil {
		return out
	}
	var tried []string
	heading := "rules for the population, which share its delta"
	if len(b.Strata) > 0 {
		heading = "rules for the worst stratum, which share delta with those for the others"
	}
	for _, t := range b.Rules {
		said := "nothing can be said"
		if t.Bounded {
			said = "at most " + nats(t.Nats)
		}
		switch t.Rule {
		case "sets":
			said += fmt.Sprintf(", %s", count(b.Sets, "set"))
		case "ball":
			said += fmt.Sprintf(", distance %.4g over %s", t.Radius, count(b.Letters, "letter"))
		case "letters":
			said += fmt.Sprintf(", %s", count(b.Letters, "letter"))
		case "split":
			said += fmt.Sprintf(", %s", count(t.Records, "record"))
		}
		tried = append(tried, fmt.Sprintf("%s: %s (share %.3g)", t.Rule, said, t.Delta))
	}
	out = append(out, field(heading, "%s", strings.Join(tried, "; ")),
		field("that holds if", "%s", strings.Join(b.If, "; ")))
	if b.Design != "" {
		out = append(out, field("designed for the population",
			"factor %s of the file, so that the population keeps epsilon %s", short(b.Design), r.Epsilon.Target))
	}
	return out
}
