package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"

	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// An OrderView is what tacet order prints.
type OrderView struct {
	Basis           string // what the values are
	Inputs, Outputs int
	Ties, Extra     int
	Nearest         []Nearest // of the letter that was asked for, best first
}

// Nearest is one of the best outputs of a letter.
type Nearest struct {
	Label report.Label
	Rank  int
	Value float64
}

// nearestShown is how many outputs of a letter are shown.
const nearestShown = 10

// ShowOrder checks a utility order and shows the nearest outputs of a letter.
// Its letters are those of the data, of a counts file or of the domain, and
// where none is given those that the spec names.
func ShowOrder(ctx context.Context, o request.Options) (*OrderView, error) {
	if err := count.Check(&o, "order", false); err != nil {
		return nil, err
	}
	study, err := o.Study()
	if err != nil {
		return nil, err
	}
	s, d, err := orderLetters(ctx, study, o.Order().Spec)
	if err != nil {
		return nil, err
	}
	if s != nil {
		defer s.Close()
	}
	r, err := decide.Order(ctx, o.Order(), d)
	if err != nil {
		return nil, count.Lacking(ctx, o.Unlisted(), d, s, err)
	}
	v := &OrderView{Basis: r.Basis, Inputs: r.Inputs.Len(), Outputs: r.Outputs.Len(), Ties: r.Ties, Extra: r.Extra}
	if o.Show == "" {
		return v, nil
	}
	x := slices.Index(r.Inputs.Label, o.Show)
	if x < 0 {
		return nil, fault.New(fault.Input, "give a value of the order; labels are compared as text", "the order has no "+
			"value %q", o.Show)
	}
	labels := report.Labels(r.Outputs.Label, r.Outputs.Null)
	for _, n := range utility.Nearest(r, x, nearestShown) {
		v.Nearest = append(v.Nearest, Nearest{labels[n.Output], n.Rank, n.Value})
	}
	return v, nil
}

// orderLetters are those of the study where it has a file to read, else those
// that the domain or the spec names.
func orderLetters(ctx context.Context, study request.Study, spec string) (*count.Source, *count.Domain, error) {
	if study.Reading.Path != "" || study.Counts != nil {
		w, err := count.NewStudy(ctx, study)
		return w.Source, w.Domain, err
	}
	d := &count.Domain{Declared: map[string]bool{}}
	if domain := study.Letters.Domain; domain != "" {
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
