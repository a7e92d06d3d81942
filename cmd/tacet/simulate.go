package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline"
)

var _ = does("simulate", onData(found(pipeline.Simulate, simulateText, simulateRows)))

// simulateText prints a table for every design.
func simulateText(w io.Writer, s *pipeline.Simulation) error {
	fmt.Fprintln(w, "these figures encode counts: they are as confidential as the column itself")
	err := words().Lines(w, "simulation", s)
	for i := range s.Designs {
		d := &s.Designs[i]
		fmt.Fprintf(w, "\n%s\n", d.Asked())
		err = words().Lines(w, "simulated", struct {
			*pipeline.Simulated
			Strata, Unit string
		}{d, s.Strata, s.Unit})
		if d.Prospect == nil {
			continue
		}
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
