package pipeline

import (
	"bytes"
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
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	recovered "github.com/tacet-privacy/tacet/pipeline/recover"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A Simulation is what analysts would get of a column, design by design. It is as
// confidential as its counts.
type Simulation struct {
	Column   string      `json:"column,omitempty"`
	Strata   string      `json:"strata,omitempty"` // within which epsilon is kept, too
	Records  int64       `json:"records"`
	Values   int         `json:"values"`
	Unit     string      `json:"unit,omitempty"` // of utilities
	Level    float64     `json:"level"`          // of intervals
	Releases int         `json:"releases"`       // simulated of every design
	Seed     uint64      `json:"seed"`
	Designs  []Simulated `json:"designs"`
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
	Cross   *Cross    `json:"cross_table,omitempty"` // with the column of --by

	shift *big.Rat
}

// A Cross is a table of another column, which stays as it is, and the published one.
type Cross struct {
	By      string  `json:"by"`
	Parts   int     `json:"values"`       // of the other column
	Shift   string  `json:"shift"`        // exact: the most that any set of cells is off by, a share of all records
	Largest float64 `json:"largest_cell"` // the most that one cell is off by

	shift *big.Rat
}

// Points are the shift in points of all records, rounded up.
func (c *Cross) Points() string { return decide.Points(c.shift) }

// An Outcome is of the share of a value, or group, among all records.
type Outcome struct {
	Group   bool    `json:"group,omitempty"`
	Name    string  `json:"name"`      // "value 3 of 120" where no file of the user lists it
	Share   float64 `json:"share"`     // in the data
	Counted float64 `json:"published"` // expected
	Bias    float64 `json:"bias"`
	Error   float64 `json:"standard_error"` // of the plain count
	// half the width of the plain count's interval, whose limit is --max-shift, and how often it covers
	Plain       float64  `json:"plain_interval"`
	PlainCovers *float64 `json:"plain_covers"` // nil where no release was simulated

	Method string   `json:"recovered"` // "estimate", "range" or "none"
	Half   *float64 `json:"interval"`  // half the width of the estimate's interval
	Low    *float64 `json:"least"`     // of the range
	High   *float64 `json:"most"`
	Covers *float64 `json:"interval_covers"`
	Cell   *float64 `json:"cell_interval,omitempty"` // half the widest of the cells of the cross-table
}

// How a share is recovered.
const (
	ByEstimate = "estimate"
	ByRange    = "range"
	ByNothing  = "none"
)

// Intervals of simulations have this level, and releases come from this seed.
const (
	simulatedLevel = .95
	simulatedSeed  = 1
)

// Simulate designs what o asks for at every epsilon and limit of the shift, and tells
// what analysts would get of each. It fails where no design can be reached.
func Simulate(ctx context.Context, o request.Options) (out *Simulation, err error) {
	if err := count.Check(o.Presumed("simulate", false)); err != nil {
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
	study, err := o.Crossed().Study()
	if err != nil {
		return nil, err
	}
	var plot []string
	if o.Plot != "" {
		plot = append(plot, o.Plot)
	}
	w, err := count.NewStudy(ctx, study, plot...)
	if err != nil {
		return nil, err
	}
	defer w.End(&err)
	s, err := newSimulator(ctx, w, asked[0], o.Simulation, o.Recovery)
	if err != nil {
		return nil, err
	}
	d := w.Domain
	out = &Simulation{Column: d.Counted.Column, Strata: asked[0].Strata.String(), Records: s.records.Total(),
		Values: d.Letters.Len(), Level: simulatedLevel, Releases: o.Releases, Seed: simulatedSeed}
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
			return nil, count.Lacking(ctx, a.Unlisted, d, w.Source, err)
		default:
			out.Unit = p.Spec.Unit
			if one.Prospect, err = s.prospect(ctx, p, a.Limit()); err != nil {
				return nil, err
			}
		}
		out.Designs = append(out.Designs, one)
		o.Pace().Tell("simulating", int64(i+1), int64(len(asked)))
	}
	if !slices.ContainsFunc(out.Designs, func(d Simulated) bool { return d.Prospect != nil }) {
		return nil, none
	}
	if plot == nil {
		return out, nil
	}
	var svg bytes.Buffer
	if err := out.picture().WriteSVG(&svg); err != nil {
		return nil, err
	}
	if err := w.Files[0].Fill(svg.Bytes()); err != nil {
		return nil, err
	}
	return out, w.Set.Commit()
}

// picture shows the truth and the two intervals about each share, design by design.
func (s *Simulation) picture() *page.Intervals {
	out := &page.Intervals{Name: "What analysts would get of " + cmp.Or(s.Column, "the column"), Records: s.Records}
	for i := range s.Designs {
		d := &s.Designs[i]
		of := page.IntervalsOf{Head: d.Asked(), Words: d.Unreachable}
		if d.Prospect == nil {
			out.Designs = append(out.Designs, of)
			continue
		}
		of.Words = fmt.Sprintf("rank %d of %d, shares off by up to %s points", d.Rank, d.Outputs, d.Points())
		for _, f := range d.Shares {
			one := page.Interval{Name: f.Name, True: f.Share, Low: f.Counted - f.Plain, High: f.Counted + f.Plain}
			switch f.Method {
			case ByEstimate:
				one.Told, one.Least, one.Most = true, f.Share-*f.Half, f.Share+*f.Half
			case ByRange:
				one.Told, one.Least, one.Most = true, *f.Low, *f.High
			}
			of.Shares = append(of.Shares, one)
		}
		out.Designs = append(out.Designs, of)
	}
	return out
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
	domain        *count.Domain
	may           func(x int) bool // be named
	records       mechanism.Prior
	top, releases int
	groups        []string // that are told of, and their values
	members       map[string][]report.Label
	crossing      *count.Crossing // with the other column of a cross-table; nil for none
}

