package mechanism

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// CheckNeighbours holds what is said of the columns published in clear to the
// columns that there are, and to itself: the largest is that of the list. What held-
// out rows show is not recomputed.
func CheckNeighbours(v *document.View) {
	const name = "neighbours as stated"
	b := v.Report.At("conditional")
	clear := v.Report.Fate("published in clear")
	var w document.Faults
	state, rows := b.Text("state"), b.Int("records")
	columns, pairs := b.List("columns"), b.List("pairs")
	want := Figures{"state": state, "records": nil, "of": nil, "largest": nil, "blind_letters": nil, "columns": nil,
		"pairs": nil, "together": nil, "place": nil, "runs": nil, "findings": nil}
	none := v.Empty() || v.Report.Int("input.rows") == 0
	switch state {
	case "off":
	case "there are no records to judge":
		w.Match(none && len(clear) > 0, "that there are no records to judge")
	case "measured", "nothing is published beside it":
		w.Match((state == "measured") == (len(clear) > 0), "whether anything is published beside the column")
		if none {
			break
		}
		w.Match(rows > 0 && rows <= b.Int("of") && b.Int("of") == v.Report.Int("input.rows"),
			"the number of rows judged, or of the file,")
		want["records"], want["of"], want["blind_letters"], want["largest"] = number, number, Stated{}, Stated{}
		want["columns?"], want["pairs?"] = toldOf(v, &w, columns, rows), toldOf(v, &w, pairs, rows)
		want["place"] = toldOf(v, &w, []Node{b.At("place")}, rows)[0]
		want["runs"] = Figures{"equal": share, "expected": share, "excess": number}
		delete(want, "columns")
		delete(want, "pairs")
		if all := b.At("together"); all.Has("") {
			want["together"] = toldOf(v, &w, []Node{all}, rows)[0]
		}
		var found []Figures
		for range b.List("findings") {
			found = append(found, Figures{"columns": Stated{}, "allowed": truth, "not_judged": Stated{}, "what": some})
		}
		want["findings?"] = found
		delete(want, "findings")
	default:
		w.Addf("nobody knows whether anything was judged")
	}
	var listed []string
	for _, t := range columns {
		listed = append(listed, t.Texts("columns")...)
	}
	w.Match(state != "measured" || slices.Equal(slices.Sorted(slices.Values(listed)), slices.Sorted(slices.Values(clear))),
		"the list of columns published in clear")
	for _, t := range pairs {
		w.Match(!slices.ContainsFunc(t.Texts("columns"), func(c string) bool { return !slices.Contains(clear, c) }),
			"the columns of a pair")
	}
	if l := b.At("largest"); l.Has("") {
		want["largest"] = Rule(func(n Node) bool { return largestOf(slices.Concat(columns, pairs), n) })
	}
	v.Expect(&w, Figures{"conditional": want})
	v.Settle(name, w, "%d columns, %d pairs; what held-out rows show agrees with itself and is not recomputed",
		len(columns), len(pairs))
}

// share is a rule for what may be a share.
var share Rule = func(n Node) bool { return n.IsNumber() && n.Float("") >= 0 && n.Float("") <= 1+1e-12 }

// largestOf reports whether no lift of the list is above the one that is named
// as the largest, and some is it.
func largestOf(list []Node, l Node) bool {
	found := false
	for _, t := range list {
		lift := t.At("held_out_lift")
		if lift.Float("factor") > l.Float("factor") {
			return false
		}
		found = found || document.Written(l, lift.Value())
	}
	return found
}

