package floors

import (
	"context"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A Frontier is what every floor costs and keeps. It encodes counts.
type Frontier struct {
	Column  string  `json:"column,omitempty"`
	Unit    string  `json:"unit,omitempty"`  // of utilities
	By      string  `json:"floors_by"`       // "rank" or "value"
	Of      int     `json:"of"`              // M
	Guess   float64 `json:"guess"`           // chance that the best guess of a letter is right without any output
	Sampled bool    `json:"sampled"`         // not every distinct utility is a point
	Stopped bool    `json:"stopped"`         // time ended the search before everything was searched
	Large   bool    `json:"too_large"`       // for the search of optimal mechanisms
	Prior   string  `json:"prior,omitempty"` // for whom epsilon holds, where that is not the frequencies of the file alone
	Points  []Point `json:"points"`          // the worst floor first

	MaxShift string   `json:"max_shift,omitempty"` // limit of the shift, as it was asked for
	Choices  []Choice `json:"choices,omitempty"`   // by limit, the loosest first, and epsilon

	// Steepest is about the floor with the largest step in the least epsilon
	// from the point before; nil where no floor costs anything.
	Steepest *decide.Advice `json:"steepest,omitempty"`
}

// A Point is one floor. Its candidates are each the cheapest of their
// kind at this floor or a better one.
type Point struct {
	Rank  int     `json:"rank,omitempty"` // the floor, 1 to M; 0 where floors are values
	Value float64 `json:"value"`          // the floor, or the worst value at rank
	Words string  `json:"in_words"`       // what the floor promises

	Level *claim.Level `json:"level,omitempty"` // the floor, in an order with levels
	Least int          `json:"allowed"`         // outputs per record
	Most  int          `json:"allowed_most"`
	Here  string       `json:"safe_here"` // factor of the utility-safe mechanism of this very floor, not monotone

	Lower string  `json:"lower_factor"` // the least factor of any mechanism is between these
	Upper string  `json:"upper_factor"`
	From  float64 `json:"lower_nats"` // rounded down
	To    float64 `json:"upper_nats"` // rounded up
	Open  bool    `json:"open"`       // they are more than a relative 1e-9 apart

	Safe    *Mechanism `json:"safe"`
	Optimal *Mechanism `json:"optimal"` // of largest utility at 1.0001 times the least factor known

}

// A Mechanism is what was measured of one.
type Mechanism struct {
	At          float64 `json:"at"`     // the floor it was designed for
	Factor      string  `json:"factor"` // e^epsilon, "p/q"
	Nats        float64 `json:"nats"`   // rounded up
	WorstRank   int     `json:"worst_rank"`
	Worst       float64 `json:"worst"`
	Expected    float64 `json:"expected"`    // mean utility
	Information float64 `json:"information"` // mutual information, in nats
	Guess       float64 `json:"guess"`       // chance that the best guess is right after the output is seen

	// by which shares of the file's records are off, in shares of all, rounded up; absent where there are too
	// many values
	Shift *float64 `json:"shift,omitempty"`

	// Unchanged says that every output that occurs has one possible value: the
	// data would be published as they are, up to names. Nothing says that the
	// output tells nothing about the input.
	Unchanged bool `json:"unchanged"`
	Nothing   bool `json:"tells_nothing"`
}

// New searches the floors, the coarse shape first, and then the best floors for some
// epsilons, all within o.SolveTime, and writes o.Page where it is named.
func New(ctx context.Context, o request.Options) (f *Frontier, err error) {
	if err := count.Check(&o, "frontier", false); err != nil {
		return nil, err
	}
	o = o.Traded()
	var path []string
	if o.Page != "" {
		path = []string{o.Page}
	}
	study, err := o.Study()
	if err != nil {
		return nil, err
	}
	prior, err := o.PriorRule()
	if err != nil {
		return nil, err
	}
	w, err := count.NewStudy(ctx, study, path...)
	if err != nil {
		return nil, err
	}
	defer w.End(&err)
	if w.Domain.Letters.Len() == 0 {
		return nil, fault.New(fault.Input, "there is nothing to privatize", "the column has no values")
	}
	v := &survey{o: &o, d: w.Domain, limit: o.Limit()}
	if o.Strata != "" && v.shows() {
		if v.grouped, err = v.inGroups(ctx, w); err != nil {
			return nil, err
		}
	}
	if err := count.UsePrior(ctx, prior, w.Domain, w.Source); err != nil {
		return nil, err
	}
	if v.grouped == nil {
		w.Domain.Groups = []plan.Group{{Prior: w.Domain.Prior, Sample: w.Domain.Sample}}
		v.grouped = w.Domain
	}
	v.order, err = decide.Order(ctx, o.Order(), w.Domain)
	if err != nil {
		return nil, count.Lacking(ctx, w.Domain, w.Source, err)
	}
	if err := v.giveWay(); err != nil {
		return nil, err
	}
	if err := decide.FitsMemory(v.order, o.ByValue(), false); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{v.search, v.choose} {
		if err := decide.Interruptible(ctx, func() error { return step(ctx) }); err != nil {
			return nil, err
		}
	}
	if len(path) == 0 {
		return v.f, nil
	}
	var data []byte
	if err := decide.Interruptible(ctx, func() (err error) {
		data, err = v.page(ctx)
		return err
	}); err != nil {
		return nil, err
	}
	if err := w.Files[0].Fill(data); err != nil {
		return nil, err
	}
	return v.f, w.Set.Commit()
}

// inGroups is what was counted with the groups that the next command asks for.
func (v *survey) inGroups(ctx context.Context, w *count.Study) (*count.Domain, error) {
	asked, err := v.o.Next().At("1", "", nil, nil).Decision() // on which no group depends
	if err != nil {
		return nil, err
	}
	d := *w.Domain
	return &d, d.Group(ctx, asked, w.Source)
}
