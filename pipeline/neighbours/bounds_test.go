package neighbours

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/test/torture"
)

// A column that tells less than a tenth is not refused, and one that tells a
// fifth is not cleared. Of 28 files one is refused with a chance of 3e-4.
func TestBoundary(t *testing.T) {
	files := 28
	if torture.Long() {
		files = 4000
	}
	rng := rand.New(rand.NewPCG(14, 8))
	for f := range files {
		k := &kinds[[]int{0, 4, 5, 9, 16, 24, 30}[f%7]]
		letter, c := k.give(rng, 4096, .09)
		_, found := judged(t, letter, k.letters, 6, nil, c...)
		if refused, _ := grave(found); len(refused) > 0 {
			t.Errorf("%s at a gain of .09: %s", k.name, refused[0].What)
		}
		if k.name[:2] == "17" { // 15 rows a value show less than there is
			continue
		}
		letter, c = k.give(rng, 20_000, .2)
		if _, found := judged(t, letter, k.letters, 6, nil, c...); !told(found) {
			t.Errorf("%s at a gain of .2 is neither refused nor warned of", k.name)
		}
	}
}

// Twenty columns that tell less than a tenth each are warned of one by one and
// refused together; allowing all of them allows that.
func TestAllTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 9))
	const n, letters = 8000, 8
	letter := drawn(rng, n, letters, 1)
	var columns []*cells
	var names []string
	for k := range 20 {
		c := whole(fmt.Sprint("c", k), make([]int64, n))
		for i, x := range letter {
			if c.n[i] = rng.Int64N(letters); rng.Float64() < .1 {
				c.n[i] = int64(x)
			}
		}
		columns, names = append(columns, c), append(names, c.name)
	}
	r, found := judged(t, letter, letters, 3, nil, columns...)
	refused, warned := grave(found)
	if len(refused) != 1 || len(refused[0].Names) < 15 || len(warned) < 15 || !(r.All.Verdict.Gain > .2) {
		t.Errorf("%d refused, %d warned of: %+v", len(refused), len(warned), refused)
	}
	drop := r.Drop(found)
	for i := range drop {
		if v := r.joint.judge(slices.Delete(slices.Clone(drop), i, i+1)); v.Outcome != judge.Refuse {
			t.Errorf("%q need not be dropped", drop[i])
		}
	}
	if v := r.joint.judge(drop); len(drop) == 0 || len(drop) > 15 || v.Outcome == judge.Refuse {
		t.Errorf("without %q: %+v", drop, v)
	}
	// Columns that are not judged cannot be cleared together either.
	unread := []Finding{{Names: r.All.Names, Refused: true, NotJudged: true}}
	if got := r.Drop(unread); !slices.Equal(got, r.All.Names) {
		t.Errorf("of columns that are not judged %q are dropped", got)
	}
	refused, _ = grave(r.Judge(names, false))
	if len(refused) > 0 {
		t.Errorf("all are allowed: %+v", refused)
	}
	refused, _ = grave(r.Judge(names[:len(names)-6], false))
	if len(refused) != 1 {
		t.Errorf("some are allowed: %+v", refused)
	}
}

// Two columns that tell by their difference, and are all that there are: one goes.
func TestDropOfTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 11))
	const n, letters = 5000, 5
	letter := drawn(rng, n, letters, 1)
	a, b := whole("a", make([]int64, n)), whole("b", make([]int64, n))
	for i, x := range letter {
		a.n[i] = rng.Int64N(100_000)
		b.n[i] = a.n[i] + int64(x)
	}
	r, found := judged(t, letter, letters, 1, nil, a, b)
	r.All = &Column{Names: []string{"a", "b"}} // where each is worth a part of its own
	r.joint = &joint{name: r.All.Names}
	if drop := r.Drop(found); len(drop) != 1 {
		t.Errorf("of two columns %q are dropped", drop)
	}
}

// The difference of the last two of 82 columns is seen: all pairs of a hundred are judged.
func TestDifferenceAmongMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 82))
	const n, letters = 1500, 6
	letter := drawn(rng, n, letters, 1)
	var columns []*cells
	for k := range 82 {
		c := whole(fmt.Sprint(k), make([]int64, n))
		for i := range c.n {
			c.n[i] = rng.Int64N(1000)
		}
		columns = append(columns, c)
	}
	for i, x := range letter {
		columns[81].n[i] = columns[80].n[i] + int64(x)
	}
	r, found := judged(t, letter, letters, 1, nil, columns...)
	if refused, _ := grave(found); len(refused) != 1 || r.PairsJudged != r.PairsOf {
		t.Errorf("%d of %d pairs were judged, and %d findings are refused", r.PairsJudged, r.PairsOf, len(refused))
	}
}

