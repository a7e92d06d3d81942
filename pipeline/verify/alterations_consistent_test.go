package verify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/pipeline"
)

// each makes several changes.
func each(changes ...change) change {
	return func(t *testing.T, r *release) {
		for _, change := range changes {
			change(t, r)
		}
	}
}

// reckoned computes the factors again once something was changed.
func reckoned(changes ...change) change {
	return func(t *testing.T, r *release) {
		each(changes...)(t, r)
		r.reckon(t)
	}
}

// counted gives the values other counts.
func counted(counts ...string) change {
	return func(_ *testing.T, r *release) {
		for x, n := range counts {
			r.counts()[x] = n
		}
	}
}

// otherwise shows the release of the job of that name with one thing changed, as one of this input.
func otherwise(name string, differ func(j *job)) change {
	return func(t *testing.T, r *release) {
		j := jobs[name]
		differ(&j)
		other, input := j.make(t), at(r.report, "input")
		must(t, os.RemoveAll(r.path("")))
		must(t, os.Rename(other.path(""), r.path("")))
		must(t, os.Rename(other.output, r.output))
		r.report, r.plan = nil, nil
		r.load(t)
		r.report["input"] = input
	}
}

// promised says another epsilon wherever one is told.
func promised(epsilon string, factor float64) change {
	return put("both.epsilon.target", epsilon, "report.target_factor", factor)
}

// largestFactors are the objects that hold the largest factor of a release without strata.
func (r *release) largestFactors() []map[string]any {
	return []map[string]any{at(r.plan, "epsilon"), at(r.report, "epsilon"), first(r.plan["groups"])}
}

// scaled makes the factors of every output, and the largest of them, smaller.
func scaled(_ *testing.T, r *release) {
	all := r.largestFactors()
	for _, o := range r.report["outputs"].([]any) {
		all = append(all, o.(map[string]any))
	}
	for _, of := range all {
		if of["factor"] != nil {
			of["factor"], of["nats"] = smaller(of["factor"]), number(of["nats"])-1e-6
		}
	}
}

// evened gives every output of a row the same weight.
func evened(_ *testing.T, r *release) {
	for x := range r.counts() {
		var cells [][2]any
		for _, c := range r.cellsOf(x) {
			cells = append(cells, [2]any{c.([]any)[0], int64(1)})
		}
		r.setCells(x, cells...)
	}
}