// toldOf holds entries to the letters, and their shares to what a share may be.
func toldOf(v *document.View, w *document.Faults, list []Node, rows int64) (all []Figures) {
	among := func(labels []files.Label) Rule {
		return func(n Node) bool {
			l, ok := n.Label("")
			return ok && slices.Contains(labels, l)
		}
	}
	guess, output := among(v.Plan.Inputs), among(v.Plan.Outputs)
	few := Rule(func(n Node) bool { return n.IsNumber() && n.Int("") >= 0 && n.Int("") <= rows })
	for _, t := range list {
		verdict := t.Text("verdict")
		want := Figures{"columns": Stated{}, "judged": verdict != "not judged", "why": Stated{},
			"verdict": oneOf("clear", "not judged", "warn", "refuse"), "held_out_gain": share, "held_out_gain_at_most": share,
			"by": Stated{}, "held_out_records": Stated{}, "held_out_lift": Stated{}, "above_epsilon": Stated{}}
		if t.Has("held_out_records") {
			want["held_out_records"] = few
		}
		if t.Has("held_out_lift") {
			want["held_out_lift"] = Figures{"columns": Stated{}, "chance": share, "guess": guess,
				"factor": Rule(func(n Node) bool { return n.Float("") >= 1 })}
		}
		if b := t.At("above_epsilon"); b.Has("") {
			want["above_epsilon"] = Figures{"guess": guess, "chance": share, "allowed": share, "recall": share}
			w.Match(b.Float("chance") > b.Float("allowed"), "what a neighbour makes likelier than epsilon allows")
		}
		in := Figures{"identifier": Stated{}, "bins": Stated{}, "strata": number, "small_records": few, "alone_nats": number,
			"given_nats": number, "total_nats": number, "guess": share, "guess_without": share, "guess_with_output": share,
			"certain": share, "certain_with_output": share, "removed": share, "worst": Stated{}, "worst_within": Stated{}}
		for _, key := range []string{"worst", "worst_within"} {
			if s := t.At("in_sample." + key); s.Has("") {
				after := s.Float("after")
				in[key] = Figures{"output": output, "guess": guess, "before": share, "after": share, "factor": number}
				w.Match(math.Abs(after-s.Float("before")*s.Float("factor")) <= 1e-9*max(after, 1),
					"what an output adds to a neighbour")
			}
		}
		want["in_sample"] = in
		w.Match(verdict == "not judged" || t.Float("held_out_gain") <= t.Float("held_out_gain_at_most"),
			"what a neighbour gains")
		all = append(all, want)
	}
	return all
}

// What a run takes of a file to judge the columns published in clear, and how it
// counts what they tell in sample.
const (
	sampledRows  = 250_000     // beyond, a run counts one row in so many, unless it was asked for all
	countedCells = 10_000_000  // up to which all columns are held here
	smallValue   = 20          // a value of fewer records is not counted,
	onceShare    = .1          // nor one of which more records hold a private value that comes up once in it
	binnedShare  = .1          // of records that hold small values, above which numbers are cut into quantiles
	mostBins     = 256         // quantiles, of
	binRows      = 100         // records each at the least
	binSteps     = 64_000_000  // bounds quantiles times letters times outputs
	uniqueShare  = .9          // of different values, from which on a column is an identifier
	placeBlocks  = 256         // parts of equally many rows that places are cut into
	columnSteps  = 200_000_000 // bounds what is counted of a column,
	pairsSteps   = 400_000_000 // and of all pairs
	pairedColumn = 6           // columns that tell most, which are counted in pairs
)

// A beside is a column published in clear, row by row.
type beside struct {
	code       []int32 // 0 is null
	bins       int
	identifier bool
}

// An inSample is what values of a column tell of the letters of their rows.
type inSample struct {
	strata, steps          int
	small                  int64
	alone, given, total    float64
	guess, without, both   float64
	certain, sure, removed float64
	worst, within          []seer // all that reach total and given
	letters, cells         int
}

// A seer is a guess that a value and an output make likelier.
type seer struct {
	output, letter        int32
	before, after, factor float64
}

