package mechanism

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A present group is the records that have letters in the same columns.
type presentGroup struct {
	columns []int
	list    []combination
}

// A jointClaim is a factor that is claimed, which may be a bound.
type jointClaim struct {
	Node
	factor *big.Rat
	exact  bool
}

// claimed is the factor at a place; nil where there is none.
func claimed(n Node) *jointClaim {
	if f, ok := n.Factor("factor"); ok {
		return &jointClaim{n, f, n.Bool("exact")}
	}
	return nil
}

// CheckJointColumns compares what is said of each column with its own report.
func CheckJointColumns(v *document.View, of []*document.View) {
	var w document.Faults
	added := 0.0
	var columns []Figures
	for _, one := range of {
		e := one.Report.At("epsilon")
		columns = append(columns, Figures{"column": one.Report.Text("column"), "target": e.Text("target"),
			"factor": e.Text("factor"), "nats": e.Float("nats")})
		added += e.Float("nats")
	}
	v.Expect(&w, Figures{"joint.columns": columns, "joint.added_nats": rounded(added, 1),
		"joint.words": Rule(func(n Node) bool { return len(n.Texts("")) > 0 })})
	v.Settle("joint columns", w, "what each of %d columns tells alone, and the sum, which is no bound", len(of))
}

// CheckJointFactor counts the combinations of letters of the input and looks
// for the outputs that tell most of them.
func CheckJointFactor(ctx context.Context, v *document.View, q document.Request, of []*document.View) error {
	names := []string{"joint counts", "joint factor", "joint target", "joint pairs", "who learns most", "joint presence"}
	why := "no input"
	for _, one := range of {
		if q.Input != "" && one.Rows == nil && !one.Empty() {
			why = "the rows of a plan are not known"
		}
	}
	j := claimed(v.Report.At("joint"))
	switch {
	case j == nil:
		v.Add("joint factor", false, "it is no fraction")
		return nil
	case q.Input == "" || why != "no input":
		for _, name := range names {
			v.Leave(name, why, "joint")
		}
		return nil
	}
	list, err := combine(ctx, q.Input, of)
	if err != nil {
		return err
	}
	var w document.Faults
	least, records := int64(0), int64(0)
	for _, c := range list {
		if records += c.count; least == 0 || c.count < least {
			least = c.count
		}
	}
	v.Expect(&w, Figures{"joint.records": records, "joint.combinations": len(list), "joint.smallest": least})
	v.Settle(names[0], w, "%d combinations in %d records, the rarest in %d", len(list), records, least)
	best, bound := largestTogether(of, list, all(of))
	w = judged(j, best, bound)
	v.Expect(&w, Figures{"joint.factor": j.factor, "joint.nats": j.factor, "joint.exact": j.exact,
		"joint.rule": ruleOf(j.exact)})
	switch {
	case len(w) == 0 && best == nil && j.exact:
		v.Skip(names[1], "the combinations of outputs are too many to go through")
	case j.exact:
		v.Settle(names[1], w, "the largest of all combinations of outputs, exactly")
	default:
		v.Settle(names[1], w, "a bound, and not below what is reached")
	}
	checkJointTarget(v, of, j, names[2])
	checkJointPairs(v, of, j, list, names[3])
	checkJointWorst(v, of, j, list, names[4])
	checkJointPresence(v, of, j, list)
	return nil
}

// all are the places of all columns.
func all(of []*document.View) (every []int) {
	for i := range of {
		every = append(every, i)
	}
	return every
}

// ruleOf is what a report calls the way to the factor.
func ruleOf(exact bool) string {
	return document.Either(exact, "exact: over every combination of outputs",
		"bound: no output tells more than one over the share of the rarest combination of letters")
}

// judged compares a factor that is claimed with the largest, nil where that is
// not known, and with one that none exceeds.
func judged(j *jointClaim, best, bound *big.Rat) (w document.Faults) {
	switch claimed, exact := j.factor, j.exact; {
	case claimed.Cmp(bound) > 0 && (best == nil || claimed.Cmp(new(big.Rat).Mul(best,
		big.NewRat(1_000_001, 1_000_000))) > 0):
		w.Addf("the factor is larger than any can be")
	case best != nil && exact && claimed.Cmp(best) != 0:
		w.Addf("the factor is not that of the outputs that tell most")
	case best != nil && claimed.Cmp(best) < 0:
		w.Addf("the bound is below the factor of some outputs")
	case best == nil && !exact && claimed.Cmp(bound) < 0:
		w.Addf("the bound is below one over the share of the rarest combination, and more is not known")
	}
	return w
}

