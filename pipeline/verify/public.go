package verify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// checkPublic makes the checks that a public report allows: that it is of this output, that
// its sentences follow from its figures, and its figures from the epsilon that was asked
// for. What was decided is in the internal report alone.
func (v *Result) checkPublic(ctx context.Context, q Request, data []byte) error {
	p := &report.Public{}
	if json.Unmarshal(data, p) != nil {
		return kernel.Errorf("it was cut short, changed, or written by another version",
			"%s has a member of another type", q.Report)
	}
	out, err := openFile(ctx, q, q.Output, "--output", files.Column{Name: p.Column,
		Dialect: dialect(report.File{Dialect: p.Output.Dialect})})
	if err != nil {
		return err
	}
	defer out.close()
	c := &column{q: q, out: out, stated: &report.Report{}}
	o := p.Output
	if err := c.holds(ctx, "output", out, report.File{SHA256: o.SHA256, Rows: o.Rows, Bytes: o.Bytes, Format: o.Format,
		Files: o.Files, Dialect: o.Dialect}); err != nil {
		return err
	}
	v.Checks = append(v.Checks, c.Checks...)
	w := saidOf(p)
	var names, private []string
	for _, c := range p.Columns {
		names = append(names, c.Name)
		if c.Fate == kernel.Private {
			private = append(private, c.Name)
		}
		w.Match(c.Fate == kernel.Private || c.Fate == kernel.Published, "the fate of a column")
	}
	w.Match(slices.Equal(names, out.Columns()) && slices.Contains(private, p.Column) && p.Rows == out.rows(),
		"rows or columns")
	e, err := mechanism.ParseEpsilon(p.Target)
	w.Match(err == nil && p.Factor == min(e.FactorUp(), math.MaxFloat64) && slices.Equal(p.Grid, account.Grid(e)),
		"e^epsilon, or what an observer can come to believe")
	w.Match(p.Stamp == "" || p.Stamp == report.NotPrivate, "the stamp")
	var again bytes.Buffer
	if err := p.WriteJSON(&again); err != nil || !bytes.Equal(again.Bytes(), data) {
		w.Addf("it is written as no run writes it: %s", firstOf(differences(data, again.Bytes())))
	}
	v.Settle("told again", w, "%d of %d columns privatized; e^epsilon, %d caps and %d sentences follow from the epsilon "+
		"asked for; %s", len(private), len(names), len(p.Grid), len(p.Claims), cmp.Or(p.Stamp, "not stamped"))
	views := map[string][]byte{}
	texts, err := page.Telling{Public: p}.Views("html", "text")
	if err == nil {
		views["report.html"], views["report.txt"] = texts[0], texts[1]
	}
	if err := q.checkViews(&v.Result, p.Version, views, err); err != nil {
		return err
	}
	v.Stated = append(v.Stated, "about", "declared files", "design", "domain", "floor", "how the columns were chosen",
		"order", "paths", "types of columns", "version")
	v.Skip("all else", "a public report holds no plan: counts, floor, factors and fit need the internal one")
	return nil
}

// saidOf are the faults of the sentences of a public report.
func saidOf(p *report.Public) (w kernel.Faults) {
	promised, chosen := false, p.Floor.Rank == 0
	last := -1
	for _, c := range p.Claims {
		at := slices.IndexFunc(account.Rows, func(r account.Row) bool { return r.Key == c.Key })
		if at <= last || !c.Public || !account.Rows[at].Says(c) {
			w.Addf("a sentence is not one that its figures give")
			continue
		}
		last = at
		is, want := c.Figure, (*claim.Figure)(nil)
		switch {
		case strings.HasPrefix(c.Key, "leakage"):
			w.Match(c.Column == p.Column && (c.Asked == p.Target || c.Asked == ""), "whose epsilon a sentence is of")
			if is != nil {
				want = &claim.Figure{Times: p.Factor}
			}
			w.Match(is != nil || c.Standing != claim.Promised || p.Floor == report.PublicFloor{}, "what is promised")
		case c.Key == "floor" && p.Floor.Rank > 0:
			want = &claim.Figure{Rank: p.Floor.Rank, Of: p.Floor.Of, Level: p.Floor.Level, Exact: true}
		case c.Key == "joint" && is != nil:
			e, err := mechanism.ParseEpsilon(c.Asked)
			w.Match(err == nil && is.Times == min(e.FactorUp(), math.MaxFloat64), "the epsilon for all columns together")
			want = is
		case c.Key == "confirmable":
			want = account.Confirmable(p.Factor)
		}
		promised = promised || c.Key == "leakage"
		chosen = chosen || c.Key == "chosen" && strings.Contains(c.Words, claim.Place(p.Floor.Level, p.Floor.Rank,
			p.Floor.Of))
		w.Match(reflect.DeepEqual(is, want), "the figure of a sentence")
	}
	w.Match(promised, "the promise, which is missing,")
	w.Match(chosen, "the floor, which no sentence calls chosen from the data,")
	w.Match(p.Draws == account.Draws(p.Draws, p.Stamp != ""), "what is said of the draws")
	return w
}