// CheckBeside recomputes from the input what columns published in clear, pairs of
// them and the places of the rows tell by the frequencies of the rows, and how often
// neighbouring rows hold one value.
func CheckBeside(ctx context.Context, v *document.View, q document.Request, f *document.Files) error {
	const name = "neighbours in sample"
	b := v.Report.At("conditional")
	if !b.Has("records") {
		return nil
	}
	rows, laws := v.Report.Int("input.rows"), len(v.Laws)
	switch {
	case f.In == nil || v.Pairs == nil:
		v.Skip(name, "no input")
		return nil
	case v.Rows == nil && laws != 1:
		v.Skip(name, document.Either(laws > 1, "each stratum has a mechanism of its own", "the rows are not known"))
		return nil
	case rows > sampledRows && v.Report.Option("audit") != "full":
		v.Skip(name, "the run counted a sample of the rows")
		return nil
	case int64(len(b.List("columns"))+1)*rows > countedCells:
		v.Skip(name, "there are too many cells to count all of them again")
		return nil
	}
	law := v.Rows
	if law == nil {
		law = v.Laws[0]
	}
	letters, starts, err := readLetters(ctx, v, f)
	if err != nil {
		return err
	}
	t := &counting{law: law, letter: letters, outputs: len(v.Plan.Outputs)}
	var w document.Faults
	document.Some(&w, "conditional", b, Figures{"records": len(letters), "of": len(letters)})
	if v.Report.Option("person") == "" && v.Report.Int("person_figures.persons") == 0 {
		document.Some(&w, "conditional", b, Figures{"runs": t.runs(starts)})
	}
	columns := map[string]*beside{}
	var told []paired
	open := 0
	for i, c := range b.List("columns") {
		names := c.Texts("columns")
		of, err := readBeside(ctx, q, f, names, t)
		if err != nil {
			return err
		}
		if of == nil {
			open++
			continue
		}
		columns[names[0]] = of
		s := t.measure(of.code)
		if s.steps > columnSteps {
			s = &inSample{}
		} else if !of.identifier && s.strata > 1 {
			told = append(told, paired{names[0], s.removed})
		}
		document.Some(&w, fmt.Sprintf("conditional.columns[%d]", i), c, Figures{"in_sample": s.figures(v, of)})
	}
	if open == 0 {
		t.pairs(v, &w, b.List("pairs"), columns, told)
	}
	place := make([]int32, len(letters))
	for i := range place {
		place[i] = int32(float64(i) / float64(len(place)) * placeBlocks)
	}
	document.Some(&w, "conditional.place", b.At("place"),
		Figures{"in_sample": t.measure(place).figures(v, &beside{})})
	v.Settle(name, w, "%d columns, %d pairs and the places of %d rows, by the frequencies of the rows%s", len(columns),
		len(b.List("pairs")), len(letters), document.Either(open == 0, "",
			fmt.Sprintf("; %d columns are of a type that is not read again, and with them the pairs", open)))
	return nil
}

// readLetters are the letters of the rows, and where units start.
func readLetters(ctx context.Context, v *document.View, f *document.Files) (letters []int32, starts []int, err error) {
	from, err := files.NewLetters(f.In.Type(), v.Plan.Inputs)
	if err != nil {
		return nil, nil, nil // compare has said so
	}
	for u := range f.In.Units() {
		r, err := f.In.Open(u, from)
		if err != nil {
			return nil, nil, f.In.Fault(err)
		}
		starts = append(starts, len(letters))
		if letters, err = readAll(ctx, f.In, r, letters); err != nil {
			return nil, nil, err
		}
	}
	return letters, starts, nil
}

// readAll appends what a reader has.
func readAll(ctx context.Context, of *document.Opened, r files.Reader, to []int32) ([]int32, error) {
	block := make([]int32, 4096)
	for ctx.Err() == nil {
		n, err := document.Fill(r, block)
		if err != nil {
			return nil, of.Fault(err)
		}
		if n == 0 {
			return to, nil
		}
		to = append(to, block[:n]...)
	}
	return nil, ctx.Err()
}

