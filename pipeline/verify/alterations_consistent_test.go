package verify_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/pipeline"
)

// lies is a row of a publisher who changes figures and then makes everything fit: hashes,
// claims, the public report, every view and the statements.
func lies(name, base, want string, change func(t *testing.T, r *release)) alteration {
	return alteration{name: "all else fits: " + name, base: base, want: want, raw: true,
		do: func(t *testing.T, r *release) {
			change(t, r)
			r.save(t, true)
			retell(t, r.path(""))
		}}
}

// each makes several changes.
func each(changes ...func(*testing.T, *release)) func(*testing.T, *release) {
	return func(t *testing.T, r *release) {
		for _, change := range changes {
			change(t, r)
		}
	}
}

// reckoned computes the factors again once something was changed.
func reckoned(changes ...func(*testing.T, *release)) func(*testing.T, *release) {
	return func(t *testing.T, r *release) {
		each(changes...)(t, r)
		r.reckon(t)
	}
}

// counted gives the values other counts.
func counted(counts ...string) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		for x, n := range counts {
			r.counts()[x] = n
		}
	}
}

// posing shows the release of another file, or of other options, as one of this input.
func posing(j job) func(*testing.T, *release) {
	return func(t *testing.T, r *release) {
		other, input := j.make(t), at(r.report, "input")
		must(t, os.RemoveAll(r.path("")))
		must(t, os.CopyFS(r.path(""), os.DirFS(other.path(""))))
		must(t, os.Rename(other.output, r.output))
		r.report, r.plan = nil, nil
		r.load(t)
		r.report["input"] = input
	}
}

// as is the job of that name with one thing changed.
func as(name string, change func(j *job)) job {
	j := jobs[name]
	change(&j)
	return j
}

// promised says another epsilon wherever one is told.
func promised(epsilon string, factor float64) func(*testing.T, *release) {
	return put("both.epsilon.target", epsilon, "report.target_factor", factor)
}

// scaled makes the factors of every output, and the largest of them, smaller.
func scaled(_ *testing.T, r *release) {
	for _, o := range r.report["outputs"].([]any) {
		if o := o.(map[string]any); o["factor"] != nil {
			o["factor"], o["nats"] = smaller(o["factor"]), number(o["nats"])-1e-6
		}
	}
	for _, of := range []map[string]any{at(r.plan, "epsilon"), at(r.report, "epsilon"), first(r.plan["groups"])} {
		of["factor"], of["nats"] = smaller(of["factor"]), number(of["nats"])-1e-6
	}
}

