package verify

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/records"
	"github.com/tacet-privacy/tacet/pipeline/verify/redraw"
)

// redrawn is the pass over the rows of input and output.
type redrawn struct {
	*nights
	drawer *redraw.Drawer
	namer  *redraw.Namer
	ids    []string // columns, of --record-id and --person
	drawn  []int    // of those, by which ids are drawn
	named  []int    // by which records are named
	files  []*opened
	person map[string]bool // persons and letters whose draw was counted; nil without persons

	rows, other, unknown int64
	list                 []records.Entry
	id                   []byte
	result               *replayed
}

// checkRowsOf makes every draw again, where key and input are given.
func (n *nights) checkRowsOf(ctx context.Context, q Request, f *files) error {
	const name = "record draws"
	d := n.report.Randomness
	withHistory := n.report.History.Series != nil
	switch {
	case n.key == nil && withHistory && d.Kind == "memoised":
		n.skip(name, "no key: which record a row is of, and what was drawn for it, takes the key and the input")
		return nil
	case n.key == nil:
		return nil
	case d.Kind != "memoised":
		n.add(name, false, "a key is given, and the report says that the draws do not come from one")
		return nil
	case n.key.ID() != d.KeyID || n.claims.Names != "" && n.key.HistoryID() != n.claims.Names:
		n.add(name, false, "the draws are not those of this key, by the report")
		return nil
	case f.in == nil || n.rows == nil || n.pairs == nil:
		n.skip(name, "no input, or the rows are not known")
		return nil
	case withHistory && n.history == nil:
		n.skip(name, "no record history that tells which records are held")
		return nil
	}
	r := &redrawn{nights: n, result: &replayed{drawn: newTally(len(n.plan.Inputs), len(n.plan.Outputs))}}
	defer r.close()
	if why := r.start(q); why != "" {
		n.skip(name, why)
		return nil
	}
	for u := range f.out.Units() {
		if err := r.unit(ctx, f, u); err != nil {
			return err
		}
	}
	r.judge(name)
	return nil
}

// start opens the columns of ids.
func (r *redrawn) start(q Request) (why string) {
	list := func(name string) []string {
		if text := r.report.option(name); text != "" {
			return strings.Split(text, ",")
		}
		return nil
	}
	person := r.report.option("person")
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
		r.drawn, r.person, r.result.persons = []int{0}, map[string]bool{}, true
	}
	unit := r.report.Randomness.Unit
	if len(r.drawn) == 0 || (unit == "person") != (person != "") {
		return "the options do not name the columns of ids"
	}
	for _, c := range r.ids {
		f, err := openFile(q.Input, "--input", c)
		if err != nil {
			return "ids in a column of this type are not read again"
		}
		r.files = append(r.files, f)
	}
	design, err := hex.DecodeString(r.plan.Design)
	if err != nil {
		return "the design hash is none"
	}
	r.drawer = r.key.Drawer(unit, design, r.plan.Column, func(x int) redraw.Row {
		w := r.nights.rows[x]
		return redraw.Row{Output: w.output, Weight: w.weight, Total: w.total}
	})
	r.namer = r.key.Namer(r.claims.Population, r.plan.Column)
	return ""
}

func (r *redrawn) close() {
	for _, f := range r.files {
		f.disk.Close()
	}
}

// unit goes through the rows of one unit.
func (r *redrawn) unit(ctx context.Context, f *files, u int) error {
	from, err := cells.NewLetters(f.in.Type(), r.plan.Inputs)
	if err != nil {
		return nil // compare has said so
	}
	to, err := cells.NewLetters(f.out.Type(), r.plan.Outputs)
	if err != nil {
		return nil
	}
	const batch = 4096
	texts := make([][]string, len(r.ids))
	readers := make([]cells.Reader, 2+len(r.ids))
	if readers[0], err = f.in.Open(u, from); err != nil {
		return f.in.fault(err)
	}
	if readers[1], err = f.out.Open(u, to); err != nil {
		return f.out.fault(err)
	}
	for i, c := range r.files {
		if readers[2+i], err = c.Open(u, cells.NewTexts(c.Type(), &texts[i])); err != nil {
			return c.fault(err)
		}
	}
	values := make([][]int32, len(readers))
	for i := range values {
		values[i] = make([]int32, batch)
	}
	for ctx.Err() == nil {
		rows := 0
		for i, reader := range readers {
			k, err := full(reader, values[i])
			if err != nil {
				return f.in.fault(err)
			}
			if i > 0 && k != rows {
				return errorf("write the file again", "%s: unit %d holds other rows than its head says", f.in.path, u+1)
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
