package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/neighbours"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A Judged is what a run would say of the columns beside a private one.
type Judged struct {
	Column  string    `json:"column"`
	Bins    string    `json:"bins,omitempty"` // that the column is put into
	Epsilon string    `json:"epsilon"`
	Rows    int64     `json:"rows"`
	Pairs   int       `json:"pairs_judged"`
	Of      int       `json:"pairs_possible"`
	Found   []Verdict `json:"found"`
	Drop    []string  `json:"drop"`    // a small set without which nothing of columns is refused, nor restores an order
	Shuffle bool      `json:"shuffle"` // the places of the rows are refused: a run passes once they are shuffled
	path    string    // of the file
}

// A Verdict is one finding.
type Verdict struct {
	Columns []string `json:"columns"` // none for the places of the rows
	Refused bool     `json:"refused"` // else it is only warned of
	What    string   `json:"what"`
}

// judged judges the columns beside the one that is asked for as a run with nothing dropped
// does, by the same code and in the bins that suit it; nothing where a run does not take it.
func (f *File) judged(ctx context.Context, r Request) error {
	at := slices.IndexFunc(f.Columns, func(c Column) bool { return c.Name == r.Column })
	if r.Epsilon == "" || at < 0 || !f.Columns[at].Private {
		return nil
	}
	bins, err := (&request.Options{Bins: f.Columns[at].Bins}).Binning()
	if err != nil {
		return err
	}
	e, err := mechanism.ParseEpsilon(r.Epsilon)
	if err != nil {
		return fault.New(fault.Usage, "give a number such as 0.85, or log(4)", "--epsilon: %v", err)
	}
	in, err := count.OpenColumn(ctx, request.Reading{Path: r.Path, Delimiter: r.Delimiter, Header: r.Header,
		Bins: map[string]string{r.Column: bins}}, r.Column)
	if err != nil {
		return err
	}
	defer in.Close()
	a, counts, err := in.File.Scan(ctx)
	if err != nil {
		return in.Failed(err)
	}
	own := a[0].Without()
	number := counts[0][:own.Len()]
	if len(number) == 0 || slices.Max(number) == 0 {
		return nil
	}
	asked := neighbours.Request{Private: r.Column, Prior: neighbours.Shares(number), Factor: e.FactorUp(),
		Labels: own.Labels(), Dialect: in.File.Dialect()}
	asked.Columns = slices.Concat(slices.DeleteFunc(in.File.Columns(),
		func(c table.Column) bool { return c.Name == r.Column }), in.File.Keys())
	told, err := neighbours.Measure(ctx, in.File, asked, own)
	if err != nil {
		return in.Failed(err)
	}
	found := told.Judge(nil, false)
	f.Judged = &Judged{path: r.Path, Column: r.Column, Bins: f.Columns[at].Bins, Epsilon: r.Epsilon, Rows: told.Rows,
		Pairs: told.PairsJudged, Of: told.PairsOf, Found: []Verdict{}, Drop: told.Drop(found)}
	for _, v := range found {
		f.Judged.Shuffle = f.Judged.Shuffle || v.Refused && v.Names == nil
		f.Judged.Found = append(f.Judged.Found, Verdict{v.Names, v.Refused, v.What})
	}
	if f.Judged.Shuffle {
		f.Judged.Drop = append(f.Judged.Drop, slices.DeleteFunc(told.Restores(),
			func(n string) bool { return slices.Contains(f.Judged.Drop, n) })...)
	}
	return nil
}

// First says what to do with the rows before a run, "" where nothing is.
func (j *Judged) First() string {
	if !j.Shuffle {
		return ""
	}
	return neighbours.Shuffle(j.path)
}

// text is the verdict for people.
func (j *Judged) text(b *strings.Builder) {
	flags := "--column " + report.Shell(j.Column)
	if j.Bins != "" {
		flags += " --bins " + report.Shell(j.Bins)
	}
	fmt.Fprintf(b, "\na run with %s and --epsilon %s that drops nothing (judged on %d rows, %d of %d pairs):\n", flags,
		j.Epsilon, j.Rows, j.Pairs, j.Of)
	for _, v := range j.Found {
		verdict := "warns"
		if v.Refused {
			verdict = "refuses"
		}
		fmt.Fprintf(b, "  %s: %s\n", verdict, v.What)
	}
	b.WriteString("  passes")
	if len(j.Drop) > 0 {
		b.WriteString(" with --drop " + report.Shell(report.NameList(j.Drop)))
	}
	if j.Shuffle {
		b.WriteString(" once the rows have no order: " + j.First())
	}
	b.WriteString("\n")
}
