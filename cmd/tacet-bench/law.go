package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
)

// A law is the mechanism as plan.json has it, for the peers to draw from.
type law struct {
	inputs  []string
	outputs []string
	row     [][]cell // by input
}

type cell struct {
	output int
	weight int64
}

// readLaw reads the rows of a plan.
func readLaw(path string) (*law, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the plan: %w", err)
	}
	var p struct {
		Inputs, Outputs []string
		Mechanisms      []struct {
			Rows []struct{ Outputs [][2]string }
		}
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("reading the plan: %w", err)
	}
	if len(p.Mechanisms) != 1 || len(p.Mechanisms[0].Rows) != len(p.Inputs) {
		return nil, fmt.Errorf("the plan does not have one mechanism of %d rows", len(p.Inputs))
	}
	l := &law{inputs: p.Inputs, outputs: p.Outputs}
	place := map[string]int{}
	for y, label := range l.outputs {
		place[label] = y
	}
	for _, r := range p.Mechanisms[0].Rows {
		var row []cell
		for _, c := range r.Outputs {
			w, err := strconv.ParseInt(c[1], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("reading a weight of the plan: %w", err)
			}
			row = append(row, cell{place[c[0]], w})
		}
		l.row = append(l.row, row)
	}
	return l, nil
}

// even reports the size of all rows where they are of one size and each of
// equal weights.
func (l *law) even() (size int, ok bool) {
	size = len(l.row[0])
	for _, r := range l.row {
		if len(r) != size || slices.ContainsFunc(r, func(c cell) bool { return c.weight != r[0].weight }) {
			return 0, false
		}
	}
	return size, true
}

// slots are the outputs of every row repeated as their weights say, all rows
// of one length: exact where rows are even, else rounded to 256 slots, or
// 1,024 for more than 64 letters. The peers are that much less exact.
func (l *law) slots() (row [][]int, size int) {
	size, even := l.even()
	if !even {
		if size = 256; len(l.row) > 64 {
			size = 1024
		}
	}
	for _, r := range l.row {
		total, sum := int64(0), int64(0)
		for _, c := range r {
			total += c.weight
		}
		out := make([]int, 0, size)
		for _, c := range r {
			sum += c.weight
			for len(out) < int(float64(sum)/float64(total)*float64(size)+.5) {
				out = append(out, c.output)
			}
		}
		row = append(row, out)
	}
	return row, size
}

// allows reports whether output y may stand for input x.
func (l *law) allows(x, y int) bool {
	return slices.ContainsFunc(l.row[x], func(c cell) bool { return c.output == y })
}

// A sampler draws slots for the peers that are libraries.
type sampler struct {
	row  [][]int
	size uint32
	rng  *rand.ChaCha8
}

func (l *law) sampler() *sampler {
	row, size := l.slots()
	return &sampler{row, uint32(size), rand.NewChaCha8([32]byte{1})}
}

// draw multiplies 32 random bits by the size; its bias, below 2^-20, is the
// peers' business.
func (s *sampler) draw(x int) int {
	return s.row[x][uint64(uint32(s.rng.Uint64()))*uint64(s.size)>>32]
}
