package recover

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A tally is the published column, counted by cell and output.
type tally struct {
	cells      []*cell
	nulls      int64
	numberless int64 // rows of an output that have no number
}

// A cell is the rows of some values of the columns of --by.
type cell struct {
	at    []int32 // letters of these columns
	by    []report.Label
	part  []part // by mechanism of the source
	nulls int64  // rows without a value
	// rows with a value and without a number
	numberless int64
}

// A part is the rows of a cell that one mechanism drew.
type part struct {
	count   []int64            // by output of the source; nil for no rows
	number  []estimate.Numbers // by output; nil where none are asked for
	cluster map[string]int64   // rows by cluster and output; nil where rows are draws of their own

	c *estimate.Channel // what drew them; nil where they are counted only
	s *estimate.Sample
	l *estimate.Linear
	f *estimate.Fit // nil unless the most likely shares are asked for
}

// mostCounts bounds the cells that are counted.
const mostCounts = 50_000_000

// tallied counts the column.
func tallied(ctx context.Context, q *question, m *source) (*tally, error) {
	columns := []string{q.column}
	place := func(name string) int {
		if at := slices.Index(columns, name); at >= 0 {
			return at
		}
		columns = append(columns, name)
		return len(columns) - 1
	}
	var by, where []int
	for _, name := range q.By {
		by = append(by, place(name))
	}
	names, values := q.Conditions()
	for _, name := range names {
		where = append(where, place(name))
	}
	for flag, at := range map[string][]int{"--by": by, "--where": where} {
		if slices.Contains(at, 0) {
			return nil, fault.New(fault.Usage, "name another column", "%s names the column itself", flag)
		}
	}
	reading := q.reading
	if q.Clusters != "" {
		reading.IDs = []string{q.Clusters}
	}
	number := -1
	if q.Mean != "" {
		if q.Mean == q.column {
			return nil, fault.New(fault.Usage, "name another column", "--mean names the column itself")
		}
		if number = slices.Index(reading.IDs, q.Mean); number < 0 {
			number, reading.IDs = len(reading.IDs), append(reading.IDs, q.Mean)
		}
	}
	s, err := opened(ctx, reading, columns, m.strata)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Scan(ctx); err != nil {
		return nil, err
	}
	c := &counter{input: s, by: by, where: where, clusters: q.Clusters != "", number: number, source: m,
		tally: &tally{}}
	for i, at := range where {
		a := s.Private[at].Alphabet
		want := slices.Index(a.Labels(), values[i])
		if want < 0 {
			return nil, fault.New(fault.Input, "compare it with the values of the column", "no row has %s", q.Where[i])
		}
		c.want = append(c.want, int32(want))
	}
	if c.output, err = m.outputsOf(q.column, s.Private[0].Alphabet); err != nil {
		return nil, err
	}
	return c.run(ctx)
}

// opened is the file with the column that tells which mechanism drew a row.
func opened(ctx context.Context, r request.Reading, columns []string, strata string) (*count.Input, error) {
	s, err := count.Open(ctx, r, columns)
	if err != nil || strata == "" {
		return s, err
	}
	known := slices.ContainsFunc(s.File.Columns(), func(c table.Column) bool { return c.Name == strata })
	if err := s.Close(); err != nil {
		return nil, err
	}
	if !known {
		return nil, fault.New(fault.Input, "choose --method count", "the plan has a mechanism for each stratum of %s, and "+
			"%s does not tell which one drew a row: it has no column %q", strata, r.Path, strata)
	}
	r.Strata = strata
	return count.Open(ctx, r, columns)
}

// outputsOf gives the output of every letter of the published column, -1 for a null that
// is none. A source without a mechanism takes its outputs from the column.
func (m *source) outputsOf(column string, a *table.Alphabet) ([]int, error) {
	labels := report.Labels(a.Labels(), a.Null() >= 0)
	if m.laws == nil {
		m.outputs = slices.DeleteFunc(slices.Clone(labels), func(l report.Label) bool { return l.Null && m.null != "draw" })
	}
	place, out, strange := plan.PlacesOf(m.outputs), make([]int, len(labels)), 0
	for i, l := range labels {
		y, ok := place[l]
		if !ok && !l.Null {
			strange++
		}
		if out[i] = y; !ok {
			out[i] = -1
		}
	}
	if strange > 0 {
		return nil, fault.New(fault.Input, "give the mechanism of this release, and the file that it published",
			"column %q holds %s that the mechanism does not publish", column, report.Several(int64(strange), "value", "values"))
	}
	return out, nil
}

