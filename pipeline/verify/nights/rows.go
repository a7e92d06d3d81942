package nights

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/records"
	"github.com/tacet-privacy/tacet/pipeline/verify/redraw"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
)

// redrawn is the pass over the rows of input and output.
type redrawn struct {
	*nights
	drawer *redraw.Drawer
	namer  *redraw.Namer
	ids    []string // columns, of --record-id and --person
	drawn  []int    // of those, by which ids are drawn
	named  []int    // by which records are named
	files  []*pair.Opened
	person map[string]bool // persons and letters whose draw was counted; nil without persons

	rows, other, unknown int64
	list                 []records.Entry
	id                   []byte
	result               *subject.Replayed
}

// checkRowsOf makes every draw again, where key and input are given.
func (n *nights) checkRowsOf(ctx context.Context, q document.Request, f *pair.Files) error {
	const name = "record draws"
	d := n.Report.Randomness
	withHistory := n.Report.History.Series != nil
	switch {
	case n.key == nil && withHistory && d.Kind == "memoised":
		n.Skip(name, "no key: which record a row is of, and what was drawn for it, takes the key and the input")
		return nil
	case n.key == nil:
		return nil
	case d.Kind != "memoised":
		n.Add(name, false, "a key is given, and the report says that the draws do not come from one")
		return nil
	case n.key.ID() != d.KeyID || n.claims.Names != "" && n.key.HistoryID() != n.claims.Names:
		n.Add(name, false, "the draws are not those of this key, by the report")
		return nil
	case f.In == nil || n.Rows == nil || n.Pairs == nil:
		n.Skip(name, "no input, or the rows are not known")
		return nil
	case withHistory && n.history == nil:
		n.Skip(name, "no record history that tells which records are held")
		return nil
	}
	r := &redrawn{nights: n, result: &subject.Replayed{Drawn: pair.NewTally(len(n.Plan.Inputs), len(n.Plan.Outputs))}}
	defer r.close()
	if why := r.start(q); why != "" {
		n.Skip(name, why)
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
			return strings.Split(text, ",")
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
	unit := r.Report.Randomness.Unit
	if len(r.drawn) == 0 || (unit == "person") != (person != "") {
		return "the options do not name the columns of ids"
	}
	for _, c := range r.ids {
		f, err := pair.OpenFile(q.Input, "--input", c)
		if err != nil {
			return "ids in a column of this type are not read again"
		}
		r.files = append(r.files, f)
	}
	design, err := hex.DecodeString(r.Plan.Design)
	if err != nil {
		return "the design hash is none"
	}
	r.drawer = r.key.Drawer(unit, design, r.Plan.Column, func(x int) redraw.Row {
		w := r.nights.Rows[x]
		return redraw.Row{Output: w.Output, Weight: w.Weight, Total: w.Total}
	})
	r.namer = r.key.Namer(r.claims.Population, r.Plan.Column)
	return ""
}

func (r *redrawn) close() {
	for _, f := range r.files {
		f.Disk.Close()
	}
}

// unit goes through the rows of one unit.
func (r *redrawn) unit(ctx context.Context, f *pair.Files, u int) error {
	from, err := cells.NewLetters(f.In.Type(), r.Plan.Inputs)
	if err != nil {
		return nil // compare has said so
	}
	to, err := cells.NewLetters(f.Out.Type(), r.Plan.Outputs)
	if err != nil {
		return nil
	}
	const batch = 4096
	texts := make([][]string, len(r.ids))
	readers := make([]cells.Reader, 2+len(r.ids))
	if readers[0], err = f.In.Open(u, from); err != nil {
		return f.In.Fault(err)
	}
	if readers[1], err = f.Out.Open(u, to); err != nil {
		return f.Out.Fault(err)
	}
	for i, c := range r.files {
		if readers[2+i], err = c.Open(u, cells.NewTexts(c.Type(), &texts[i])); err != nil {
			return c.Fault(err)
		}
	}
	values := make([][]int32, len(readers))
	for i := range values {
		values[i] = make([]int32, batch)
	}
	for ctx.Err() == nil {
		rows := 0
		for i, reader := range readers {
			k, err := pair.Fill(reader, values[i])
			if err != nil {
				return f.In.Fault(err)
			}
			if i > 0 && k != rows {
				return document.Errorf("write the file again", "%s: unit %d holds other rows than its head says", f.In.Path, u+1)
			}
			rows = k
		}
		if rows == 0 {
			return nil
		}
		for i := range rows {
			r.row(values, texts, i)
		}
	}
	return ctx.Err()
}
