package mechanism

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"
)

// paper is testdata/paper/paper.json: the paper's matrices and figure points.
type paper struct {
	Counting struct {
		Counts        []int64                    `json:"counts"`
		Value         [][]float64                `json:"value"`
		Rank          [][]uint16                 `json:"rank"`
		Safe          map[string]string          `json:"factor_utility_safe_by_h"`
		Optimal       map[string]string          `json:"factor_optimal_by_h"`
		Figure1       map[string]json.RawMessage `json:"figure1_worst_value"`
		Lexicographic []lexicographic            `json:"lexicographic"`
		SafeMean      []lexicographic            `json:"utility_safe_mean"`
	} `json:"counting_query"`
	Cyclic struct {
		Rank     [][]uint16 `json:"rank"`
		OneLow   curves     `json:"one_low_three_high"`
		ThreeLow curves     `json:"three_low_one_high"`
	} `json:"cyclic4"`
	NotMonotone struct {
		Counts []int64           `json:"counts"`
		Rank   [][]uint16        `json:"rank"`
		Safe   map[string]string `json:"factor_utility_safe_by_h"`
		Eps    string            `json:"at_eps"`
		Choose int               `json:"must_choose_h"`
	} `json:"not_monotone"`
}

type curves struct {
	H3 [][2]float64 `json:"h3_utility_safe"`
	H2 [][2]float64 `json:"h2_utility_safe"`
}

type lexicographic struct {
	Eps   string  `json:"eps"`
	Worst float64 `json:"worst"`
	Mean  float64 `json:"mean"`
}

// instance is one entry of testdata/paper/instances.json: a support pattern
// with the proven bracket of its least factor.
type instance struct {
	Name    string   `json:"name"`
	Counts  []int64  `json:"counts"`
	Outputs int      `json:"outputs"`
	Allowed [][]int  `json:"allowed"`
	Low     string   `json:"factor_low"`
	High    string   `json:"factor_high"`
	Formula *float64 `json:"eps_utility_safe_formula"`
	Expect  string   `json:"expect"`
}

func (i instance) support() *Support {
	s := NewSupport(len(i.Counts), i.Outputs)
	for x, row := range i.Allowed {
		for _, y := range row {
			s.Allow(x, y)
		}
	}
	return s
}

func readPaper(t *testing.T) paper {
	t.Helper()
	var p paper
	readJSON(t, "../testdata/paper/paper.json", &p)
	return p
}

func readInstances(t *testing.T) []instance {
	t.Helper()
	var all struct {
		Instances []instance `json:"instances"`
	}
	readJSON(t, "../testdata/paper/instances.json", &all)
	if len(all.Instances) < 40 {
		t.Fatalf("%d instances", len(all.Instances))
	}
	return all.Instances
}

func readJSON[T any](t *testing.T, name string, to *T) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func mustPrior(t *testing.T, count ...int64) Prior {
	t.Helper()
	p, err := NewPrior(count)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustRanks(t *testing.T, rank [][]uint16) Order {
	t.Helper()
	o, err := NewRanks(rank)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func mustMatrix(t *testing.T, value [][]float64) Order {
	t.Helper()
	o, err := NewMatrix(value)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func ratio(t *testing.T, s string) *big.Rat {
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
		Rank(value, rank)
	}
}

// plane has n random places with exponential counts, always the same.
func plane(t *testing.T, n int) (Prior, Order) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	l, count := make(places, n), make([]int64, n)
	for x := range l {
		l[x] = [2]float64{rng.Float64(), rng.Float64()}
		count[x] = 1 + int64(rng.ExpFloat64()*1000)
	}
	return mustPrior(t, count...), l
}
