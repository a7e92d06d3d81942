package mechanism

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A strataTally counts records by group.
type strataTally struct {
	group   []*document.Tally
	strange int64 // records in no group
}

// CompareStrata reads the strata column beside input and output, and holds
// every record to the mechanism of its stratum.
func CompareStrata(ctx context.Context, v *document.View, q document.Request, f *document.Files) error {
	const name = "strata of records"
	s := v.Plan.Given
	if s.Of == "" {
		return nil
	}
	at := f.Out
	if !slices.Contains(f.Out.Columns(), s.Of) || v.Back != nil {
		at = f.In
	}
	switch {
	case v.Groups == nil || !v.Report.Has("strata") || v.Pairs == nil:
		v.Skip(name, "the strata of the plan, or the records, are not known")
		return nil
	}
	if why, ok := v.Paired(f); !ok {
		v.Skip(name, why)
		return nil
	}
	beside, err := at.Beside(s.Of)
	if err != nil {
		var e *files.Error
		if errors.As(err, &e) {
			v.Skip(name, "the strata column cannot be read: "+e.What)
			return nil
		}
		return err
	}
	if names, _ := calendar(s.Function); s.Function != "" && (names == nil ||
		slices.Contains([]files.Kind{files.Text, files.Binary, files.Boolean}, beside.Type().Kind)) {
		v.Add(name, false, "the strata are said to be a part of dates, %q, of a column that holds none, or there is no "+
			"such part", s.Function)
		return nil
	}
	groups, why := groupLetters(v, beside.Type())
	if why != "" {
		v.Skip(name, why)
		return nil
	}
	from, err := files.NewLetters(f.In.Type(), v.Plan.Inputs)
	if err != nil {
		return nil // compare has said so
	}
	to, err := files.NewLetters(f.Out.Type(), v.Plan.Outputs)
	if err != nil {
		return nil
	}
	begin := func() *strataTally { return newStrataTally(v, f.Out.Rows()) }
	t := begin()
	units := f.Out.Units()
	err = document.EachUnit(len(units), begin,
		func(own *strataTally, u int) error {
			return own.unit(ctx, u, document.Side{Of: f.In, By: from}, document.Side{Of: f.Out, By: to},
				document.Side{Of: beside, By: groups})
		}, t.merge)
	if err != nil {
		return err
	}
	judgeStrata(v, name, t)
	return nil
}

// OpenGroups open the strata column beside a private one of the input; its cells are read
// as the places of groups. It is nil where the plan has no strata.
func OpenGroups(v *document.View, o *document.Opened) (*document.Opened, *files.Letters, error) {
	if v.Plan.Given.Of == "" {
		return nil, nil, nil
	}
	beside, err := o.Beside(v.Plan.Given.Of)
	if err != nil {
		return nil, nil, err
	}
	groups, why := groupLetters(v, beside.Type())
	if why != "" {
		return nil, nil, document.Errorf("name the input of this release", "%s: %s", o.Path, why)
	}
	return beside, groups, nil
}

// groupLetters read a cell of the strata column as the place of its group.
func groupLetters(v *document.View, t files.Type) (l *files.Letters, why string) {
	s, rest := v.Plan.Given, files.Stranger
	var groups [][]files.Label
	for i, g := range v.Plan.Groups {
		if groups = append(groups, g.Names); g.Rest {
			rest = int32(i)
		}
	}
	if s.Function == "" {
		l, err := files.NewStrata(t, groups, rest)
		if err != nil {
			return nil, err.Error()
		}
		return l, ""
	}
	names, number := calendar(s.Function)
	if names == nil || t.Kind != files.Date && t.Kind != files.Timestamp {
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
	return files.NewParts(t, null, func(day, second int64) int32 { return place[number(day, second)] }), ""
}

func newStrataTally(v *document.View, rows int64) *strataTally {
	t := &strataTally{}
	for range v.Groups {
		t.group = append(t.group, document.NewTally(len(v.Plan.Inputs), len(v.Plan.Outputs), rows/int64(len(v.Groups))))
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
func (t *strataTally) unit(ctx context.Context, unit int, in, out, strata document.Side) error {
	return document.Abreast(ctx, unit, []document.Side{in, out, strata}, func(block [][]int32) error {
		for i, g := range block[2] {
			if g < 0 || int(g) >= len(t.group) {
				t.strange++
				continue
			}
			t.group[g].Add(block[0][i:i+1], block[1][i:i+1], out.By.IsNull)
		}
		return nil
	})
}

// judgeStrata compares the records of every group with the plan.
func judgeStrata(v *document.View, name string, t *strataTally) {
	var w document.Faults
	if t.strange > 0 {
		w.Addf("%d records are in strata that the plan does not have", t.strange)
	}
	var now []crowd
	same, beyond := true, false
	var written []int64
	forbidden := int64(0)
	for g, k := range t.group {
		e := v.Groups[g]
		written = append(written, exact.Sum(k.In))
		same = same && slices.Equal(k.In, e.Sample)
		for x, c := range k.In {
			beyond = beyond || c > e.Sample[x]
		}
		now = append(now, crowd{e.Rows, k.In})
		k.Each(func(x, y int, n int64) {
			if e.Rows[x].Of(int32(y)) == 0 {
				forbidden += n
			}
		})
		one := document.View{Plan: v.Plan, Rows: e.Rows, Pairs: k}
		if fit := FitPairs(&one); !fit.Accepted() && exact.Sum(k.In) > 0 {
			w.Addf("the draws of group %d do not fit its mechanism: G = %.1f", g+1, 2*fit.Sum)
		}
	}
	if forbidden > 0 {
		w.Addf("%d records were replaced by something that their stratum does not allow", forbidden)
	}
	for g, s := range v.Report.List("strata.groups") {
		if g < len(written) {
			document.Some(&w, fmt.Sprintf("strata.groups[%d]", g), s, Figures{"written": written[g]})
		}
	}
	switch {
	case v.Report.Has("prior.part"):
		own := promisedTo(v, now)
		v.Expect(&w, Figures{"prior.part.factor": own, "prior.part.nats": own})
		if beyond {
			w.Addf("the file has records of a stratum that the plan does not count, and is no part of its data")
		}
	case !same:
		w.Addf("the records of the strata are not those that the report or the plan counts")
	}
	v.Settle(name, w, "the records of %d groups, each replaced by what its mechanism allows, and as often (false alarm "+
		"rate %g each)", len(t.group), Alarm)
}

// calendar has the names of the parts of a function of a date, and the number
// of the part; nil for a function that is not known.
func calendar(function string) (names []string, number func(day, second int64) int64) {
	switch function {
	case "weekday":
		names = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
		// Day 0 was a Thursday.
		return names, func(day, _ int64) int64 { return ((day+3)%7 + 7) % 7 }
	case "month":
		names = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
			"November", "December"}
		return names, func(day, _ int64) int64 { return month(day) }
	case "hour":
		for h := range 24 {
			names = append(names, fmt.Sprintf("%02d", h))
		}
		return names, func(_, second int64) int64 { return second / 3600 }
	}
	return nil, nil
}

// month of a day since 1970-01-01, from 0. Years are taken to begin in March,
// so that leap days end them: month m begins on day (153 m + 2)/5 of its year
// [Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days].
func month(day int64) int64 {
	day += 719_468 // since 0000-03-01
	era := day % 146_097
	if era < 0 {
		era += 146_097
	}
	year := (era - era/1460 + era/36_524 - era/146_096) / 365
	inYear := era - (365*year + year/4 - year/100)
	return ((5*inYear+2)/153 + 2) % 12
}
