package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	recovered "github.com/tacet-privacy/tacet/pipeline/recover"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A Simulation is what analysts would get of a column, design by design. It is as
// confidential as its counts.
type Simulation struct {
	Column  string      `json:"column,omitempty"`
	Strata  string      `json:"strata,omitempty"` // within which epsilon is kept, too
	Records int64       `json:"records"`
	Values  int         `json:"values"`
	Unit    string      `json:"unit,omitempty"` // of utilities
	Level   float64     `json:"level"`          // of intervals
	Designs []Simulated `json:"designs"`
}

// A Simulated design has figures, or says why it cannot be reached.
type Simulated struct {
	Epsilon     string `json:"epsilon,omitempty"` // as asked for, this or MaxFactor
	MaxFactor   string `json:"max_factor,omitempty"`
	MaxShift    string `json:"max_shift,omitempty"` // "" sets no limit
	Unreachable string `json:"unreachable,omitempty"`
	*Prospect          // nil where it is unreachable
}

// A Prospect is what a design keeps, and lets analysts find.
type Prospect struct {
	Rank    int       `json:"floor_rank"` // the worst that can occur
	Floor   float64   `json:"floor_value"`
	Words   string    `json:"floor_in_words"`
	Mean    float64   `json:"mean_utility"`
	Shift   string    `json:"shift"` // exact, a share of all records
	Used    int       `json:"values_in_use"`
	Outputs int       `json:"outputs"`
	Apart   bool      `json:"strata_apart,omitempty"` // each stratum has a mechanism of its own
	Told    int       `json:"rank"`                   // the least of all strata: as many as values, all are estimated
	Shares  []Outcome `json:"shares"`

	shift *big.Rat
}

// An Outcome is of the share of a value, or group, among all records.
type Outcome struct {
	Group   bool    `json:"group,omitempty"`
	Name    string  `json:"name"`      // "value 3 of 120" where no file of the user lists it
	Share   float64 `json:"share"`     // in the data
	Counted float64 `json:"published"` // expected
	Bias    float64 `json:"bias"`
	Error   float64 `json:"standard_error"` // of the plain count
	// half the width of the plain count's interval, whose limit is --max-shift, and the part of releases in
	// which it holds the share, by the normal law
	Plain       float64 `json:"plain_interval"`
	PlainCovers float64 `json:"plain_covers"`

	Half *float64 `json:"interval"` // half the width of the estimate's interval; nil where there is none
}

// simulatedLevel is that of intervals.
const simulatedLevel = .95

// Simulate designs what o asks for at every epsilon and limit of the shift, and tells
// what analysts would get of each. It fails where no design can be reached.
func Simulate(ctx context.Context, o request.Options) (out *Simulation, err error) {
	if err := count.Check(&o, "simulate", false); err != nil {
		return nil, err
	}
	var asked []*request.Decision
	designs := o.Designs()
	for _, d := range designs {
		a, err := d.Decision()
		if err != nil {
			return nil, err
		}
		asked = append(asked, a)
	}
	study, err := o.Study()
	if err != nil {
		return nil, err
	}
	w, err := count.NewStudy(ctx, study)
	if err != nil {
		return nil, err
	}
	defer w.End(&err)
	s, err := newSimulator(ctx, w, asked[0], o.Top, o.Group)
	if err != nil {
		return nil, err
	}
	d := w.Domain
	out = &Simulation{Column: d.Counted.Column, Strata: asked[0].Strata.Column, Records: s.records.Total(),
		Values: d.Letters.Len(), Level: simulatedLevel}
	var none error
	for i, a := range asked {
		one := Simulated{Epsilon: designs[i].Epsilon, MaxFactor: designs[i].MaxFactor, MaxShift: designs[i].Limit()}
		if a.Limit() == nil { // the default gave way
			one.MaxShift = ""
		}
		p, err := decide.Plan(ctx, a, d)
		var f *fault.Fault
		switch {
		case errors.As(err, &f) && f.Class == fault.Privacy:
			one.Unreachable, none = f.What+"; "+f.Hint, cmp.Or(none, err)
		case err != nil:
			return nil, count.Lacking(ctx, d, w.Source, err)
		default:
			out.Unit = p.Spec.Unit
			if one.Prospect, err = s.prospect(p, a.Limit()); err != nil {
				return nil, err
			}
		}
		out.Designs = append(out.Designs, one)
		o.Pace().Tell("simulating", int64(i+1), int64(len(asked)))
	}
	if !slices.ContainsFunc(out.Designs, func(d Simulated) bool { return d.Prospect != nil }) {
		return nil, none
	}
	return out, nil
}

