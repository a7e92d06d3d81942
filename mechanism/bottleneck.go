package mechanism

import "math/big"

// A Bottleneck is the output that leaks most and those who may give it.
type Bottleneck struct {
	Output  int
	Factor  *big.Rat
	Letters int   // with records
	Records int64 // that hold one of them
	Rarest  int   // the rarest of these letters
}

// Bottleneck is what binds a mechanism itself: for the flat and utility-safe
// designs, whose factor is 1/P(S_y), the letters that give the output.
// Its Output is -1 where p has no records.
func (m *Mechanism) Bottleneck(p Prior) Bottleneck {
	b := Bottleneck{Rarest: -1}
	b.Output, b.Factor = m.Leakage(p).Max()
	for x, r := range m.row {
		for _, y := range r.Output {
			if c := p.Count(x); int(y) == b.Output && c > 0 {
				b.Letters++
				b.Records += c
				if b.Rarest < 0 || c < p.Count(b.Rarest) {
					b.Rarest = x
				}
			}
		}
	}
	return b
}
