// Package utility builds a utility order from a spec. A spec has one of the forms in
// which people write down what may stand for what: a matrix, pairs, positions on a map
// or in a plane, an ordered list, numbers, a hierarchy, a tree, code prefixes. Each form
// has a file of its own, and forms.go is the only list of them.
//
// A letter's utility u'(x,y) is larger where y is the better stand-in for x.
// -Inf forbids y. Ties rank by letter order: the lower letter ranks lower.
// Ranks always follow from values that way, so a table of values (CSV)
// is a complete record of an order.
package utility

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Input is what a spec is applied to.
type Input struct {
	Letters Letters // Required. Input letters, of the data and of the domain.
	Kind    Kind    // of the private column
	// Outputs are the labels of --labels, nil if not given. Matrix and pairs
	// bring their own outputs and refuse any other set of labels.
	Outputs []string
	// ReadFile reads a spec file. Required for specs that name one.
	ReadFile func(path string) ([]byte, error)
	// Known reports whether an input letter stands in a file that the user
	// wrote, such as the domain; only then do errors name it. Nil: none does.
	Known func(label string) bool
	// Place is the number of the bin that a label names; nil where values are in no bins.
	Place func(label string) (int64, bool)
}

// A Result is an order over Inputs and Outputs and what is known about it.
type Result struct {
	Order   mechanism.Order
	Inputs  Letters
	Outputs Letters
	Form    string           // name in Forms
	Basis   string           // one line: what the values are
	Unit    string           // of a value: "km", "places", "levels", "days", "" for bare numbers
	File    string           // spec file, "" if the spec has none
	Ties    int              // rows in which at least two allowed outputs tie, or Uncounted
	Extra   int              // letters of the spec that are neither input nor output; ignored
	Lowest  float64          // the least utility that is not -inf; +Inf where all are, or it is not looked for
	Places  mechanism.Placed // where the inputs but null lie, nil where the order is no distance
	// NullRule is set where null is a letter that the spec does not name: its
	// row and column then follow the rule in null.go.
	NullRule bool

	unlisted bool    // the spec lists no letters
	top      float64 // level at which any value stands for any other, 0 for none
	nullBest float64 // the best value null has in another letter's row, under NullRule
}

// Uncounted stands for the rows with ties of an order above tiedCells.
const Uncounted = -1

// tabulated is the number of cells up to which an order is held as a table: a
// design and its report read every row a dozen times.
const tabulated = 1 << 17

// Build reads the spec and makes its order. It fails with *Error, or with
// *MissingError where input letters have no row.
func Build(spec string, in Input) (*Result, error) {
	r, order, err := begin(spec, in)
	if err != nil {
		return nil, err
	}
	if err := r.finish(order); err != nil {
		return nil, err
	}
	return r, nil
}

// Lists reports whether every input letter stands in the spec, so that messages may name it. It
// fails as Build does, and compares no utilities: that takes long where letters are many.
func Lists(spec string, in Input) (bool, error) {
	r, _, err := begin(spec, in)
	return err == nil && r.ListsLetters(), err
}

// begin reads the spec.
func begin(spec string, in Input) (*Result, mechanism.Order, error) {
	form, arg, err := Form{}, "", error(nil)
	if form, _ = FormOf(InBins); spec != InBins || in.Place == nil {
		form, arg, err = parse(spec)
	}
	if err != nil {
		return nil, nil, err
	}
	switch {
	case in.Letters.Len() == 0:
		return nil, nil, errorf("give values with --domain, or an input with records", "order: the column has no value")
	case in.Letters.Len() > mechanism.MaxLetters || len(in.Outputs) > mechanism.MaxLetters:
		return nil, nil, errorf("merge values before the run", "order: the column has more than %d values",
			mechanism.MaxLetters)
	}
	b := &builder{in: &in, form: form.Name}
	var d *draft
	if err := stopped(func() { d = form.build(b, arg) }); err != nil {
		if missing := (*MissingError)(nil); errors.As(err, &missing) && b.hint == "" {
			missing.Spec = spec
		}
		return nil, nil, err
	}
	if form.ownOutputs && in.Outputs != nil && !sameLabels(d.outputs, in.Outputs) {
		return nil, nil, errorf("remove --labels", "%s: the file names other outputs than --labels", form.Name)
	}
	r := &Result{Inputs: in.Letters, Form: form.Name, Basis: d.basis, Unit: d.unit, File: b.file,
		Extra: d.extra, unlisted: form.unlisted || spec == InBins, top: d.top,
		NullRule: in.Letters.Null && !d.namesNull}
	r.Outputs = lettersOf(d.outputs)
	return r, d.order, nil
}

