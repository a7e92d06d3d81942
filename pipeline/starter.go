package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A Starter is a file of an order that people are to fill in.
type Starter struct {
	Path   string
	Values int // that have a line in it
}

// NewOrder writes a starter with a line for each value, or for each that the order of
// --utility lacks. The file holds values of the data: it is for its owner alone, and
// takes the place of no other.
func NewOrder(ctx context.Context, o request.Options) (*Starter, error) {
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
	err = publish.Put(publish.Target{Path: path, Private: true}, data)
	var there *publish.TargetError
	if errors.As(err, &there) && there.Exists {
		there.Hint = "remove it or give another file: what somebody may have filled in is never replaced"
	}
	if err != nil {
		return nil, err
	}
	return &Starter{path, len(labels)}, nil
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