// largestTogether is the largest factor of some columns together, nil where it is
// not known, and one over the share of the rarest combination. Records with
// nulls that stay are judged apart by the columns they stand in.
func largestTogether(of []*document.View, list []combination, which []int) (best, bound *big.Rat) {
	best, bound = big.NewRat(1, 1), big.NewRat(1, 1)
	for _, g := range byNulls(list, which) {
		n, least := int64(0), g.list[0].count
		for _, c := range g.list {
			n, least = n+c.count, min(least, c.count)
		}
		if b := big.NewRat(n, least); b.Cmp(bound) > 0 {
			bound = b
		}
		f, _ := jointFactor(rowsOf(of, g.columns), g.list)
		switch {
		case f == nil:
			best = nil
		case best != nil && f.Cmp(best) > 0:
			best = f
		}
	}
	return best, bound
}

func byNulls(list []combination, which []int) []presentGroup {
	at := map[string]int{}
	var out []presentGroup
	seen := []map[string]int{}
	for _, c := range list {
		var g presentGroup
		own := combination{count: c.count}
		for _, i := range which {
			if c.letter[i] != files.Null {
				g.columns, own.letter = append(g.columns, i), append(own.letter, c.letter[i])
			}
		}
		if len(g.columns) == 0 {
			continue
		}
		key := fmt.Sprint(g.columns)
		k, ok := at[key]
		if !ok {
			k = len(out)
			at[key], out, seen = k, append(out, g), append(seen, map[string]int{})
		}
		letters := fmt.Sprint(own.letter)
		if i, ok := seen[k][letters]; ok {
			out[k].list[i].count += own.count
			continue
		}
		seen[k][letters] = len(out[k].list)
		out[k].list = append(out[k].list, own)
	}
	return out
}

func rowsOf(of []*document.View, columns []int) [][]exact.Row {
	var out [][]exact.Row
	for _, i := range columns {
		out = append(out, of[i].Rows)
	}
	return out
}

// checkJointTarget holds the factor to the epsilon asked for. By what the epsilons of
// the columns were scaled is held by each of them.
func checkJointTarget(v *document.View, of []*document.View, j *jointClaim, name string) {
	var w document.Faults
	target, asked := j.Text("target"), of[0].Report.Option("joint-epsilon")
	if target == "" {
		v.Expect(&w, Figures{"joint.target": nil, "joint.target_factor": nil, "joint.scale": nil})
		w.Match(asked == "", "the target, which the options have otherwise,")
		v.Settle(name, w, "no bound on all columns together was asked for")
		return
	}
	t, ok := exact.ParseTarget(target)
	if !ok || !t.Admits(j.factor) {
		w.Addf("the columns together are above the epsilon asked for")
	}
	w.Match(asked == "" || asked == target, "the target, which the options have otherwise,")
	_, scaled := j.Factor("scale")
	v.Expect(&w, Figures{"joint.target": some, "joint.target_factor": Rule(func(n Node) bool {
		return ok && exact.Near(n.Float(""), min(t.Exp(), math.MaxFloat64), 0) || n.Float("") >= t.Exp() &&
			n.Float("") <= t.Exp()*(1+1e-8)
	}), "joint.scale": Rule(func(Node) bool { return scaled })})
	v.Settle(name, w, "all columns together stay within the epsilon asked for, exactly; epsilons were scaled by %s",
		j.Text("scale"))
}

