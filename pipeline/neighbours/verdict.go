package neighbours

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

const (
	more       = .1 // by which a pair is worth mention beside a column that is refused alone
	refuseRuns = .5 // share of neighbours with the same letter, where twice as many as in a shuffled file
	runsAlarm  = 1e-9
)

// A Finding is what a reviewer has to know of a column, a pair, or the places
// of the rows.
type Finding struct {
	Names     []string // of the columns; none for the places
	Refused   bool     // else it is a warning
	Allowed   bool     // it would be refused
	NotJudged bool     // and so may tell anything
	What      string
}

// Judge lists what is refused, what is warned of and what is not judged. What
// allowed names is not refused but warned of: a column, and with it every pair
// that it makes telling; sorted does so for the places.
func (r *Result) Judge(allowed []string, sorted bool) (found []Finding) {
	alone := map[string]bool{} // refused by itself, and allowed
	let := func(names []string) bool {
		all := true
		for _, n := range names {
			if alone[n] {
				return true
			}
			all = all && slices.Contains(allowed, n)
		}
		return all
	}
	few := map[bool][]string{} // columns with too few rows, by whether they are allowed
	for i := range r.Columns {
		c := &r.Columns[i]
		name := c.Names[0]
		ok := slices.Contains(allowed, name)
		f := Finding{Names: c.Names, Refused: !ok, Allowed: ok, What: fmt.Sprintf("column %q %s", name, c.tells(r.Factor))}
		switch c.Verdict.Outcome {
		case judge.Refuse:
			alone[name] = ok
			found = append(found, f)
		case judge.Warn:
			found = append(found, Finding{Names: c.Names, What: f.What})
		case judge.NotJudged:
			if c.Why == "" {
				few[ok] = append(few[ok], name)
				continue
			}
			f.NotJudged, f.What = true, fmt.Sprintf("column %q is not judged: %s", name, c.Why)
			found = append(found, f)
		}
	}
	for _, ok := range []bool{false, true} {
		if names := few[ok]; names != nil {
			found = append(found, Finding{Names: names, NotJudged: true, Refused: !ok, Allowed: ok,
				What: fmt.Sprintf("%s not judged: %d rows are too few to tell whether %s the private column",
					listed("column %s is", "columns %s are", names), r.Rows, one(len(names), "it reveals", "they reveal"))})
		}
	}
	several := r.Pairs
	if r.All != nil {
		several = append(slices.Clone(several), *r.All)
	}
	for i := range several {
		p := &several[i]
		if p.Verdict.Outcome < judge.Warn || !r.more(p) {
			continue
		}
		refuse := p.Verdict.Outcome == judge.Refuse
		ok := refuse && let(p.Names)
		found = append(found, Finding{Names: p.Names, Refused: refuse && !ok, Allowed: ok,
			What: listed("", "columns %s together ", p.Names) + p.tells(r.Factor)})
	}
	return append(found, r.places(sorted)...)
}

// more reports whether columns together say more than any one, or two, of them
// do.
func (r *Result) more(p *Column) bool {
	for _, list := range [][]Column{r.Columns, r.Pairs} {
		for i := range list {
			c := &list[i]
			within := len(c.Names) < len(p.Names) && !slices.ContainsFunc(c.Names,
				func(n string) bool { return !slices.Contains(p.Names, n) })
			if within && c.Verdict.Outcome >= p.Verdict.Outcome && p.Verdict.Gain < c.Verdict.Gain+more {
				return false
			}
		}
	}
	return true
}

// tells puts a verdict in words; factor is e^epsilon.
func (c *Column) tells(factor float64) string {
	v := &c.Verdict
	var what []string
	if v.Gain > 0 {
		what = append(what, fmt.Sprintf("%s guesses right at least %s points more often (by %s)",
			one(len(c.Names), "makes", "make"), strings.TrimSuffix(share(v.Gain), " %"), v.By))
	}
	if v.Letter >= 0 {
		what = append(what, fmt.Sprintf("%s rows in which the guess of one value is right in at least %s, where epsilon "+
			"allows %s", one(len(c.Names), "finds", "find"), share(v.Precision), above(min(1, factor*v.Allowed))))
	}
	if len(what) == 0 && v.Alike > 1 {
		what = append(what, fmt.Sprintf("makes the value of its other rows %s", likelier(v.Alike)))
	}
	return strings.Join(what, " and ")
}

