package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

var _ = does("simulate", onData(found(pipeline.Simulate, simulateText, simulateRows)))

// simulateText prints a table for every design.
func simulateText(w io.Writer, s *pipeline.Simulation) error {
	fmt.Fprintln(w, "these figures encode counts: they are as confidential as the column itself")
	fmt.Fprintf(w, "records:  %d, values %d\n", s.Records, s.Values)
	if s.Strata != "" {
		fmt.Fprintf(w, "strata:   epsilon is kept within %s, too\n", s.Strata)
	}
	var err error
	for i := range s.Designs {
		d := &s.Designs[i]
		_, err = fmt.Fprintf(w, "\n%s\n", d.Asked())
		if d.Prospect == nil {
			_, err = fmt.Fprintf(w, "unreachable: %s\n", d.Unreachable)
			continue
		}
		if d.Apart {
			fmt.Fprintf(w, "strata:   each stratum of %s has a mechanism of its own\n", s.Strata)
		}
		fmt.Fprintf(w, "floor:    rank %d of %d (%s)\n", d.Rank, d.Outputs, d.Words)
		fmt.Fprintf(w, "replaced: %s\n", report.Mean(d.Mean, s.Unit))
		fmt.Fprintf(w, "shares:   off by up to %s points (%d of %d values in use)\n", d.Points(), d.Used, d.Outputs)
		fmt.Fprintf(w, "%-24s %8s %9s %8s %7s %8s  %s\n", "share, in percent", "data", "published", "bias",
			"error", "covers", "recovered")
		for _, o := range d.Shares {
			recovered := "not estimable"
			if o.Half != nil {
				recovered = fmt.Sprintf("+- %.3f", 100**o.Half)
			}
			_, err = fmt.Fprintf(w, "%-24s %8.3f %9.3f %+8.3f %7.3f %6.1f %%  %s\n", o.Name, 100*o.Share,
				100*o.Counted, 100*o.Bias, 100*o.Error, 100*o.PlainCovers, recovered)
		}
	}
	return err
}

// simulateRows are a head, a row for every value of every design, and one for a design that
// cannot be reached.
func simulateRows(s *pipeline.Simulation) [][]string {
	rows := [][]string{{"epsilon", "max_factor", "max_shift", "floor_rank", "floor_value", "mean_utility", "shift",
		"values_in_use", "group", "name", "share", "published", "bias", "standard_error", "plain_interval",
		"plain_covers", "interval"}}
	for i := range s.Designs {
		d := &s.Designs[i]
		asked := []string{d.Epsilon, d.MaxFactor, cmp.Or(d.MaxShift, "none")}
		if d.Prospect == nil {
			rows = append(rows, asked)
			continue
		}
		kept := append(asked, strconv.Itoa(d.Rank), exact(d.Floor), exact(d.Mean), d.Shift, strconv.Itoa(d.Used))
		for _, o := range d.Shares {
			rows = append(rows, append(kept[:8:8], strconv.FormatBool(o.Group), csvText(o.Name), exact(o.Share),
				exact(o.Counted), exact(o.Bias), exact(o.Error), exact(o.Plain), exact(o.PlainCovers), given(o.Half)))
		}
	}
	return rows
}
