package audit

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A stratum is not judged below Small records, or where more than Unseen of
// its records hold a letter that comes up once in it: about that share of what
// the stratum may hold was never seen [Good 1953], and its frequencies say more
// of the sample than of the column.
const (
	Small  = 20
	Unseen = .1
)

// Figures are what the strata of a column tell of the letters. Shares are of
// the judged records, guesses the chance that the best guess of a letter is
// right.
type Figures struct {
	Records      int64 // judged
	Strata       int   // judged
	SmallStrata  int   // too small to be judged
	SmallRecords int64 // in these

	Alone float64 // l(X->w), nats
	Given float64 // the largest l(X->y|w), nats
	Total float64 // l(X->(w,y)), nats
	Worst Worst   // where Given is reached
	Joint Worst   // where Total is reached

	GuessNone    float64 // knowing neither
	GuessAlone   float64 // knowing w
	GuessDrawn   float64 // knowing y
	GuessBoth    float64 // knowing w and y
	CertainAlone float64 // share of records whose letter w alone tells
	CertainDrawn float64 // whose letter y alone tells
	CertainBoth  float64 // whose letter w and y tell

	Entropy float64 // of the letters, nats
	Removed float64 // share of it that w removes, I(X;W)/H(X), corrected for the size of the sample
}

// Worst is an observation and the guess that it makes likelier the most. Its
// members are -1 where there is none.
type Worst struct {
	Stratum int32 // w
	Output  int32 // y
	Letter  int32 // the guess
	Prior   float64
	After   float64 // its chance once seen; Factor is After over Prior
	Factor  float64
}

// Measure computes the figures for records of these letters, each redrawn by
// its own of m, one mechanism for each of the table's. What is drawn tells
// nothing of which mechanism it was that the stratum does not: the law of an
// output is the mean over the records. It takes a step for every output of
// every cell.
func (t *Table) Measure(m ...*mechanism.Mechanism) Figures {
	f := Figures{Worst: none, Joint: none}
	all := t.strata()
	judged := slices.DeleteFunc(all, func(s stratum) bool {
		if s.small() {
			f.SmallStrata++
			f.SmallRecords += s.total
		}
		return s.small()
	})
	f.Strata = len(judged)
	g := newGathering(m, judged)
	f.Records = g.n
	if g.n == 0 {
		return f
	}
	for i := range judged {
		g.stratum(&f, &judged[i])
	}
	g.finish(&f, judged)
	return f
}

// Work is how many steps Measure takes.
func (t *Table) Work(m ...*mechanism.Mechanism) int {
	n := 0
	for _, c := range t.cells() {
		cell := int(uint32(c.key))
		n += len(m[cell%t.laws].Row(cell / t.laws).Output)
	}
	return n
}

var none = Worst{Stratum: -1, Output: -1, Letter: -1}

// A gathering holds sums over strata, and by output for the stratum at hand.
type gathering struct {
	law   *laws
	n     int64
	count []int64 // by letter
	part  []int64 // by letter and mechanism
	mass  []float64
	most  []float64 // largest n_wx p_xy
	high  []float64 // largest p_xy
	lift  []float64 // largest p_xy n_wx/n_x
	by    []int32   // letter of high
	by2   []int32   // letter of lift
	ways  []int     // letters that may give it
	used  []uint16
}

func newGathering(m []*mechanism.Mechanism, all []stratum) *gathering {
	k := m[0].Outputs()
	g := &gathering{law: newLaws(m), count: make([]int64, m[0].Inputs()), part: make([]int64, m[0].Inputs()*len(m)), mass: make([]float64, k), most: make([]float64, k), high: make([]float64, k),
		lift: make([]float64, k), by: make([]int32, k), by2: make([]int32, k), ways: make([]int, k)}
	for _, s := range all {
		g.n += s.total
		for i, x := range s.letter {
			g.count[x] += s.count[i]
			if s.from == nil {
				g.part[x] += s.count[i]
				continue
			}
			law, part := s.laws(i)
			for k, l := range law {
				g.part[int(x)*len(m)+int(l)] += part[k]
			}
		}
	}
	return g
}