// Asked is what a design was asked for, in words.
func (d *Simulated) Asked() string {
	head := "epsilon " + d.Epsilon
	if d.Epsilon == "" {
		head = "factor " + d.MaxFactor
	}
	if d.MaxShift == "" {
		return head + ", no limit of the shift"
	}
	return head + ", shift at most " + d.MaxShift
}

// A simulator looks at designs for the same records.
type simulator struct {
	domain  *count.Domain
	may     func(x int) bool // be named
	records mechanism.Prior
	top     int    // commonest values that are told of
	group   string // file of groups that are told of, "" for none
}

// newSimulator is for the records of a study, of which the shares that are asked for are told.
func newSimulator(ctx context.Context, w *count.Study, asked *request.Decision, top int,
	group string) (*simulator, error) {
	d := w.Domain
	s := &simulator{domain: d, may: d.Nameable(asked.Order), top: top, group: group}
	if err := d.Group(ctx, asked, w.Source); err != nil {
		return nil, err
	}
	if s.records = d.Sample; s.records.Total() == 0 {
		return nil, fault.New(fault.Input, "count some records first", "the column has no values to simulate")
	}
	return s, nil
}

// prospect looks at a plan with a limit of the shift, nil for none.
func (s *simulator) prospect(p *plan.Plan, limit *big.Rat) (*Prospect, error) {
	laws, _ := p.Laws()
	counted := p.Counted()
	if n := p.Inputs.Len(); len(laws)*n*p.Outputs.Len() > recovered.MostCells {
		return nil, fault.New(fault.Input, "simulate a column of groups; tacet frontier tells what floors cost",
			"%d values and %d outputs are too many: estimates are made for %d pairs at most", n, p.Outputs.Len(),
			recovered.MostCells)
	}
	channels, records := s.parts(p)
	out := &Prospect{Rank: p.Rank, Floor: p.Value, Words: p.Words, Mean: p.Expected, Shift: counted.Shift.RatString(),
		Used: counted.Used, Outputs: p.Outputs.Len(), Apart: len(laws) > 1, Told: p.Inputs.Len(), shift: counted.Shift}
	for _, c := range channels {
		out.Told = min(out.Told, c.Rank())
	}
	o, err := estimate.NewOutlook(channels, records)
	if err != nil {
		return nil, err
	}
	off := 0.0
	if limit != nil {
		off = mechanism.FloatUp(limit)
	}
	names, sets := s.commonest(plan.Stands(p.Inputs, p.Outputs))
	values := len(sets)
	if s.group != "" {
		groups, err := recovered.Groupings(s.group, p.InputLabels(), p.OutputLabels())
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			names, sets = append(names, g.Label.Text), append(sets, g.Set)
		}
	}
	all, err := o.Forecast(sets, simulatedLevel, off)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if out.Apart && !s.domain.Shown {
			all[i].Told = false // no row tells which mechanism drew it
		}
		one := outcome(names[i], &all[i])
		one.Group = i >= values
		out.Shares = append(out.Shares, one)
	}
	return out, nil
}

// parts are the mechanisms of a plan, made ready for estimates, and the records that each
// draws: all where it is one.
func (s *simulator) parts(p *plan.Plan) (channels []*estimate.Channel, records []mechanism.Prior) {
	if m := p.Mechanism(); m != nil {
		return []*estimate.Channel{estimate.NewChannel(m)}, []mechanism.Prior{s.records}
	}
	for i, g := range p.Groups {
		channels, records = append(channels, estimate.NewChannel(g.Mechanism)), append(records, p.RecordsOf(i))
	}
	return channels, records
}

// commonest are the commonest values, with the outputs that stand for them.
func (s *simulator) commonest(stands []int) (names []string, sets []estimate.Set) {
	order := make([]int, s.records.Letters())
	for x := range order {
		order[x] = x
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.records.Count(b), s.records.Count(a)) })
	for _, x := range order[:min(s.top, len(order))] {
		set := estimate.Set{Letters: []int{x}}
		for y, z := range stands {
			if z == x {
				set.Outputs = append(set.Outputs, y)
			}
		}
		names, sets = append(names, s.name(x)), append(sets, set)
	}
	return names, sets
}

// name is that of a letter where it may be told, else its number.
func (s *simulator) name(x int) string {
	if s.may(x) {
		return s.domain.Letters.Label[x]
	}
	return fmt.Sprintf("value %d of %d", x+1, s.domain.Letters.Len())
}

func outcome(name string, f *estimate.Forecast) Outcome {
	out := Outcome{Name: name, Share: f.Share, Counted: f.Counted, Bias: f.Bias(), Error: f.Error, Plain: f.Plain,
		PlainCovers: f.Covers}
	if half := f.Width / 2; f.Told {
		out.Half = &half
	}
	return out
}

// Points are a share in points of all records, rounded up.
func (p *Prospect) Points() string { return decide.Points(p.shift) }