// ErrNoLetters says that a spec orders whatever letters there are and names
// none itself: numeric, prefix.
var ErrNoLetters = errors.New("the order names no values")

// Named are the letters that a spec itself has a row for, in its own order.
// It fails with ErrNoLetters where there are none, and as Build does.
func Named(spec string, readFile func(path string) ([]byte, error)) (Letters, error) {
	form, arg, err := parse(spec)
	if err != nil {
		return Letters{}, err
	}
	b := &builder{in: &Input{ReadFile: readFile}, form: form.Name}
	if err := stopped(func() { form.build(b, arg) }); err != nil {
		var e *Error
		if b.known == nil && errors.As(err, &e) {
			return Letters{}, err
		}
	}
	if len(b.known) == 0 {
		return Letters{}, ErrNoLetters
	}
	var ls []letter
	for l := range b.known {
		ls = append(ls, l)
	}
	slices.SortFunc(ls, func(p, q letter) int { return b.known[p] - b.known[q] })
	return lettersOf(ls), nil
}

// ListsLetters reports whether every input letter stands in the spec, so that
// messages may name it.
func (r *Result) ListsLetters() bool {
	_, known := FormOf(r.Form)
	return known && !r.unlisted
}

// OwnOutputs reports whether the spec itself says what may be published.
func (r *Result) OwnOutputs() bool {
	f, _ := FormOf(r.Form)
	return f.ownOutputs
}

// finish counts ties and adds the row and column of null where the spec does
// not name it.
func (r *Result) finish(o mechanism.Order) error {
	if o.Outputs() == 0 && !r.NullRule {
		return errorf("list at least one output", "%s: the order has no output", r.Form)
	}
	if o.Outputs()+1 > mechanism.MaxLetters {
		return errorf("list fewer outputs", "%s: the order has more than %d outputs", r.Form, mechanism.MaxLetters-1)
	}
	s := surveyOf(o, r.NullRule)
	r.Order, r.Ties, r.Lowest = o, s.tied, s.lowest
	r.Places, _ = o.(mechanism.Placed)
	if r.NullRule {
		r.Outputs.Null = true
		n := &nullRule{base: o, others: below(min(0, s.lowest))}
		r.Order, r.nullBest, r.Lowest = n, below(s.bestLow), n.others
		if t, ok := o.(*mechanism.Tree); ok && s.bestLow == s.lowest && n.others == s.lowest-1 && t.Reaches(s.lowest) {
			r.Order = t.Apart() // one level above all others is where the rule puts null in every row
		}
		if o.Outputs() > 1 && r.Ties != Uncounted {
			r.Ties++
		}
	}
	if o.Inputs()*r.Order.Outputs() <= tabulated {
		r.Order = mechanism.Tabulate(r.Order)
	}
	return nil
}

// sameLabels compares as sets, null left out.
func sameLabels(ls []letter, label []string) bool {
	have, want := setOf(lettersOf(ls).Label), setOf(label)
	if !have[""] {
		delete(want, "") // which is null
	}
	return maps.Equal(have, want)
}

// A builder carries the input through one form.
type builder struct {
	in      *Input
	form    string
	file    string
	growing bool           // the file may still have to be filled in
	hint    string         // what to do about letters that the spec lacks, "" for the usual
	known   map[letter]int // the letters that the spec itself names, and their place in it
}

// A draft is what a form makes. The inputs of its order are the letters of the
// data, null included only where the spec names it.
type draft struct {
	*cast
	order mechanism.Order
	basis string
	unit  string
	top   float64 // see Result
}

// maxFile is the largest spec file in bytes: the largest table that CSV makes
// stays below.
const maxFile = 4 << 30

// read returns the records of a spec file.
func (b *builder) read(path string) *sheet {
	if path == "" {
		fail(errorf("write "+b.form+":FILE.csv", "%s: no file is named", b.form))
	}
	if b.in.ReadFile == nil {
		fail(errors.New("utility: a spec names a file and Input.ReadFile is nil"))
	}
	data, err := b.in.ReadFile(path)
	if err != nil {
		fail(&Error{What: fmt.Sprintf("%s: reading the order: %s", b.form, oneLine(err.Error())),
			Hint: "check the path in --utility", Err: err})
	}
	b.file = path
	name := oneLine(path)
	if len(data) > maxFile {
		fail(errorf("give a smaller file", "%s: larger than %d bytes", name, maxFile))
	}
	text := utf8Text(name, data)
	if strings.TrimSpace(text) == "" {
		fail(errorf("write the order into the file, or give another one", "%s: the file is empty", name))
	}
	s := newSheet(name, text, ',')
	b.refuseBlank(s)
	return s
}
