package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/inspect"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A Starter is a file of an order that people are to fill in.
type Starter struct {
	Path   string
	Values int // that have a line in it
	Edges  int // of bins; 0 in a file of values
}

// NewOrder writes a starter with a line for each value, or for each that the order of
// --utility lacks. The file holds values of the data: it is for its owner alone, and
// takes the place of no other.
func NewOrder(ctx context.Context, o request.Options) (*Starter, error) {
	if path, ok := strings.CutPrefix(o.New, newBins); ok && path != "" {
		return newEdges(ctx, &o, path)
	}
	d, err := lettersFor(ctx, &o, o.New)
	if err != nil {
		return nil, err
	}
	labels := d.Letters.Label
	if o.Utility != "" {
		in := utility.Input{Letters: d.Letters, Kind: d.Kind, ReadFile: count.ReadSpec}
		if labels, err = utility.Lacking(o.Utility, in); err != nil {
			return nil, err
		}
	}
	if len(labels) == 0 {
		return nil, fault.New(fault.Input, "there is nothing to add", "no value lacks a place in the order")
	}
	path, data, err := utility.Starter(o.New, cmp.Or(o.Column, "?"), labels)
	if err != nil {
		return nil, err
	}
	return &Starter{Path: path, Values: len(labels)}, putStarter(path, data)
}

// putStarter writes the file of a starter.
func putStarter(path string, data []byte) error {
	err := publish.Put(publish.Target{Path: path, Private: true}, data)
	var there *publish.TargetError
	if errors.As(err, &there) && there.Exists {
		there.Hint = "remove it or give another file: what somebody may have filled in is never replaced"
	}
	return err
}

// newBins begins the spec of a file of edges.
const newBins = "bins:"

// newEdges writes proposed edges, which people accept or change.
func newEdges(ctx context.Context, o *request.Options, path string) (*Starter, error) {
	if err := count.Check(o, "order", false); err != nil {
		return nil, err
	}
	if o.Input == "" || o.Column == "" {
		return nil, fault.New(fault.Usage, "give --input and --column", "the numbers or dates of the bins are not known")
	}
	f, err := inspect.Look(ctx, inspect.Request{Path: o.Input, Column: o.Column, Delimiter: o.Delimiter, Header: o.Header})
	if err != nil {
		return nil, err
	}
	edges := f.Edges(o.Column)
	if edges == nil {
		return nil, fault.New(fault.Input, "write edges into a file, one a line, or see what tacet inspect says of the "+
			"column", "%s: no edges can be proposed for column %q: it has no numbers or dates with a span", o.Input, o.Column)
	}
	text := fmt.Sprintf("# Proposed edges of bins for column %q, from its span alone. They are yours to change: take "+
		"round\n# numbers or dates that you would have chosen without the data, because published bins name their "+
		"edges.\n%s\n", o.Column, strings.Join(edges, "\n"))
	return &Starter{Path: path, Edges: len(edges)}, putStarter(path, []byte(text))
}

// ReadyOrder is the ready order as a file, in the notation of the data where some are
// given.
func ReadyOrder(ctx context.Context, o request.Options) ([]byte, string, error) {
	if err := count.Check(&o, "order", false); err != nil {
		return nil, "", err
	}
	var labels []string
	if o.Input != "" || o.Counts != nil || o.Domain != "" {
		d, err := lettersFor(ctx, &o, o.Ready)
		if err != nil {
			return nil, "", err
		}
		labels = d.Letters.Label
	}
	all := utility.ReadyOrders()
	r := all[slices.IndexFunc(all, func(r utility.Ready) bool { return r.Name == o.Ready })]
	return r.CSV(labels), r.Source, nil
}

// lettersFor are the values that an order is to be made for.
func lettersFor(ctx context.Context, o *request.Options, spec string) (*count.Domain, error) {
	if err := count.Check(o, "order", false); err != nil {
		return nil, err
	}
	study, err := o.Study()
	if err != nil {
		return nil, err
	}
	if study.Reading.Path == "" && study.Counts == nil && study.Letters.Domain == "" {
		return nil, fault.New(fault.Usage, "give --input and --column, --counts or --domain",
			"the values of the new order are not known")
	}
	s, d, err := orderLetters(ctx, study, spec)
	if s != nil {
		s.Close()
	}
	return d, err
}

// Unfinished is how far people are with the file of an order, nil where there is none.
func Unfinished(ctx context.Context, o request.Options) (*utility.Progress, error) {
	if err := count.Check(&o, "order", false); err != nil || utility.FileOf(o.Utility) == "" {
		return nil, err
	}
	in := utility.Input{ReadFile: count.ReadSpec}
	if o.Input != "" || o.Counts != nil || o.Domain != "" {
		d, err := lettersFor(ctx, &o, o.Utility)
		if err != nil {
			return nil, err
		}
		in.Letters = d.Letters
	}
	return utility.Unfinished(o.Utility, in)
}
