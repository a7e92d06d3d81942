// Package tacetbeam redraws a private field of the rows of an Apache Beam pipeline: Count
// counts it, tacet design makes a plan of the counts, and Privatize follows that plan. Rows
// come and go as PCollections of a struct; no file is read or written but counts, plan and
// key. It is a module of its own, since Beam is ten times tacet's own libraries.
package tacetbeam

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/records"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Options are what Privatize follows. Runners log them: they hold names and paths, and
// nothing that is secret.
type Options struct {
	Field string   // that is private: text, a whole number or a boolean; a pointer where it may be null
	ID    []string // fields that name a record together; no two rows have the same
	Plan  string   // plan.json, with order.csv beside it, on every worker
	Key   string   // a draw key of tacet key new, on every worker
}

// A Check is what was held to the plan over all rows, or what nobody held to anything.
type Check struct{ Name, Verdict, Detail string }

// NotChecked is the verdict of what the transform does not look at.
const NotChecked = "not checked"

// Privatize redraws a field of every row. A row's output is a function of key, plan, its ID and
// its value: a bundle that is tried again gives the same rows. No row goes on before all of
// them were counted and held to the plan; what fails a check fails the pipeline. It panics, as
// Beam does, where rows have no such fields.
func Privatize(s beam.Scope, rows beam.PCollection, o Options) (published, checks beam.PCollection) {
	s = s.Scope("tacet.Privatize")
	for _, name := range append([]string{o.Field}, o.ID...) {
		if _, _, err := column(rows.Type().Type(), name); err != nil {
			panic(fmt.Errorf("tacetbeam.Privatize: %w", err))
		}
	}
	if len(o.ID) == 0 || slices.Contains(o.ID, o.Field) {
		panic(errors.New("tacetbeam.Privatize: ID needs fields that name a record, other than the private one"))
	}
	pairs, names := beam.ParDo2(s, &tally{drawer{Options: o}}, rows)
	again := beam.ParDo(s, &repeated{}, stats.Count(s, names))
	checks = beam.ParDo(s, &judge{o}, beam.Impulse(s), beam.SideInput{Input: stats.Count(s, pairs)},
		beam.SideInput{Input: again})
	return beam.ParDo(s, &redraw{drawer{Options: o}}, rows, beam.SideInput{Input: checks}), checks
}

func init() {
	beam.RegisterType(reflect.TypeFor[*tally]())
	beam.RegisterType(reflect.TypeFor[*redraw]())
	beam.RegisterType(reflect.TypeFor[Check]())
	register.DoFn3x0[string, int, func(int)](&repeated{})
	register.DoFn4x1[[]byte, func(*int64, *int) bool, func(*int) bool, func(Check), error](&judge{})
	register.Iter2[int64, int]()
	register.Iter1[int]()
	register.Iter1[Check]()
	register.Emitter1[int64]()
	register.Emitter1[int]()
	register.Emitter1[string]()
	register.Emitter1[Check]()
}

// load is the plan, proven anew, where it is one that rows alone can be drawn by.
func (o *Options) load() (*plan.Plan, error) {
	p, err := decide.LoadPlan(o.Plan)
	if err == nil && (p.Empty() || p.Bins != nil || p.Given.Column != "") {
		err = fmt.Errorf("%s has bins, strata or no value: only tacet itself draws by it", o.Plan)
	}
	return p, err
}

// A drawer draws rows, one after the other.
type drawer struct {
	Options
	plan  *plan.Plan
	place map[report.Label]int // of values
	to    []report.Label
	by    *draw.Drawer
	named *draw.Namer
	id    draw.ID
}

// Setup reads plan and key.
func (d *drawer) Setup() (err error) {
	if d.plan, err = d.load(); err != nil {
		return err
	}
	k, err := key.Read(d.Key, key.Draw, "Key")
	if err != nil {
		return err
	}
	design, err := publish.Digest(d.plan.DesignHash)
	if err != nil {
		return err
	}
	d.place, d.to = d.plan.Places(), d.plan.OutputLabels()
	d.by = draw.NewKeyed(draw.KeyOf([32]byte(k.Secret())), draw.Binding{Unit: draw.Record, Design: design,
		Column: d.plan.Column}, d.plan.Mechanism()).Drawer()
	d.named = draw.NewNames(draw.KeyOf([32]byte(k.History())), draw.Record, "", d.plan.Column).Namer()
	return nil
}

