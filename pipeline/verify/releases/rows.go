package releases

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// redrawn is the pass over the rows of input and output.
type redrawn struct {
	*nights
	drawer *Drawer
	namer  *Namer
	ids    []string // columns, of --record-id and --person
	drawn  []int    // of those, by which ids are drawn
	named  []int    // by which records are named
	files  []*document.Opened
	from   *files.Letters  // of the input
	to     *files.Letters  // of the output
	person map[string]bool // persons and letters whose draw was counted; nil without persons

	rows, other, unknown int64
	list                 []Entry
	held                 held
	id                   []byte
	result               *document.Replayed
}

// checkRowsOf makes every draw again, where key and input are given.
func (n *nights) checkRowsOf(ctx context.Context, q document.Request, f *document.Files) error {
	const name = "record draws"
	withHistory := n.Report.Series != nil
	switch {
	case n.key == nil && withHistory && n.Report.Text("randomness.kind") == "memoised":
		n.Skip(name, "no key: which record a row is of, and what was drawn for it, takes the key and the input")
		return nil
	case n.key == nil:
		return nil
	case n.Report.Text("randomness.kind") != "memoised":
		n.Add(name, false, "a key is given, and the report says that the draws do not come from one")
		return nil
	case n.key.ID() != n.Report.Text("randomness.key_id"):
		return document.Errorf("give the key file of that night: a key that was rotated since draws otherwise",
			"%s holds the key %s, and the draws were made with the key %s", q.Key, n.key.ID(),
			n.Report.Text("randomness.key_id"))
	case n.claims.Names != "" && n.key.HistoryID() != n.claims.Names:
		return document.Errorf("give the key file of that night",
			"%s names records as %s, and the record history names them as %s", q.Key, n.key.HistoryID(), n.claims.Names)
	case f.In == nil || n.Rows == nil || n.Pairs == nil:
		n.Skip(name, "no input, or the rows are not known")
		return nil
	case n.Back != nil && n.Back.Loose > 0:
		why, _ := n.Paired(f)
		n.Skip(name, why)
		return nil
	case withHistory && n.history == nil:
		n.Skip(name, "no record history that tells which records are held")
		return nil
	}
	r := &redrawn{nights: n, result: &document.Replayed{Drawn: document.NewTally(len(n.Plan.Inputs),
		len(n.Plan.Outputs), f.Out.Rows())}}
	defer r.close()
	if why := r.start(q); why != "" {
		n.Skip(name, why)
		return nil
	}
	var err error
	if r.from, err = files.NewLetters(f.In.Type(), r.Plan.Inputs); err != nil {
		return nil // compare has said so
	}
	if r.to, err = files.NewLetters(f.Out.Type(), r.Plan.Outputs); err != nil {
		return nil
	}
	for u := range f.Out.Units() {
		if err := r.unit(ctx, f, u); err != nil {
			return err
		}
	}
	r.judge(name)
	return nil
}

// start opens the columns of ids.
func (r *redrawn) start(q document.Request) (why string) {
	list := func(name string) []string {
		if text := r.Report.Option(name); text != "" {
			return document.Names(text)
		}
		return nil
	}
	person := r.Report.Option("person")
	if person != "" {
		r.ids = append(r.ids, person)
	}
	recordIDs := list("record-id")
	for _, c := range recordIDs {
		if c != person {
			r.ids = append(r.ids, c)
		}
	}
	for _, c := range recordIDs {
		for i, id := range r.ids {
			if id == c {
				r.named = append(r.named, i)
			}
		}
	}
	if r.drawn = r.named; person != "" {
		r.drawn, r.person, r.result.Persons = []int{0}, map[string]bool{}, true
	}
	unit := r.Report.Text("randomness.unit")
	if len(r.drawn) == 0 || (unit == "person") != (person != "") {
		return "the options do not name the columns of ids"
	}
	for _, c := range r.ids {
		f, err := document.OpenFile(q, q.Input, "--input", c)
		if err != nil {
			return "ids in a column of this type are not read again"
		}
		r.files = append(r.files, f)
	}
	design, err := hex.DecodeString(r.Plan.Design)
	if err != nil {
		return "the design hash is none"
	}
	r.drawer = r.key.Drawer(unit, design, r.Plan.Column, func(x int) exact.Row { return r.nights.Rows[x] })
	r.namer = r.key.Namer(r.claims.Population, r.Plan.Column)
	return ""
}

func (r *redrawn) close() {
	for _, f := range r.files {
		f.Close()
	}
}

// unit goes through the rows of one unit.
func (r *redrawn) unit(ctx context.Context, f *document.Files, u int) error {
	texts := make([][]string, len(r.ids))
	sides := []document.Side{{Of: f.In, By: r.from}, {Of: f.Out, By: r.to}}
	for i, c := range r.files {
		sides = append(sides, document.Side{Of: c, By: files.NewTexts(c.Type(), &texts[i])})
	}
	return document.Abreast(ctx, u, sides, func(values [][]int32) error {
		for i := range values[0] {
			r.row(values, texts, i)
		}
		return nil
	})
}

// row makes one draw again.
func (r *redrawn) row(values [][]int32, texts [][]string, i int) {
	x, y := values[0][i], values[1][i]
	if x >= 0 && int(x) >= len(r.nights.Rows) || x < 0 && (x != files.Null || r.history == nil) {
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
		if once {
			r.result.Drawn.Pair(x, drawn)
		}
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
	v, ok = r.nights.judge(past)
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
	if want != r.world.Null && r.take(&r.held, &v, None, true) {
		r.result.Held++
	}
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
		r.result.Held++
	} else if y < 0 || r.nights.Rows[x].Of(y) == 0 {
		r.result.Forbidden++
	}
	if once {
		r.result.Drawn.Pair(x, drawn)
	}
}

// judge compares what was drawn again with what was published.
func (r *redrawn) judge(name string) {
	var w document.Faults
	if r.unknown > 0 {
		w.Addf("%d of %d rows are of records that the history does not have, or have no id", r.unknown, r.rows)
	}
	if r.other > 0 {
		w.Addf("%d of %d rows do not hold what key, plan, id and history give", r.other, r.rows)
	}
	if r.history != nil {
		w.Match(r.Report.Earlier() == r.result.Held, "the number of rows held")
		r.judgeHeld("rows by draw, with the key", &r.held, true)
	}
	if r.Settle(name, w, "%d rows made again with the key: each holds what plan, id and history give; %d held", r.rows,
		r.result.Held) {
		r.nights.View.Again = r.result
	}
}