// A counter goes over the file.
type counter struct {
	input     *count.Input
	by, where []int   // places among the columns
	want      []int32 // letters of where
	output    []int   // by letter of the column
	source    *source
	clusters  bool
	number    int // place beside of the column of numbers, -1 for none
	*tally
}

func (c *counter) run(ctx context.Context) (*tally, error) {
	units := len(c.input.File.Units())
	in := make([]*table.Alphabet, len(c.input.Private))
	for i, p := range c.input.Private {
		in[i] = p.Alphabet
	}
	all := make([]cells, c.input.Workers())
	whole, counted := map[string]*cell{}, make([]map[string]*cell, max(units, len(all)))
	err := c.input.Walk(ctx, nil, in, func(worker, unit int) func(*table.Batch) error {
		own, at := &all[worker], worker
		if c.source.strata != "" {
			own.strata = plan.NewReader(c.source.group)
		}
		if c.number >= 0 { // sums of floats keep the order of the file
			at = unit
		}
		if counted[at] == nil {
			counted[at] = map[string]*cell{}
		}
		own.of = counted[at]
		return func(b *table.Batch) error { return c.add(own, b) }
	})
	if err != nil {
		return nil, err
	}
	for _, of := range counted {
		c.merge(whole, of)
	}
	for _, x := range whole {
		c.cells = append(c.cells, x)
		c.nulls += x.nulls
		c.numberless += x.numberless
	}
	slices.SortFunc(c.cells, func(a, b *cell) int { return slices.Compare(a.at, b.at) })
	if len(c.cells) == 0 {
		return nil, fault.New(fault.Input, "ask for fewer --where, or give another file", "no row is counted")
	}
	if c.number >= 0 && !slices.ContainsFunc(c.cells, (*cell).numbered) {
		return nil, fault.New(fault.Input, "name a column of numbers", "no row that is counted has a number in the "+
			"column of --mean")
	}
	for _, x := range c.cells {
		x.by = []report.Label{}
		for i, at := range c.by {
			a := in[at]
			x.by = append(x.by, report.Labels(a.Labels(), a.Null() >= 0)[x.at[i]])
		}
	}
	return c.tally, nil
}

// cells are those that one worker counts.
type cells struct {
	of     map[string]*cell
	parts  int          // of all cells
	strata *plan.Reader // nil where one mechanism drew all rows
	group  []int32      // of the rows of a batch
}

// add counts a batch.
func (c *counter) add(to *cells, b *table.Batch) error {
	key := make([]byte, 0, 4*len(c.by))
	at := make([]int32, len(c.by))
	if to.strata != nil {
		to.group = to.strata.Append(to.group[:0], &b.Beside[c.input.StratumAt()])
	}
	var number *table.Values
	if c.number >= 0 {
		number = &b.Beside[c.number]
	}
rows:
	for i, letter := range b.Letters[0] {
		for k, w := range c.where {
			if b.Letters[w][i] != c.want[k] {
				continue rows
			}
		}
		key = key[:0]
		for k, column := range c.by {
			at[k] = b.Letters[column][i]
			key = append(key, byte(at[k]), byte(at[k]>>8), byte(at[k]>>16), byte(at[k]>>24))
		}
		x := to.of[string(key)]
		if x == nil {
			x = &cell{at: slices.Clone(at), part: make([]part, max(1, len(c.source.laws)))}
			to.of[string(key)] = x
			to.parts++
		}
		y := c.output[letter]
		if y < 0 {
			x.nulls++
			continue
		}
		g := int32(0)
		if to.strata != nil {
			g = to.group[i]
		}
		if g < 0 {
			return fault.New(fault.Input, "give the plan of this release", "rows are in strata of %s that the plan does not "+
				"have", c.source.strata)
		}
		p := &x.part[g]
		if p.count == nil {
			p.count = make([]int64, len(c.source.outputs))
			if c.clusters {
				p.cluster = map[string]int64{}
			}
			if number != nil {
				p.number = make([]estimate.Numbers, len(c.source.outputs))
			}
			if to.parts++; to.parts*max(1, len(c.source.outputs)) > mostCounts {
				return fault.New(fault.Input, "name fewer columns with --by", "there are too many cells to count")
			}
		}
		p.count[y]++
		if number != nil {
			if v, ok := numberIn(number, i); ok {
				p.number[y].Add(v)
			} else {
				x.numberless++
			}
		}
		if c.clusters {
			p.cluster[clusterOf(&b.Beside[0], i, b.Row+int64(i))+" "+strconv.Itoa(y)]++
		}
	}
	return nil
}