// readBeside reads a column and numbers its values, those of numbers and times in
// their order; nil for one of a type that is not read.
func readBeside(ctx context.Context, q document.Request, f *document.Files, names []string, t *counting) (*beside,
	error) {
	if len(names) != 1 {
		return nil, nil
	}
	in, err := files.OpenBeside(f.In.Disk, f.In.Size, names[0])
	var unread *files.Error
	if errors.As(err, &unread) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	opened := &document.Opened{File: in, Path: q.Input, Disk: f.In.Disk, Size: f.In.Size}
	number := map[string]int32{}
	var values []string
	code := make([]int32, 0, len(t.letter))
	for u := range in.Units() {
		var texts []string
		r, err := in.Open(u, files.NewTexts(in.Type(), &texts))
		if err != nil {
			return nil, opened.Fault(err)
		}
		from := len(code)
		if code, err = readAll(ctx, opened, r, code); err != nil {
			return nil, err
		}
		for i, at := range code[from:] {
			if at < 0 {
				code[from+i] = 0
				continue
			}
			k, known := number[texts[at]]
			if !known {
				k = int32(len(values)) + 1
				number[texts[at]], values = k, append(values, texts[at])
			}
			code[from+i] = k
		}
	}
	if len(code) != len(t.letter) {
		return nil, nil // its units hold other rows than their heads say
	}
	return t.divide(code, values, in.Type()), nil
}

// divide cuts numbers and times into quantiles where their values have few rows.
func (t *counting) divide(code []int32, values []string, of files.Type) *beside {
	rank := make([]int, len(values))
	for k := range rank {
		rank[k] = k
	}
	numeric := of.Kind != files.Text && of.Kind != files.Binary && of.Kind != files.Boolean
	if numeric {
		key := make([]files.Key, len(values))
		for k, s := range values {
			if key[k].Number, _ = strconv.ParseInt(s, 10, 64); of.Kind != files.Timestamp {
				key[k], _ = of.Key(s)
			}
		}
		slices.SortFunc(rank, func(a, b int) int { return of.Compare(key[a], key[b]) })
	}
	place, rows := make([]int32, len(values)+1), make([]int, len(values)+1)
	for i, k := range rank {
		place[k+1] = int32(i) + 1
	}
	filled := 0
	for i, k := range code {
		if code[i] = place[k]; k > 0 {
			rows[code[i]]++
			filled++
		}
	}
	out := &beside{code: code,
		identifier: filled > 1 && float64(len(values)) >= uniqueShare*float64(filled)}
	small := 0
	for _, n := range rows[1:] {
		if n < smallValue {
			small += n
		}
	}
	if !numeric || float64(small) <= binnedShare*float64(len(code)) {
		return out
	}
	steps := 0
	for _, r := range t.law {
		steps += len(r.Output)
	}
	most := min(mostBins, max(1, binSteps/max(1, steps)))
	out.bins = min(most, max(1, filled/binRows))
	before := make([]int, len(rows)+1)
	for k, n := range rows {
		before[k+1] = before[k] + n
	}
	for i, k := range code {
		if k > 0 {
			code[i] = 1 + int32(before[k]*out.bins/max(1, filled))
		}
	}
	return out
}

// A counting holds the letters of the rows, and the rows by which they are redrawn.
type counting struct {
	law     []exact.Row
	letter  []int32
	outputs int
}