// consistent are of a careless or dishonest publisher who has this program's source.
var consistent = []alteration{
	// The promise and what is reached.
	lies("a smaller epsilon than the factor allows", "weights", "target", promised("0.5", 1.6488)),
	lies("the release of another epsilon under this one", "weights", "target", each(posing(as("weights", func(j *job) {
		j.options.Epsilon = "1.5"
	})), promised("0.9", 2.4597))),
	lies("smaller factors everywhere", "weights", "factors", scaled),
	lies("logarithms rounded down everywhere", "weights", "epsilon",
		put("both.epsilon.nats", downOneBit, "plan.groups[0].nats", downOneBit)),
	lies("a bound proven up to the factor reached", "weights", "certificate", func(t *testing.T, r *release) {
		reached := at(r.plan, "epsilon")["factor"]
		put("both.certificate.lower_factor", reached, "both.certificate.upper_factor", reached,
			"plan.certificate.pi", gone{})(t, r)
	}),
	// Floor and utility.
	lies("a higher floor everywhere", "weights", "floor",
		put("both.floor.rank", plus(1), "both.floor.in_words", "the same value", "plan.groups[0].rank", plus(1))),
	lies("a higher floor that shaped the mechanism", "floor fixed", "support",
		put("both.floor.rank", 5, "plan.floor.at", 5, "plan.groups[0].rank", 5)),
	lies("a better level everywhere", "by level", "floor",
		put("both.floor.value", plus(1), "plan.groups[0].value", plus(1), "report.floor.level.at", 3)),
	lies("a larger expected utility everywhere", "weights", "utility",
		put("both.utility.expected", plus(.05), "both.utility.upper_bound", plus(.05), "plan.groups[0].expected", plus(.05))),
	// Counts, with factors that follow from them.
	lies("equal counts", "weights", "counts", reckoned(counted("600", "600", "600", "600", "600"))),
	lies("one record more of a rare value, one less of a common", "weights", "counts",
		reckoned(counted("1551", "776", "384", "192", "97"))),
	lies("counts of two values exchanged", "weights", "counts", reckoned(counted("776", "1552", "384", "192", "96"))),
	lies("a rare value left out of the counts", "weights", "counts",
		reckoned(counted("1648", "776", "384", "192", "0"))),
	lies("records of a bin moved to the next", "bins", "counts",
		reckoned(put("plan.counts[1]", more(1), "plan.counts[2]", more(-1)))),
	lies("an edge of the bins moved everywhere", "bins", "bins",
		put("plan.bins.spec", "-inf,0,2,5,10,25", "report.domain.bins.spec", "-inf,0,2,5,10,25")),
	lies("counts that are called a declared prior", "weights", "own counts", func(_ *testing.T, r *release) {
		records := slices.Clone(r.counts())
		copy(r.counts(), []any{"1", "1", "1", "1", "1"})
		r.plan["prior"] = map[string]any{"of": "declared", "records": records}
		r.share()
		at(r.report, "prior")["of"] = "declared prior"
	}),
	// The mechanism, with factors and hashes that follow from it.
	lies("two outputs exchanged in every row", "weights", "fit", reckoned(func(_ *testing.T, r *release) {
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
	})),
	lies("rows of two values exchanged", "weights", "fit", reckoned(func(_ *testing.T, r *release) {
		a, b := r.rowOf(0), r.rowOf(1)
		a["outputs"], b["outputs"] = b["outputs"], a["outputs"]
		a["total"], b["total"] = b["total"], a["total"]
	})),
	lies("a mechanism that tells less than the one that drew", "weights", "fit", reckoned(func(_ *testing.T, r *release) {
		r.setCells(0, [2]any{"a", int64(1)}, [2]any{"b", int64(1)})
		r.setCells(1, [2]any{"b", int64(1)}, [2]any{"c", int64(1)})
	})),
	lies("rows that are even, of draws that were not", "safe", "told again", func(t *testing.T, r *release) {
		posing(as("safe", func(j *job) { j.options.Design = "optimal" }))(t, r)
		for x := range r.counts() {
			var cells [][2]any
			for _, c := range r.cellsOf(x) {
				cells = append(cells, [2]any{c.([]any)[0], int64(1)})
			}
			r.setCells(x, cells...)
		}
		r.reckon(t)
	}),
	lies("a design that is called safe", "weights", "told again", put("both.design.kind", "safe")),
	// Releases of other files and other draws.
	lies("the release of a file of even values", "weights", "counts",
		posing(as("weights", func(j *job) { j.cell = abcde }))),
	lies("the release of the same records in another order", "weights", "forbidden cells",
		posing(as("weights", func(j *job) {
			j.cell = slices.Clone(j.cell)
			slices.Reverse(j.cell)
		}))),
	lies("the release of a row less", "weights", "row groups", posing(as("weights", func(j *job) { j.rows = 2999 }))),
	lies("the draws of another seed under this report", "weights", "output shares", func(t *testing.T, r *release) {
		seed, folder := uint64(2), filepath.Join(r.dir, "other")
		_, err := pipeline.Apply(t.Context(), pipeline.Options{Plan: r.path("plan.json"), Input: r.input, Output: r.output,
			Report: folder, Overwrite: true, AllowSorted: true, TestSeed: &seed})
		must(t, err)
	}),
	// The file.
	lies("a forbidden cell that the shares of outputs count", "weights", "forbidden cells",
		func(t *testing.T, r *release) {
			moved := int32(-1)
			r.redraw(t, abcde, func(row int64, y int32) int32 {
				if row == 1234 {
					moved, y = y, (y+2)%3
				}
				return y
			})
			for _, o := range r.report["outputs"].([]any) {
				o := o.(map[string]any)
				switch o["label"] {
				case abcde[moved]:
					o["share"] = number(o["share"]) - 1./3000
				case abcde[(moved+2)%3]:
					o["share"] = number(o["share"]) + 1./3000
				}
			}
		}),
	lies("a null filled, and counted as filled", "public", "alphabet", func(t *testing.T, r *release) {
		r.redraw(t, abcde, func(row int64, y int32) int32 { return max(y, 0) })
		put("report.nulls.count", 0, "report.records", at(r.report, "output")["rows"])(t, r)
	}),
	lies("a value more in the dictionary and in the plan", "weights", "floor", func(t *testing.T, r *release) {
		r.redraw(t, append(slices.Clone(abcde), "f"), func(_ int64, y int32) int32 { return y })
		r.plan["outputs"] = append(r.plan["outputs"].([]any), "f")
		r.order = []byte(strings.NewReplacer(",e\n", ",e,f\n", "\n", ",-9\n").Replace(string(r.order)))
	}),
	lies("honest statistics of the published values", "weights", "metadata", edit(func(k *tree) {
		s := k.column(0, 0).Get(parquetmeta.ColumnStatistics)
		s.Set(5, parquetmeta.String("c"))
		s.Set(6, parquetmeta.String("a"))
	})),
	lies("counts of the input in the metadata", "weights", "metadata", edit(func(k *tree) {
		k.meta.Get(parquetmeta.MetaKeyValue).Append(keyValue("counts", "1552,776,384,192,96"))
	})),
	lies("a path of the column with more to say", "weights", "metadata", edit(func(k *tree) {
		k.column(0, 0).Set(3, parquetmeta.NewList(parquetmeta.Binary, parquetmeta.String("c"), parquetmeta.String("a a b")))
	})),
	lies("row groups in another order", "weights", "copied columns", edit(func(k *tree) {
		list := k.meta.Get(parquetmeta.MetaGroups)
		groups := []*parquetmeta.Value{list.At(1), list.At(0), list.At(2), list.At(3)}
		k.meta.Set(parquetmeta.MetaGroups, parquetmeta.NewList(parquetmeta.Record, groups...))
	})),
	lies("a row dropped, and every number of rows", "csv", "row groups", func(t *testing.T, r *release) {
		data := []byte(mustRead(t, r.output))
		must(t, os.WriteFile(r.output, data[:last(data)], 0o666))
		put("report.output.rows", 3999, "report.records", 3999)(t, r)
	}),
	lies("another cell, in Arrow", "arrow weights", "copied columns", func(t *testing.T, r *release) {
		data := []byte(mustRead(t, r.output))
		i := bytes.Index(data, []byte("109876543210"))
		if i < 0 {
			i = bytes.Index(data, []byte("012345678910"))
		}
		data[i]++
		must(t, os.WriteFile(r.output, data, 0o666))
	}),
	lies("values of a column in clear changed", "csv", "copied columns", func(t *testing.T, r *release) {
		changeFile(t, r.output, replace("\n7;", "\n8;"))
	}),
	// Strata.
	lies("smaller factors of a stratum everywhere", "strata apart", "factors", put("both.groups[5].factor", smaller)),
	lies("records moved between strata everywhere", "strata apart", "strata of records",
		each(recounted(1), put("report.strata.groups[0].records", plus(1), "report.strata.groups[1].records", plus(-1)))),
	lies("nothing promised to whoever does not know the stratum", "strata both", "epsilon",
		put("both.strata.given_only", true, "both.epsilon.factor", smaller)),
	// Shares, nulls and priors.
	lies("a tighter limit of shares", "shares", "max shift",
		put("plan.shares.limit", "1/25", "plan.shares.asked", "4%", "report.design.max_shift", "1/25")),
	lies("a smaller shift everywhere", "shares", "shares",
		put("plan.shares.shift", smaller, "report.shares.shift", smaller)),
	lies("records that were given up without being asked", "prior declared", "warnings",
		put("both.prior.only", true)),
	// Nights.
	lies("two rows exchanged, and the ledger told", "nights draw", "record draws", swap),
	lies("a smaller total of all nights, in the ledger, too", "nights hold", "cumulative factor",
		altered("cumulative", "seal", `"cumulative":`, smaller)),
	lies("fewer new records, in the ledger, too", "nights draw", "records of the history", inBoth("new", "new", -1)),
}
