package oracle_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/test/torture"
)

// A dimension is something that runs differ in. Its first value is the default.
type dimension struct {
	name   string
	fields []string // of Options that it sets
	values []string
}

// dimensions are all kinds of runs. An option that no dimension sets must stand
// in plainOptions, with the reason.
var dimensions = []dimension{
	{"null", []string{"Null"}, []string{"none", "draw", "public", "refuse"}},
	{"prior", []string{"Prior", "Smooth", "PriorOnly"}, []string{"file", "declared", "declared only", "smooth",
		"smooth only"}},
	{"merge", []string{"MinCount", "Other"}, []string{"none", "new", "letter"}},
	{"confidence", []string{"Confidence"}, []string{"none", "0.05"}},
	{"strata", []string{"Strata", "StrataMin", "GivenOnly", "Keep", "Drop"}, []string{"none", "kept", "dropped", "merged",
		"given only"}},
	{"columns", []string{"Columns", "JointEpsilon", "Column"}, []string{"1", "2", "3", "joint"}},
	{"route", []string{"Plan", "Counts", "PartOfPlan"}, []string{"run", "apply", "apply other", "run plan",
		"run plan other", "part", "apply counts"}},
	{"nights", []string{"Ledger", "Dataset", "Population", "OnChange", "RecordID", "KeyFile", "Person"},
		[]string{"one", "by id", "person", "draw", "hold", "refuse"}},
	{"total", []string{"TotalEpsilon"}, []string{"none", "some"}},
	{"redesign", []string{"Redesign"}, []string{"no", "stricter", "wider"}},
	{"design", []string{"Design", "Prefer", "Headroom"}, []string{"auto", "safe", "optimal", "blocks", "unchanged",
		"recovery", "headroom"}},
	{"shares", []string{"MaxShift"}, []string{"any", "20%", "1/2", "near", "kept"}},
	{"floor", []string{"FloorRank", "FloorValue", "FloorBy"}, []string{"best", "rank", "value", "by value", "level"}},
	{"epsilon", []string{"MaxFactor", "AllowUnchanged"}, []string{"middle", "small", "large"}},
	{"domain", []string{"Domain"}, []string{"seen", "declared"}},
	{"format", nil, []string{"parquet", "arrow", "csv"}},
	{"files", []string{"AllowSorted"}, []string{"one", "set"}},
}

// plainOptions change no promise: why each is in no dimension.
var plainOptions = map[string]string{
	"Input": "every run has one", "Output": "every run has one", "Report": "every run has one",
	"Delimiter": "how a file is written", "Header": "how a file is written",
	"Utility": "every run has a random order", "Epsilon": "MaxFactor in nats",
	"Bins":   "makes letters of numbers, as TestBinsAreThoseSaid sees",
	"Labels": "names outputs", "SolveTime": "ends a search",
	"Floors": "frontier", "Page": "frontier",
	"Metadata": "of other columns", "AllowIdentifier": "lets a " +
		"run pass", "Audit": "tiny files cannot be judged", "AllowLinked": "lets a run pass", "AllowEmpty": "lets a run pass",
	"Previous": "compares reports", "Since": "takes fewer files",
	"Overwrite": "files", "Hash": "files", "Threads": "no output depends on it",
	"TestSeed": "every run has one, where no key draws", "Sign": "files", "About": "words of people",
	"Inside":   "words of people",
	"Shard":    "the same draws, some files at a time",
	"Detached": "when a step ends",
	"RunKey":   "repeats draws, which have the same law", "RunID": "repeats draws, which have the same law",
	"Settings": "origin of options", "Version": "of the program", "Progress": "messages", "Warn": "messages",
	"Compared":  "messages",
	"Repeat":    "its fields are listed",
	"WritePlan": "files", "WriteCounts": "files", "Show": "order", "New": "order",
	"Format": "frontier", "Then": "frontier",
	"LogFormat": "messages", "Recovery": "recover", "Simulation": "simulate",
}

// A scenario is a value of every dimension, by place.
type scenario []int

