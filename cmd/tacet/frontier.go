package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

func frontierCommand() *cli.Command {
	return &cli.Command{
		Name:        "frontier",
		Usage:       "what every floor costs and keeps",
		Description: "Scans every floor and prints its leakage and utility. Nothing is released; the figures encode counts.",
		Flags:       slices.Concat(inputFlags, []cli.Flag{countsFlag}, orderFlags, []cli.Flag{text("format", "text", "text, json or csv")}),
		Action: func(c *cli.Context) error {
			write, ok := frontierFormats[c.String("format")]
			if !ok {
				return usagef("choose text, json or csv", "--format has the unknown value %q", c.String("format"))
			}
			o, err := optionsOf(c)
			if err != nil {
				return err
			}
			f, err := pipeline.NewFrontier(contextOf(c), o)
			if err != nil {
				return err
			}
			uiOf(c).finish()
			return write(c.App.Writer, f)
		},
	}
}

var frontierFormats = map[string]func(io.Writer, *pipeline.Frontier) error{
	"text": frontierText,
	"csv":  frontierCSV,
	"json": func(w io.Writer, f *pipeline.Frontier) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(f)
	},
}

// frontierText shows only floors that are the cheapest of their kind: a floor
// that a better one undercuts is never chosen.
func frontierText(w io.Writer, f *pipeline.Frontier) error {
	fmt.Fprintf(w, "%6s %8s %10s %12s %12s %12s\n", "rank", "outputs", "epsilon", "max-factor", "worst", "mean")
	hidden := 0
	for i, p := range f.Points {
		if i+1 < len(f.Points) && f.Points[i+1].CostNats <= p.Nats {
			hidden++
			continue
		}
		factor := p.Factor
		if len(factor) > 12 {
			factor = "-"
		}
		outputs := strconv.Itoa(p.Least)
		if p.Most != p.Least {
			outputs += "-" + strconv.Itoa(p.Most)
		}
		fmt.Fprintf(w, "%6d %8s %10s %12s %12.6g %12.6g\n", p.Rank, outputs, report.RoundUp(p.Nats, 4), factor, p.Worst, p.Expected)
	}
	_, err := fmt.Fprintf(w, "%d of %d floors; the other %d cost no less than a better one\n", len(f.Points)-hidden, f.Of, hidden)
	return err
}

func frontierCSV(w io.Writer, f *pipeline.Frontier) error {
	c := csv.NewWriter(w)
	c.Write([]string{"rank", "allowed", "factor", "nats", "cost_factor", "cost_nats", "worst", "expected"})
	for _, p := range f.Points {
		c.Write([]string{strconv.Itoa(p.Rank), strconv.Itoa(p.Least), p.Factor, exact(p.Nats), p.Cost, exact(p.CostNats), exact(p.Worst), exact(p.Expected)})
	}
	c.Flush()
	return c.Error()
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