// consistent are of a careless or dishonest publisher who has this program's source: figures are
// changed, and then everything is made to fit: hashes, claims, the public report, every view
// and the statements.
var consistent = of(retold, allElseFits([]row{
	// The promise and what is reached.
	{"weights", "a smaller epsilon than the factor allows", "target", promised("0.5", 1.6488)},
	{"weights", "the release of another epsilon under this one", "target",
		each(otherwise("weights", func(j *job) { j.options.Epsilon = "1.5" }), promised("0.9", 2.4597))},
	{"weights", "smaller factors everywhere", "factors", scaled},
	{"weights", "logarithms rounded down everywhere", "epsilon",
		put("both.epsilon.nats", downOneBit, "plan.groups[0].nats", downOneBit)},
	{"weights", "a bound proven up to the factor reached", "certificate", func(t *testing.T, r *release) {
		reached := at(r.plan, "epsilon")["factor"]
		put("both.certificate.lower_factor", reached, "both.certificate.upper_factor", reached,
			"plan.certificate.pi", gone{})(t, r)
	}},
	// Floor and utility.
	{"weights", "a higher floor everywhere", "floor",
		put("both.floor.rank", plus(1), "both.floor.in_words", "the same value", "plan.groups[0].rank", plus(1))},
	{"floor fixed", "a higher floor that shaped the mechanism", "support",
		put("both.floor.rank", 5, "plan.floor.at", 5, "plan.groups[0].rank", 5)},
	{"by level", "a better level everywhere", "floor",
		put("both.floor.value", plus(1), "plan.groups[0].value", plus(1), "report.floor.level.at", 3)},
	{"weights", "a larger expected utility everywhere", "told again", put("both.utility.expected", plus(.05),
		"both.utility.upper_bound", plus(.05), "plan.groups[0].expected", plus(.05))},
	// Counts, with factors that follow from them.
	{"weights", "equal counts", "counts", reckoned(counted("600", "600", "600", "600", "600"))},
	{"weights", "one record more of a rare value, one less of a common", "counts",
		reckoned(counted("1551", "776", "384", "192", "97"))},
	{"weights", "counts of two values exchanged", "counts", reckoned(counted("776", "1552", "384", "192", "96"))},
	{"weights", "a rare value left out of the counts", "counts", reckoned(counted("1648", "776", "384", "192", "0"))},
	{"bins", "records of a bin moved to the next", "counts",
		reckoned(put("plan.counts[1]", more(1), "plan.counts[2]", more(-1)))},
	{"bins", "an edge of the bins moved everywhere", "values",
		put("plan.bins.spec", "-inf,0,2,5,10,25", "report.domain.bins.spec", "-inf,0,2,5,10,25")},
	{"weights", "counts that are called a declared prior", "factors", func(_ *testing.T, r *release) {
		records := slices.Clone(r.counts())
		copy(r.counts(), []any{"1", "1", "1", "1", "1"})
		r.plan["prior"] = map[string]any{"of": "declared", "records": records}
		r.share()
		at(r.report, "prior")["of"] = "declared prior"
	}},
	// The mechanism, with factors and hashes that follow from it.
	{"weights", "two outputs exchanged in every row", "fit", reckoned(func(_ *testing.T, r *release) {
		for x := range r.counts() {
			swapped := map[any]any{"a": "b", "b": "a"}
			var cells [][2]any
			for _, c := range r.cellsOf(x) {
				y, weight := c.([]any)[0], int64(numberOf(c.([]any)[1]))
				if to, ok := swapped[y]; ok {
					y = to
				}
				cells = append(cells, [2]any{y, weight})
			}
			slices.SortFunc(cells, func(a, b [2]any) int { return strings.Compare(a[0].(string), b[0].(string)) })
			r.setCells(x, cells...)
		}
	})},
	{"weights", "rows of two values exchanged", "fit", reckoned(func(_ *testing.T, r *release) {
		a, b := r.rowOf(0), r.rowOf(1)
		a["outputs"], b["outputs"] = b["outputs"], a["outputs"]
		a["total"], b["total"] = b["total"], a["total"]
	})},
	{"weights", "a mechanism that tells less than the one that drew", "fit", reckoned(func(_ *testing.T, r *release) {
		r.setCells(0, [2]any{"a", int64(1)}, [2]any{"b", int64(1)})
		r.setCells(1, [2]any{"b", int64(1)}, [2]any{"c", int64(1)})
	})},
	{"safe", "rows that are even, of draws that were not", "fit", // at epsilon 2.5 those of the optimum are even, too
		reckoned(otherwise("optimal", func(*job) {}), evened)},
	{"weights", "a design that is called safe", "told again", put("both.design.kind", "safe")},
	// Releases of other files and other draws.
	{"weights", "the release of a file of even values", "counts", otherwise("weights", func(j *job) { j.cell = abcde })},
	{"weights", "the release of the same records in another order", "forbidden cells",
		otherwise("weights", func(j *job) {
			j.cell = slices.Clone(skew)
			slices.Reverse(j.cell)
		})},
	{"weights", "the release of a row less", "row groups", otherwise("weights", func(j *job) { j.rows = 2999 })},
	{"weights", "the draws of another seed under this report", "told again", func(t *testing.T, r *release) {
		seed, folder := uint64(2), filepath.Join(r.dir, "other")
		_, err := pipeline.Apply(t.Context(), options{Plan: r.path("plan.json"), Input: r.input, Output: r.output,
			Report: folder, Overwrite: true, AllowSorted: true, TestSeed: &seed})
		must(t, err)
	}},
	// The file.
	{"weights", "a forbidden cell that the shares of outputs count", "forbidden cells", func(t *testing.T, r *release) {
		moved := int32(-1)
		r.redraw(t, abcde, func(row int64, y int32) int32 {
			if row == 1234 {
				moved, y = y, (y+2)%3
			}
			return y
		})
		put(fmt.Sprintf("report.outputs[%d].share", moved), plus(-1./3000),
			fmt.Sprintf("report.outputs[%d].share", (moved+2)%3), plus(1./3000))(t, r)
	}},
	{"public", "a null filled, and counted as filled", "alphabet", func(t *testing.T, r *release) {
		r.redraw(t, abcde, func(row int64, y int32) int32 { return max(y, 0) })
		put("report.nulls.count", 0, "report.records", at(r.report, "output")["rows"])(t, r)
	}},
	{"weights", "a value more in the dictionary and in the plan", "floor", func(t *testing.T, r *release) {
		r.redraw(t, append(slices.Clone(abcde), "f"), func(_ int64, y int32) int32 { return y })
		r.plan["outputs"] = append(r.plan["outputs"].([]any), "f")
		r.order = []byte(strings.NewReplacer(",e\n", ",e,f\n", "\n", ",-9\n").Replace(string(r.order)))
	}},
	{"weights", "honest statistics of the published values", "metadata", edit(func(k *tree) {
		s := k.column(0, 0).Get(parquetmeta.ColumnStatistics)
		s.Set(5, parquetmeta.String("c"))
		s.Set(6, parquetmeta.String("a"))
	})},
	{"weights", "counts of the input in the metadata", "metadata", noted("counts", "1552,776,384,192,96")},
	{"weights", "a path of the column with more to say", "metadata", field(theColumn, 3,
		parquetmeta.NewList(parquetmeta.Binary, parquetmeta.String("c"), parquetmeta.String("a a b")))},
	{"weights", "row groups in another order", "copied columns", edit(func(k *tree) {
		list := k.meta.Get(parquetmeta.MetaGroups)
		k.meta.Set(parquetmeta.MetaGroups, records(list.At(1), list.At(0), list.At(2), list.At(3)))
	})},
	{"csv", "a row dropped, and every number of rows", "row groups",
		each(text("output", func(s string) string { return s[:lastRow(s)] }),
			put("report.output.rows", 3999, "report.records", 3999))},
	{"arrow weights", "another cell, in Arrow", "copied columns", text("output", func(s string) string {
		if strings.Contains(s, "109876543210") {
			return replace("109876543210", "209876543210")(s)
		}
		return replace("012345678910", "112345678910")(s)
	})},
	{"csv", "values of a column in clear changed", "copied columns", text("output", replace("\n7;", "\n8;"))},
	// Strata.
	{"strata apart", "smaller factors of a stratum everywhere", "factors", put("both.groups[5].factor", smaller)},
	{"strata apart", "records moved between strata everywhere", "counts",
		each(recounted(1), put("report.strata.groups[0].records", plus(1), "report.strata.groups[1].records", plus(-1)))},
	{"strata both", "nothing promised to whoever does not know the stratum", "epsilon",
		put("both.strata.given_only", true, "both.epsilon.factor", smaller)},
	// Shares, nulls and priors.
	{"shares", "a tighter limit of shares", "max shift",
		put("plan.shares.limit", "1/25", "plan.shares.asked", "4%", "report.design.max_shift", "1/25")},
	{"shares", "a smaller shift everywhere", "max shift",
		put("plan.shares.shift", smaller, "report.shares.shift", smaller)},
	{"prior declared", "records that were given up without being asked", "told again", put("both.prior.only", true)},
	// Nights.
	{"nights draw", "two rows exchanged, and the ledger told", "record draws", swap},
	{"nights hold", "a smaller total of all nights, in the ledger, too", "cumulative factor",
		altered("cumulative", "seal", `"cumulative":`, smaller)},
	{"nights draw", "fewer new records, in the ledger, too", "records of the history", inBoth("new", "new", -1)},
}))

func allElseFits(rows []row) []row {
	for i := range rows {
		rows[i].name = "all else fits: " + rows[i].name
	}
	return rows
}