func (s scenario) of(name string) string {
	for i, d := range dimensions {
		if d.name == name {
			return d.values[s[i]]
		}
	}
	panic(name)
}

func (s scenario) String() string {
	var out []string
	for i, d := range dimensions {
		if s[i] > 0 {
			out = append(out, d.name+"="+d.values[s[i]])
		}
	}
	return strings.Join(out, " ")
}

// A pairing is two values of two dimensions.
type pairing [4]int

// pairings are those of a scenario.
func (s scenario) pairings() (out []pairing) {
	for i := range s {
		for j := range i {
			out = append(out, pairing{j, s[j], i, s[i]})
		}
	}
	return out
}

// every lists all pairings.
func every() (out []pairing) {
	for i, d := range dimensions {
		for j := range i {
			for a := range dimensions[j].values {
				for b := range d.values {
					out = append(out, pairing{j, a, i, b})
				}
			}
		}
	}
	return out
}

// TestEveryOptionIsInTheMatrix: an option that is in no dimension, and is not
// known to change no promise, fails.
func TestEveryOptionIsInTheMatrix(t *testing.T) {
	known := map[string]bool{}
	for _, d := range dimensions {
		for _, f := range d.fields {
			known[f] = true
		}
	}
	there := map[string]bool{}
	fields := func(of reflect.Type) {
		for i := range of.NumField() {
			name := of.Field(i).Name
			there[name] = true
			if !known[name] && plainOptions[name] == "" {
				t.Errorf("the option %s is in no dimension of the matrix", name)
			}
		}
	}
	fields(reflect.TypeFor[pipeline.Options]())
	fields(reflect.TypeFor[pipeline.Repeat]())
	for _, named := range []iter.Seq[string]{maps.Keys(known), maps.Keys(plainOptions)} {
		for name := range named {
			if !there[name] {
				t.Errorf("the matrix names %s, which is no option", name)
			}
		}
	}
}

// TestMatrix runs tiny random files through every kind of run, and holds every
// claim of every report to its observer. TACET_TORTURE makes it long;
// TACET_MATRIX is the number of runs. From 500 on every pair of values is among
// them, and every claim.
func TestMatrix(t *testing.T) {
	runs, rareRuns, end := 200, 2, torture.Until(t, 1) // what has no time any more is not run
	if torture.Long() {
		runs = 200_000
	}
	if s := os.Getenv("TACET_MATRIX"); s != "" {
		n, err := strconv.Atoi(s)
		must(t, err)
		runs = n
	}
	if runs >= 500 {
		rareRuns = 16
	}
	open := map[pairing]bool{}
	for _, p := range every() {
		open[p] = true
	}
	r := torture.Rand("matrix", 14)
	seen, codes, tried := map[string]int{}, map[string]int{}, 0
	var lock sync.Mutex // of both
	start := time.Now()
	t.Run("runs", func(t *testing.T) { // ends when all of them have
		for i := range runs + len(rare)*rareRuns {
			s := next(r, open)
			if i >= runs {
				s = rare[(i-runs)/rareRuns].scenario()
			}
			seed := r.Uint64()
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				if i < runs && time.Now().After(end) {
					return
				}
				own := map[string]int{}
				code := perform(t, s, seed, own)
				if t.Failed() {
					t.Logf("%s; seed %d", s, seed)
				}
				lock.Lock()
				defer lock.Unlock()
				codes[code]++
				tried++
				for what, n := range own {
					seen[what] += n
				}
			})
			for _, p := range s.pairings() {
				delete(open, p)
			}
		}
	})
	t.Logf("torture: %d runs, %d released, in %v; by exit code %v; %d pairs of values left", tried, codes["0"],
		time.Since(start).Round(time.Millisecond), codes, len(open))
	if len(open) > 0 && runs >= 500 && tried >= runs {
		t.Errorf("%d pairs of values were not run", len(open))
	}
	for _, what := range []string{"level", "strata", "presence", "series", "held rows", "risk", "chances"} {
		if seen[what] < 10 && runs >= 500 && tried >= runs {
			t.Errorf("only %d reports tell of %s", seen[what], what)
		}
	}
	for _, row := range account.Rows {
		if seen[row.Key] == 0 && runs >= 500 && tried >= runs && row.Key != "bins" { // TestBinsAreThoseSaid makes it
			t.Errorf("no run made the claim %q", row.Key)
		}
	}
}

