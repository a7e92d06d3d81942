package figures

import (
	"bytes"
	"context"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"
)

func compute(t *testing.T) *Paper {
	t.Helper()
	f, err := os.Open("../../../../testdata/paper/paper.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Compute(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Every curve and table agrees with what was printed, and docs/paper.md is
// what is computed.
func TestPaper(t *testing.T) {
	a := compute(t)
	points := 0
	for _, c := range a.Agreement {
		points += c.Points
		if !c.Holds() {
			t.Errorf("%s: differs by %v in %d points, %v is allowed", c.What, c.Largest, c.Points, c.Tolerance)
		}
	}
	if len(a.Agreement) != 16 || points != 7+7+3+31+4*29+3*3+8*10 {
		t.Errorf("%d comparisons of %d points", len(a.Agreement), points)
	}
	for _, c := range append(a.Two, a.Three...) {
		for i, f := range c.Optimal {
			if c.Below[i].Cmp(f) != 0 || f.Cmp(c.Safe[i]) > 0 {
				t.Errorf("h = %d, p_min = %v: %v .. %v, utility-safe %v", c.Floor, c.PMin[i], c.Below[i], f, c.Safe[i])
			}
		}
	}
	for i, f := range a.Three[1].Optimal {
		if f.Cmp(big.NewRat(3, 2)) != 0 {
			t.Errorf("three low, h = 2, p_min = %v: %v, want 3/2", a.Three[1].PMin[i], f)
		}
	}
	var page bytes.Buffer
	if err := a.Page(&page); err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../../../paper.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page.Bytes(), committed) {
		t.Error("docs/paper.md is not what is computed: run make paper")
	}
	for _, name := range Pictures {
		svg, err := os.ReadFile("../../" + name + ".svg")
		if err != nil || !bytes.Contains(svg, []byte("<svg")) {
			t.Errorf("picture %s: %v", name, err)
		}
		if !strings.Contains(page.String(), "(paper/"+name+".svg)") {
			t.Errorf("docs/paper.md does not show %s", name)
		}
	}
}

// Within epsilon, and no mechanism is better than the design: at a worse
// floor M* and, at equal leakage, both baselines have less expected utility.
func TestCountingQueryOrder(t *testing.T) {
	for _, q := range compute(t).One {
		for name, o := range map[string]Outcome{
			"safe": q.Safe, "optimal": q.Optimal, "by value": q.ByValue, "exponential": q.Exponential, "response": q.Response,
			"tuned exponential": q.ExponentialTuned, "tuned response": q.ResponseTuned,
		} {
			if !(o.Leakage <= q.Epsilon+1e-12) {
				t.Errorf("epsilon %s: %s leaks %v", q.Text, name, o.Leakage)
			}
			if !(o.Worst <= q.ByValue.Worst) {
				t.Errorf("epsilon %s: %s has worst value %v, the best value floor is %v", q.Text, name, o.Worst, q.ByValue.Worst)
			}
			if name != "by value" && !(o.Mean <= q.Optimal.Mean+1e-6) {
				t.Errorf("epsilon %s: %s has mean %v, the optimum %v", q.Text, name, o.Mean, q.Optimal.Mean)
			}
		}
		if !q.Free && !(math.Abs(q.ExponentialTuned.Leakage-q.Epsilon) <= 1e-9) {
			t.Errorf("epsilon %s: tuned exponential mechanism leaks %v", q.Text, q.ExponentialTuned.Leakage)
		}
	}
}

// NaN, a missing point and a difference too large do not hold.
func TestComparison(t *testing.T) {
	for _, v := range [][2]float64{{1, math.NaN()}, {math.NaN(), 1}, {1, 1.1}} {
		c := Comparison{Tolerance: .05}
		c.add(1, 1)
		c.add(v[0], v[1])
		if c.Holds() {
			t.Errorf("%v holds", v)
		}
	}
	if (Comparison{}).Holds() {
		t.Error("no points hold")
	}
	if apart(big.NewRat(1, 3), new(big.Rat).SetFrac64(1<<61, 3<<61-1)) == 0 {
		t.Error("unequal fractions are 0 apart")
	}
}
