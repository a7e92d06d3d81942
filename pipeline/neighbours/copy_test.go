package neighbours

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A column that copies the private one is refused at 30 rows by what it is, and not for want
// of rows, also where no two rows hold one value.
func TestCopies(t *testing.T) {
	for name, of := range map[string]func(x int) string{
		"the text":      label,
		"other case":    func(x int) string { return " " + strings.ToUpper(label(x)) + "." },
		"reversed":      func(x int) string { return reversed(label(x)) },
		"in a text":     func(x int) string { return "see " + label(x) + " there" },
		"part of it":    func(x int) string { return label(x)[1:] },
		"in its order":  func(x int) string { return fmt.Sprintf("%06d", x*x+7) },
		"in turned one": func(x int) string { return fmt.Sprintf("%06d", 900_000-x*x) },
	} {
		for _, n := range []int{30, 120, 800} {
			rng := rand.New(rand.NewPCG(14, uint64(n)))
			letter, cell := make([]int32, n), make([]string, n)
			for i, x := range rng.Perm(n) {
				letter[i], cell[i] = int32(x), of(x)
			}
			r, _ := judged(t, letter, n, 2, nil, texts("copy", cell))
			if v := r.Columns[0].Verdict; v.Outcome.String() != "refuse" {
				t.Errorf("%s, %d rows: %+v", name, n, v)
			}
		}
	}
	const n = 120
	letter := make([]int32, n)
	for i := range letter {
		letter[i] = int32(i)
	}
	if r, _ := judged(t, letter, n, 2, nil); r.Place.Verdict.Outcome.String() != "refuse" {
		t.Errorf("a sorted file: %+v", r.Place.Verdict)
	}
}

// silent are kinds that rules of single rows and listed numbers did not see.
var silent = []kind{
	{"the row before", 12, 12, 0, beside(-1, false), 0},
	{"three rows after, coded", 12, 12, 0, beside(3, true), 0},
	{"five rows before", 30, 30, 0, beside(-5, false), 0},
	{"place by remainder of 2,300", 100, 100, 0, func(g *giving) []*cells {
		for i := range g.shown {
			g.shown[i] = int(hashed(int64(i%2300)) % 100)
		}
		return nil
	}, 20_000},
	{"fourth decimal", 10, 10, 0, func(g *giving) []*cells {
		of := make([]float64, g.n)
		for i, x := range g.shown {
			of[i] = float64(g.rng.Int64N(1e6)*10+int64(x)) / 1e4
		}
		return []*cells{floats("column", of)}
	}, 0},
	ofText("fourth decimal, in texts", 10, 10,
		func(g *giving, x, _ int) string { return fmt.Sprintf("%.3f%d", g.rng.Float64()*100, x) }),
	ofNumber("id by remainder of 67", 12, 67,
		func(g *giving, x, _ int) int64 { return g.rng.Int64N(1<<40)*67 + int64(x*5) }),
	ofText("id by remainder of 101", 40, 101,
		func(g *giving, x, _ int) string { return fmt.Sprint(g.rng.Int64N(1<<30)*101 + int64(x*2)) }),
	{"sum of digits", 20, 20, 0, func(g *giving) []*cells {
		return g.number(func(x, _ int) int64 {
			for {
				if n := g.rng.Int64N(1e9); digitSum([]byte(strconv.FormatInt(n, 10)))%20 == uint64(x) {
					return n
				}
			}
		})
	}, 0},
	{"running total", 12, 12, 0, running(func(g *giving, x int) int64 { return int64(100 + 7*x) }, false), 0},
	{"running total, in texts", 12, 12, 0, running(func(g *giving, x int) int64 { return int64(100 + 7*x) }, true), 0},
	{"gaps between times", 6, 6, 0, running(func(g *giving, x int) int64 { return 60*int64(x+1) + g.rng.Int64N(50) }, false), 0},
	{"gaps between times, in texts", 6, 6, 0, func(g *giving) []*cells {
		at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		return g.text(func(x, _ int) string {
			at = at.Add(time.Duration(60*(x+1)+g.rng.IntN(50)) * time.Second)
			return at.Format(time.DateTime)
		})
	}, 0},
	{"difference of two times, in texts", 12, 12, 0, func(g *giving) []*cells {
		a, b := make([]string, g.n), make([]string, g.n)
		for i, x := range g.shown {
			at := g.date(2001, 5000, 0, func(time.Time) int { return 0 })
			a[i], b[i] = at.Format(time.DateTime), at.Add(time.Duration(x)*time.Hour).Format(time.DateTime)
		}
		return []*cells{texts("a", a), texts("b", b)}
	}, 0},
	{"difference of two decimals", 12, 12, 0, func(g *giving) []*cells {
		a, b := make([]float64, g.n), make([]string, g.n)
		for i, x := range g.shown {
			n := g.rng.Int64N(1e7)
			a[i], b[i] = float64(n)/100, fmt.Sprintf("%.2f", float64(n)/100+float64(x)/4)
		}
		return []*cells{floats("a", a), texts("b", b)}
	}, 0},
}

// beside is the letter of another row, or a code for it.
func beside(by int, coded bool) func(g *giving) []*cells {
	return func(g *giving) []*cells {
		of := make([]string, g.n)
		for i := range of {
			x := g.shown[min(max(0, i+by), g.n-1)]
			if of[i] = label(x); coded {
				of[i] = fmt.Sprint(hashed(int64(x)) % 1e6)
			}
		}
		return []*cells{texts("column", of)}
	}
}

// running adds up steps.
func running(step func(g *giving, x int) int64, text bool) func(g *giving) []*cells {
	return func(g *giving) []*cells {
		sum := int64(0)
		add := func(x, _ int) int64 { sum += step(g, x); return sum }
		if text {
			return g.text(func(x, i int) string { return fmt.Sprint(add(x, i)) })
		}
		return g.number(add)
	}
}

// What all rows give away is refused, whatever the row that gives it away.
func TestSilent(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 45))
	for i := range silent {
		k := &silent[i]
		for _, n := range []int{k.size(), 20_000} {
			letter, c := k.give(rng, n, 1)
			_, found := judged(t, letter, k.letters, 1, nil, c...)
			if refused, _ := grave(found); len(refused) == 0 {
				t.Errorf("%s: %d rows are not refused: %v", k.name, n, found)
			} else if testing.Verbose() {
				t.Log(k.name, n, refused[0].What)
			}
		}
	}
}