// rare are scenarios that make claims, or designs, which hardly any random one
// makes; each is run a few times, beside the random ones.
var rare = []named{
	{"nights": "draw", "total": "some", "redesign": "wider"},
	{"nights": "hold", "redesign": "wider", "null": "draw"},
	{"nights": "draw", "total": "some"},
	{"nights": "draw", "null": "public"},
	{"nights": "hold"},
	{"nights": "hold", "redesign": "stricter", "epsilon": "large", "null": "public"},
	{"nights": "refuse"},
	{"strata": "kept", "merge": "new"},
	{"strata": "dropped", "design": "headroom"},
	{"design": "recovery", "epsilon": "large"},
	{"strata": "kept", "prior": "declared", "epsilon": "large"},
	{"strata": "merged", "prior": "smooth"},
	{"strata": "kept", "shares": "1/2", "epsilon": "large"},
	{"strata": "kept", "shares": "1/2", "prior": "smooth", "epsilon": "large"},
	{"strata": "merged", "shares": "1/2", "prior": "declared", "epsilon": "large"},
	{"strata": "kept", "shares": "1/2", "merge": "letter", "epsilon": "large"},
	{"prior": "smooth", "merge": "letter", "strata": "merged", "route": "run plan other"},
	{"prior": "smooth", "merge": "letter", "route": "apply other", "epsilon": "large"},
	{"strata": "dropped", "shares": "near", "merge": "new", "prior": "smooth only", "epsilon": "large"},
	{"nights": "hold", "shares": "1/2", "epsilon": "large"},
	{"strata": "kept", "route": "apply counts"},
	{"columns": "2", "null": "public"},
	{"columns": "2", "strata": "kept"},
	{"columns": "2", "strata": "dropped", "null": "public"},
	{"columns": "3", "strata": "merged", "route": "apply"},
	{"strata": "merged", "route": "apply counts", "null": "public", "merge": "new"},
	{"floor": "level", "design": "blocks", "epsilon": "large"},
	{"floor": "level", "null": "draw", "epsilon": "large"},
	{"floor": "level", "shares": "20%", "epsilon": "large"},
	{"design": "blocks", "shares": "near", "prior": "smooth", "epsilon": "large"},
	{"shares": "1/2", "prior": "declared", "epsilon": "large"},
	{"shares": "1/2", "prior": "declared only", "epsilon": "large", "domain": "declared"},
	{"shares": "20%", "prior": "smooth", "epsilon": "large", "domain": "declared"},
	{"shares": "near", "prior": "smooth only", "epsilon": "large"},
	{"shares": "1/2", "merge": "new", "epsilon": "large"},
	{"shares": "1/2", "merge": "letter", "prior": "smooth", "epsilon": "large"},
	{"files": "set", "null": "draw"},
	{"files": "set", "strata": "kept", "format": "arrow"},
	{"files": "set", "null": "draw", "format": "csv"},
	{"files": "set", "strata": "kept", "null": "public", "format": "csv"},
}

// named are the values of some dimensions; the others have their first.
type named map[string]string

func (n named) scenario() scenario {
	s := make(scenario, len(dimensions))
	for i, d := range dimensions {
		if v, ok := n[d.name]; ok {
			s[i] = slices.Index(d.values, v)
		}
	}
	return s
}

// next is a random scenario that has as many open pairings as can be found in a
// few tries.
func next(r *rand.Rand, open map[pairing]bool) scenario {
	var best scenario
	most := -1
	for range 40 {
		s := make(scenario, len(dimensions))
		for i, d := range dimensions {
			if r.IntN(3) == 0 {
				s[i] = r.IntN(len(d.values))
			}
		}
		n := 0
		for _, p := range s.pairings() {
			if open[p] {
				n++
			}
		}
		if n > most {
			best, most = s, n
		}
	}
	return best
}

