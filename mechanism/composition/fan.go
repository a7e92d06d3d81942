package composition

import (
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A fan holds every likelihood that outputs of the laws so far can leave.
type fan struct {
	prior   mechanism.Prior
	support []int
	prob    []float64 // P_x over the support
	all     map[string]*ray
	most    *big.Rat // the largest factor so far
	cells   int      // products that may still be formed, by their words
}

// A ray is a likelihood over the support up to a factor: integers without a
// common divisor. Its mass is the probability of all outputs that leave it.
type ray struct {
	like []*big.Int
	mass *big.Rat
}

func newFan(p mechanism.Prior) *fan {
	f := &fan{prior: p, most: big.NewRat(1, 1), cells: Cells}
	first := &ray{mass: big.NewRat(1, 1)}
	for x := range p.Letters() {
		if p.Count(x) > 0 {
			f.support = append(f.support, x)
			f.prob = append(f.prob, float64(p.Count(x))/float64(p.Total()))
			first.like = append(first.like, big.NewInt(1))
		}
	}
	f.all = map[string]*ray{"": first}
	return f
}

// multiply takes the outputs of one more law, with the masses if asked. It
// reports false where that needs too many products.
func (f *fan) multiply(m *mechanism.Mechanism, masses bool) bool {
	column := f.columns(m)
	next := map[string]*ray{}
	var key []byte
	for _, r := range f.all {
		before, price := f.mean(r.like), r.price()
		for _, c := range column {
			if c == nil {
				continue
			}
			if f.cells -= price; f.cells < 0 {
				return false
			}
			product := r.times(c)
			common := divisor(product)
			if common == nil {
				continue
			}
			mass := new(big.Rat)
			if masses {
				mass.SetFrac(f.mean(product), new(big.Int).Mul(before, c.total))
				mass.Mul(mass, r.mass)
			}
			if common.Cmp(bigOne) > 0 {
				for _, v := range product {
					v.Quo(v, common)
				}
			}
			key = appendKey(key[:0], product)
			if old := next[string(key)]; old != nil {
				old.mass.Add(old.mass, mass)
			} else {
				next[string(key)] = &ray{product, mass}
			}
		}
	}
	f.all = next
	return true
}

// largest is the largest factor that one more law can lead to. Floats pick the
// candidates, with errors far below the margin; fractions decide among them.
// It reports false where that needs too many products.
func (f *fan) largest(m *mechanism.Mechanism) bool {
	column := f.columns(m)
	p := make([][]float64, len(column))
	for y, c := range column {
		if c != nil {
			p[y] = floats(c.weight)
		}
	}
	best, _ := f.most.Float64()
	for _, r := range f.all {
		like := floats(r.like)
		for y, c := range column {
			if c == nil {
				continue
			}
			if f.cells -= len(like) / 8; f.cells < 0 {
				return false
			}
			most, mean := 0.0, 0.0
			for i, v := range like {
				v *= p[y][i]
				most = max(most, v)
				mean += v * f.prob[i]
			}
			if !(most > best*(1-1e-9)*mean) {
				continue
			}
			if v := f.factor(r.times(c)); v.Cmp(f.most) > 0 {
				f.most = v
				best, _ = v.Float64()
			}
		}
	}
	return true
}

// A scaled column is weight/total over the support.
type scaled struct {
	weight []*big.Int
	total  *big.Int
}

// columns brings the rows to one total, the least common multiple of theirs.
func (f *fan) columns(m *mechanism.Mechanism) []*scaled {
	total := big.NewInt(1)
	for _, x := range f.support {
		d := big.NewInt(m.Row(x).Total)
		g := new(big.Int).GCD(nil, nil, total, d)
		total.Mul(total, d.Quo(d, g))
	}
	column := make([]*scaled, m.Outputs())
	for i, x := range f.support {
		r := m.Row(x)
		scale := new(big.Int).Quo(total, big.NewInt(r.Total))
		for j, y := range r.Output {
			if column[y] == nil {
				column[y] = &scaled{make([]*big.Int, len(f.support)), total}
				for k := range column[y].weight {
					column[y].weight[k] = new(big.Int)
				}
			}
			column[y].weight[i].Mul(scale, big.NewInt(r.At(j)))
		}
	}
	return column
}

// mean is n sum_x P_x L(x).
func (f *fan) mean(like []*big.Int) *big.Int {
	sum, v := new(big.Int), new(big.Int)
	for i, l := range like {
		sum.Add(sum, v.Mul(l, big.NewInt(f.prior.Count(f.support[i]))))
	}
	return sum
}

// factor is max L / sum P L; 0 where L is 0 everywhere.
func (f *fan) factor(like []*big.Int) *big.Rat {
	most := new(big.Int)
	for _, l := range like {
		if l.Cmp(most) > 0 {
			most.Set(l)
		}
	}
	if most.Sign() == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(most.Mul(most, big.NewInt(f.prior.Total())), f.mean(like))
}

func (r *ray) times(c *scaled) []*big.Int {
	product := make([]*big.Int, len(c.weight))
	for i, w := range c.weight {
		product[i] = new(big.Int).Mul(r.like[i], w)
	}
	return product
}

// price counts long numbers by their words.
func (r *ray) price() int {
	price := 0
	for _, v := range r.like {
		price += 1 + len(v.Bits())
	}
	return price
}

var bigOne = big.NewInt(1)

// divisor is the greatest common divisor, nil where all are 0.
func divisor(like []*big.Int) *big.Int {
	d := new(big.Int)
	for _, v := range like {
		if v.Sign() == 0 {
			continue
		}
		if d.GCD(nil, nil, d, v).Cmp(bigOne) == 0 {
			return d
		}
	}
	if d.Sign() == 0 {
		return nil
	}
	return d
}

// floats are the numbers up to one factor, each within a relative 2^-52 or
// 2^-900 of the largest.
func floats(like []*big.Int) []float64 {
	bits := 0
	for _, v := range like {
		bits = max(bits, v.BitLen())
	}
	f, shifted := make([]float64, len(like)), new(big.Int)
	for i, v := range like {
		if bits > 900 {
			v = shifted.Rsh(v, uint(bits-900))
		}
		f[i], _ = new(big.Float).SetInt(v).Float64()
	}
	return f
}

// appendKey is the same for equal likelihoods only.
func appendKey(b []byte, like []*big.Int) []byte {
	for _, v := range like {
		words := v.Bits()
		b = append(b, byte(len(words)), byte(len(words)>>8), byte(len(words)>>16))
		for _, w := range words {
			for range 8 {
				b = append(b, byte(w))
				w >>= 8
			}
		}
	}
	return b
}