// places judges whether the rows stand by the private column.
func (r *Result) places(sorted bool) (found []Finding) {
	seen, expected := r.Runs.Shares()
	var what []string
	refused := false
	if c := &r.Place; c.Verdict.Outcome >= judge.Warn {
		refused = c.Verdict.Outcome == judge.Refuse
		what = append(what, "the place of a row "+c.tells(r.Factor))
	}
	if r.Runs.More(runsAlarm) {
		refused = refused || seen >= refuseRuns && seen >= 2*expected
		what = append(what, fmt.Sprintf("neighbouring rows hold the same value in %s of cases, against %s in a shuffled "+
			"file, so one value can be guessed from several rows", share(seen), share(expected)))
	}
	if len(what) > 0 {
		return []Finding{{Refused: refused && !sorted, Allowed: refused && sorted, What: strings.Join(what, "; ")}}
	}
	if r.Place.Verdict.Outcome == judge.NotJudged {
		return []Finding{{NotJudged: true,
			What: fmt.Sprintf("the place of a row is not judged: %d rows are too few to tell whether it reveals the "+
				"private column", r.Rows)}}
	}
	return nil
}

// Shuffle says how the rows at a path lose their order before a run: of what DuckDB reads as
// it is with the command, of a folder over its files.
func Shuffle(path string) string {
	from, kind := "'"+path+"'", filepath.Ext(path)
	if kind == ".csv" {
		from = "read_csv(" + from + ", all_varchar=true)" // else it writes cells anew
	}
	switch {
	case dataset.Tree(path):
		return "mix the rows over the files first"
	case kind != ".parquet" && kind != ".csv" || report.Shell(path) != path:
		return "shuffle the rows first"
	}
	return fmt.Sprintf(`shuffle the rows first (duckdb -c "COPY (FROM %s ORDER BY random()) TO 'shuffled%s'")`, from, kind)
}

// Restores names the kept columns that would give the rows their order back
// after a shuffle.
func (r *Result) Restores() (names []string) {
	for _, c := range r.Columns {
		if c.Restores {
			names = append(names, c.Names[0])
		}
	}
	return names
}

// Most is the largest factor by which a column, or two, make a letter likelier,
// as far as held-out rows show; nil where none does.
func (r *Result) Most() (most *Column) {
	for _, list := range [][]Column{r.Columns, r.Pairs} {
		for i := range list {
			if f := list[i].Verdict.Lift.Factor; f > 0 && (most == nil || f > most.Verdict.Lift.Factor) {
				most = &list[i]
			}
		}
	}
	return most
}

// share is a lower bound in percent, rounded down, and above an upper one.
func share(v float64) string { return percent(v, math.Floor) }

func above(v float64) string { return percent(v, math.Ceil) }

// percent is rounded to one digit after the point, or to the first digit that is
// not 0.
func percent(v float64, round func(float64) float64) string {
	if v <= 0 || v >= .001 {
		return fmt.Sprintf("%.1f %%", round(1000*v)/10)
	}
	digits := -int(math.Floor(math.Log10(100 * v)))
	unit := math.Pow10(digits)
	return fmt.Sprintf("%.*f %%", digits, round(100*v*unit)/unit)
}

// likelier puts a lower bound of a factor in words.
func likelier(factor float64) string {
	if f := math.Floor(100*factor) / 100; f > 1 {
		return fmt.Sprintf("at least %.2f times as likely", f)
	}
	return "likelier than among all rows"
}

// listed names columns.
func listed(singular, plural string, names []string) string {
	all := report.And(quoted(names))
	if len(names) == 1 {
		return fmt.Sprintf(singular, all)
	}
	return fmt.Sprintf(plural, all)
}

// quoted puts each into quotes.
func quoted[T any](names []T) (out []string) {
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", any(n)))
	}
	return out
}

// one is the singular for one, and for the places, which have no name.
func one(n int, singular, plural string) string {
	if n <= 1 {
		return singular
	}
	return plural
}