// perform runs a scenario, and returns its exit code in words.
func perform(t *testing.T, s scenario, seed uint64, seen map[string]int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	dir := t.TempDir()
	strata := 1
	if s.of("strata") != "none" || r.IntN(3) == 0 {
		strata = 2 + r.IntN(2)
	}
	w := newWorld(r, s.of("null") != "none", strata)
	j := &job{t: t, s: s, r: r, w: w, dir: dir, seen: seen, matrix: w.matrix(t, dir), rotates: seed%2 == 0}
	return j.run()
}

// A job carries a scenario from night to night.
type job struct {
	t       *testing.T
	s       scenario
	r       *rand.Rand
	w       *world
	dir     string
	matrix  string
	seen    map[string]int
	key     string
	hash    string // of files; "none" unless it is set
	prior   counts
	rotates bool                                                            // to another key after the first night
	book    map[int64]*history                                              // by id
	told    func(o pipeline.Options, column, folder string, shown []record) // of every report; may be nil
}

// fresh is a folder for a night.
func (j *job) fresh(name string) string {
	dir := filepath.Join(j.dir, name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		j.t.Fatal(err)
	}
	return dir
}

// run performs all nights of the scenario.
func (j *job) run() string {
	n := 1
	switch j.s.of("nights") {
	case "draw", "hold", "refuse":
		n = 3
	}
	j.book = map[int64]*history{}
	code := ""
	for night := range n {
		if night > 0 {
			j.w.night()
		}
		if code = j.night(night); code != "0" {
			return code
		}
	}
	return code
}

// night releases one night and checks what its reports claim.
func (j *job) night(night int) string {
	t, s := j.t, j.s
	dir := j.fresh(fmt.Sprint("night", night))
	o := j.options(dir, night)
	o.Input = j.input(dir)
	data := slices.Clone(j.w.rows)
	ctx := context.Background()
	job := pipeline.Run
	switch route := s.of("route"); {
	case night > 0 || route == "run":
	default:
		plan := o
		plan.WritePlan, plan.Output, plan.Report = filepath.Join(dir, "plan", "plan.json"), "", ""
		j.fresh(filepath.Join(filepath.Base(dir), "plan"))
		if route == "apply counts" {
			if err := j.counted(&plan, dir); err != nil {
				return exitOf(t, err)
			}
		}
		if _, _, err := pipeline.Design(ctx, plan); err != nil {
			return exitOf(t, err)
		}
		o.Plan = plan.WritePlan
		o.Prior, o.Smooth, o.MinCount, o.Other, o.Strata, o.Design, o.Prefer, o.Headroom, o.FloorRank, o.FloorValue,
			o.FloorBy, o.Domain, o.MaxShift, o.Labels = "", "", 0, "", "", "", "", "", nil, nil, "", "", "", ""
		o.StrataMin, o.GivenOnly = 0, false
		if strings.HasPrefix(route, "apply") || route == "part" {
			job = pipeline.Apply
			o.Utility, o.MaxFactor, o.Column = "", "", ""
		}
		switch {
		case strings.HasSuffix(route, "other"):
			j.w.night()
			j.w.night()
		case route == "part":
			j.w.rows = j.w.rows[:max(1, len(j.w.rows)/2)]
			set(&o, "PartOfPlan")
		}
		o.Input = j.input(dir)
	}
	reports, err := job(ctx, o)
	if err != nil {
		return exitOf(t, err)
	}
	rel := release{truth: slices.Clone(j.w.rows), shown: published(t, o.Output), plans: map[string]*planned{},
		prior: j.prior, data: data, public: s.of("null") == "public"}
	if s.of("strata") != "none" {
		rel.strata = "s"
	}
	if strings.HasPrefix(s.of("prior"), "smooth") {
		rel.smooth = 2
	}
	for i, rep := range reports {
		folder := o.Report
		if len(reports) > 1 {
			folder = filepath.Join(o.Report, fmt.Sprint(i+1))
		}
		rel.columns = append(rel.columns, rep.Column)
		p := readPlan(t, filepath.Join(folder, "plan.json"))
		p.ranks = j.ranks(p)
		rel.plans[rep.Column] = p
	}
	if len(rel.shown) != len(rel.truth) {
		t.Errorf("%d rows are published of %d", len(rel.shown), len(rel.truth))
		return "0"
	}
	j.remember(t, &rel, reports[0], o.MaxFactor, night)
	for i, rep := range reports {
		rel.column, rel.report, rel.folder = rep.Column, rep, o.Report
		if len(reports) > 1 {
			rel.folder = filepath.Join(o.Report, fmt.Sprint(i+1))
		}
		rel.check(t, j.seen)
		if j.told != nil {
			j.told(o, rel.column, rel.folder, rel.shown)
		}
		j.verified(&rel, o)
	}
	return "0"
}

