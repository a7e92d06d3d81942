package recover

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/estimate/recover"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A tally is the published column, counted by cell and output.
type tally struct {
	sync.Mutex
	cells []*cell
	nulls int64
}

// A cell is the rows of some values of the columns of --by.
type cell struct {
	at      []int32 // letters of these columns
	by      []report.Label
	count   []int64          // by output of the source
	nulls   int64            // rows without a value
	cluster map[string]int64 // rows by cluster and output; nil where rows are draws of their own
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
	if slices.Contains(by, 0) {
		return nil, fault.New(fault.Usage, "name another column", "--by names the column itself")
	}
	reading := q.reading
	if q.Clusters != "" {
		reading.IDs = []string{q.Clusters}
	}
	s, err := count.Open(ctx, reading, columns)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Scan(ctx); err != nil {
		return nil, err
	}
	c := &counter{input: s, by: by, where: where, clusters: q.Clusters != "", tally: &tally{}}
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
	c.outputs = len(m.outputs)
	return c.run(ctx)
}

// outputsOf gives the output of every letter of the published column, -1 for a null that
// is none. A source without a mechanism takes its outputs from the column.
func (m *source) outputsOf(column string, a *table.Alphabet) ([]int, error) {
	labels := report.Labels(a.Labels(), a.Null() >= 0)
	if m.law == nil {
		m.outputs = slices.DeleteFunc(slices.Clone(labels), func(l report.Label) bool { return l.Null && m.null != "letter" })
	}
	place := map[report.Label]int{}
	for y, l := range m.outputs {
		place[l] = y
	}
	out, strange := make([]int, len(labels)), 0
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
	outputs   int
	clusters  bool
	*tally
}

func (c *counter) run(ctx context.Context) (*tally, error) {
	group, ctx := errgroup.WithContext(ctx)
	units := len(c.input.File.Units())
	var next atomic.Int64
	in := make([]*table.Alphabet, len(c.input.Private))
	for i, p := range c.input.Private {
		in[i] = p.Alphabet
	}
	whole := map[string]*cell{}
	for range min(c.input.Workers(), units) {
		group.Go(func() error {
			own := map[string]*cell{}
			for unit := int(next.Add(1)) - 1; unit < units; unit = int(next.Add(1)) - 1 {
				err := c.input.File.Read(ctx, unit, in, func(b table.Batch) error { return c.add(own, &b) })
				if err != nil {
					return c.input.Failed(err)
				}
			}
			c.Lock()
			defer c.Unlock()
			return c.merge(whole, own)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, x := range whole {
		c.cells = append(c.cells, x)
		c.nulls += x.nulls
	}
	slices.SortFunc(c.cells, func(a, b *cell) int { return slices.Compare(a.at, b.at) })
	if len(c.cells) == 0 {
		return nil, fault.New(fault.Input, "ask for fewer --where, or give another file", "no row is counted")
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

// add counts a batch.
func (c *counter) add(to map[string]*cell, b *table.Batch) error {
	key := make([]byte, 0, 4*len(c.by))
	at := make([]int32, len(c.by))
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
		x := to[string(key)]
		if x == nil {
			if (len(to)+1)*max(1, c.outputs) > mostCounts {
				return fault.New(fault.Input, "name fewer columns with --by", "there are too many cells to count")
			}
			x = &cell{at: slices.Clone(at), count: make([]int64, c.outputs)}
			if c.clusters {
				x.cluster = map[string]int64{}
			}
			to[string(key)] = x
		}
		y := c.output[letter]
		if y < 0 {
			x.nulls++
			continue
		}
		x.count[y]++
		if c.clusters {
			x.cluster[clusterOf(&b.Beside[0], i, b.Row+int64(i))+" "+strconv.Itoa(y)]++
		}
	}
	return nil
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

func (c *counter) merge(to, from map[string]*cell) error {
	for key, x := range from {
		y := to[key]
		if y == nil {
			to[key] = x
			continue
		}
		for i, n := range x.count {
			y.count[i] += n
		}
		y.nulls += x.nulls
		for k, n := range x.cluster {
			y.cluster[k] += n
		}
	}
	return nil
}

// rows is how many show an output.
func (x *cell) rows() (n int64) {
	for _, v := range x.count {
		n += v
	}
	return n
}

// draws is how many independent draws they are worth.
func (x *cell) draws() float64 {
	if x.cluster == nil {
		return 0
	}
	return recover.Draws(func(yield func(int64) bool) {
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