// measure counts what values tell. A value is told apart from all others; what an
// output adds is by the law of the letters in it.
func (t *counting) measure(code []int32) *inSample {
	cell := map[uint64]int64{}
	for i, x := range t.letter {
		if x >= 0 {
			cell[uint64(code[i])<<32|uint64(x)]++
		}
	}
	keys := make([]uint64, 0, len(cell))
	for k := range cell {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	s := &inSample{}
	var judged [][]uint64
	count, n := make([]int64, len(t.law)), int64(0)
	for from, to := 0, 0; from < len(keys); from = to {
		total, once := int64(0), 0
		for to = from; to < len(keys) && keys[to]>>32 == keys[from]>>32; to++ {
			if total += cell[keys[to]]; cell[keys[to]] == 1 {
				once++
			}
		}
		if total < smallValue || float64(once) > onceShare*float64(total) {
			s.small += total
			continue
		}
		judged = append(judged, keys[from:to])
		for _, k := range keys[from:to] {
			count[uint32(k)] += cell[k]
			s.steps += len(t.law[uint32(k)].Output)
			s.cells++
		}
		n += total
	}
	if s.strata = len(judged); n == 0 {
		return s
	}
	seen := make([]shownBy, t.outputs)
	for _, g := range judged {
		t.value(s, g, cell, count, n, seen)
	}
	entropy, shared := 0.0, 0.0
	for _, c := range count {
		if c > 0 {
			p := float64(c) / float64(n)
			s.without, entropy = max(s.without, p), entropy-p*math.Log(p)
			s.letters++
		}
	}
	shared = entropy
	for _, g := range judged {
		total := int64(0)
		for _, k := range g {
			total += cell[k]
		}
		for _, k := range g {
			shared += float64(cell[k]) / float64(n) * math.Log(float64(cell[k])/float64(total))
		}
	}
	shared -= float64(s.cells-s.letters-s.strata+1) / (2 * float64(n)) // [Miller 1955]
	if entropy > 0 {
		s.removed = min(1, max(0, shared/entropy))
	}
	return s
}

// shownBy is what the letters of a value show in an output.
type shownBy struct {
	mass, most, high, lift float64
	by, by2                int32
	ways                   int
}

// value adds what one value tells.
func (t *counting) value(s *inSample, g []uint64, cell map[uint64]int64, count []int64, n int64, seen []shownBy) {
	total, best, records := 0.0, 0.0, float64(n)
	for _, k := range g {
		total, best = total+float64(cell[k]), max(best, float64(cell[k]))
	}
	var used []int32
	for _, k := range g {
		x, c := int32(uint32(k)), float64(cell[k])
		part := c / float64(count[x])
		s.alone = max(s.alone, part*records/total)
		for i, y := range t.law[x].Output {
			p, at := float64(t.law[x].Weight[i])/float64(t.law[x].Total), &seen[y]
			if at.ways++; at.ways == 1 {
				used = append(used, y)
			}
			at.mass, at.most = at.mass+p*c, max(at.most, p*c)
			if p > at.high {
				at.high, at.by = p, x
			}
			if p*part > at.lift {
				at.lift, at.by2 = p*part, x
			}
		}
	}
	if s.guess += best / records; len(g) == 1 {
		s.certain += total / records
	}
	for _, y := range used {
		at := seen[y]
		if s.both += at.most / records; at.ways == 1 {
			s.sure += at.mass / records
		}
		f, before := at.high*total/at.mass, float64(cell[g[0]&^(1<<32-1)|uint64(at.by)])/total
		s.within = raise(&s.given, s.within, seer{y, at.by, before, before * f, f})
		f, before = at.lift*records/at.mass, float64(count[at.by2])/records
		s.worst = raise(&s.total, s.worst, seer{y, at.by2, before, before * f, f})
		seen[y] = shownBy{}
	}
}

// raise raises a maximum, and keeps those that reach it but for rounding.
func raise(to *float64, list []seer, s seer) []seer {
	if s.factor > *to*(1+1e-9) {
		list = list[:0]
	}
	if s.factor >= *to*(1-1e-9) {
		list = append(list, s)
	}
	*to = max(*to, s.factor)
	return list
}

// figures are what the report says of them: sums to nine digits, leakages not below
// what is found.
func (s *inSample) figures(v *document.View, of *beside) Figures {
	sum := func(f float64) Rounded { return rounded(f, 1) }
	nats := func(f float64) Rule {
		low := math.Log(max(1, f))
		return func(n Node) bool { return n.IsNumber() && n.Float("") >= low-1e-12 && n.Float("") <= low+1e-9*(1+low) }
	}
	oneOfThem := func(all []seer) any {
		if len(all) == 0 {
			return nil
		}
		return Rule(func(n Node) bool { // several may tell as much
			return slices.ContainsFunc(all, func(a seer) bool {
				var w document.Faults
				document.Diff(&w, "", n, Figures{"output": v.Plan.Outputs[a.output], "guess": v.Plan.Inputs[a.letter],
					"before": sum(a.before), "after": sum(min(1, a.after)), "factor": rounded(a.factor, 1e3*a.factor)})
				return len(w) == 0
			})
		})
	}
	return Figures{"identifier?": of.identifier, "bins?": of.bins, "strata": s.strata, "small_records": s.small,
		"alone_nats": nats(s.alone), "given_nats": nats(s.given), "total_nats": nats(s.total), "guess": sum(s.guess),
		"guess_without": sum(s.without), "guess_with_output": sum(s.both), "certain": sum(s.certain),
		"certain_with_output": sum(s.sure), "removed": document.Near{Value: s.removed, By: 1e-9}, "worst": oneOfThem(s.worst),
		"worst_within": oneOfThem(s.within)}
}

// A paired column tells something, and may stand in a pair.
type paired struct {
	name    string
	removed float64
}

// pairs recomputes the first of the list, of the columns that tell most; others are
// there for what held-out rows show, and have no figures.
func (t *counting) pairs(v *document.View, w *document.Faults, list []Node, columns map[string]*beside, told []paired) {
	order := slices.Clone(told)
	slices.SortStableFunc(order, func(a, b paired) int { return cmp.Compare(b.removed, a.removed) })
	order = order[:min(pairedColumn, len(order))]
	n, left := len(order)*(len(order)-1)/2, pairsSteps
	w.Match(len(list) >= n, "the number of pairs")
	for i, p := range list {
		names := p.Texts("columns")
		s, of := &inSample{}, &beside{}
		if len(names) == 2 && columns[names[0]] != nil && columns[names[1]] != nil && i < n {
			high, low := columns[names[0]], columns[names[1]]
			code, both := make([]int32, len(t.letter)), map[uint64]int32{}
			for k := range code {
				pair := uint64(high.code[k])<<32 | uint64(low.code[k])
				if _, known := both[pair]; !known {
					both[pair] = int32(len(both))
				}
				code[k] = both[pair]
			}
			if s = t.measure(code); s.steps > left {
				s = &inSample{}
			} else {
				left -= s.steps
			}
		}
		document.Some(w, fmt.Sprintf("conditional.pairs[%d]", i), p, Figures{"in_sample": s.figures(v, of)})
	}
}

// runs compares neighbouring rows of a unit with a shuffled file: how many are equal,
// and how many standard deviations that is beyond what is expected [Mood 1940].
func (t *counting) runs(starts []int) Figures {
	count := map[int32]float64{}
	pairs, equal, n, last := 0.0, 0.0, 0.0, int32(-1)
	for i, x := range t.letter {
		if _, first := slices.BinarySearch(starts, i); first {
			last = -1
		}
		if x < 0 {
			continue
		}
		if last >= 0 {
			if pairs++; x == last {
				equal++
			}
		}
		last = x
		count[x]++
		n++
	}
	var same, expected, excess float64
	if pairs > 0 && n >= 2 {
		two, three, four, square := 0.0, 0.0, 0.0, 0.0
		for _, c := range count {
			two, three = two+c*(c-1), three+c*(c-1)*(c-2)
			four, square = four+c*(c-1)*(c-2)*(c-3), square+c*(c-1)*c*(c-1)
		}
		same, expected = equal/pairs, two/(n*(n-1))
		if n >= 4 {
			all := n * (n - 1) * (n - 2)
			variance := pairs*expected + 2*(pairs-1)*three/all + (pairs-1)*(pairs-2)*(four+two*two-square)/(all*(n-3)) -
				pairs*expected*pairs*expected
			if variance > 0 {
				excess = (equal - pairs*expected) / math.Sqrt(variance)
			}
		}
	}
	return Figures{"equal": rounded(same, 1), "expected": rounded(expected, 1),
		"excess": document.Near{Value: excess, By: 1e-6 * (1 + math.Abs(excess))}}
}