func checkJointPairs(v *document.View, of []*document.View, j *jointClaim, list []combination, name string) {
	var w document.Faults
	unknown := 0
	stated := j.List("pairs")
	var pairs []Figures
	for i := range of {
		for k := range i {
			want := Figures{"columns": []string{of[k].Plan.Column, of[i].Plan.Column}, "factor": some, "nats": number,
				"exact": truth}
			if at := len(pairs); at < len(stated) && claimed(stated[at]) != nil {
				p := claimed(stated[at])
				want["factor"], want["nats"] = p.factor, p.factor
				best, bound := largestTogether(of, list, []int{k, i})
				if best == nil && p.exact {
					unknown++
				}
				w.Match(p.exact || best == nil, "that the factor of a pair is a bound, where it is known exactly,")
				w = append(w, judged(p, best, bound)...)
			}
			pairs = append(pairs, want)
		}
	}
	v.Expect(&w, Figures{"joint.pairs": pairs})
	v.Settle(name, w, "%d pairs, %d of them too large to go through", len(pairs), unknown)
}

// checkJointWorst recomputes what the outputs that are named make of each
// guess.
func checkJointWorst(v *document.View, of []*document.View, j *jointClaim, list []combination, name string) {
	v.Seen("joint.worst")
	worst := j.At("worst")
	switch {
	case !worst.Has("") && j.exact && len(list) > 0:
		v.Add(name, false, "the report does not name it, and has a factor that is reached")
		return
	case !worst.Has(""):
		v.Skip(name, "the report does not name it")
		return
	}
	for _, g := range byNulls(list, all(of)) {
		var columns []string
		for _, i := range g.columns {
			columns = append(columns, of[i].Plan.Column)
		}
		if !slices.Equal(columns, worst.Texts("columns")) || len(worst.List("output")) != len(columns) {
			continue
		}
		var w document.Faults
		guesses := judgeWorst(v, of, g, j, &w)
		document.Diff(&w, "joint.worst", worst, Figures{"columns": columns, "output": worst.Labels("output"),
			"guesses": guesses, "words": some})
		v.Settle(name, w, "the outputs that tell most, and %d guesses: how likely before and after", len(guesses))
		return
	}
	v.Add(name, false, "no record has letters in the columns that are named")
}

// judgeWorst is what the outputs make of the guesses that are named, the one that
// becomes likelier the most first.
func judgeWorst(v *document.View, of []*document.View, g presentGroup, j *jointClaim, w *document.Faults) (
	guesses []Figures) {
	place := func(labels []files.Label, of []files.Label, k int) int32 { return int32(slices.Index(of, labels[k])) }
	rows := rowsOf(of, g.columns)
	var output []int32
	n := int64(0)
	for k, i := range g.columns {
		output = append(output, place(j.Labels("worst.output"), of[i].Plan.Outputs, k))
	}
	for _, c := range g.list {
		n += c.count
	}
	w.Match(!j.exact || chanceOf(rows, g.list, output, nil).Cmp(j.factor) == 0, "the factor of the outputs named")
	var before *big.Rat
	for _, guess := range j.List("worst.guesses") {
		labels := guess.Labels("guess")
		if len(labels) != len(g.columns) {
			w.Addf("a guess is of other columns")
			return guesses
		}
		var letter []int32
		for k, i := range g.columns {
			letter = append(letter, place(labels, of[i].Plan.Inputs, k))
		}
		f := chanceOf(rows, g.list, output, letter)
		held := int64(0)
		for _, c := range g.list {
			if slices.Equal(c.letter, letter) {
				held = c.count
			}
		}
		prior := float64(held) / float64(n)
		after, _ := f.Float64()
		guesses = append(guesses, Figures{"guess": labels, "records": held, "before": rounded(prior, 1),
			"after": rounded(prior*after, 1), "factor": f})
		w.Match(before == nil || f.Cmp(before) <= 0, "the order of the guesses")
		before = f
	}
	return guesses
}

