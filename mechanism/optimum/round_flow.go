package optimum

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A transport is the network behind the mechanisms with one output law g/D,
// D = sum g, and factor at most t,
//
//	source -> x (c_x D) -> y (at most floor(t c_x g_y)) -> sink (n g_y).
//
// A flow f of n D gives p_xy = f_xy/(c_x D) and P_Y(y) = g_y/D, so that
// p_xy/P_Y(y) <= t exactly. Where t c_x g_y are integers an integral flow
// exists whenever a mechanism does. Counts are divided by what they have in
// common.
type transport struct {
	*Pattern
	*network
	g            []int64
	count        []int64
	want         int64 // n D
	source, sink int
	in, out      []int // edges, by place in letter and by output (-1 for g_y = 0)
	cell         [][]int
}

// transport is nil where n D does not fit.
func newTransport(t *Pattern, g []int64, factor *big.Rat) *transport {
	c := &transport{Pattern: t, g: g, count: make([]int64, len(t.Count))}
	unit, d := common(t), int64(0)
	n := t.Prior.Total() / unit
	for _, v := range g {
		d += v
	}
	if d <= 0 || n > (math.MaxInt64/2+1)/d {
		return nil
	}
	c.want = n * d
	c.network = newNetwork(len(t.Letter) + len(g) + 2)
	c.source, c.sink = c.nodes()-2, c.nodes()-1
	for i, v := range t.Count {
		c.count[i] = v / unit
		c.in = append(c.in, c.edge(c.source, i, c.count[i]*d))
	}
	limit := new(big.Int)
	c.cell = make([][]int, len(g))
	for y, rows := range t.Column {
		c.out = append(c.out, -1)
		if g[y] == 0 {
			continue
		}
		c.out[y] = c.edge(len(t.Letter)+y, c.sink, n*g[y])
		for _, i := range rows {
			limit.Mul(big.NewInt(c.count[i]), big.NewInt(g[y]))
			limit.Mul(limit, factor.Num()).Quo(limit, factor.Denom())
			most := c.count[i] * d
			if limit.IsInt64() {
				most = min(most, limit.Int64())
			}
			c.cell[y] = append(c.cell[y], c.edge(int(i), len(t.Letter)+y, most))
		}
	}
	return c
}

// common is the greatest common divisor of the counts.
func common(t *Pattern) int64 {
	unit := t.Prior.Total()
	for _, v := range t.Count {
		for a := v; a != 0; {
			unit, a = a, unit%a
		}
	}
	return unit
}

// fill looks for a flow of n D near the draft, if there is one, and reports
// whether there is any.
func (c *transport) fill(near *Draft) bool {
	sum := int64(0)
	for y, cells := range c.cell {
		if near == nil || len(cells) == 0 || near.Cell[y] == nil {
			continue
		}
		d := float64(c.want) / float64(c.Prior.Total()) // count[i] d is c_x D
		for k, e := range cells {
			i := c.Column[y][k]
			f := near.Cell[y][k] * float64(c.Pattern.Count[i]) * d
			f = min(f, float64(min(c.room[e], c.room[c.in[i]], c.room[c.out[y]])))
			if f < 1 {
				continue
			}
			v := min(int64(f), c.room[e], c.room[c.in[i]], c.room[c.out[y]])
			c.carry(e, v)
			c.carry(c.in[i], v)
			c.carry(c.out[y], v)
			sum += v
		}
	}
	return sum+c.saturate(c.source, c.sink) == c.want
}

// mechanism reads a flow of n D.
func (c *transport) mechanism() *mechanism.Mechanism {
	row := make([]mechanism.Row, c.Prior.Letters())
	law := make([]float64, len(c.g))
	for y, cells := range c.cell {
		for k, e := range cells {
			if f := c.network.flow(e); f > 0 {
				r := &row[c.Letter[c.Column[y][k]]]
				r.Output, r.Weight, r.Total = append(r.Output, uint16(y)), append(r.Weight, f), r.Total+f
				law[y] += float64(f)
			}
		}
	}
	return c.finish(row, law)
}

// short are the letters, as places, whose mass a flow that is not n D cannot
// place: with A these letters, sum_y min(n g_y, t g_y c(A & S_y)) < c(A) D.
func (c *transport) short() (a []int) {
	for i := range c.Letter {
		if c.depth[i] >= 0 {
			a = append(a, i)
		}
	}
	return a
}

// A network is a capacitated graph for Dinic's maximum flow [Dinic 1970].
// Edge e and its reverse e^1 lie side by side.
type network struct {
	first [][]int32 // by node
	to    []int32
	room  []int64
	depth []int32 // by node, from the last search; -1 where it did not get
	next  []int
}

func newNetwork(nodes int) *network {
	return &network{first: make([][]int32, nodes), depth: make([]int32, nodes), next: make([]int, nodes)}
}

func (g *network) nodes() int { return len(g.first) }

// edge adds an edge and returns its number.
func (g *network) edge(from, to int, capacity int64) int {
	e := len(g.to)
	g.to = append(g.to, int32(to), int32(from))
	g.room = append(g.room, capacity, 0)
	g.first[from] = append(g.first[from], int32(e))
	g.first[to] = append(g.first[to], int32(e+1))
	return e
}

// flow is what edge e carries.
func (g *network) flow(e int) int64 { return g.room[e^1] }

// carry puts more on edge e, at most its room.
func (g *network) carry(e int, more int64) {
	g.room[e] -= more
	g.room[e^1] += more
}

// saturate raises the flow to a maximum one and returns by how much. The
// nodes of depth 0 or more are then the source side of a minimum cut.
func (g *network) saturate(source, sink int) int64 {
	total := int64(0)
	queue := make([]int32, 0, g.nodes())
	for {
		for v := range g.depth {
			g.depth[v] = -1
			g.next[v] = 0
		}
		g.depth[source] = 0
		queue = append(queue[:0], int32(source))
		for k := 0; k < len(queue); k++ {
			v := queue[k]
			for _, e := range g.first[v] {
				if w := g.to[e]; g.room[e] > 0 && g.depth[w] < 0 {
					g.depth[w] = g.depth[v] + 1
					queue = append(queue, w)
				}
			}
		}
		if g.depth[sink] < 0 {
			return total
		}
		for f := int64(1); f > 0; total += f {
			f = g.push(source, sink, math.MaxInt64)
		}
	}
}

// push sends flow along one path of the level graph.
func (g *network) push(v, sink int, most int64) int64 {
	if v == sink {
		return most
	}
	for ; g.next[v] < len(g.first[v]); g.next[v]++ {
		e := g.first[v][g.next[v]]
		w := int(g.to[e])
		if g.room[e] == 0 || g.depth[w] != g.depth[v]+1 {
			continue
		}
		if f := g.push(w, sink, min(most, g.room[e])); f > 0 {
			g.carry(int(e), f)
			return f
		}
	}
	return 0
}
