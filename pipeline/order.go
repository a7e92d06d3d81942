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
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/inspect"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// An Order is a utility order that somebody checks, makes or fills in.
type Order struct {
	utility   string // as it is given; "" for none
	new, show string // as in Options
	valued    bool   // the input, counts or a domain give its values
	request.Order
	study request.Study
}

// OpenOrder checks what is asked of an order.
func OpenOrder(o request.Options) (*Order, error) {
	if err := count.Check(&o, "order", false); err != nil {
		return nil, err
	}
	study, err := o.Study()
	return &Order{utility: o.Utility, new: o.New, show: o.Show,
		valued: o.Input != "" || o.Counts != nil || o.Domain != "", Order: o.Order(), study: study}, err
}

// A Starter is a file of an order that people are to fill in.
type Starter struct {
	Path   string
	Values int // that have a line in it
	Edges  int // of bins; 0 in a file of values
}

// Nearest is one of the best outputs of a letter.
type Nearest struct {
	Label report.Label
	Rank  int
	Value float64
}

// nearestShown is how many outputs of a letter are shown.
const nearestShown = 10

// A Built order is one of the values that are known.
type Built struct {
	*utility.Result
	Records []int64 // with each input; nil where no file was read
}

// Nearest are the best outputs of an input, the best first.
func (b *Built) Nearest(x int) (out []Nearest) {
	labels := report.Labels(b.Outputs.Label, b.Outputs.Null)
	for _, n := range utility.Nearest(b.Result, x, nearestShown) {
		out = append(out, Nearest{labels[n.Output], n.Rank, n.Value})
	}
	return out
}

// Build checks the order. Its letters are those of the data, of a counts file or of the
// domain, and where none is given those that the spec names.
func (o *Order) Build(ctx context.Context) (*Built, error) {
	s, d, err := o.letters(ctx, o.Spec)
	if err != nil {
		return nil, err
	}
	if s != nil {
		defer s.Close()
	}
	r, err := decide.Order(ctx, o.Order, d)
	if err != nil {
		return nil, count.Lacking(ctx, d, s, err)
	}
	b := &Built{Result: r}
	for x := range d.Sample.Letters() {
		b.Records = append(b.Records, d.Sample.Count(x))
	}
	return b, nil
}

// View checks the order, and finds the nearest outputs of the letter that is to be shown.
func (o *Order) View(ctx context.Context) (b *Built, nearest []Nearest, err error) {
	if b, err = o.Build(ctx); err != nil || o.show == "" {
		return b, nil, err
	}
	x := slices.Index(b.Inputs.Label, o.show)
	if x < 0 {
		return nil, nil, fault.New(fault.Input, "give a value of the order; labels are compared as text", "the order has no "+
			"value %q", o.show)
	}
	return b, b.Nearest(x), nil
}

// Start writes a starter with a line for each value, or for each that the order of
// --utility lacks. The file holds values of the data: it is for its owner alone, and
// takes the place of no other.
func (o *Order) Start(ctx context.Context) (*Starter, error) {
	if path, ok := strings.CutPrefix(o.new, newBins); ok && path != "" {
		return o.edges(ctx, path)
	}
	d, err := o.known(ctx, o.new)
	if err != nil {
		return nil, err
	}
	labels := d.Letters.Label
	if o.utility != "" {
		in := utility.Input{Letters: d.Letters, Kind: d.Kind, ReadFile: count.ReadSpec}
		if labels, err = utility.Lacking(o.utility, in); err != nil {
			return nil, err
		}
	}
	if len(labels) == 0 {
		return nil, fault.New(fault.Input, "there is nothing to add", "no value lacks a place in the order")
	}
	path, data, err := utility.Starter(o.new, cmp.Or(o.study.Column, "?"), labels)
	if err != nil {
		return nil, err
	}
	return &Starter{Path: path, Values: len(labels)}, putStarter(path, data)
}

// newBins begins the spec of a file of edges.
const newBins = "bins:"

// edges writes proposed edges, which people accept or change.
func (o *Order) edges(ctx context.Context, path string) (*Starter, error) {
	in, column := o.study.Reading, o.study.Column
	if in.Path == "" || column == "" {
		return nil, fault.New(fault.Usage, "give --input and --column", "the numbers or dates of the bins are not known")
	}
	f, err := inspect.Look(ctx, inspect.Request{Path: in.Path, Column: column, Delimiter: in.Delimiter, Header: in.Header})
	if err != nil {
		return nil, err
	}
	edges := f.Edges(column)
	if edges == nil {
		return nil, fault.New(fault.Input, "write edges into a file, one a line, or see what tacet inspect says of the "+
			"column", "%s: no edges can be proposed for column %q: it has no numbers or dates with a span", in.Path, column)
	}
	text := fmt.Sprintf("# Proposed edges of bins for column %q, from how its values are spread. They are yours to "+
		"change: take round\n# numbers or dates that you would have chosen without the data, because published bins name "+
		"their edges.\n%s\n", column, strings.Join(edges, "\n"))
	return &Starter{Path: path, Edges: len(edges)}, putStarter(path, []byte(text))
}

// known are the values that an order is to be made for.
func (o *Order) known(ctx context.Context, spec string) (*count.Domain, error) {
	if o.study.Reading.Path == "" && o.study.Counts == nil && o.study.Letters.Domain == "" {
		return nil, fault.New(fault.Usage, "give --input and --column, --counts or --domain",
			"the values of the new order are not known")
	}
	s, d, err := o.letters(ctx, spec)
	if s != nil {
		s.Close()
	}
	return d, err
}

// Unfinished is how far people are with the file of an order, nil where there is none.
func (o *Order) Unfinished(ctx context.Context) (*utility.Progress, error) {
	if utility.FileOf(o.utility) == "" {
		return nil, nil
	}
	in := utility.Input{ReadFile: count.ReadSpec}
	if o.valued {
		d, err := o.known(ctx, o.utility)
		if err != nil {
			return nil, err
		}
		in.Letters = d.Letters
	}
	return utility.Unfinished(o.utility, in)
}

// letters are those of the study where it has a file to read, else those
// that the domain or the spec names.
func (o *Order) letters(ctx context.Context, spec string) (*count.Source, *count.Domain, error) {
	if o.study.Reading.Path != "" || o.study.Counts != nil {
		w, err := count.NewStudy(ctx, o.study)
		return w.Source, w.Domain, err
	}
	d := &count.Domain{Declared: map[string]bool{}}
	if domain := o.study.Letters.Domain; domain != "" {
		labels, err := count.ReadLabels(domain, "--domain")
		if err != nil {
			return nil, nil, err
		}
		d.Letters.Label, d.Kind = labels, count.KindOfLabels(labels)
		return nil, d, nil
	}
	l, err := utility.Named(spec, count.ReadSpec)
	if errors.Is(err, utility.ErrNoLetters) {
		return nil, nil, fault.New(fault.Usage, "give --input and --column, --counts or --domain",
			"the order %s lists no values itself", spec)
	}
	d.Letters, d.Kind = l, count.KindOfLabels(l.Label)
	return nil, d, err
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