// checkJointPresence recomputes what nulls that stay tell: with the outputs, and
// of the values of other columns.
func checkJointPresence(v *document.View, of []*document.View, j *jointClaim, list []combination) {
	const name = "joint presence"
	var with []int // columns with nulls that stay
	total, blank := int64(0), int64(0)
	for i := range of {
		if slices.ContainsFunc(list, func(c combination) bool { return c.letter[i] == files.Null }) {
			with = append(with, i)
		}
	}
	for _, c := range list {
		if total += c.count; !slices.ContainsFunc(c.letter, func(x int32) bool { return x != files.Null }) {
			blank += c.count
		}
	}
	var w document.Faults
	if len(with) == 0 {
		v.Expect(&w, Figures{"joint.with_presence": nil, "joint.presence": nil})
		v.Settle(name, w, "no null stays in any of the columns")
		return
	}
	most := big.NewRat(1, 1)
	if blank > 0 {
		most = big.NewRat(total, blank)
	}
	known := true
	for _, g := range byNulls(list, all(of)) {
		n := int64(0)
		for _, c := range g.list {
			n += c.count
		}
		f, _ := jointFactor(rowsOf(of, g.columns), g.list)
		if f == nil {
			known = false
			continue
		}
		if f = new(big.Rat).Mul(f, big.NewRat(total, n)); f.Cmp(most) > 0 {
			most = f
		}
	}
	shown := claimed(j.At("with_presence"))
	if shown == nil {
		v.Seen("joint.presence", "joint.with_presence")
		v.Add(name, false, "nulls stay, and the report does not say what they tell")
		return
	}
	w.Match(shown.factor.Cmp(most) >= 0 && (!known || !shown.exact || shown.factor.Cmp(most) == 0),
		"what all cells tell with which are null")
	var presence []Figures
	pattern := func(by []int, x int) {
		var columns []string
		for _, i := range by {
			columns = append(columns, of[i].Plan.Column)
		}
		factor, gain := told(list, by, x)
		presence = append(presence, Figures{"by": columns, "of": of[x].Plan.Column, "factor": factor, "nats": factor,
			"gain": rounded(gain, 1), "beyond": Stated{}})
	}
	for x := range of {
		if of[x].Empty() {
			continue
		}
		by := slices.DeleteFunc(slices.Clone(with), func(i int) bool { return i == x })
		for _, i := range by {
			pattern([]int{i}, x)
		}
		if len(by) > 1 {
			pattern(by, x)
		}
	}
	v.Expect(&w, Figures{"joint.presence?": presence, "joint.with_presence": Figures{"factor": shown.factor,
		"nats": shown.factor, "exact": truth}})
	v.Settle(name, w, "what %d columns with nulls tell of the others, and all cells with which are null, from the "+
		"counts of the input", len(with))
}

// told is the largest factor by which the nulls of some columns multiply the
// chance of a value of another, and by how many records in all the best guess
// of it is right more often.
func told(list []combination, by []int, of int) (factor *big.Rat, gain float64) {
	rows, sum := map[string]map[int32]int64{}, map[int32]int64{}
	n := int64(0)
	for _, c := range list {
		if c.letter[of] == files.Null {
			continue
		}
		key := ""
		for _, i := range by {
			key += fmt.Sprint(c.letter[i] == files.Null)
		}
		if rows[key] == nil {
			rows[key] = map[int32]int64{}
		}
		rows[key][c.letter[of]] += c.count
		sum[c.letter[of]] += c.count
		n += c.count
	}
	factor = big.NewRat(1, 1)
	most := func(of map[int32]int64) (largest, total int64) {
		for _, k := range of {
			largest, total = max(largest, k), total+k
		}
		return largest, total
	}
	right := int64(0)
	for _, row := range rows {
		largest, total := most(row)
		right += largest
		for x, k := range row {
			if f := new(big.Rat).Mul(big.NewRat(k, total), big.NewRat(n, sum[x])); f.Cmp(factor) > 0 {
				factor = f
			}
		}
	}
	if base, _ := most(sum); n > 0 {
		gain = float64(right-base) / float64(n)
	}
	return factor, gain
}

// Limits of a search through all combinations of outputs: its steps, and the
// exact comparisons of those that floats cannot tell apart.
const (
	combinedSteps = 1 << 31
	combinedTies  = 1 << 21
)

// A combination is what records hold in several private columns, -1 for a null
// that is no letter.
type combination struct {
	letter []int32
	count  int64
}

// A hunt is a search for the outputs y of several columns with the largest
// n max p(y|x) / sum c_x p(y|x), column by column: after the first i outputs
// are fixed, what is left are the combinations that may give them.
type hunt struct {
	rows  [][]exact.Row
	n     int64
	whole bool    // weights are integers over common, else floats
	scale []int64 // by column, the common multiple of the totals of its rows
	steps int64

	top, over uint64    // whole: max p and sum c p of the best outputs, times the scales
	best      float64   // else: the largest quotient
	close     [][]int32 // and the outputs that come within rounding of it
	output    []int32
	tired     bool
}