// newSimulator is for the records of a study, of which the shares that are asked for are told.
func newSimulator(ctx context.Context, w *count.Study, asked *request.Decision, of request.Simulation,
	shares request.Recovery) (*simulator, error) {
	d := w.Domain
	s := &simulator{domain: d, may: d.Nameable(asked.Order), top: of.Top, releases: of.Releases}
	var err error
	if shares.Group != "" {
		if s.groups, s.members, err = recovered.ReadGroups(shares.Group); err != nil {
			return nil, err
		}
	}
	if shares.By != nil {
		if s.crossing, err = w.Cross(ctx, shares.By[0]); err != nil {
			return nil, err
		}
	}
	if err := d.Group(ctx, asked, w.Source); err != nil {
		return nil, err
	}
	if s.records = d.Sample; s.records.Total() == 0 {
		return nil, fault.New(fault.Input, "count some records first", "the column has no values to simulate")
	}
	return s, nil
}

// prospect looks at a plan with a limit of the shift, nil for none.
func (s *simulator) prospect(ctx context.Context, p *plan.Plan, limit *big.Rat) (*Prospect, error) {
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
		off = report.FloatUp(limit)
	}
	stands := plan.Stands(p.Inputs, p.Outputs)
	names, sets := s.commonest(stands)
	values := len(sets)
	groups, of, err := s.grouped(p)
	if err != nil {
		return nil, err
	}
	names, sets = append(names, groups...), append(sets, of...)
	all, err := o.Forecast(sets, simulatedLevel, off)
	if err != nil {
		return nil, err
	}
	if err := o.Repeat(ctx, sets, all, simulatedLevel, off, s.releases, simulatedSeed); err != nil {
		return nil, err
	}
	for i := range all {
		if out.Apart && !s.domain.Shown {
			all[i].Told, all[i].Lost = false, true // no row tells which mechanism drew it
		}
		one := outcome(names[i], &all[i], s.releases > 0)
		one.Group, one.Cell = i >= values, s.widest(o, &all[i], sets[i])
		out.Shares = append(out.Shares, one)
	}
	if s.crossing != nil {
		out.Cross = s.table(laws[0], stands) // there are no strata
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

// widest is half the widest interval of a set in a part; nil where there is none.
func (s *simulator) widest(o *estimate.Outlook, f *estimate.Forecast, set estimate.Set) (most *float64) {
	if s.crossing == nil {
		return nil
	}
	for _, part := range s.crossing.Parts {
		if half, ok := o.Cell(f, set, part, simulatedLevel); ok && (most == nil || half > *most) {
			most = &half
		}
	}
	return most
}

// table tells how far the cells of a cross-table are off.
func (s *simulator) table(m *mechanism.Mechanism, stands []int) *Cross {
	out := &Cross{By: s.crossing.By, Parts: len(s.crossing.Parts)}
	out.shift, out.Largest = s.crossing.Off(m, stands)
	out.Shift = out.shift.RatString()
	return out
}

// grouped are the groups that have values of the column.
func (s *simulator) grouped(p *plan.Plan) (names []string, sets []estimate.Set, err error) {
	at := func(all []report.Label, of []report.Label) (places []int) {
		for i, l := range all {
			if slices.Contains(of, l) {
				places = append(places, i)
			}
		}
		return places
	}
	for _, g := range s.groups {
		set := estimate.Set{Letters: at(p.InputLabels(), s.members[g]), Outputs: at(p.OutputLabels(), s.members[g])}
		if set.Letters != nil || set.Outputs != nil {
			names, sets = append(names, g), append(sets, set)
		}
	}
	if s.members != nil && sets == nil {
		return nil, nil, fault.New(fault.Input, "name values of the column in it", "the file of --group names no "+
			"value of the column")
	}
	return names, sets, nil
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

func outcome(name string, f *estimate.Forecast, simulated bool) Outcome {
	out := Outcome{Name: name, Share: f.Share, Counted: f.Counted, Bias: f.Bias(), Error: f.Error, Plain: f.Plain,
		Method: ByRange}
	half := f.Width / 2
	switch {
	case f.Told:
		out.Method, out.Half = ByEstimate, &half
	case f.Lost || f.Least <= 0 && f.Most >= 1:
		out.Method = ByNothing
	default:
		out.Low, out.High = &f.Least, &f.Most
	}
	if simulated {
		if out.PlainCovers = &f.PlainCovers; f.Told {
			out.Covers = &f.Covers
		}
	}
	return out
}

// Points are a share in points of all records, rounded up.
func (p *Prospect) Points() string { return decide.Points(p.shift) }
