package interior

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

func TestTrace(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("TN"))
	seed, _ := strconv.Atoi(os.Getenv("TS"))
	if n == 0 {
		return
	}
	pr := families[os.Getenv("TF")](n, rand.New(rand.NewPCG(uint64(seed), 7)))
	trace = func(l *least, mu, ap, ad float64) {
		_, rr := l.measure()
		var rd, ru, rc, rs, pobj, dobj float64
		for _, j := range l.live {
			k1, k2 := l.u[j]/l.t, l.nu[j]/l.t
			for k, i := range l.Column[j] {
				c := l.off[j] + k
				rd = max(rd, math.Abs(l.cost[c]-l.y[i]-l.Prob[i]*l.nu[j]-l.d[c]+l.z[c]))
				rs = max(rs, math.Abs(l.u[j]-l.p[c]-l.s[c]))
				k1 -= l.Prob[i] * l.p[c]
				k2 -= l.z[c]
				pobj += l.cost[c] * l.p[c]
			}
			rc, ru = max(rc, math.Abs(k1)), max(ru, math.Abs(k2))
		}
		for _, j := range l.flat {
			rd = max(rd, math.Abs(l.reduced(j)))
			for k := range l.Column[j] {
				pobj += l.cost[l.off[j]+k] * l.u[j]
			}
		}
		for _, y := range l.y {
			dobj += y
		}
		fmt.Printf("rd %.1e ru %.1e rc %.1e rs %.1e pobj %.10f dobj %.10f ", rd, ru, rc, rs, pobj/float64(l.n), dobj/float64(l.n))
		fmt.Printf("t %.10f lo %.10f own %.8f up %.10f mu %.1e row %.1e ap %.3f ad %.3f live %d flat %d\n", l.t, l.lo, l.dual.own, l.up, mu, rr, ap, ad, len(l.live), len(l.flat))
	}
	Least(context.Background(), pr, Options{})
}
