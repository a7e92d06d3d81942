package main

import (
	"fmt"
	"io"
	"slices"
)

const documentHead = `# Performance

Tacet beside DuckDB, arrow-go, parquet-go and ` + "`cp`" + `: whole processes, run in turn on one machine with the input in the page
cache. Figures are medians, with minimum and maximum in brackets; ratios are taken round by round. CPU is user and system
time. Tacet's figures include the design, page checksums, the check of the written column and the report; it also syncs
its output to disk, which of the others only "cp and sync" does. What every contender wrote was read again and compared
with the input outside the timed part: as many rows, all other columns unchanged and in order, every draw inside the support.
DuckDB keeps the order of rows through a join at one thread only; at two it stands here with a sort by row number, and
without, where only the number of rows and the outputs were compared. Rows of unequal weights are rounded to 256 slots
(1,024 above 64 letters) for the peers.
`

// write prints tables in Markdown.
func (o *outcome) write(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n", o.title)
	fmt.Fprintf(w, "%d rounds; load average afterwards %s.\n\n", o.rounds, o.load)
	fmt.Fprintln(w, "| contender | wall, s | CPU, s | CPU, ns/row | peak memory, MiB | bytes out |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, k := range o.contenders {
		runs := o.runs[k.name]
		per := o.spreadOf(k.name, cpu)[0] * 1e9 / float64(o.rows[k.name])
		fmt.Fprintf(w, "| %s | %s | %s | %.1f | %s | %d |\n", k.name, digits(o.spreadOf(k.name, wall)), digits(o.spreadOf(k.name, cpu)),
			per, fmt.Sprintf("%.1f", o.spreadOf(k.name, peak)[0]), runs[len(runs)-1].bytes)
	}
	if len(o.targets) == 0 {
		return
	}
	fmt.Fprintln(w, "\n| figure | seen | wanted | |")
	fmt.Fprintln(w, "|---|---|---|---|")
	for _, t := range o.targets {
		s := o.ratio(t)
		sign, met := "<=", s[0] <= t.bound
		if t.least {
			sign, met = ">=", s[0] >= t.bound
		}
		verdict := "met"
		if !met {
			verdict = "missed"
		}
		fmt.Fprintf(w, "| %s: %s | %s | %s %g | %s |\n", t.what, t.name(), digits(s), sign, t.bound, verdict)
	}
}

func (t target) name() string {
	switch {
	case t.to != "":
		return t.of + " / " + t.to
	case t.what == peak:
		return t.of + ", MiB"
	}
	return t.of + ", s"
}

// ratio is the spread of the ratios of the rounds, or of the figures.
func (o *outcome) ratio(t target) [3]float64 {
	if t.to == "" {
		return o.spreadOf(t.of, t.what)
	}
	of, to := o.runs[t.of], o.runs[t.to]
	r := make([]float64, o.rounds)
	for i := range r {
		r[i] = of[i].figure(t.what) / to[i].figure(t.what)
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
	return fmt.Sprintf("%.3g (%.3g-%.3g)", s[0], s[1], s[2])
}
