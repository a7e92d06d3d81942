package main

import (
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
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
	if err := words().Lines(w, "order", struct {
		*pipeline.Built
		Spec string
	}{v, o.Spec}); err != nil {
		return err
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
		return words().Lines(people(c), "edges", s)
	}
	return words().Lines(people(c), "starter", struct {
		*pipeline.Starter
		Spec string
	}{s, spec})
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
