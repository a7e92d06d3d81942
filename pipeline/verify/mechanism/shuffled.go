package mechanism

import (
	"context"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

const (
	// shuffledRows is how many rows a row group or record batch of a shuffled file has.
	shuffledRows = 1 << 17
	// flowSteps bounds the search for outputs that rows of equal cells may have.
	flowSteps = 200_000_000
	// strayed is how many standard deviations from 0 the rank correlation of places may
	// be, and kept how many rows may stand behind the row that they stood behind: of a
	// random order their number is one in the mean, and nearly of Poisson's law. One of
	// the three alarms is false with a chance below 1e-9.
	strayed, kept = 6.2, 13
)

// putBack finds the row of the input that each row of a shuffled output is, by the
// columns published in clear; it leaves the order in v. Rows with the same cells
// stand together.
func putBack(v *document.View, f *document.Files, redrawn []string) {
	const name, order = "copied columns", "order of the rows"
	differ, err := f.Out.Described(f.In.File, redrawn)
	if err != nil || len(differ) > 0 {
		v.Add(name, false, "the columns published in clear are not described as those of the input")
		return
	}
	var columns []string
	for _, c := range f.Out.Columns() {
		if !slices.Contains(redrawn, c) {
			columns = append(columns, c)
		}
	}
	var row [2][]int32
	var of [2][]files.Digest
	for i, file := range []*document.Opened{f.In, f.Out} {
		d, err := file.Digests(columns)
		if err != nil {
			v.Add(name, false, "the rows of %s cannot be compared: it %v", []string{"the input", "the output"}[i], err)
			return
		}
		row[i], of[i] = make([]int32, len(d)), d
		for k := range row[i] {
			row[i][k] = int32(k)
		}
		sort.Slice(row[i], func(a, b int) bool { return d[row[i][a]].Less(d[row[i][b]]) })
	}
	same := len(row[0]) == len(row[1])
	b := &document.Back{In: row[0], Out: row[1]}
	for k := 0; same && k < len(row[0]); k++ {
		d := of[0][row[0][k]]
		same = d == of[1][row[1][k]]
		if k == 0 || d != of[0][row[0][k-1]] {
			b.Group = append(b.Group, k)
		}
	}
	v.Add(name, same, "%s", document.Either(same, "the rows of the columns published in clear are, in another order, "+
		"those of the input", "the rows of the columns published in clear are not those of the input, in whatever order"))
	if !same {
		return
	}
	v.Back = b
	alone, z, behind, before := traces(b)
	ok := math.Abs(z) <= strayed && behind < kept && before < kept
	v.Add(order, ok, "%d rows that no other equals: rank correlation with the places in the input %.1f standard "+
		"deviations, %d rows stand behind and %d before the row that they stood behind (false alarm rate %g)", alone, z,
		behind, before, Alarm)
}

// traces are what is left of the input's order in rows that no other equals.
func traces(b *document.Back) (alone int, z float64, behind, before int) {
	out := make([]int32, len(b.In)) // by row of the input
	for i := range out {
		out[i] = -1
	}
	for g := range b.Group {
		if from, to := b.Bounds(g); to == from+1 {
			out[b.In[from]] = b.Out[from]
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

// A shuffled file is the output with its rows back in the order of the input.
type shuffled struct {
	files.File
	units []int64 // of the input
	y     []int32 // letters of all rows
}

type shuffledReader struct{ y []int32 }

func (s *shuffled) Units() []int64 { return s.units }

func (s *shuffled) Open(unit int, _ *files.Letters) (files.Reader, error) {
	from := exact.Sum(s.units[:unit])
	return &shuffledReader{s.y[from : from+s.units[unit]]}, nil
}

func (r *shuffledReader) Next(dst []int32) (int, error) {
	n := copy(dst, r.y)
	if r.y = r.y[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// unshuffled replaces the output by its rows in the order of the input. Among rows with
// the same cells it takes an order that the plan allows, where there is one: what
// depends on which row of these is which is not known then.
func unshuffled(ctx context.Context, v *document.View, f *document.Files, from, to *files.Letters) error {
	x, _, err := f.In.Letters(ctx, from)
	if err != nil {
		return err
	}
	y, _, err := f.Out.Letters(ctx, to)
	if err != nil {
		return err
	}
	s := &shuffled{f.Out.File, f.In.Units(), make([]int32, len(x))}
	left := flowSteps
	for g := range v.Back.Group {
		a, b := v.Back.Bounds(g)
		in, out := make([]int32, b-a), make([]int32, b-a)
		for i := range in {
			in[i], out[i] = x[v.Back.In[a+i]], y[v.Back.Out[a+i]]
		}
		if different(in) && different(out) {
			v.Back.Loose += int64(b - a)
			if v.Rows == nil || !match(v, in, out, to, &left) {
				v.Back.Unknown += int64(b - a)
			}
		}
		for i, k := range v.Back.In[a:b] {
			s.y[k] = out[i]
		}
	}
	f.Out.File = s
	return nil
}

func different(letter []int32) bool {
	return slices.ContainsFunc(letter, func(l int32) bool { return l != letter[0] })
}

// match orders out such that as many rows as can be have an output that the plan allows
// for their input: a largest flow from inputs to outputs [Ford and Fulkerson 1956]. It
// is false, and out is as it was, where that takes too many steps.
func match(v *document.View, in, out []int32, to *files.Letters, left *int) bool {
	xs, ys := slices.Compact(slices.Sorted(slices.Values(in))), slices.Compact(slices.Sorted(slices.Values(out)))
	if *left -= len(xs) * len(ys); *left < 0 {
		return false
	}
	place := func(of []int32, l int32) int { i, _ := slices.BinarySearch(of, l); return i }
	supply, demand := make([]int, len(xs)), make([]int, len(ys))
	rows := make([][]int, len(xs)) // of in, by letter
	for i := range in {
		k := place(xs, in[i])
		supply[k]++
		rows[k] = append(rows[k], i)
		demand[place(ys, out[i])]++
	}
	allowed := make([][]int, len(xs)) // places of outputs
	flow := make([][]int, len(xs))
	for i, x := range xs {
		flow[i] = make([]int, len(ys))
		for k, y := range ys {
			if mayBe(v, x, y, to) {
				allowed[i] = append(allowed[i], k)
			}
		}
	}
	for i := range xs {
		for supply[i] > 0 {
			// The shortest way from i to an output that is left over: from an input to what it
			// may be, and from an output back to an input that has it.
			byInput, byOutput := slices.Repeat([]int{-1}, len(xs)), slices.Repeat([]int{-1}, len(ys))
			byInput[i] = i
			end := -1
			for queue := []int{i}; len(queue) > 0 && end < 0; queue = queue[1:] {
				from := queue[0]
				if *left -= len(allowed[from]) + 1; *left < 0 {
					return false
				}
				for _, k := range allowed[from] {
					if byOutput[k] >= 0 {
						continue
					}
					if byOutput[k] = from; demand[k] > 0 {
						end = k
						break
					}
					*left -= len(xs)
					for other := range xs {
						if byInput[other] < 0 && flow[other][k] > 0 {
							byInput[other] = k
							queue = append(queue, other)
						}
					}
				}
			}
			if end < 0 {
				break // the rest of this input has no output
			}
			n := min(supply[i], demand[end])
			for at := byOutput[end]; at != i; at = byOutput[byInput[at]] {
				n = min(n, flow[at][byInput[at]])
			}
			supply[i], demand[end] = supply[i]-n, demand[end]-n
			for k, at := end, byOutput[end]; ; {
				flow[at][k] += n
				if at == i {
					break
				}
				k = byInput[at]
				flow[at][k] -= n
				at = byOutput[k]
			}
		}
	}
	rest := 0
	for i := range xs {
		k := 0
		for _, row := range rows[i] {
			for k < len(ys) && flow[i][k] == 0 {
				k++
			}
			if k < len(ys) {
				out[row] = ys[k]
				flow[i][k]--
				continue
			}
			for demand[rest] == 0 {
				rest++
			}
			out[row] = ys[rest]
			demand[rest]--
		}
	}
	return true
}

// mayBe reports whether an input may be published as an output.
func mayBe(v *document.View, x, y int32, to *files.Letters) bool {
	if x < 0 {
		return x == files.Null && (y == files.Null || to.IsNull(y))
	}
	_, ok := slices.BinarySearch(v.Rows[x].Output, y)
	return ok && y >= 0
}
