package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
)

// ofPopulation is the second reading of a release: what holds of the law that
// the records were drawn from.
func ofPopulation(r *report.Report) string {
	b := r.Population
	switch {
	case b == nil:
		return "nothing is claimed of it (--confidence)"
	case r.Strata != nil && !b.Bounded:
		return fmt.Sprintf("with probability 1 - %s over the sample nothing can be said of every stratum: %s", b.Delta, worstStratum(r))
	case r.Strata != nil:
		return fmt.Sprintf("with probability at least 1 - %s over the sample, epsilon for the population given %s is at most %s (%s times as often), by %s; %s",
			b.Delta, r.Strata.Given(), nats(b.Nats), report.RoundUp(math.Exp(b.Nats), 4), ruleWords(b.Rule), worstStratum(r))
	case !b.Bounded:
		return fmt.Sprintf("with probability 1 - %s over the sample nothing can be said: %s over %s are too few for any bound", b.Delta, count(b.Records, "record"), count(b.Letters, "letter"))
	}
	return fmt.Sprintf("with probability at least 1 - %s over the sample, epsilon for the population is at most %s (%s times as often), by %s", b.Delta, nats(b.Nats), report.RoundUp(math.Exp(b.Nats), 4), ruleWords(b.Rule))
}

// worstStratum says which of the strata decides the bound.
func worstStratum(r *report.Report) string {
	b, open, least := r.Population, 0, int64(math.MaxInt64)
	for _, s := range b.Strata {
		switch {
		case !s.Bounded:
			open++
			least = min(least, s.Records)
		case b.Bounded && s.Nats == b.Nats:
			return fmt.Sprintf("the worst of %d strata has %s", len(b.Strata), count(s.Records, "record"))
		}
	}
	return fmt.Sprintf("%d of %d strata have too few records for any bound, the smallest %d", open, len(b.Strata), least)
}

// relativeTo names the prior.
func relativeTo(r *report.Report) string {
	switch r.Prior.Of {
	case "the plan":
		return "the counts of the plan that was followed"
	case "declared prior":
		return "a declared prior; where records are counted by value below, they are its weights"
	case "this file, smoothed":
		return "the histogram of this file with " + r.Prior.Smooth + " records added for every value; where records are counted by value below, they are its weights"
	}
	return "the histogram of this file, exactly"
}

func ownNats(r *report.Report) string {
	if r.Prior.Own != "" {
		return nats(r.Prior.OwnNats)
	}
	return nats(r.Epsilon.Nats)
}

// ofFile is the first reading: what holds of these very records.
func ofFile(r *report.Report) string {
	if r.Prior.Own != "" {
		return fmt.Sprintf("relative to its own histogram epsilon is %s (%s times as often), rounded up; delta 0", nats(r.Prior.OwnNats), times(r.Prior.Own, r.Prior.OwnNats))
	}
	return fmt.Sprintf("epsilon %s, rounded up; delta 0: the counts are known exactly", nats(r.Epsilon.Nats))
}

// briefReadings are both readings in a line.
func briefReadings(r *report.Report) string {
	s := fmt.Sprintf("%s; this file: epsilon %s (delta 0); the population: ", strings.Split(relativeTo(r), ";")[0], ownNats(r))
	b := r.Population
	if !b.Bounded {
		return s + "nothing can be said"
	}
	return s + fmt.Sprintf("at most %s with probability 1 - %s over the sample, by rule %q", nats(b.Nats), b.Delta, b.Rule)
}

func ruleWords(rule string) string {
	switch rule {
	case "sets":
		return "lower bounds of Clopper and Pearson for every set of values that may give an output"
	case "ball":
		return "the worst law within an l1 distance of the frequencies"
	case "letters":
		return "lower bounds of Clopper and Pearson for every value"
	case "split":
		return "this file's records, which the plan does not depend on"
	}
	return rule
}

// populationFields are the second reading, its rules and what it needs.
func populationFields(r *report.Report) []view.Sentence {
	out := []view.Sentence{field("the population", "%s", ofPopulation(r))}
	if m := r.Other; m != nil {
		out = append(out, field("treated alike", "%s of %s, each fewer than %d, and %s later: all have the row of %s. They were chosen from the data, so that the sets of values that may give an output depend on it, and only the ball and the bounds value by value hold for the population",
			count(m.Letters, "value"), count(m.Records, "record"), m.MinCount, yes(m.Adopted == 0, "any that come", fmt.Sprintf("%d that came", m.Adopted)), brisk(quoted(m.Label))))
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
		out = append(out, field("designed for the population", "factor %s of the file, so that the population keeps epsilon %s", short(b.Design), r.Epsilon.Target))
	}
	return out
}

// meant is what the promise does not mean.
func meant(r *report.Report) string {
	s := fmt.Sprintf(notMeant, brisk(r.Prior.Person))
	if r.Strata != nil {
		s = strings.Replace(s, "this file's own histogram", "the histogram of the record's stratum in this file", 1)
	}
	switch r.Prior.Of {
	case "declared prior":
		s = strings.Replace(s, "this file's own histogram", "a declared prior", 1)
	case "this file, smoothed":
		s = strings.Replace(s, "this file's own histogram", "this file's histogram, smoothed", 1)
	}
	if r.Population != nil {
		s = strings.Replace(s, "It says nothing about the population", "Of the population: "+ofPopulation(r), 1)
		s = strings.Replace(s, ", and what columns published", ". What columns published", 1)
	}
	return s
}