// A left is a combination that may give the outputs so far, with its chance.
type left struct {
	c    *combination
	p    uint64
	real float64
}

// combine counts the combinations of letters of the input, in the order of the
// letters.
func combine(ctx context.Context, path string, of []*document.View) ([]combination, error) {
	var in []*document.Opened
	var from []*files.Letters
	defer func() {
		for _, o := range in {
			o.Disk.Close()
		}
	}()
	for _, v := range of {
		o, err := document.OpenFile(path, "--input", v.Plan.Column)
		if err != nil {
			return nil, err
		}
		in = append(in, o)
		l, err := files.NewLetters(o.Type(), v.Plan.Inputs)
		if err != nil {
			return nil, document.Errorf("name the input of this release",
				"%s: the letters of a plan are not those of its column", path)
		}
		from = append(from, l)
	}
	units := len(in[0].Units())
	total := map[string]int64{}
	err := eachUnit(units, units, func() map[string]int64 { return map[string]int64{} },
		func(own map[string]int64, u int) error { return combineUnit(ctx, in, from, u, own) },
		func(own map[string]int64) {
			for k, n := range own {
				total[k] += n
			}
		})
	if err != nil {
		return nil, err
	}
	out := make([]combination, 0, len(total))
	for k, n := range total {
		c := combination{count: n}
		for i := range of {
			c.letter = append(c.letter, int32(binary.LittleEndian.Uint32([]byte(k[4*i:]))))
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b combination) int { return slices.Compare(a.letter, b.letter) })
	return out, nil
}

// combineUnit reads the columns of a unit side by side.
func combineUnit(ctx context.Context, in []*document.Opened, from []*files.Letters, unit int,
	to map[string]int64) error {
	readers, block := make([]files.Reader, len(in)), make([][]int32, len(in))
	for i, o := range in {
		r, err := o.Open(unit, from[i])
		if err != nil {
			return o.Fault(err)
		}
		readers[i], block[i] = r, make([]int32, 4096)
	}
	key := make([]byte, 4*len(in))
	for ctx.Err() == nil {
		rows := 0
		for i, r := range readers {
			n, err := document.Fill(r, block[i])
			if err != nil {
				return in[i].Fault(err)
			}
			if i > 0 && n != rows {
				return document.Errorf("write the file again", "%s: the columns of unit %d have other rows", in[i].Path, unit+1)
			}
			rows = n
		}
		if rows == 0 {
			return nil
		}
		for row := range rows {
			for i := range block {
				x := block[i][row]
				if x == files.Stranger {
					return document.Errorf("name the input of this release", "%s: unit %d holds a value that is no letter of a plan",
						in[i].Path, unit+1)
				}
				binary.LittleEndian.PutUint32(key[4*i:], uint32(x))
			}
			to[string(key)]++
		}
	}
	return ctx.Err()
}

// jointFactor is the joint factor of records that are null in none of the
// columns, nil where finding it would take too long.
func jointFactor(rows [][]exact.Row, list []combination) (factor *big.Rat, output []int32) {
	h := &hunt{rows: rows, whole: true}
	for i := range list {
		h.n += list[i].count
		ways := int64(1)
		for k, x := range list[i].letter {
			if ways *= int64(len(rows[k][x].Output)); ways > combinedSteps {
				return nil, nil
			}
		}
		if h.steps += ways; h.steps > combinedSteps {
			return nil, nil
		}
	}
	h.scales(list)
	all := make([]left, len(list))
	for i := range list {
		all[i] = left{&list[i], 1, 1}
	}
	h.fix(all, nil)
	switch {
	case h.tired:
		return nil, nil
	case h.whole:
		f := new(big.Rat).SetFrac(new(big.Int).SetUint64(h.top), new(big.Int).SetUint64(h.over))
		return f.Mul(f, big.NewRat(h.n, 1)), h.output
	case len(h.close)*len(list) > combinedTies:
		return nil, nil
	}
	for _, y := range h.close {
		if f := chanceOf(rows, list, y, nil); factor == nil || f.Cmp(factor) > 0 {
			factor, output = f, y
		}
	}
	return factor, output
}

