package kernel

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

const (
	// flowSteps bounds the search for outputs that rows of equal cells may have.
	flowSteps = 200_000_000
	// strayed is how many standard deviations from 0 the rank correlation of places may be,
	// and kept how many rows may stand behind the row that they stood behind: of a random
	// order their number is one in the mean, and nearly of Poisson's law. One of the three
	// alarms is false with a chance below 1e-9.
	strayed, kept = 6.2, 13
)

// A back is how the rows of a shuffled output go with those of its input.
type back struct {
	in, out []int32 // rows of both, by the cells of the columns published in clear
	group   []int   // where in these rows begin that have the same cells, and the end
}

// putBack finds the row of the input that each row of a shuffled output is, by the columns
// published in clear; nil where they are others. Rows with the same cells stand together.
func (p *proof) putBack(private []string) *back {
	const name, order = "copied columns", "order of the rows"
	if !p.Out.Described(p.In.File, private) {
		p.Add(name, false, "the columns published in clear are not described as those of the input")
		return nil
	}
	clear := slices.DeleteFunc(slices.Clone(p.Out.Columns()), func(c string) bool { return slices.Contains(private, c) })
	b := &back{}
	var of [2][]files.Digest
	for i, rows := range []*[]int32{&b.in, &b.out} {
		d, err := []*File{p.In, p.Out}[i].Digests(clear)
		if err != nil {
			p.Add(name, false, "the rows of a file cannot be compared: it %v", err)
			return nil
		}
		for k := range d {
			*rows = append(*rows, int32(k))
		}
		sort.Slice(*rows, func(a, c int) bool { return d[(*rows)[a]].Less(d[(*rows)[c]]) })
		of[i] = d
	}
	same := len(b.in) == len(b.out)
	for k := 0; same && k < len(b.in); k++ {
		d := of[0][b.in[k]]
		same = d == of[1][b.out[k]]
		if k == 0 || d != of[0][b.in[k-1]] {
			b.group = append(b.group, k)
		}
	}
	b.group = append(b.group, len(b.in))
	if !p.Add(name, same, "the rows of the columns published in clear are%s those of the input, in another order",
		Either(same, "", " not")) {
		return nil
	}
	alone, z, behind, before := b.traces()
	p.Add(order, math.Abs(z) <= strayed && behind < kept && before < kept,
		"%d rows that no other equals: rank correlation with places in the input %.1f standard deviations, %d rows stand "+
			"behind and %d before the row that they stood behind (false alarm rate %g)", alone, z, behind, before, Alarm)
	return b
}

// traces are what is left of the input's order in rows that no other equals.
func (b *back) traces() (alone int, z float64, behind, before int) {
	out := slices.Repeat([]int32{-1}, len(b.in)) // by row of the input
	for g, from := range b.group[:len(b.group)-1] {
		if b.group[g+1] == from+1 {
			out[b.in[from]] = b.out[from]
		}
	}
	var place []int32
	for i, k := range out {
		if k < 0 {
			continue
		}
		place = append(place, k)
		if i > 0 && out[i-1] >= 0 {
			switch k - out[i-1] {
			case 1:
				behind++
			case -1:
				before++
			}
		}
	}
	n := float64(len(place))
	rank := slices.Sorted(slices.Values(place))
	var sum float64 // of squares of differences of ranks [Spearman 1904]
	for i, k := range place {
		at, _ := slices.BinarySearch(rank, k)
		sum += float64(i-at) * float64(i-at)
	}
	if n > 1 {
		z = (1 - 6*sum/(n*(n*n-1))) * math.Sqrt(n-1)
	}
	return len(place), z, behind, before
}

// unshuffled counts the records of a shuffled output. Which of several rows with the same
// cells is which is not known where both their values and their outputs differ: of these it
// counts how many at least have no output that the plan allows.
func (p *proof) unshuffled(ctx context.Context, b *back, sides []Side, t *Tally) (*Tally, error) {
	column := make([][]int32, 3)
	for i, s := range sides {
		var err error
		if column[i], err = whole(ctx, s); err != nil {
			return nil, err
		}
		if len(column[i]) != len(b.in) {
			return nil, Errorf("write the files again", "a file holds other rows than its heads say")
		}
	}
	if column[2] == nil {
		column[2] = make([]int32, len(column[1]))
	}
	left := flowSteps
	for k, from := range b.group[:len(b.group)-1] {
		to := b.group[k+1]
		in, out := map[[2]int32]int64{}, map[int32]int64{}
		for i := from; i < to; i++ {
			in[[2]int32{column[2][b.in[i]], column[1][b.in[i]]}]++
			out[column[0][b.out[i]]]++
		}
		loose := len(in) > 1 && len(out) > 1
		for i := from; i < to; i++ {
			y := column[0][b.out[i]]
			g, x := column[2][b.in[i]], column[1][b.in[i]]
			if t.Written(y); loose {
				t.letter(int(g), x)
			} else {
				t.Add(int(g), x, y, sides[0].By.IsNull)
			}
		}
		if loose {
			p.Loose += int64(to - from)
			p.Short += p.unmatched(in, out, sides[0].By, &left)
		}
	}
	if left < 0 {
		p.Short = -1
	}
	return t, nil
}

// unmatched is how many rows have no output that the plan allows, in the best of all orders:
// those that a largest flow from inputs to outputs leaves [Ford and Fulkerson 1956]. It
// means nothing where that takes too many steps.
func (p *proof) unmatched(in map[[2]int32]int64, out map[int32]int64, to *files.Letters, left *int) (rest int64) {
	var inputs [][2]int32
	var outputs []int32
	var supply, demand []int64
	for at, n := range in {
		inputs, supply = append(inputs, at), append(supply, n)
	}
	for y, n := range out {
		outputs, demand = append(outputs, y), append(demand, n)
	}
	if *left -= len(in) * len(out); *left < 0 {
		return 0
	}
	may, flow := make([][]int, len(inputs)), make([][]int64, len(inputs)) // places of outputs
	for i, at := range inputs {
		flow[i] = make([]int64, len(outputs))
		for k, y := range outputs {
			if p.mayBe(at, y, to) {
				may[i] = append(may[i], k)
			}
		}
	}
	var push func(i int, n int64, seen []bool) int64 // of n rows of input i
	push = func(i int, n int64, seen []bool) int64 {
		seen[i] = true
		for _, k := range may[i] {
			if m := min(n, demand[k]); m > 0 {
				demand[k], flow[i][k] = demand[k]-m, flow[i][k]+m
				return m
			}
		}
		for _, k := range may[i] {
			for j := range inputs {
				if *left--; *left < 0 || seen[j] || flow[j][k] == 0 {
					continue
				}
				if m := push(j, min(n, flow[j][k]), seen); m > 0 {
					flow[j][k], flow[i][k] = flow[j][k]-m, flow[i][k]+m
					return m
				}
			}
		}
		return 0
	}
	for i := range inputs {
		for m := int64(1); supply[i] > 0 && m > 0; supply[i] -= m {
			m = push(i, supply[i], make([]bool, len(inputs)))
		}
		rest += supply[i]
	}
	return rest
}

// mayBe reports whether a record of a group and letter may be published as an output.
func (p *proof) mayBe(at [2]int32, y int32, to *files.Letters) bool {
	if at[1] < 0 {
		return at[1] == files.Null && (y == files.Null || to.IsNull(y))
	}
	return y >= 0 && int(at[0]) < len(p.Groups) && p.Groups[at[0]].Rows[at[1]].Of(y) > 0
}
