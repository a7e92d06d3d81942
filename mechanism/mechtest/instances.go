// Package mechtest has what tests of package mechanism and the packages below it are given:
// the paper's examples, instances with known answers, families of instances of any size,
// and constructors that fail the test.
//
// Its own tests are the suite that every design must pass. The suite recomputes what a
// mechanism claims from the definitions, in fractions and without the code under test,
// and holds designs against the thresholds of Song and Oechtering's examples.
package mechtest

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Examples are testdata/paper/paper.json: the paper's matrices and figure points.
type Examples struct {
	Counting struct {
		Counts        []int64                    `json:"counts"`
		Value         [][]float64                `json:"value"`
		Rank          [][]float64                `json:"rank"`
		Safe          map[string]string          `json:"factor_utility_safe_by_h"`
		Optimal       map[string]string          `json:"factor_optimal_by_h"`
		Figure1       map[string]json.RawMessage `json:"figure1_worst_value"`
		Lexicographic []Lexicographic            `json:"lexicographic"`
		SafeMean      []Lexicographic            `json:"utility_safe_mean"`
	} `json:"counting_query"`
	Cyclic struct {
		Rank     [][]float64 `json:"rank"`
		OneLow   Curves      `json:"one_low_three_high"`
		ThreeLow Curves      `json:"three_low_one_high"`
	} `json:"cyclic4"`
	NotMonotone struct {
		Counts []int64           `json:"counts"`
		Rank   [][]float64       `json:"rank"`
		Safe   map[string]string `json:"factor_utility_safe_by_h"`
		Eps    string            `json:"at_eps"`
		Choose int               `json:"must_choose_h"`
	} `json:"not_monotone"`
}

// Curves are points of a figure.
type Curves struct {
	H3 [][2]float64 `json:"h3_utility_safe"`
	H2 [][2]float64 `json:"h2_utility_safe"`
}

// Lexicographic is the best floor at an epsilon, and the mean there.
type Lexicographic struct {
	Eps   string  `json:"eps"`
	Worst float64 `json:"worst"`
	Mean  float64 `json:"mean"`
}

// An Instance is one entry of testdata/paper/instances.json: a support pattern
// with the proven bracket of its least factor.
type Instance struct {
	Name    string  `json:"name"`
	Counts  []int64 `json:"counts"`
	Outputs int     `json:"outputs"`
	Allowed [][]int `json:"allowed"`
	Low     string  `json:"factor_low"`
	High    string  `json:"factor_high"`
	Eps     float64 `json:"eps_opt"`
	Expect  string  `json:"expect"`
}

// Support is what the instance allows.
func (i Instance) Support() *mechanism.Support {
	s := mechanism.NewSupport(len(i.Counts), i.Outputs)
	for x, row := range i.Allowed {
		for _, y := range row {
			s.Allow(x, y)
		}
	}
	return s
}

// Paper reads the examples.
func Paper(t *testing.T) Examples {
	t.Helper()
	var p Examples
	JSON(t, "paper.json", &p)
	return p
}

// Instances reads the instances.
func Instances(t *testing.T) []Instance {
	t.Helper()
	var all struct {
		Instances []Instance `json:"instances"`
	}
	JSON(t, "instances.json", &all)
	if len(all.Instances) < 40 {
		t.Fatalf("%d instances", len(all.Instances))
	}
	return all.Instances
}

// JSON reads a file of testdata/paper, which lies at the root of the module.
func JSON[T any](t *testing.T, name string, to *T) {
	t.Helper()
	name = "testdata/paper/" + name
	for range 5 {
		if _, err := os.Stat(name); err == nil {
			break
		}
		name = "../" + name
	}
	b, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Prior has these counts.
func Prior(t *testing.T, count ...int64) mechanism.Prior {
	t.Helper()
	p, err := mechanism.NewPrior(count)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Matrix is an order by values.
func Matrix(t *testing.T, value [][]float64) mechanism.Order {
	t.Helper()
	o, err := mechanism.NewMatrix(value)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Ratio reads a fraction.
func Ratio(t *testing.T, s string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is no fraction", s)
	}
	return r
}

// places is the order of n points in the plane by distance, without a table.
type places [][2]float64

func (l places) Inputs() int  { return len(l) }
func (l places) Outputs() int { return len(l) }

func (l places) Row(x int, rank []uint16, value []float64) {
	if value == nil {
		value = make([]float64, len(l))
	}
	for y := range value {
		value[y] = -math.Hypot(l[x][0]-l[y][0], l[x][1]-l[y][1])
	}
	if rank != nil {
		mechanism.Rank(value, rank)
	}
}

// Plane has n random places with exponential counts, always the same.
func Plane(t *testing.T, n int) (mechanism.Prior, mechanism.Order) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	l, count := make(places, n), make([]int64, n)
	for x := range l {
		l[x] = [2]float64{rng.Float64(), rng.Float64()}
		count[x] = 1 + int64(rng.ExpFloat64()*1000)
	}
	return Prior(t, count...), l
}

// Epsilon reads an epsilon.
func Epsilon(t *testing.T, s string) mechanism.Epsilon {
	t.Helper()
	e, err := mechanism.ParseEpsilon(s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Close allows for the relative gap of Least.
func Close(a, b *big.Rat) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(new(big.Rat).Mul(b, big.NewRat(1, 1e8))) <= 0
}