// counted gives a design the counts of two parts of the data in place of the file.
func (j *job) counted(o *pipeline.Options, dir string) error {
	whole := j.w.rows
	defer func() { j.w.rows = whole }()
	cut := j.r.IntN(len(whole) + 1)
	o.Input = ""
	for i, rows := range [][]record{whole[cut:], whole[:cut]} {
		j.w.rows = rows
		part := pipeline.Options{Input: j.input(dir), Column: o.Column, Null: o.Null,
			Domain: o.Domain, Strata: o.Strata, WriteCounts: filepath.Join(dir, fmt.Sprint("counts", i))}
		if _, err := pipeline.Estimate(context.Background(), part); err != nil {
			return err
		}
		o.Counts = append(o.Counts, part.WriteCounts)
	}
	return nil
}

// verified checks a release with the independent checker: as its publisher can, and as
// everybody can.
func (j *job) verified(rel *release, o pipeline.Options) {
	for _, q := range []verify.Request{
		{Report: filepath.Join(rel.folder, "report.json"), Input: o.Input, Output: o.Output, Key: o.KeyFile,
			Ledger: o.Ledger},
		{Report: filepath.Join(rel.folder, "public/report.json"), Output: o.Output},
	} {
		got, err := verify.Run(context.Background(), q)
		if err != nil {
			j.t.Errorf("verify: %v", err)
			continue
		}
		for _, c := range got.Checks {
			if c.Outcome == kernel.Failed {
				j.t.Errorf("verify: %s: %s", c.Name, c.Detail)
			}
		}
	}
}

// remember keeps the books of records that are known by id.
func (j *job) remember(t *testing.T, rel *release, rep *report.Report, asked string, night int) {
	rule := j.s.of("nights")
	if rule != "draw" && rule != "hold" && rule != "refuse" {
		return
	}
	p := rel.plans["v"]
	if _, ok := p.of[""]; !ok {
		return
	}
	var total *big.Rat
	if rep.History.Series.Budget != "" {
		e, err := mechanism.ParseEpsilon(rep.History.Series.Budget)
		must(t, err)
		total = e.Factor()
	}
	n := &nights{total: total != nil, certain: j.s.of("merge") == "none" && j.s.of("prior") == "file" &&
		(total == nil || !rel.public)}
	n.asked, _ = new(big.Rat).SetString(asked)
	draw := rep.Draws.KeyID + rep.Plan.Design
	if !n.certain {
		total = nil
	}
	for i, x := range rel.truth {
		y, v := rel.shown[i].cell("v"), x.cell("v")
		if rel.public && rule != "hold" && (y == null) != (v == null) {
			t.Error("presence is not published as it is")
		}
		h := j.book[x.ID]
		if h == nil {
			h = newHistory(p, draw, v, y)
			j.book[x.ID] = h
			n.fresh++
		}
		if rel.public && y == null {
			h.absent = true
			n.rows = append(n.rows, standing{held: v != null})
		} else {
			n.rows = append(n.rows, h.see(t, p, draw, rule == "hold", total, v, y))
		}
		h.last, h.night = y, night
	}
	for _, h := range j.book {
		n.known = append(n.known, h)
		if h.night == night-1 {
			n.gone++
		}
	}
	rel.nights = n
}

