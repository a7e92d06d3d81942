package releases

import (
	"context"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// redrawn is the pass over the rows of input and output.
type redrawn struct {
	*nights
	drawer *Drawer
	namer  *Namer
	ids    []string // columns, of --record-id and --person
	drawn  []int    // of those, by which ids are drawn
	named  []int    // by which records are named
	from   []*kernel.File
	person map[string]bool // persons and letters whose draw was counted; nil without persons

	rows, other, unknown int64
	list                 []Entry
	held                 rowsHeld
	id                   []byte
	again                *kernel.Tally
}

// checkRows makes every draw again, where key and input are given.
func (n *nights) checkRows(ctx context.Context) (again *kernel.Tally, err error) {
	const name = "record draws"
	series := n.report.History.Series != nil
	switch {
	case n.key == nil && series && n.report.Draws.Kind == "memoised":
		n.Skip(name, "no key: which record a row is of, and what was drawn for it, takes the key and the input")
		return nil, nil
	case n.key == nil:
		return nil, nil
	case n.key.ID() != n.report.Draws.KeyID:
		return nil, kernel.Errorf("give the key file of that night: a key that was rotated since draws otherwise",
			"%s holds the key %s, and the draws were made with the key %s", n.Key, n.key.ID(), n.report.Draws.KeyID)
	case n.claims.Names != "" && n.key.HistoryID() != n.claims.Names:
		return nil, kernel.Errorf("give the key file of that night",
			"%s names records as %s, and the record history names them as %s", n.Key, n.key.HistoryID(), n.claims.Names)
	case n.In == nil || len(n.Groups) != 1 || n.Tally == nil:
		n.Skip(name, "no input, or the rows are not known, or are of several mechanisms")
		return nil, nil
	case n.Claimed.Shuffled:
		n.Skip(name, "the rows were shuffled")
		return nil, nil
	case series && n.history == nil:
		n.Skip(name, "no record history that tells which records are held")
		return nil, nil
	}
	r := &redrawn{nights: n, again: kernel.NewTally(1, len(n.Plan.Inputs), len(n.Plan.Outputs))}
	if why := r.start(); why != "" {
		n.Skip(name, why)
		return nil, nil
	}
	from, err := files.NewLetters(n.In.Type(), n.Plan.Inputs)
	if err != nil {
		return nil, nil // the kernel has said so
	}
	to, err := files.NewLetters(n.Out.Type(), n.Plan.Outputs)
	if err != nil {
		return nil, nil
	}
	for u := range n.Out.Units() {
		if err := r.unit(ctx, u, from, to); err != nil {
			return nil, err
		}
	}
	if r.judge(name) {
		return r.again, nil
	}
	return nil, nil
}

// start opens the columns of ids.
func (r *redrawn) start() (why string) {
	person := r.Claimed.Options["person"]
	if person != "" {
		r.ids, r.drawn, r.person = []string{person}, []int{0}, map[string]bool{}
	}
	record, err := csv.NewReader(strings.NewReader(r.Claimed.Options["record-id"])).Read()
	if err != nil && err != io.EOF {
		return "the options do not name the columns of ids"
	}
	for _, c := range record {
		if !slices.Contains(r.ids, c) {
			r.ids = append(r.ids, c)
		}
		r.named = append(r.named, slices.Index(r.ids, c))
	}
	if person == "" {
		r.drawn = r.named
	}
	unit := r.report.Draws.Unit
	if len(r.drawn) == 0 || (unit == "person") != (person != "") {
		return "the options do not name the columns of ids"
	}
	for _, c := range r.ids {
		f, err := r.In.Beside(c)
		if err != nil {
			return "ids in a column of this type are not read again"
		}
		r.from = append(r.from, &kernel.File{File: f, Fault: r.In.Fault})
	}
	design, err := hex.DecodeString(r.Plan.Design)
	if err != nil {
		return "the design hash is none"
	}
	r.drawer = r.key.Drawer(unit, design, r.Plan.Column, func(x int) kernel.Row { return r.Groups[0].Rows[x] })
	r.namer = r.key.Namer(r.claims.Population, r.Plan.Column)
	return ""
}

// unit goes through the rows of one unit.
func (r *redrawn) unit(ctx context.Context, u int, from, to *files.Letters) error {
	texts := make([][]string, len(r.ids))
	sides := []kernel.Side{{Of: r.In, By: from}, {Of: r.Out, By: to}}
	for i, f := range r.from {
		sides = append(sides, kernel.Side{Of: f, By: files.NewTexts(f.Type(), &texts[i])})
	}
	return kernel.Abreast(ctx, u, sides, func(values [][]int32) error {
		for i := range values[0] {
			r.row(values, texts, i)
		}
		return nil
	})
}

// row makes one draw again.
func (r *redrawn) row(values [][]int32, texts [][]string, i int) {
	x, y := values[0][i], values[1][i]
	if x >= 0 && int(x) >= len(r.Groups[0].Rows) || x < 0 && (x != files.Null || r.history == nil) {
		return // strangers are told elsewhere; without a history a null that stays is no draw
	}
	r.rows++
	encode := func(columns []int) ([]byte, bool) {
		r.id = r.id[:0]
		for _, c := range columns {
			at := values[2+c][i]
			if at < 0 {
				return nil, false
			}
			r.id = Part(r.id, texts[c][at])
		}
		return r.id, true
	}
	if x < 0 {
		id, ok := encode(r.named)
		if !ok {
			r.unknown++
			return
		}
		r.list = r.history.Find(r.namer.Name(id), r.list[:0])
		r.absent(y)
		return
	}
	id, ok := encode(r.drawn)
	if !ok {
		r.unknown++
		return
	}
	drawn := r.drawer.Draw(id, int(x))
	once := true
	if r.person != nil {
		key := fmt.Sprintf("%d %s", x, id)
		once = !r.person[key]
		r.person[key] = true
	}
	if r.history == nil {
		if drawn != y {
			r.other++
		}
		r.count(x, drawn, once)
		return
	}
	if id, ok = encode(r.named); !ok {
		r.unknown++
		return
	}
	r.list = r.history.Find(r.namer.Name(id), r.list[:0])
	r.recorded(x, y, drawn, once)
}

// found is what the history has of a row: the ruling before tonight, what it
// showed tonight, and what the output holds; ok is false where it has nothing.
func (r *redrawn) found(y int32) (v ruling, shown, written Symbol, ok bool) {
	tonight := uint16(r.claims.Night)
	past, at := r.list, -1
	for i, e := range r.list {
		if e.First == tonight && len(past) == len(r.list) {
			past = r.list[:i]
		}
		if e.Last == tonight {
			at = i
		}
	}
	v, ok = r.ruling(past)
	if at < 0 || !ok {
		r.unknown++
		return v, 0, 0, false
	}
	written = r.world.Null
	if y >= 0 {
		written = r.world.Shows[r.channel][y]
	}
	return v, r.of(r.list[at]), written, true
}

// absent holds a row without a value to the history: it shows that it has none,
// or what is held.
func (r *redrawn) absent(y int32) {
	v, shown, written, ok := r.found(y)
	if !ok {
		return
	}
	want := r.world.Null
	if r.hold && v.keeps {
		want = v.symbol
	}
	if written != shown || written != want || y == files.Stranger {
		r.other++
	}
	r.take(&r.held, &v, None, true)
}

// recorded holds a row to what the history has of its record.
func (r *redrawn) recorded(x, y, drawn int32, once bool) {
	v, shown, written, ok := r.found(y)
	if !ok {
		return
	}
	own := r.world.Shows[r.channel][drawn]
	want := own
	if v.keeps {
		want = v.symbol
	}
	if written != shown || written != want || y == files.Stranger {
		r.other++
	}
	if r.take(&r.held, &v, own, false) {
		r.rankOf(&r.held, x, y)
	}
	r.count(x, drawn, once)
}

// count adds a draw to those that are tested.
func (r *redrawn) count(x, drawn int32, once bool) {
	if once {
		r.again.Add(0, x, drawn, func(int32) bool { return false })
	}
}

// judge compares what was drawn again with what was published.
func (r *redrawn) judge(name string) bool {
	var w kernel.Faults
	if r.unknown > 0 {
		w.Addf("%d of %d rows are of records that the history does not have, or have no id", r.unknown, r.rows)
	}
	if r.other > 0 {
		w.Addf("%d of %d rows do not hold what key, plan, id and history give", r.other, r.rows)
	}
	if r.history != nil {
		w.Match(r.nights.held().Rows == r.held.rows, "the number of rows held")
		r.judgeHeld("rows by draw, with the key", &r.held, true)
	}
	return r.Settle(name, w, "%d rows made again with the key: each holds what plan, id and history give; %d held", r.rows,
		r.held.rows)
}
