package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// write prints tables in Markdown.
func (o *outcome) write(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n```\n", o.title)
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintf(t, "%d rounds, load %s\twall, s\tCPU, s\tMiB\n", o.rounds, o.load)
	for _, k := range o.contenders {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.1f\n", named.Replace(k.name), short(o.spreadOf(k.name, wall)[0]),
			short(o.spreadOf(k.name, cpu)[0]), o.spreadOf(k.name, peak)[0])
	}
	t.Flush()
	fmt.Fprintln(w, "```")
	for _, why := range o.left {
		fmt.Fprintf(w, "\n%s\n", why)
	}
	if len(o.targets) == 0 {
		return
	}
	fmt.Fprintln(w, "\n```")
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	for _, t := range o.targets {
		fmt.Fprintln(table, o.verdict(t))
	}
	table.Flush()
	fmt.Fprintln(w, "```")
}

// named are the words of the page for a contender: the number is that of its threads.
var named = strings.NewReplacer("tacet, neither judged nor hashed", "bare", ", neither judged nor hashed", ", bare",
	", rows in any order", ", any order", ", rows in order", ", in order", ", 2 threads", "-2", ", 1 thread", "-1")

// verdict is a line of the table of goals.
func (o *outcome) verdict(t target) string {
	s := o.ratio(t)
	sign, met := "<=", s[0] <= t.bound
	if t.least {
		sign, met = ">=", s[0] >= t.bound
	}
	word := ""
	if !met {
		word = "missed"
	}
	return fmt.Sprintf("%s: %s\t%s\t%s%g\t%s", t.what, named.Replace(t.name()), digits(s), sign, t.bound, word)
}

func (t target) name() string {
	switch {
	case t.each:
		return t.of + ", more than " + t.to + ", ns per row"
	case t.more && t.what == peak:
		return t.of + ", more than " + t.to + ", MiB"
	case t.more:
		return t.of + ", more than " + t.to + ", s"
	case t.to != "":
		return t.of + " / " + t.to
	case t.what == peak:
		return t.of + ", MiB"
	}
	return t.of + ", s"
}

// ratio is the spread of the ratios or differences of the rounds, or of the
// figures.
func (o *outcome) ratio(t target) [3]float64 {
	if t.to == "" {
		return o.spreadOf(t.of, t.what)
	}
	of, to := o.runs[t.of], o.runs[t.to]
	r := make([]float64, o.rounds)
	for i := range r {
		if r[i] = of[i].figure(t.what) / to[i].figure(t.what); t.more {
			r[i] = of[i].figure(t.what) - to[i].figure(t.what)
		}
		if t.each {
			r[i] *= 1e9 / float64(o.rows[t.of])
		}
	}
	return spread(r)
}

func (o *outcome) spreadOf(name string, f figure) [3]float64 {
	var v []float64
	for _, r := range o.runs[name] {
		v = append(v, r.figure(f))
	}
	return spread(v)
}

// spread is median, minimum and maximum.
func spread(v []float64) [3]float64 {
	slices.Sort(v)
	n := len(v)
	return [3]float64{(v[(n-1)/2] + v[n/2]) / 2, v[0], v[n-1]}
}

func digits(s [3]float64) string {
	return fmt.Sprintf("%s (%s-%s)", short(s[0]), short(s[1]), short(s[2]))
}

// short has three digits.
func short(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
