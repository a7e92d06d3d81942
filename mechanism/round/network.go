package round

import "math"

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
			g.carry(int(e), f)
			return f
		}
	}
	return 0
}
