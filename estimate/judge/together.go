package judge

import (
	"math"
	"slices"
)

// doubt is how many rows of the prior are added to those of a key.
const doubt = 5

// A Part is the best rule of one column, as numbers of its keys by row.
type Part struct {
	Key  []int32
	Keys int
	Gain float64 // in the learning half
}

// Best is the rule of the largest gain, nil where none is above naming the
// commonest letter; value is that of every row. Learn comes first.
func (t *Trial) Best(value []int32) *Part {
	if len(t.top) == 0 {
		return nil
	}
	t.part(t.top[0].rule)
	p := &Part{make([]int32, len(value)), t.keys, t.top[0].gain}
	for i, v := range value {
		p.Key[i] = t.id[v]
	}
	return p
}

// Together judges columns as if, given the letter, they told nothing of each
// other: the letter is guessed for which the product of its chances at all
// keys is the largest.
func Together(s *Sample, law *Law, parts []*Part) Verdict {
	letters := len(s.named)
	base := make([]float64, letters)
	for x := range base {
		base[x] = math.Log(max(1, float64(s.of[Learn][x])) / float64(max(1, s.rows[Learn])))
	}
	tables := make([][]float32, len(parts))
	for k, p := range parts {
		count := make([]float32, p.Keys*letters)
		rows := make([]float32, p.Keys)
		for i, id := range p.Key {
			if s.half[i] == Learn {
				count[int(id)*letters+int(s.letter[i])]++
				rows[id]++
			}
		}
		for id, n := range rows {
			own := count[id*letters:][:letters]
			for x, c := range own {
				share := math.Exp(base[x])
				own[x] = float32(math.Log((float64(c)+doubt*share)/(float64(n)+doubt)) - base[x])
			}
		}
		tables[k] = count
	}
	plus, minus := int64(0), int64(0)
	score := make([]float64, letters)
	for i, x := range s.letter {
		if s.half[i] != Held {
			continue
		}
		copy(score, base)
		for k, p := range parts {
			for y, v := range tables[k][int(p.Key[i])*letters:][:letters] {
				score[y] += float64(v)
			}
		}
		switch f := slices.Index(score, slices.Max(score)); {
		case f == 0:
		case int(x) == f:
			plus++
		case x == 0:
			minus++
		}
	}
	v := NewVerdict(s.rows[Held])
	g := bounds(plus, minus, int64(s.rows[Held]), law.Level/4)
	v.By, v.Gain, v.GainMost = "all columns together", max(0, g.least), max(0, g.most)
	v.weigh(0)
	return v
}
