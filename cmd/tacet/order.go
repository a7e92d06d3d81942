package main

import (
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

var _ = does("order", onData(order))

func order(c *cli.Context, asked pipeline.Options) error {
	o, err := pipeline.OpenOrder(asked)
	if err != nil {
		return err
	}
	if asked.New != "" {
		return newOrder(c, o, asked.New)
	}
	if err := unfinished(c, o, asked.Utility); err != nil {
		return err
	}
	return showOrder(c, o)
}

func showOrder(c *cli.Context, o *pipeline.Order) error {
	v, nearest, err := o.View(c.Context)
	if err != nil {
		return err
	}
	uiOf(c).finish()
	w := people(c)
	fmt.Fprintf(w, "order:    %s\nutility:  %s\nvalues:   %d, outputs %d\n", o.Spec, v.Basis,
		v.Inputs.Len(), v.Outputs.Len())
	if v.Ties != utility.Uncounted {
		fmt.Fprintf(w, "ties:     in %d rows; the lower value ranks lower\n", v.Ties)
	}
	if v.Extra > 0 {
		fmt.Fprintf(w, "ignored:  %d values of the spec that the data do not have\n", v.Extra)
	}
	if len(nearest) > 0 {
		fmt.Fprintf(w, "\n%6s  %14s  %s\n", "rank", "utility", "output")
	}
	for _, n := range nearest {
		fmt.Fprintf(w, "%6d  %14s  %s\n", n.Rank, strconv.FormatFloat(n.Value, 'g', 8, 64), n.Label)
	}
	return nil
}

// newOrder writes a file to fill in.
func newOrder(c *cli.Context, o *pipeline.Order, spec string) error {
	s, err := o.Start(c.Context)
	if err != nil {
		return err
	}
	uiOf(c).finish()
	if s.Edges > 0 {
		_, err = fmt.Fprintf(people(c), "written:  %s, %d edges proposed from the values of the column\n"+
			"inside:   edges from the data tell of it: make them round numbers of your own choice\n"+
			"next:     read and change the file; then give --bins %s\n", s.Path, s.Edges, report.Shell("@"+s.Path))
		return err
	}
	_, err = fmt.Fprintf(people(c), "written:  %s, a line for each of %d values\n"+
		"inside:   the file holds values of the column: protect it like the data\n"+
		"next:     fill it in as its first lines say; tacet order --utility %s says what is still missing\n",
		s.Path, s.Values, report.Shell(spec))
	return err
}

// listedGaps is how many stretches of lines are told of one by one.
const listedGaps = 20

// unfinished lists the lines of a file that are not complete, and refuses it.
func unfinished(c *cli.Context, o *pipeline.Order, spec string) error {
	p, err := o.Unfinished(c.Context)
	if err != nil || p == nil || len(p.Gaps) == 0 {
		return err
	}
	uiOf(c).finish()
	w := people(c)
	fmt.Fprintf(w, "order:    %s\nlines:    %d, of which %d are not complete\n", spec, p.Lines, len(p.Gaps))
	for shown, rest := 0, p.Gaps; len(rest) > 0; shown++ {
		if shown == listedGaps {
			fmt.Fprintf(w, "  and %d more\n", len(rest))
			break
		}
		n := 1
		for n < len(rest) && rest[n].What == rest[0].What && rest[n].Line == rest[n-1].Line+1 {
			n++
		}
		if n == 1 {
			fmt.Fprintf(w, "  line %d: %s\n", rest[0].Line, rest[0].What)
		} else {
			fmt.Fprintf(w, "  lines %d to %d: %s\n", rest[0].Line, rest[n-1].Line, rest[0].What)
		}
		rest = rest[n:]
	}
	if n := len(p.Lacking); n > 0 {
		fmt.Fprintf(w, "values:   %d of the column have no line; tacet order --new with this --utility writes a file of "+
			"them\n", n)
	}
	return fault.New(fault.Input, "fill them in, and run this again", "%s: %d of %d lines are not complete, first line %d",
		spec, len(p.Gaps), p.Lines, p.Gaps[0].Line)
}
