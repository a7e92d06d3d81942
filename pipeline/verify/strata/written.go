package strata

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
	"github.com/tacet-privacy/tacet/pipeline/verify/written"
)

// CompareStrata reads the strata column beside input and output, and holds
// every record to the mechanism of its stratum.
func CompareStrata(ctx context.Context, v *subject.View, q document.Request, f *pair.Files) error {
	const name = "strata of records"
	s := v.Plan.Strata
	if s == nil {
		return nil
	}
	at := f.Out
	if !slices.Contains(f.Out.Columns(), s.Of) {
		at = f.In
	}
	switch {
	case v.Strata == nil || v.Report.Strata == nil || v.Pairs == nil:
		v.Skip(name, "the strata of the plan, or the records, are not known")
		return nil
	case f.In == nil:
		v.Skip(name, "no input")
		return nil
	}
	beside, err := cells.OpenBeside(at.Disk, at.Size, s.Of)
	if err != nil {
		var e *cells.Error
		if errors.As(err, &e) {
			v.Skip(name, "the strata column cannot be read: "+e.What)
			return nil
		}
		return err
	}
	if names, _ := calendar(s.Function); s.Function != "" && (names == nil || slices.Contains([]cells.Kind{cells.Text, cells.Binary, cells.Boolean}, beside.Type().Kind)) {
		v.Add(name, false, "the strata are said to be a part of dates, %q, of a column that holds none, or there is no such part", s.Function)
		return nil
	}
	groups, why := groupLetters(v, beside.Type())
	if why != "" {
		v.Skip(name, why)
		return nil
	}
	from, err := cells.NewLetters(f.In.Type(), v.Plan.Inputs)
	if err != nil {
		return nil // compare has said so
	}
	to, err := cells.NewLetters(f.Out.Type(), v.Plan.Outputs)
	if err != nil {
		return nil
	}
	t := newStrataTally(v)
	units := f.Out.Units()
	var next atomic.Int64
	var mu sync.Mutex
	var work sync.WaitGroup
	var failed error
	for range min(runtime.GOMAXPROCS(0), len(units)) {
		work.Go(func() {
			own := newStrataTally(v)
			err := func() error {
				for u := int(next.Add(1)) - 1; u < len(units); u = int(next.Add(1)) - 1 {
					if err := own.unit(ctx, f, at, beside, u, from, to, groups); err != nil {
						return err
					}
				}
				return nil
			}()
			mu.Lock()
			defer mu.Unlock()
			t.merge(own)
			failed = errors.Join(failed, err)
		})
	}
	work.Wait()
	if failed != nil {
		return pair.FirstError(failed)
	}
	judgeStrata(v, name, t)
	return nil
}

// groupLetters read a cell of the strata column as the place of its group.
func groupLetters(v *subject.View, t cells.Type) (l *cells.Letters, why string) {
	s := v.Plan.Strata
	rest := cells.Stranger
	var groups [][]cells.Label
	for i, g := range s.Groups {
		if groups = append(groups, g.Names); g.Rest {
			rest = int32(i)
		}
	}
	if s.Function == "" {
		l, err := cells.NewStrata(t, groups, rest)
		if err != nil {
			return nil, err.Error()
		}
		return l, ""
	}
	names, number := calendar(s.Function)
	if names == nil || t.Kind != cells.Date && t.Kind != cells.Timestamp {
		return nil, "the function of the strata column is not known, or the column is no date"
	}
	place, null := make([]int32, len(names)), rest
	for i := range place {
		place[i] = rest
	}
	for g, labels := range groups {
		for _, label := range labels {
			if label.Null {
				null = int32(g)
			} else if i := slices.Index(names, label.Text); i >= 0 {
				place[i] = int32(g)
			}
		}
	}
	return cells.NewParts(t, null, func(day, second int64) int32 { return place[number(day, second)] }), ""
}

// A strataTally counts records by group.
type strataTally struct {
	group   []*pair.Tally
	strange int64 // records in no group
}