// numberIn is the number in row i; a text may be one.
func numberIn(v *table.Values, i int) (n float64, ok bool) {
	if v.Null(i) {
		return 0, false
	}
	switch v.Type.Form {
	case table.IntegerCells, table.UnsignedCells, table.FloatCells, table.DecimalCells, table.WideDecimalCells:
		n = v.Float(i)
	case table.TextCells:
		var err error
		if n, err = strconv.ParseFloat(string(v.Bytes(i)), 64); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	return n, !math.IsNaN(n) && !math.IsInf(n, 0)
}

// clusterOf names the cluster of a row; a row without one is its own.
func clusterOf(v *table.Values, i int, row int64) string {
	switch {
	case v.Null(i):
		return "row " + strconv.FormatInt(row, 10)
	case v.Type.Form <= table.BinaryCells || v.Type.Form == table.WideDecimalCells:
		return "b" + string(v.Bytes(i))
	}
	return "i" + strconv.FormatInt(v.Int(i), 36)
}

func (c *counter) merge(to, from map[string]*cell) {
	for key, x := range from {
		y := to[key]
		if y == nil {
			to[key] = x
			continue
		}
		y.nulls += x.nulls
		y.numberless += x.numberless
		for g, p := range x.part {
			q := &y.part[g]
			if q.count == nil {
				*q = p
				continue
			}
			for i, n := range p.count {
				q.count[i] += n
			}
			for i, n := range p.number {
				q.number[i].Merge(n)
			}
			for k, n := range p.cluster {
				q.cluster[k] += n
			}
		}
	}
}

// rows is how many show an output.
func (x *cell) rows() (n int64) {
	for _, p := range x.part {
		for _, v := range p.count {
			n += v
		}
	}
	return n
}

// numbered reports whether a row has a number.
func (x *cell) numbered() bool {
	return slices.ContainsFunc(x.part, func(p part) bool {
		return slices.ContainsFunc(p.number, func(n estimate.Numbers) bool { return n.Rows > 0 })
	})
}

// independence tests whether the column is independent of the cells; nil where strata have mechanisms
// of their own.
func (t *tally) independence() *estimate.Test {
	var counts [][]int64
	draws := 0.0
	for k, x := range t.cells {
		if len(x.part) > 1 {
			return nil
		}
		p := &x.part[0]
		if counts == nil {
			counts = make([][]int64, len(p.count))
		}
		own := p.draws()
		for y, n := range p.count {
			if counts[y] == nil {
				counts[y] = make([]int64, len(t.cells))
			}
			if counts[y][k] = n; p.cluster == nil {
				own += float64(n)
			}
		}
		draws += own
	}
	return estimate.Independence(counts, draws)
}

// draws is how many independent draws they are worth; 0 where each is one.
func (x *part) draws() float64 {
	if x.cluster == nil {
		return 0
	}
	return estimate.Draws(func(yield func(int64) bool) {
		for _, n := range x.cluster {
			if !yield(n) {
				return
			}
		}
	})
}

// Head is the label of a cell for people.
func (x *Cell) Head(by []string) string {
	var out []string
	for i, l := range x.By {
		out = append(out, by[i]+"="+l.String())
	}
	return strings.Join(out, ", ")
}