// ranks are those of the order, ties broken by place.
func (j *job) ranks(p *planned) map[string]map[string]int {
	f, err := os.Open(j.matrix)
	if err != nil {
		j.t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		j.t.Fatal(err)
	}
	outputs := slices.Clone(rows[0][1:])
	_, withNull := p.counts[null]
	if withNull {
		outputs = append(outputs, null)
	}
	out := map[string]map[string]int{}
	rank := func(x string, value []float64) {
		at := make([]int, len(value))
		for i := range at {
			at[i] = i
		}
		sort.SliceStable(at, func(a, b int) bool { return value[at[a]] < value[at[b]] })
		out[x] = map[string]int{}
		for r, y := range at {
			out[x][outputs[y]] = r + 1
		}
	}
	for _, row := range rows[1:] {
		var value []float64
		for _, c := range row[1:] {
			v, err := strconv.ParseFloat(c, 64)
			if err != nil {
				j.t.Fatal(err)
			}
			value = append(value, v)
		}
		if withNull {
			value = append(value, slices.Min(value)-1)
		}
		rank(row[0], value)
	}
	if withNull {
		value := make([]float64, len(outputs))
		value[len(value)-1] = 1
		rank(null, value)
	}
	return out
}

// options are what the scenario asks for on a night.
func (j *job) options(dir string, night int) pipeline.Options {
	t, s, r := j.t, j.s, j.r
	seed := r.Uint64()
	if j.hash == "" {
		j.hash = "none"
	}
	o := pipeline.Options{Column: "v", Utility: "matrix:" + j.matrix, Audit: "off", Hash: j.hash, Version: "test",
		TestSeed: &seed,
		Output:   filepath.Join(dir, "out"), Report: filepath.Join(dir, "report"), AllowIdentifier: true}
	switch s.of("null") {
	case "draw", "public", "refuse":
		o.Null = s.of("null")
	}
	o.MaxFactor = map[string]string{"small": "6/5", "middle": "9/4", "large": "20"}[s.of("epsilon")]
	if s.of("files") == "set" { // tiny files have hardly two values
		set(&o, "AllowSorted")
	}
	if s.of("epsilon") == "large" && r.IntN(2) == 0 {
		set(&o, "AllowUnchanged")
	}
	j.priors(&o)
	switch s.of("merge") {
	case "new":
		o.MinCount, o.Other = 3, "e"
	case "letter":
		o.MinCount, o.Other = 3, "a"
	}
	if s.of("confidence") == "0.05" {
		o.Confidence = "0.05"
	}
	switch s.of("strata") {
	case "kept":
		o.Strata, o.StrataMin = "s", 1
	case "dropped":
		o.Strata, o.StrataMin, o.Drop = "s", 1, []string{"s"}
	case "merged":
		o.Strata, o.StrataMin, o.Drop = "s", 12, []string{"s"}
	case "given only":
		o.Strata, o.StrataMin = "s", 1
		set(&o, "GivenOnly")
	}
	switch s.of("design") {
	case "safe", "optimal", "blocks":
		o.Design = s.of("design")
	case "unchanged", "recovery":
		o.Prefer = s.of("design")
	case "headroom":
		o.Headroom = "10%"
	}
	switch v := s.of("shares"); v {
	case "any":
	case "near":
		o.Prefer = "shares"
	case "kept":
		o.MaxShift, o.Prefer = "1/2", "values"
	default:
		o.MaxShift = v
	}
	switch s.of("floor") {
	case "rank":
		h := 1 + r.IntN(3)
		o.FloorRank = &h
	case "value":
		v := float64(3 - r.IntN(6))
		o.FloorValue = &v
	case "by value":
		o.FloorBy = "value"
	case "level":
		j.hierarchical(&o)
	}
	if s.of("domain") == "declared" {
		o.Domain = filepath.Join(j.dir, "domain.txt")
		must(t, os.WriteFile(o.Domain, []byte("a\nb\nc\nd\ne\n"), 0o666))
	}
	j.repeated(&o, night)
	if c := s.of("columns"); c != "1" {
		for i, name := range []string{"v", "u", "w"} {
			if c == "3" || i < 2 {
				o.Columns = append(o.Columns, &pipeline.Options{Column: name, Utility: o.Utility, Labels: o.Labels,
					MaxFactor: o.MaxFactor, FloorRank: o.FloorRank, FloorValue: o.FloorValue,
					Null: o.Null, Design: o.Design, Prefer: o.Prefer, MaxShift: o.MaxShift, Domain: o.Domain, Prior: o.Prior})
			}
		}
		o.Column = ""
		if c == "joint" {
			o.JointEpsilon = "3"
		}
	}
	return o
}

