package neighbours

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/test/torture"
)

// noise are columns that tell nothing of the letters: rows are exchangeable.
func noise(rng *rand.Rand, n, columns int) (out []*cells) {
	for k := range columns {
		name := fmt.Sprint("c", k)
		many := []int{2, 7, 60, 500, n/3 + 1, 3 * n, 1 << 30}[rng.IntN(7)]
		at := make([]int64, n)
		for i := range at {
			at[i] = rng.Int64N(int64(many))
		}
		text := make([]string, n)
		real := make([]float64, n)
		form := rng.IntN(7)
		for i, v := range at {
			switch form {
			case 0:
				text[i] = fmt.Sprintf("%x", hashed(v, int64(k)))
			case 1:
				text[i] = fmt.Sprintf("%s-%06d/%d", label(int(v%40)), v, v%7)
			case 2:
				text[i] = fmt.Sprintf("%04d-%02d-%02d", 2000+v%20, 1+v/20%12, 1+v/240%28)
			case 3:
				text[i] = fmt.Sprint(1_000_000 + v)
			case 4:
				real[i] = float64(v) / 100
			}
		}
		c := whole(name, at)
		switch {
		case form < 4:
			c = texts(name, text)
		case form == 4:
			c = floats(name, real)
		}
		if rng.IntN(3) == 0 {
			c.null = make([]bool, n)
			for i := range c.null {
				c.null[i] = rng.IntN(10) == 0
			}
		}
		out = append(out, c)
	}
	return out
}

// A clean file is not refused: its rows are exchangeable. A file is refused
// with a chance of 1e-5 at the most, so that of 500 one is with a chance of
// 5e-3, and of 30,000 with .3, by what is promised; the bounds are far from
// tight.
func TestClean(t *testing.T) {
	files, tried := 250, 0
	if torture.Long() {
		files = 30_000
	}
	rng := torture.Rand("clean", 0)
	warned, not, columns := 0, 0, 0
	for f := range torture.Within(t, files, 1) {
		tried++
		n := 1000 + rng.IntN(600)
		switch {
		case f%100 == 7:
			n = 10_000 + rng.IntN(20_000)
		case f%20 == 3:
			n = 3000 + rng.IntN(3000)
		}
		if f%8 == 5 { // few rows, by which copies are looked for
			n = 20 + rng.IntN(400)
		}
		letters := []int{2, 3, 5, 16, 29, 100, 1000}[rng.IntN(7)]
		letter := drawn(rng, n, letters, []float64{1, 1.5, 3}[rng.IntN(3)])
		var person []uint64
		cells := noise(rng, n, 1+rng.IntN(2))
		if rng.IntN(4) == 0 {
			// Several rows of a person hold one letter, and an attribute of
			// the person is noise.
			person = make([]uint64, n)
			own := whole("attribute", make([]int64, n))
			for i := range person {
				p := rng.IntN(n/4 + 1)
				person[i] = uint64(p) + 1
				letter[i], own.n[i] = int32(hashed(int64(p), 1)%uint64(letters)), int64(hashed(int64(p), 2)%uint64(n))
			}
			cells = append(cells, own)
		}
		_, found := judged(t, letter, letters, []float64{.5, 1, 2, 3}[rng.IntN(4)], person, cells...)
		refused, warn := grave(found)
		for _, r := range refused {
			t.Errorf("file %d of %d rows, %d letters: %s", f, n, letters, r.What)
		}
		for _, w := range warn {
			t.Logf("file %d of %d rows, %d letters: %s", f, n, letters, w.What)
		}
		warned += min(1, len(warn))
		for _, x := range found {
			if x.NotJudged {
				not += max(1, len(x.Names))
			}
		}
		columns += len(cells)
	}
	t.Logf("torture: %d files, %d columns: %d files warned of, %d columns and places not judged", tried, columns,
		warned, not)
	if warned > tried/200 {
		t.Errorf("%d of %d clean files are warned of", warned, tried)
	}
}