// scales finds a common denominator per column, if sums of products of such
// integers fit.
func (h *hunt) scales(list []combination) {
	room := uint64(h.n)
	for k, rows := range h.rows {
		common := int64(1)
		for i := range list {
			d := rows[list[i].letter[k]].Total
			g := new(big.Int).GCD(nil, nil, big.NewInt(common), big.NewInt(d)).Int64()
			high, low := bits.Mul64(uint64(common/g), uint64(d))
			if high > 0 || low > 1<<62 {
				h.whole = false
				return
			}
			common = int64(low)
		}
		high, low := bits.Mul64(room, uint64(common))
		if high > 0 || low > 1<<63 {
			h.whole = false
			return
		}
		room = low
		h.scale = append(h.scale, common)
	}
}

// fix tries every output of the next column.
func (h *hunt) fix(now []left, output []int32) {
	k := len(output)
	if k == len(h.rows) {
		h.judge(now, output)
		return
	}
	slices.SortStableFunc(now, func(a, b left) int { return int(a.c.letter[k] - b.c.letter[k]) })
	type give struct{ from, to, at int } // of now, and the place of the output in their row
	may := map[int32][]give{}
	var order []int32
	for from, to := 0, 0; from < len(now); from = to {
		x := now[from].c.letter[k]
		for to = from; to < len(now) && now[to].c.letter[k] == x; {
			to++
		}
		for at, y := range h.rows[k][x].Output {
			if may[y] == nil {
				order = append(order, y)
			}
			may[y] = append(may[y], give{from, to, at})
		}
	}
	slices.Sort(order)
	var then []left
	for _, y := range order {
		then = then[:0]
		for _, g := range may[y] {
			r := &h.rows[k][now[g.from].c.letter[k]]
			part, real := uint64(1), float64(r.Weight[g.at])/float64(r.Total)
			if h.whole {
				part = uint64(r.Weight[g.at]) * uint64(h.scale[k]/r.Total)
			}
			for _, l := range now[g.from:g.to] {
				then = append(then, left{l.c, l.p * part, l.real * real})
			}
		}
		h.fix(then, append(slices.Clone(output), y))
	}
}

// judge compares outputs with the best so far.
func (h *hunt) judge(now []left, output []int32) {
	if h.whole {
		top, over := uint64(0), uint64(0)
		for _, l := range now {
			top, over = max(top, l.p), over+l.p*uint64(l.c.count)
		}
		a, b := bits.Mul64(top, h.over)
		c, d := bits.Mul64(h.top, over)
		if h.output == nil || a > c || a == c && b > d {
			h.top, h.over, h.output = top, over, output
		}
		return
	}
	top, over := 0.0, 0.0
	for _, l := range now {
		top, over = max(top, l.real), over+l.real*float64(l.c.count)
	}
	q := top / over
	margin := 1e-12 + 1e-15*float64(len(now))
	switch {
	case q > h.best*(1+2*margin):
		h.best, h.close = q, [][]int32{output}
	case q >= h.best*(1-2*margin):
		if h.best = max(h.best, q); len(h.close) < combinedTies {
			h.close = append(h.close, output)
		} else {
			h.tired = true
		}
	}
}

// chanceOf is the factor of outputs: of the combination guess, or of the one
// they make likelier the most.
func chanceOf(rows [][]exact.Row, list []combination, output []int32, guess []int32) *big.Rat {
	top, over, n := new(big.Rat), new(big.Rat), int64(0)
	for i := range list {
		c := &list[i]
		n += c.count
		p := big.NewRat(1, 1)
		for k, x := range c.letter {
			r := &rows[k][x]
			at := slices.Index(r.Output, output[k])
			if at < 0 {
				p = nil
				break
			}
			p.Mul(p, big.NewRat(r.Weight[at], r.Total))
		}
		if p == nil {
			continue
		}
		if guess == nil && p.Cmp(top) > 0 || guess != nil && slices.Equal(guess, c.letter) {
			top.Set(p)
		}
		over.Add(over, p.Mul(p, big.NewRat(c.count, 1)))
	}
	if over.Sign() == 0 {
		return over
	}
	return top.Quo(top.Mul(top, big.NewRat(n, 1)), over)
}