func newStrataTally(v *subject.View) *strataTally {
	t := &strataTally{}
	n, m := len(v.Plan.Inputs), len(v.Plan.Outputs)
	for range v.Strata {
		g := &pair.Tally{Outputs: m, In: make([]int64, n), Out: make([]int64, m)}
		if n*m*len(v.Strata) <= pair.DenseCells {
			g.Dense = make([]int64, n*m)
		} else {
			g.Sparse = map[uint64]int64{}
		}
		t.group = append(t.group, g)
	}
	return t
}

func (t *strataTally) merge(u *strataTally) {
	for g := range t.group {
		t.group[g].Merge(u.group[g])
	}
	t.strange += u.strange
}

// unit reads three columns of a unit side by side.
func (t *strataTally) unit(ctx context.Context, f *pair.Files, at *pair.Opened, beside cells.File, u int, from, to, groups *cells.Letters) error {
	const rows = 4096
	readers := make([]cells.Reader, 3)
	var err error
	for i, open := range []struct {
		file    cells.File
		letters *cells.Letters
	}{{f.In, from}, {f.Out, to}, {beside, groups}} {
		if readers[i], err = open.file.Open(u, open.letters); err != nil {
			return at.Fault(err)
		}
	}
	var to3 [3][]int32
	for i := range to3 {
		to3[i] = make([]int32, rows)
	}
	for ctx.Err() == nil {
		var n [3]int
		for i, r := range readers {
			if n[i], err = pair.Fill(r, to3[i]); err != nil {
				return at.Fault(err)
			}
		}
		if n[0] != n[1] || n[0] != n[2] {
			return document.Errorf("write the file again", "%s: unit %d holds other rows than its head says", at.Path, u+1)
		}
		if n[0] == 0 {
			return nil
		}
		for i, g := range to3[2][:n[0]] {
			if g < 0 || int(g) >= len(t.group) {
				t.strange++
				continue
			}
			t.group[g].Add(to3[0][i:i+1], to3[1][i:i+1], to.IsNull)
		}
	}
	return ctx.Err()
}

// judgeStrata compares the records of every group with the plan.
func judgeStrata(v *subject.View, name string, t *strataTally) {
	var w verdict.Faults
	if t.strange > 0 {
		w.Addf("%d records are in strata that the plan does not have", t.strange)
	}
	own := big.NewRat(1, 1)
	same := true
	forbidden := int64(0)
	for g, k := range t.group {
		e := v.Strata[g]
		w.Match(v.Report.Strata.Groups[g].Written == exact.Sum(k.In), fmt.Sprintf("the number of records of group %d", g+1))
		same = same && slices.Equal(k.In, e.Count)
		for _, f := range exact.Factors(e.Rows, k.In, exact.Sum(k.In), len(v.Plan.Outputs)) {
			if f != nil && f.Cmp(own) > 0 {
				own = f
			}
		}
		k.Each(func(x, y int, n int64) {
			if _, ok := slices.BinarySearch(e.Rows[x].Output, int32(y)); !ok {
				forbidden += n
			}
		})
		one := subject.View{Plan: v.Plan, Rows: e.Rows, Pairs: k}
		if fit := written.FitPairs(&one); !fit.Accepted() && exact.Sum(k.In) > 0 {
			w.Addf("the draws of group %d do not fit its mechanism: G = %.1f", g+1, 2*fit.Sum)
		}
	}
	if forbidden > 0 {
		w.Addf("%d records were replaced by something that their stratum does not allow", forbidden)
	}
	switch r := v.Report.Prior; {
	case same:
		w.Match(r.Own == "", "a factor of its own for counts that are the plan's, which")
	case r.Of != "the plan":
		w.Addf("the records of the strata are not those of the plan")
	default:
		w.Match(r.Own == own.RatString() && exact.Nats(r.OwnNats, own), "the factor relative to the strata of this file")
	}
	v.Settle(name, w, "the records of %d groups, each replaced by what its mechanism allows, and as often (false alarm rate %g each)", len(t.group), written.Alarm)
}
