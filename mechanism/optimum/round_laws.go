package optimum

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// laws are output laws around that of a draft that keep a factor.
type laws struct {
	*Pattern
	face
	factor *big.Rat
	used   []int // outputs
}

// laws are those of factor t around d.
func (d Draft) laws(t *big.Rat) *laws {
	l := &laws{Pattern: d.Pattern, factor: t}
	ratio, _ := t.Float64()
	allowed := make([]float64, len(d.Letter)) // the sum of q over B_x
	for y, q := range d.Law() {
		if !(q > 0) {
			continue
		}
		l.used, l.q = append(l.used, y), append(l.q, q)
		for _, i := range d.Column[y] {
			allowed[i] += q
		}
	}
	every := make([]*big.Rat, len(l.used))
	for j := range every {
		every[j] = big.NewRat(1, 1)
	}
	l.add(every, big.NewRat(1, 1))
	n := float64(d.Prior.Total())
	for i, c := range d.Count {
		if share := math.Min(n/float64(c), ratio) * allowed[i]; !(math.Abs(share-1) < tightness) {
			continue
		}
		l.add(l.cut([]int{i}))
	}
	return l
}

// reach rounds the law and fills it, from start; what the flow cannot place becomes
// equalities, until it places all.
func (l *laws) reach(start *Draft) *mechanism.Mechanism {
	room := (math.MaxInt64/2 + 1) / (l.Prior.Total() / common(l.Pattern))
	unit := l.factor.Denom().Int64() // g is a multiple: then t c_x g_y are integers
	for {
		g := l.round(min(1<<lawBits, room) / unit)
		if g == nil {
			return nil
		}
		law := make([]int64, len(l.Column))
		for j, v := range g {
			law[l.used[j]] = v * unit
		}
		c := newTransport(l.Pattern, law, l.factor)
		if c == nil {
			return nil
		}
		if c.fill(start) {
			return c.mechanism()
		}
		if !l.mend(c.short()) {
			return nil
		}
	}
}

// cut is sum_y q_y min(n, t c(A & S_y)) and c(A), for letters given as places.
func (l *laws) cut(a []int) (coef []*big.Rat, value *big.Rat) {
	n := new(big.Rat).SetInt64(l.Prior.Total())
	coef, sum := make([]*big.Rat, len(l.used)), int64(0)
	mass := make([]int64, len(l.used))
	for _, i := range a {
		sum += l.Count[i]
		for j, y := range l.used {
			if l.Support.Allowed(l.Letter[i], y) {
				mass[j] += l.Count[i]
			}
		}
	}
	for j, m := range mass {
		if m == 0 {
			continue
		}
		coef[j] = new(big.Rat).SetInt64(m)
		if coef[j].Mul(coef[j], l.factor).Cmp(n) > 0 {
			coef[j].Set(n)
		}
	}
	return coef, new(big.Rat).SetInt64(sum)
}

// mend takes a broken cut for an equality where it is nearly one; it
// reports whether it is new.
func (l *laws) mend(short []int) bool {
	coef, value := l.cut(short)
	sum := 0.0
	for j, k := range coef {
		if k != nil {
			v, _ := k.Float64()
			sum += v * l.q[j]
		}
	}
	whole, _ := value.Float64()
	return math.Abs(sum/whole-1) < tightness && l.add(coef, value)
}