// stratum adds what stratum s shows.
func (g *gathering) stratum(f *Figures, s *stratum) {
	n, total := float64(g.n), float64(s.total)
	best := int64(0)
	for i, x := range s.letter {
		c := s.count[i]
		best = max(best, c)
		up(&f.Alone, float64(c)/float64(g.count[x])*n/total)
		output, chance := g.law.of(int(x), s, i)
		for j, y := range output {
			p := chance[j]
			if g.ways[y] == 0 {
				g.used = append(g.used, y)
			}
			g.ways[y]++
			g.mass[y] += float64(c) * p
			g.most[y] = max(g.most[y], float64(c)*p)
			if p > g.high[y] {
				g.high[y], g.by[y] = p, x
			}
			if v := p * float64(c) / float64(g.count[x]); v > g.lift[y] {
				g.lift[y], g.by2[y] = v, x
			}
		}
	}
	f.GuessAlone += float64(best) / n
	if len(s.letter) == 1 {
		f.CertainAlone += total / n
	}
	for _, y := range g.used {
		f.GuessBoth += g.most[y] / n
		if g.ways[y] == 1 {
			f.CertainBoth += g.mass[y] / n
		}
		if v := g.high[y] * total / g.mass[y]; up(&f.Given, v) {
			i, _ := slices.BinarySearch(s.letter, g.by[y])
			f.Worst = Worst{s.code, int32(y), g.by[y], float64(s.count[i]) / total, float64(s.count[i]) / total * v, v}
		}
		if v := g.lift[y] * n / g.mass[y]; up(&f.Total, v) {
			prior := float64(g.count[g.by2[y]]) / n
			f.Joint = Worst{s.code, int32(y), g.by2[y], prior, prior * v, v}
		}
		g.mass[y], g.most[y], g.high[y], g.lift[y], g.ways[y] = 0, 0, 0, 0, 0
	}
	g.used = g.used[:0]
}

// finish computes what needs no stratum, and turns factors into nats.
func (g *gathering) finish(f *Figures, all []stratum) {
	n := float64(g.n)
	drawn, mass, ways := make([]float64, len(g.mass)), make([]float64, len(g.mass)), make([]int, len(g.mass))
	letters, cells := 0, 0
	for x, c := range g.count {
		if c == 0 {
			continue
		}
		letters++
		p := float64(c) / n
		f.GuessNone = max(f.GuessNone, p)
		f.Entropy -= p * math.Log(p)
		output, chance := g.law.mean(x, g.part[x*len(g.law.m):(x+1)*len(g.law.m)])
		for j, y := range output {
			v := p * chance[j]
			drawn[y] = max(drawn[y], v)
			mass[y] += v
			ways[y]++
		}
	}
	for y, v := range drawn {
		f.GuessDrawn += v
		if ways[y] == 1 {
			f.CertainDrawn += mass[y]
		}
	}
	shared := f.Entropy
	for _, s := range all {
		cells += len(s.letter)
		for _, c := range s.count {
			shared += float64(c) / n * math.Log(float64(c)/float64(s.total))
		}
	}
	// The plug-in estimate of I(X;W) is too large by about this much
	// [Miller 1955].
	shared -= float64(cells-letters-len(all)+1) / (2 * n)
	if f.Entropy > 0 {
		f.Removed = min(1, max(0, shared/f.Entropy))
	}
	for _, v := range []*float64{&f.Alone, &f.Given, &f.Total} {
		if *v = math.Log(max(1, *v)); *v > 0 {
			*v = *v*(1+1e-12) + 1e-12
		}
	}
}

// up raises a maximum and reports whether it did, by more than rounding.
func up(to *float64, v float64) bool {
	if v > *to*(1+1e-12) {
		*to = v
		return true
	}
	*to = max(*to, v)
	return false
}
