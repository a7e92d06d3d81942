// Package figures recomputes the figures and the example of Song and
// Oechtering, "Worst-case utility privacy mechanism design via pointwise
// maximal leakage", and writes docs/paper.md. The pictures are drawn by the
// module in docs/paper/gen, which keeps the plotting library out of this one.
package figures

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// A Published is testdata/paper/paper.json: what the paper prints, and the
// values of THEORY that were computed beforehand by other linear programs.
type Published struct {
	Counting struct {
		Counts  []int64           `json:"counts"`
		Value   [][]float64       `json:"value"`
		Rank    [][]uint16        `json:"rank"`
		Safe    map[string]string `json:"factor_utility_safe_by_h"`
		Optimal map[string]string `json:"factor_optimal_by_h"`
		Floor   map[string]string `json:"eps_optimal_value_floor"`
		Figure1 struct {
			Safe  [][2]float64 `json:"utility_safe"`
			Local float64      `json:"exponential_and_randomized_response"`
		} `json:"figure1_worst_value"`
		Lexicographic []Stated `json:"lexicographic"`
		SafeMean      []Stated `json:"utility_safe_mean"`
	} `json:"counting_query"`
	Cyclic struct {
		Rank     [][]float64 `json:"rank"`
		OneLow   Curves      `json:"one_low_three_high"`
		ThreeLow Curves      `json:"three_low_one_high"`
	} `json:"cyclic4"`
}

// A Stated is a worst value and an expected utility at an epsilon.
type Stated struct {
	Epsilon string  `json:"eps"`
	Worst   float64 `json:"worst"`
	Mean    float64 `json:"mean"`
}

// Curves are epsilon in nats against p_min, at floors h = 2 and 3: the closed
// form of the utility-safe mechanism and the general linear program.
type Curves struct {
	Safe3    [][2]float64 `json:"h3_utility_safe"`
	General3 [][2]float64 `json:"h3_general"`
	Safe2    [][2]float64 `json:"h2_utility_safe"`
	General2 [][2]float64 `json:"h2_general"`
}

// Read reads a Published.
func Read(r io.Reader) (Published, error) {
	var p Published
	if err := json.NewDecoder(r).Decode(&p); err != nil {
		return p, fmt.Errorf("figures: reading the published points: %w", err)
	}
	return p, nil
}

// Pictures are the pictures of docs/paper.md, in docs/paper, as SVG.
var Pictures = []string{"figure1-worst", "figure1-mean", "figure2", "figure3"}

// A Paper is everything that docs/paper.md shows.
type Paper struct {
	Published
	Floors    []FloorPoint
	Values    []ValuePoint
	One       []CountingPoint
	Lexical   []CountingPoint // at the epsilons of Lexicographic
	Two       []Cyclic        // one low, three high: h = 3, h = 2
	Three     []Cyclic        // three low, one high
	Agreement []Comparison
}

// Compute recomputes all from the matrices of p.
func Compute(ctx context.Context, p Published) (*Paper, error) {
	a := &Paper{Published: p}
	var err error
	if err = a.counting(ctx); err != nil {
		return nil, err
	}
	if a.Two, err = p.cyclic(ctx, p.Cyclic.OneLow, oneLow); err != nil {
		return nil, err
	}
	if a.Three, err = p.cyclic(ctx, p.Cyclic.ThreeLow, threeLow); err != nil {
		return nil, err
	}
	a.Agreement, err = a.compare()
	return a, err
}