// The verdict is a function of the file: it is the same in every run, and on
// any number of threads; and rows are not judged on their own letters.
func TestSameVerdict(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 10))
	letter := drawn(rng, 6000, 10, 1.3)
	c := noise(rng, 6000, 3)
	first, _ := judged(t, letter, 10, 1, nil, c...)
	again, _ := judged(t, letter, 10, 1, nil, c...)
	for i := range c {
		if first.Columns[i].Verdict != again.Columns[i].Verdict {
			t.Errorf("%+v, and again %+v", first.Columns[i].Verdict, again.Columns[i].Verdict)
		}
	}
	other := slices.Clone(letter)
	other[0], other[1] = (other[0]+1)%10, (other[1]+3)%10
	changed, _ := judged(t, other, 10, 1, nil, c...)
	same := true
	for i := range c {
		same = same && first.Columns[i].Verdict.GainMost == changed.Columns[i].Verdict.GainMost &&
			first.Columns[i].Verdict.Held == changed.Columns[i].Verdict.Held
	}
	if same {
		t.Error("another file has the same halves")
	}
}

// A letter that is confirmed beyond epsilon is refused although few rows hold
// it, a letter that epsilon does not protect is not, and letters of too few
// rows are counted.
func TestRareLetter(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 11))
	const n = 6000
	letter, flag := make([]int32, n), whole("flag", make([]int64, n))
	for i := range letter {
		letter[i] = rng.Int32N(4)
		if i%60 == 0 {
			letter[i], flag.n[i] = 4, 1
		}
		if i < 5 {
			letter[i] = 5
		}
	}
	for epsilon, want := range map[float64]judge.Outcome{1: judge.Refuse, 5: judge.Warn} {
		r, _ := judged(t, letter, 6, epsilon, nil, flag)
		v := r.Columns[0].Verdict
		if v.Outcome != want || r.Blind != 1 || !(v.Lift.Factor > 20 && v.Lift.Letter == 4) {
			t.Errorf("epsilon %v: %+v, %d letters not judged", epsilon, v, r.Blind)
		}
	}
}

// Words are those of one column, of two, and of the place.
func TestWords(t *testing.T) {
	v := judge.Verdict{Outcome: judge.Refuse, Gain: .25, By: "its value", Letter: 2, Precision: .5, Allowed: .1}
	r := Result{Factor: 2}
	for want, c := range map[string]Column{
		`makes guesses right at least 25.0 points more often (by its value) and finds rows in which the guess of one value is right in at least 50.0 %, where epsilon allows 20.0 %`: {Names: []string{"a"}, Verdict: v},
		`make guesses right at least 25.0 points`: {Names: []string{"a", "b"}, Verdict: v},
	} {
		if got := c.tells(r.Factor); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for v, want := range map[float64]string{.09999: "9.9 %", .001: "0.1 %", .00099: "0.09 %", .000037: "0.003 %",
		0: "0.0 %"} {
		if got := share(v); got != want {
			t.Errorf("a share of %v is called %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{.09999: "10.0 %", .0999: "10.0 %", .001: "0.1 %", .00091: "0.10 %",
		.000037: "0.004 %", .152: "15.2 %", 1: "100.0 %"} {
		if got := above(v); got != want {
			t.Errorf("a limit of %v is called %s, want %s", v, got, want)
		}
	}
	alike := Column{Names: []string{"a"}, Verdict: judge.Verdict{Outcome: judge.Warn, Letter: -1, Alike: 1.239}}
	if got, want := alike.tells(2), "makes the value of its other rows at least 1.23 times as likely"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// In a big file a letter of 100 rows among 400,000 is refused where a code gives
// it away, or a word of a text; where its rows have any code, nothing is told.
// No sample of all letters has enough of its rows.
func TestRareInLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 12))
	const n, letters, rare = 400_000, 9, 100
	for _, given := range []bool{true, false} {
		letter := drawn(rng, n, letters-1, 1)
		code, text := whole("code", make([]int64, n)), texts("text", make([]string, n))
		for k := range rare {
			letter[k*(n/rare)+rng.IntN(n/rare)] = letters - 1
		}
		for i, x := range letter {
			code.n[i] = rng.Int64N(40)
			word := label(rng.IntN(40))
			if given && x == letters-1 {
				code.n[i], word = 40+rng.Int64N(2), label(40)
			}
			text.text[i] = fmt.Sprintf("%06x %s", rng.IntN(1<<24), word)
		}
		for _, c := range []*cells{code, text} {
			r, found := judged(t, letter, letters, 1, nil, c)
			v := r.Columns[0].Verdict
			if told(found) != given || given && (v.Outcome != judge.Refuse || v.Letter != letters-1 || !(v.Lift.Factor > 500)) ||
				r.Blind > 0 {
				t.Errorf("%s, given away %t: %+v, %d letters not judged, %v", c.name, given, v, r.Blind, found)
			}
		}
	}
}
