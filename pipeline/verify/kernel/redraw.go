package kernel

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// A Redraw makes every draw of a release again, by key and ids.
type Redraw struct {
	*Nights               // without Each where no history tells what is held
	Secret, Naming []byte // of the key: draws and names of records
	Unit           string // whose ids draw: "record" or "person"
	Record         []string
	Person         string // column; "" where ids are of records
	Population     string
	// Find appends the entries of a record to dst, none where it is not known.
	Find func(name [16]byte, dst []Entry) []Entry

	Held  Held
	Rows  int64
	Again *Tally // the draws: of a person and letter one counts
	Shown *Tally // rows that are held and have a value, by what they show

	drawer *drawer
	names  cmac
	drawn  []int // columns of ids, by which ids are drawn
	named  []int // by which records are named
	from   []*File
	person map[string]bool // persons and letters whose draw was counted
	list   []Entry
	id     []byte

	other, unknown int64
}

// Check holds every row to what plan, key, id and history give, and gives the faults; why says
// why that cannot be.
func (r *Redraw) Check(ctx context.Context) (w Faults, why string, err error) {
	if why := r.start(); why != "" {
		return nil, why, nil
	}
	from, err := files.NewLetters(r.In.Type(), r.Plan.Inputs)
	if err != nil {
		return nil, "the input has none of these values", nil
	}
	to, err := files.NewLetters(r.Out.Type(), r.Plan.Outputs)
	if err != nil {
		return nil, "the output has none of these values", nil
	}
	for u := range r.Out.Units() {
		texts := make([][]string, len(r.from))
		sides := []Side{{Of: r.In, By: from}, {Of: r.Out, By: to}}
		for i, f := range r.from {
			sides = append(sides, Side{Of: f, By: files.NewTexts(f.Type(), &texts[i])})
		}
		err := Abreast(ctx, u, sides, func(values [][]int32) error {
			for i := range values[0] {
				r.row(values, texts, i)
			}
			return nil
		})
		if err != nil {
			return nil, "", err
		}
	}
	if r.unknown > 0 {
		w.Addf("%d of %d rows are of records that the history does not have, or have no id", r.unknown, r.Rows)
	}
	if r.other > 0 {
		w.Addf("%d of %d rows do not hold what key, plan, id and history give", r.other, r.Rows)
	}
	return w, "", nil
}

// start opens the columns of ids.
func (r *Redraw) start() (why string) {
	const unnamed = "the options do not name the columns of ids"
	var ids []string
	if r.Person != "" {
		ids, r.drawn, r.person = []string{r.Person}, []int{0}, map[string]bool{}
	}
	for _, c := range r.Record {
		if !slices.Contains(ids, c) {
			ids = append(ids, c)
		}
		r.named = append(r.named, slices.Index(ids, c))
	}
	if r.Person == "" {
		r.drawn = r.named
	}
	if len(r.drawn) == 0 || (r.Unit == "person") != (r.Person != "") {
		return unnamed
	}
	for _, c := range ids {
		f, err := r.In.Beside(c)
		if err != nil {
			return "ids in a column of this type are not read again"
		}
		r.from = append(r.from, &File{File: f, Fault: r.In.Fault})
	}
	design, err := hex.DecodeString(r.Plan.Design)
	if err != nil {
		return "the design hash is none"
	}
	r.drawer = newDrawer(r.Secret, r.Unit, design, r.Plan.Column, r.Groups[0].Rows)
	r.names = newNames(r.Naming, r.Population, r.Plan.Column)
	r.Again = NewTally(1, len(r.Plan.Inputs), len(r.Plan.Outputs))
	r.Shown = NewTally(1, len(r.Plan.Inputs), len(r.Plan.Outputs))
	if r.Nights.Each != nil && r.world == nil {
		r.world = newWorld(r.Channels)
	}
	return ""
}

// row makes one draw again.
func (r *Redraw) row(values [][]int32, texts [][]string, i int) {
	x, y := values[0][i], values[1][i]
	series := r.Nights.Each != nil
	if x >= 0 && int(x) >= len(r.Groups[0].Rows) || x < 0 && (x != files.Null || !series) {
		return // strangers are told elsewhere; without a history a null that stays is no draw
	}
	r.Rows++
	encode := func(columns []int) bool {
		r.id = r.id[:0]
		for _, c := range columns {
			at := values[2+c][i]
			if at < 0 {
				return false
			}
			r.id = idPart(r.id, texts[c][at])
		}
		return true
	}
	drawn := int32(-1)
	if x >= 0 {
		if !encode(r.drawn) {
			r.unknown++
			return
		}
		drawn = r.drawer.draw(r.id, x)
		once := true
		if r.person != nil {
			key := fmt.Sprintf("%d %s", x, r.id)
			once, r.person[key] = !r.person[key], true
		}
		if once {
			r.Again.Add(0, x, drawn, func(int32) bool { return false })
		}
	}
	switch {
	case !series:
		if drawn != y {
			r.other++
		}
	case !encode(r.named):
		r.unknown++
	default:
		r.list = r.Find(r.names.sum(r.id), r.list[:0])
		r.held(x, y, drawn)
	}
}

// held holds a row to what the history has of its record: the draw, or without a value a null,
// where it lets that be published. A row without a value that is held shows what it showed.
func (r *Redraw) held(x, y, drawn int32) {
	past, at, _, _ := r.before(r.list)
	v, ok := r.ruling(past)
	if at < 0 || !ok {
		r.unknown++
		return
	}
	own, written, absent := files.Label{Null: true}, files.Label{Null: true}, x < 0
	if !absent {
		own = r.Plan.Outputs[drawn]
	}
	if y >= 0 {
		written = r.Plan.Outputs[y]
	}
	want := own
	if v.keeps && (r.Hold || !absent) {
		want = v.shows
	}
	if written != want || written != r.of(r.list[at]) || y == files.Stranger {
		r.other++
	}
	if absent {
		own = nothing
	}
	if r.take(&r.Held, &v, own, absent) && !absent && y >= 0 {
		r.Shown.Pair(0, x, y, 1)
	}
}
