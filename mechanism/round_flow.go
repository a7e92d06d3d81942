package mechanism

import (
	"math"
	"math/big"
)

// flow returns a mechanism of factor at most t with the output law g/sum g,
// or nil. It exists when the network
//
//	source -> x (c_x D) -> y (at most floor(t c_x g_y)) -> sink (n g_y), D = sum g,
//
// carries a flow f of n D, and then p_xy = f_xy/(c_x D) and P_Y(y) = g_y/D, so
// that p_xy/P_Y(y) <= t exactly.
func (t *pattern) flow(g []int64, factor *big.Rat) *Mechanism {
	n := t.prior.Total()
	d := int64(0)
	for _, v := range g {
		d += v
	}
	if d <= 0 || n > math.MaxInt64/4/d {
		return nil
	}
	net := newNetwork(len(t.letter) + len(g) + 2)
	source, sink := net.nodes()-2, net.nodes()-1
	type cell struct {
		x, y, edge int
	}
	var cells []cell
	for i := range t.letter {
		net.edge(source, i, t.count[i]*d)
	}
	limit := new(big.Int)
	for y, rows := range t.column {
		if g[y] == 0 {
			continue
		}
		net.edge(len(t.letter)+y, sink, n*g[y])
		for _, i := range rows {
			limit.Mul(big.NewInt(t.count[i]), big.NewInt(g[y]))
			limit.Mul(limit, factor.Num()).Quo(limit, factor.Denom())
			most := t.count[i] * d
			if limit.IsInt64() {
				most = min(most, limit.Int64())
			}
			cells = append(cells, cell{t.letter[i], y, net.edge(int(i), len(t.letter)+y, most)})
		}
	}
	if net.saturate(source, sink) != n*d {
		return nil
	}
	row := make([]Row, t.prior.Letters())
	law := make([]float64, len(g))
	for _, c := range cells {
		if f := net.flow(c.edge); f > 0 {
			r := &row[c.x]
			r.Output, r.Weight, r.Total = append(r.Output, uint16(c.y)), append(r.Weight, f), r.Total+f
			law[c.y] += float64(f)
		}
	}
	t.unseen(row, law, nil)
	m, err := New(t.s.Outputs(), row)
	if err != nil {
		return nil
	}
	return m.shorten()
}

// A network is a capacitated graph for Dinic's maximum flow [Dinic 1970].
// Edge e and its reverse e^1 lie side by side.
type network struct {
	first [][]int32 // by node
	to    []int32
	room  []int64
	depth []int32
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

// saturate finds a maximum flow and returns its value.
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
		for {
			f := g.push(source, sink, math.MaxInt64)
			if f == 0 {
				break
			}
			total += f
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
			g.room[e] -= f
			g.room[e^1] += f
			return f
		}
	}
	return 0
}