// priors sets a declared or smoothed prior.
func (j *job) priors(o *pipeline.Options) {
	kind := j.s.of("prior")
	if strings.HasSuffix(kind, "only") {
		set(o, "PriorOnly")
	}
	switch {
	case strings.HasPrefix(kind, "smooth"):
		o.Smooth = "2"
	case strings.HasPrefix(kind, "declared"):
		j.prior = counts{"a": 4, "b": 3, "c": 1, "d": 1, "e": 1}
		lines := "label,probability\na,0.4\nb,0.3\nc,0.1\nd,0.1\ne,0.1\n"
		if o.Null == "draw" {
			j.prior = counts{"a": 4, "b": 3, "c": 1, "d": 1, null: 1}
			lines = "label,probability,null\na,0.4,\nb,0.3,\nc,0.1,\nd,0.1,\n,0.1,1\n"
		}
		o.Prior = filepath.Join(j.dir, "prior.csv")
		if err := os.WriteFile(o.Prior, []byte(lines), 0o666); err != nil {
			j.t.Fatal(err)
		}
	}
}

// repeated sets what is asked for of records that are known by id.
func (j *job) repeated(o *pipeline.Options, night int) {
	t, kind := j.t, j.s.of("nights")
	byID := func() {
		if j.key == "" {
			// One key for all: a run repeats, whatever it draws.
			text := bytesOf(t, filepath.Join("testdata", "goldens", "draw.key"))
			j.key = filepath.Join(j.dir, "key")
			must(t, os.WriteFile(j.key, text, 0o600))
		}
		o.KeyFile, o.TestSeed = j.key, nil
		o.RecordID, o.Keep = []string{"id"}, nil
	}
	switch kind {
	case "one":
		return
	case "by id":
		byID()
		return
	case "person":
		byID()
		o.RecordID, o.Person = nil, "person"
		return
	default:
		byID()
		o.Ledger, o.Dataset, o.OnChange = filepath.Join(j.dir, "ledger"), "set", kind
		if j.rotates && night == 1 {
			if _, _, _, err := key.Rotate(j.key, "2026-02-01T00:00:00Z"); err != nil {
				t.Fatal(err)
			}
		}
	}
	o.Hash = "sha256"
	if j.s.of("total") != "none" {
		o.TotalEpsilon = "1.5"
		if j.s.of("redesign") != "no" {
			o.TotalEpsilon = "0.9" // what a new design adds to passes it now and then
		}
	}
	if to := j.s.of("redesign"); to != "no" && night == 2 {
		o.Redesign, o.MaxFactor = true, map[string]string{"stricter": "6/5", "wider": "9"}[to]
	}
}

// set turns an option on.
func set(o *pipeline.Options, name string) {
	if f := reflect.ValueOf(o).Elem().FieldByName(name); f.IsValid() {
		f.SetBool(true)
	}
}

// exitOf is the class of a failure; an internal one fails the test.
func exitOf(t *testing.T, err error) string {
	t.Helper()
	f := fault.As(err)
	if f.Class == fault.Internal {
		t.Errorf("%v", err)
	}
	return fmt.Sprint(int(f.Class))
}
