// Package oracle_test holds what a release states to what an observer finds who
// has everything: the true column, the published files, the mechanisms that
// were drawn from. Every claim of a report is recomputed by its observer, prior
// and records, by brute force over fractions; what is stated must not be less,
// and what is called exact must be equal.
package oracle_test

import (
	"fmt"
	"html"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A release is what was published, and what nobody else knows of it.
type release struct {
	column  string
	columns []string // all private ones
	strata  string   // how the stratum is known: "s", or "" where there is none
	truth   []record // in the order of the published rows, by letter
	values  []record // the same by value, nil where letters are values
	shown   []record
	plans   map[string]*planned // by column
	prior   counts              // of a declared prior
	smooth  int64               // added to every letter; 0 for none
	data    []record            // that the plan was made from
	nights  *nights             // nil for a release of one night
	public  bool                // nulls are public
	report  *report.Report
	folder  string
}

// merge counts rare values as the letters that they are in the plans.
func (r *release) merge() {
	merged := func(rows []record) []record {
		rows = slices.Clone(rows)
		for i := range rows {
			for column, cell := range map[string]**string{"v": &rows[i].V, "u": &rows[i].U, "w": &rows[i].W} {
				if p := r.plans[column]; p != nil && *cell != nil {
					*cell = new(p.letter(**cell))
				}
			}
		}
		return rows
	}
	r.values, r.truth, r.data = r.truth, merged(r.truth), merged(r.data)
}

// valued are the records of the claims about one column.
func (r *release) valued(rows []record) (out []record) {
	for _, x := range rows {
		if !r.public || x.cell(r.column) != null {
			out = append(out, x)
		}
	}
	return out
}

// about are the records of a claim: those of the file, or of the data of the plan.
func (r *release) about(c claim.Claim) []record {
	if c.Relative == claim.PlanData || c.Records == claim.WholeData {
		return r.data
	}
	return r.truth
}

// believed are kinds of records by group of strata, as a prior that was declared or
// smoothed has them: the former weighs as much as the records of the group.
func (r *release) believed(c claim.Claim) map[string][]kind {
	p, rows := r.plans[r.column], r.about(c)
	records := map[string][]record{}
	for _, x := range rows {
		of := ""
		if p.names != nil {
			of = p.group(x.S)
		}
		records[of] = append(records[of], x)
	}
	out := map[string][]kind{}
	for group, stratum := range p.groups() {
		own, law := r.counted(records[group]), p.at(stratum)
		prior, total, weight := counts{}, int64(0), int64(0)
		for _, n := range own {
			total += n
		}
		for v, n := range r.prior {
			prior[p.letter(v)] += n
			weight += n
		}
		for x := range law {
			share := big.NewRat(own[x]+r.smooth, 1)
			if c.Relative == claim.Declared {
				if share = big.NewRat(prior[x], weight); p.names != nil {
					share.Mul(share, big.NewRat(total, 1))
				}
			}
			out[group] = append(out[group], kind{x, share, law[x]})
		}
	}
	return out
}

// rows are kinds, one for each record, whose law is that of its stratum.
func (r *release) rows(rows []record) (out []kind) {
	for _, x := range r.valued(rows) {
		v := x.cell(r.column)
		out = append(out, kind{v, big.NewRat(1, 1), r.plans[r.column].at(x.S)[r.plans[r.column].letter(v)]})
	}
	return out
}

// counted are the records by value.
func (r *release) counted(rows []record) counts {
	out := counts{}
	for _, x := range r.valued(rows) {
		out[x.cell(r.column)]++
	}
	return out
}

// leakage is the largest factor of a claim; nil where no observer of the
// oracle has one.
func (r *release) leakage(c claim.Claim) *big.Rat {
	switch c.Observer {
	case claim.SeesCell, claim.MissesStratum:
		switch c.Relative {
		case claim.ThisFile, claim.PlanData:
			return factor(r.rows(r.about(c)))
		case claim.Declared, claim.Smoothed:
			var all []kind
			for _, kinds := range r.believed(c) {
				all = append(all, kinds...)
			}
			return factor(all)
		}
	case claim.KnowsStratum:
		most := big.NewRat(1, 1)
		if c.Relative == claim.Declared || c.Relative == claim.Smoothed {
			for group, kinds := range r.believed(c) {
				if len(c.Names) > 0 && group == "the rest" {
					continue
				}
				if f := factor(kinds); f.Cmp(most) > 0 {
					most = f
				}
			}
			return most
		}
		by := map[string][]record{}
		for _, x := range r.about(c) {
			by[x.S] = append(by[x.S], x)
		}
		for s, rows := range by {
			if len(c.Names) > 0 && r.plans[r.column].merged[s] {
				continue // of which the claim says that it does not hold
			}
			if f := factor(r.rows(rows)); f.Cmp(most) > 0 {
				most = f
			}
		}
		return most
	case claim.LearnsStratum, claim.OnlyStratum:
		if c.Bounds == claim.Joint {
			return r.together(false, false)
		}
		kinds := r.rows(r.about(c))
		for i, x := range r.valued(r.about(c)) {
			to := map[string]*big.Rat{}
			for y, p := range kinds[i].law {
				if c.Observer == claim.OnlyStratum {
					y = ""
				}
				if to[x.S+"/"+y] == nil {
					to[x.S+"/"+y] = new(big.Rat)
				}
				to[x.S+"/"+y].Add(to[x.S+"/"+y], p)
			}
			kinds[i].law = to
		}
		return factor(kinds)
	case claim.SeesRow:
		if r.nights == nil {
			return nil
		}
		return r.nights.earlier()
	case claim.SeesCells:
		return r.together(c.Records == claim.Valued, true)
	case claim.SeesPresence:
		if c.Bounds == claim.Joint {
			return r.together(false, true)
		}
		return r.presence(c.Records)
	}
	return nil
}

// together is the factor of all private columns of a record. Columns that are
// null in public are seen to be; given says that the observer knows before which
// these are. The observer sees the group of the record in every plan; aware says that
// these are known before, too.
func (r *release) together(given, aware bool) *big.Rat {
	same := map[string][]kind{}
	for _, x := range r.truth {
		nulls := ""
		guess, law, groups := "", map[string]*big.Rat{"": big.NewRat(1, 1)}, ""
		for _, c := range r.columns {
			groups += r.plans[c].group(x.S) + "|"
		}
		if aware {
			nulls = groups
		} else {
			law = map[string]*big.Rat{groups: big.NewRat(1, 1)}
		}
		for _, c := range r.columns {
			v := x.cell(c)
			if given && r.public {
				nulls += fmt.Sprint(v == null)
			}
			guess += v + "|"
			own := map[string]*big.Rat{null: big.NewRat(1, 1)}
			if l, ok := r.plans[c].at(x.S)[v]; ok {
				own = l
			}
			next := map[string]*big.Rat{}
			for y, p := range law {
				for z, q := range own {
					next[y+z+"|"] = new(big.Rat).Mul(p, q)
				}
			}
			law = next
		}
		same[nulls] = append(same[nulls], kind{guess, big.NewRat(1, 1), law})
	}
	most := big.NewRat(1, 1)
	for _, kinds := range same {
		if f := factor(kinds); f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}

// presence is what a cell tells by being null, or by not being null.
func (r *release) presence(of claim.Records) *big.Rat {
	all, nulls := int64(len(r.truth)), int64(len(r.truth)-len(r.valued(r.truth)))
	if of == claim.Valued {
		return big.NewRat(all, max(all-nulls, 1))
	}
	return big.NewRat(all, max(nulls, 1))
}

// worst is the worst rank among published rows of a set of records: that of the
// output in the row of the true value.
func (r *release) worst(of claim.Records) int {
	p := r.plans[r.column]
	least := len(letters) + 1
	for i, x := range r.truth {
		v, y := x.cell(r.column), r.shown[i].cell(r.column)
		if r.public && (v == null || y == null) || !r.among(i, of) { // presence is told apart
			continue
		}
		if k, ok := p.ranks[v][y]; ok {
			least = min(least, k)
		} else {
			return 0
		}
	}
	return least
}

// among reports whether a row belongs to a set of records.
func (r *release) among(i int, of claim.Records) bool {
	if r.nights == nil {
		return true
	}
	return r.nights.among(i, of)
}

// check holds every claim of a report to its observer.
func (r *release) check(t *testing.T, seen map[string]int) {
	t.Helper()
	for _, c := range r.report.Claims {
		seen[c.Key]++
		switch c.Bounds {
		case claim.Shift:
			r.checkShift(t, c)
		case claim.Values:
			r.checkValues(t, c)
		}
		if c.Figure == nil {
			continue
		}
		r.checkShareWords(t, c)
		switch c.Bounds {
		case claim.Leakage, claim.Joint:
			truth := r.leakage(c)
			r.checkFactor(t, c, truth)
			r.checkValuesOf(t, c)
			r.checkRisk(t, c, truth, seen)
			r.checkDrift(t, c)
		case claim.Cumulative:
			if r.nights != nil {
				r.checkFactor(t, c, r.nights.cumulative())
			}
		case claim.Floor:
			if worst := r.worst(c.Records); c.Figure.Rank > worst {
				t.Errorf("%s: %q; a published row has rank %d", c.Key, c.Words, worst)
			}
			if c.Figure.Level != nil {
				r.checkLevel(t, c)
				seen["level"]++
			}
		case claim.Change:
			if r.nights.mixed() {
				t.Errorf("%s: %q; some published row was not drawn anew", c.Key, c.Words)
				continue
			}
			r.checkShare(t, c)
		}
	}
	r.checkSeries(t, seen)
	r.checkGuess(t)
	r.checkStrata(t, seen)
	r.checkPresence(t, seen)
	r.checkShares(t, seen)
	r.checkViews(t)
}

// checkValuesOf holds guesses of values to what is promised of their letters. A stratum alone may
// tell more of a value than of its letter.
func (r *release) checkValuesOf(t *testing.T, c claim.Claim) {
	t.Helper()
	own := *r
	own.truth = r.values
	if r.values == nil || c.Bounds != claim.Leakage || c.Relative != claim.ThisFile ||
		c.Observer == claim.LearnsStratum || c.Observer == claim.OnlyStratum {
		return
	}
	r.checkFactor(t, c, own.leakage(c))
}

// checkFactor holds a stated factor to the true one.
func (r *release) checkFactor(t *testing.T, c claim.Claim, truth *big.Rat) {
	t.Helper()
	if truth == nil {
		return
	}
	stated, ok := new(big.Rat).SetString(c.Figure.Factor)
	if c.Figure.Factor == "" {
		stated, ok = new(big.Rat).SetFloat64(c.Figure.Times), c.Figure.Times > 0
	}
	switch {
	case !ok || stated == nil:
		t.Errorf("%s: %q states no factor", c.Key, c.Words)
	case stated.Cmp(truth) < 0:
		t.Errorf("%s: %q; the observer finds %s", c.Key, c.Words, truth.RatString())
	case c.Figure.Exact && c.Observer != claim.SeesRow && stated.Cmp(truth) != 0:
		t.Errorf("%s: %q is called exact; the observer finds %s", c.Key, c.Words, truth.RatString())
	}
}

// checkViews: every view of the report has the words of every claim, and the
// public ones have those that everybody may see, and no others.
func (r *release) checkViews(t *testing.T) {
	t.Helper()
	for _, view := range []string{"report.txt", "report.html", "public/report.txt", "public/report.html"} {
		data := bytesOf(t, filepath.Join(r.folder, view))
		text := plain(html.UnescapeString(string(data)))
		for _, c := range r.report.Claims {
			public := strings.HasPrefix(view, "public")
			if public && !c.Public || strings.HasSuffix(view, ".txt") && c.Section != "lead" {
				continue
			}
			if !strings.Contains(text, plain(c.Words)) {
				t.Errorf("%s does not say %q", view, c.Words)
			}
		}
	}
}

// plain is text without line breaks, marks and escapes.
func plain(s string) string {
	s = strings.NewReplacer("\\", "", "*", "", "`", "").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}