// draw gives the letter of a row and its output, which the plan allows; -1 for a null that is public.
func (d *drawer) draw(row reflect.Value) (x, y int32, err error) {
	if err := identify(&d.id, row, d.ID); err != nil {
		return 0, 0, err
	}
	l := label(row, d.Field)
	if l.Null && d.plan.Null == "public" {
		return -1, -1, nil
	}
	at, known := d.place[l]
	if !known {
		return 0, 0, fmt.Errorf("field %s has a value that the plan lacks: make a plan of the counts of these rows", d.Field)
	}
	x = int32(at)
	y = d.by.Draw(&d.id, x)
	if _, allowed := slices.BinarySearch(d.plan.Mechanism().Row(at).Output, uint16(y)); !allowed {
		return 0, 0, fmt.Errorf("field %s would have an output that the plan forbids", d.Field)
	}
	return x, y, nil
}

// tally draws rows to count them: pairs of letter and output, and records by a keyed name.
type tally struct{ drawer }

func (t *tally) ProcessElement(row beam.X, pair func(int64), name func(string)) error {
	x, y, err := t.draw(reflect.ValueOf(row))
	if err != nil {
		return err
	}
	own := t.named.Name(&t.id)
	pair(int64(x)<<32 | int64(uint32(y)))
	name(string(own[:]))
	return nil
}

// repeated tells of a name that several rows have.
type repeated struct{}

func (*repeated) ProcessElement(_ string, n int, tell func(int)) {
	if n > 1 {
		tell(n)
	}
}

// judge holds what was counted to the plan, on one worker.
type judge struct{ Options }

func (j *judge) ProcessElement(_ []byte, pairs func(*int64, *int) bool, repeated func(*int) bool,
	tell func(Check)) error {
	p, err := j.load()
	if err != nil {
		return err
	}
	var n int
	if repeated(&n) {
		return fmt.Errorf("%d rows have one ID: name fields by which every row is another record", n)
	}
	given := make([]int64, p.Inputs.Len())
	of := map[[2]int]int64{}
	c := records.Counted{Units: 1, Each: func(_ int, count func(x, y int, n int64)) {
		for xy, n := range of {
			count(xy[0], xy[1], n)
		}
	}}
	for pair := int64(0); pairs(&pair, &n); {
		if c.Rows += int64(n); pair < 0 {
			c.Nulls += int64(n)
			continue
		}
		x, y := int(pair>>32), int(int32(pair))
		of[[2]int{x, y}], given[x] = int64(n), given[x]+int64(n)
	}
	q, err := decide.Under(p, [][]int64{given})
	if err != nil {
		return err
	}
	factor := q.Factor()
	if q.Also() != nil { // priors of other counts than these
		if own := q.Sampled().Factor(); own.Cmp(factor) > 0 {
			factor = own
		}
	}
	s := q.Shares
	if !q.Epsilon.Admits(factor) || q.Keeps() && !q.Kept() || s != nil && s.Limit != nil && s.Shift.Cmp(s.Limit) > 0 {
		return errors.New("the plan does not keep what it promises under the counts of these rows: make a plan of them")
	}
	_, judged, err := records.Recounted(q, c)
	if err != nil {
		return err
	}
	tell(Check{"epsilon", "passed", fmt.Sprintf("the factor is at most %s under the counts of %d rows",
		report.FactorUp(factor), c.Rows)})
	for _, one := range judged {
		if one.Name != "rows" { // which tells of a file
			tell(Check{one.Name, "passed", one.Detail})
		}
	}
	tell(Check{"other fields", NotChecked, "whether they tell the private one: tacet inspect looks at a file of the rows"})
	tell(Check{"written rows", NotChecked, "tacet verify reads what a sink wrote, with a release of tacet run"})
	return nil
}

// redraw draws rows once all of them were held to the plan.
type redraw struct{ drawer }

func (r *redraw) ProcessElement(row beam.X, _ func(*Check) bool) (beam.X, error) {
	was := reflect.ValueOf(row)
	_, y, err := r.draw(was)
	if err != nil || y < 0 {
		return row, err
	}
	out := reflect.New(was.Type()).Elem()
	out.Set(was)
	err = put(out, r.Field, r.to[y]) // before Interface, which copies
	return out.Interface(), err
}
