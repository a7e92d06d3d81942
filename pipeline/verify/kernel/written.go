package kernel

import (
	"context"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// columns: the output has the columns that were not dropped, every one that is published in
// clear is that of the input, and the file says nothing more of the private one.
func (p *proof) columns() {
	var w Faults
	var all, left, private []string
	for _, c := range p.Claimed.Columns {
		all = append(all, c.Name)
		if c.Fate != Dropped {
			left = append(left, c.Name)
		}
		if c.Fate == Private {
			private = append(private, c.Name)
		}
		w.Match(slices.Contains([]string{Private, Published, Dropped}, c.Fate), "the fate of a column")
	}
	w.Match(slices.Contains(private, p.Plan.Column), "the private column")
	if !slices.Equal(p.Out.Columns(), left) {
		w.Addf("the output has other columns than the report says")
	}
	if p.In != nil && !slices.Equal(p.In.Columns(), all) {
		w.Addf("the input has other columns than the report says")
	}
	p.Settle("columns", w, "%d privatized, %d published in clear, %d dropped", len(private), len(left)-len(private),
		len(all)-len(left))
	const name = "copied columns"
	if p.In == nil {
		p.Skip(name, "no input")
		return
	}
	ok := p.Out.Same(p.In.File, private)
	p.Add(name, ok, "columns published in clear are %s", Either(ok, "those of the input", "not those of the input"))
}

// units: the output has row groups or record batches of as many rows as the input.
func (p *proof) units() bool {
	if p.In == nil {
		return true
	}
	units := p.Out.Units()
	ok := slices.Equal(p.In.Units(), units)
	return p.Add("row groups", ok, "%d %srow groups or record batches, of as many rows in both files", len(units),
		Either(ok, "", "not "))
}

// count reads input and output side by side, with the column of the strata, and counts the
// records.
func (p *proof) count(ctx context.Context) error {
	to, err := files.NewLetters(p.Out.Type(), placesOf(p.Plan.Outputs), files.Stranger)
	if err != nil {
		p.Add("alphabet", false, "the outputs of the plan are no values of the written column: %v", err)
		return nil
	}
	for _, k := range p.Out.Scan(to, p.Claimed.Keep) {
		p.Settle(k.Name, k.Faults, "%s", k.Holds)
	}
	p.columns()
	if !p.units() {
		return nil
	}
	sides, groups := []Side{{p.Out, to}}, 0
	if p.In != nil {
		from, err := p.Plan.letters(p.In.Type())
		if err != nil {
			p.Add("counts", false, "the inputs of the plan are no values of the column: %v", err)
			return nil
		}
		sides, groups = append(sides, Side{p.In, from}), 1
		if p.Plan.Given.Of != "" && p.Groups != nil {
			if strata, why := p.Plan.groupsIn(p.In); why == "" {
				sides, groups = append(sides, *strata), len(p.Groups)
			} else {
				p.Skip("strata of records", why)
			}
		}
	}
	begin := func() *Tally { return NewTally(groups, len(p.Plan.Inputs), len(p.Plan.Outputs)) }
	t := begin()
	err = eachBlock(ctx, len(p.Out.Units()), sides, begin, func(own *Tally, _ int, block [][]int32) error {
		for i, y := range block[0] {
			own.Written(y)
			if len(block) < 2 {
				continue
			}
			g := 0
			if len(block) > 2 {
				g = int(block[2][i])
			}
			own.Add(g, block[1][i], y, to.IsNull)
		}
		return nil
	}, t.merge)
	if err == nil {
		p.Tally = t
	}
	return err
}

// groupsIn opens the strata column of a file, whose cells are read as the places of groups.
func (p *Plan) groupsIn(in *File) (s *Side, why string) {
	of, err := in.Beside(p.Given.Of)
	if err != nil {
		return nil, "the strata column cannot be read"
	}
	s = &Side{Of: &File{File: of, Fault: in.Fault}}
	place, rest := map[files.Label]int32{}, files.Stranger
	for i, g := range p.Groups {
		for _, l := range g.Names {
			place[l] = int32(i)
		}
		if g.Rest {
			rest = int32(i)
		}
	}
	if s.By, err = files.NewLetters(of.Type(), place, rest); err != nil {
		return nil, err.Error()
	}
	return s, ""
}

// inputCounts: the input has the records of every letter and group that the promise is
// relative to: the plan's, or those that are claimed of this file. A part of the plan's data
// has no more records of any.
func (p *proof) inputCounts() {
	const name = "counts"
	t := p.Tally
	if p.In == nil {
		p.Skip(name, "no input")
		return
	}
	var w Faults
	if t.Strange[0] > 0 {
		w.Addf("%d records of the input hold a value that is no input value", t.Strange[0])
	}
	if t.Strange[2] > 0 {
		w.Addf("%d records are in strata that the plan does not have", t.Strange[2])
	}
	if t.InNulls > 0 && p.Plan.Null != "public" {
		w.Addf("the input holds %d nulls, and the null rule is %s", t.InNulls, p.Plan.Null)
	}
	here := [][]int64{p.Records}
	if len(t.In) > 1 {
		for here = nil; len(here) < len(p.Groups); {
			here = append(here, p.Groups[len(here)].Here)
		}
	}
	none := p.Claimed.Followed && sum(t.Letters()) == 0
	for g, counted := range t.In {
		for x, n := range counted {
			if of := here[g][x]; n > of || n < of && !p.Claimed.Part && !none {
				w.Addf("input value %d%s has %d records, and not %d as claimed", x+1, p.which(g), n, of)
			}
		}
	}
	p.Settle(name, w, "%s", Either(!p.Claimed.Part, "the input has the records that the promise is relative to",
		"the input may be a part of the data that the plan was made from"))
}

// alphabet: every written cell is one of the outputs of the plan.
func (p *proof) alphabet() {
	t, c := p.Tally, p.Claimed
	var w Faults
	if t.Strange[1] > 0 {
		w.Addf("%d records of the output hold a value that is no output value", t.Strange[1])
	}
	if t.Torn != 0 && t.Torn != c.Hidden+c.Shown {
		w.Addf("%d records are null in one file and not in the other", t.Torn)
	}
	if t.OutNulls != c.Hidden && p.Plan.Null != "public" {
		w.Addf("the output holds %d nulls, and null is no output", t.OutNulls)
	}
	p.Settle("alphabet", w, "every written value is one of %d outputs", len(t.Out))
}

// forbidden: every record was replaced by something that its row and the floor allow, with
// input and output side by side.
func (p *proof) forbidden() {
	const name = "forbidden cells"
	switch {
	case p.In == nil:
		p.Skip(name, "no input")
		return
	case p.Groups == nil && !p.Plan.Empty() || len(p.Tally.In) != max(1, len(p.Groups)):
		p.Skip(name, "the rows are not known")
		return
	}
	var byRows, byFloor, records int64
	p.Tally.Each(func(g, x, y int, n int64) {
		records += n
		if p.Groups[g].Rows[x].Of(int32(y)) == 0 {
			byRows += n
		}
		if p.Allow != nil && !p.Allow.Has(x, y) {
			byFloor += n
		}
	})
	p.Add(name, max(byRows, byFloor) <= p.Claimed.Held, "%d of %d records show something that their row does not have, "+
		"%d something below the floor; %d show something earlier, or nothing", byRows, records, byFloor, p.Claimed.Held)
}

// nulls: where nulls are public, whoever sees whether a cell is null learns that: of n rows
// with m nulls, a null makes itself n/m times as likely, and a value n/(n-m) times.
func (p *proof) nulls() {
	t, nulls := p.Tally, int64(0)
	switch {
	case p.In != nil:
		nulls = t.InNulls
	case p.Plan.Null == "public" && !p.Plan.NullOutput():
		nulls = t.OutNulls - p.Claimed.Hidden + p.Claimed.Shown
	}
	if nulls > 0 && nulls <= t.Rows {
		p.Null = big.NewRat(t.Rows, nulls)
		if nulls < t.Rows {
			p.Not = big.NewRat(t.Rows, t.Rows-nulls)
		}
	}
}
