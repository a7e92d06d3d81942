package judge

import "github.com/tacet-privacy/tacet/mechanism"

// laws are the mechanisms that records are redrawn by, and room to mix them.
// What a method returns is valid until the next call.
type laws struct {
	m      []*mechanism.Mechanism
	output []uint16
	chance []float64
	sum    []float64 // by output
	part   []int64   // by mechanism
}

func newLaws(m []*mechanism.Mechanism) *laws {
	return &laws{m: m, sum: make([]float64, m[0].Outputs()), part: make([]int64, len(m))}
}

// of is the law of an output for records of letter x, the i-th of stratum s:
// the chance of each, or where that is nil, of any.
func (l *laws) of(x int, s *stratum, i int) (output []uint16, chance []float64, each float64) {
	if s.from == nil {
		return l.row(0, x)
	}
	law, part := s.laws(i)
	if len(law) == 1 {
		return l.row(int(law[0]), x)
	}
	clear(l.part)
	for k, at := range law {
		l.part[at] = part[k]
	}
	return l.mean(x, l.part)
}

// row is that of one mechanism.
func (l *laws) row(at, x int) (output []uint16, chance []float64, each float64) {
	r := l.m[at].Row(x)
	if r.Weight == nil {
		return r.Output, nil, 1 / float64(r.Total)
	}
	l.chance = l.chance[:0]
	for _, w := range r.Weight {
		l.chance = append(l.chance, float64(w)/float64(r.Total))
	}
	return r.Output, l.chance, 0
}

// mean is that over records of letter x, part[k] of which are redrawn by
// mechanism k.
func (l *laws) mean(x int, part []int64) (output []uint16, chance []float64, each float64) {
	if len(part) == 1 {
		return l.row(0, x)
	}
	n := int64(0)
	for _, c := range part {
		n += c
	}
	l.output, l.chance = l.output[:0], l.chance[:0]
	for k, c := range part {
		if c == 0 {
			continue
		}
		r := l.m[k].Row(x)
		for j, y := range r.Output {
			if l.sum[y] == 0 {
				l.output = append(l.output, y)
			}
			l.sum[y] += float64(c) / float64(n) * (float64(r.At(j)) / float64(r.Total))
		}
	}
	for _, y := range l.output {
		l.chance = append(l.chance, l.sum[y])
		l.sum[y] = 0
	}
	return l.output, l.chance, 0
}
