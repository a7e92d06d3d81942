package figures

import (
	"math/bits"

	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// prime is below 2^61 and is not the one that the report was made with: a rank
// modulo either is the true one but for a chance of about 10^-18.
const prime = 1<<61 - 31

// CheckAnalysts recomputes what can be estimated from the output: the rank of
// the rows, and the letters that are a combination of columns on their own.
func CheckAnalysts(v *subject.View) {
	const name = "analysts"
	a := v.Report.Analysts
	n, m := len(v.Plan.Inputs), len(v.Plan.Outputs)
	if v.Rows == nil || v.Total == 0 || n*m > 1<<16 {
		ok := a == nil
		v.Add(name, ok, "%s", verdict.Either(ok, "nothing is said of what can be estimated", "the report says what can be estimated, of what it does not say for such a release"))
		return
	}
	if a == nil {
		v.Add(name, false, "the report does not say what can be estimated")
		return
	}
	rank, alone := identify(v)
	var w verdict.Faults
	w.Match(a.Letters == n && a.Rank == rank, "the rank")
	w.Match(a.Estimable == alone, "the number of letters whose share can be estimated")
	v.Settle(name, w, "rank %d of %d; the share of %d letters can be estimated", rank, n, alone)
}

// identify appends the identity to the rows and eliminates: what is left of it
// beside zero rows are the combinations of letters that no output sees, and a
// letter stands alone where none of them has it.
func identify(v *subject.View) (rank, alone int) {
	n, m := len(v.Plan.Inputs), len(v.Plan.Outputs)
	row := make([][]uint64, n)
	for x, r := range v.Rows {
		row[x] = make([]uint64, m+n)
		for i, y := range r.Output {
			row[x][y] = uint64(r.Weight[i]) % prime
		}
		row[x][m+x] = 1
	}
	for y := 0; y < m && rank < n; y++ {
		at := rank
		for at < n && row[at][y] == 0 {
			at++
		}
		if at == n {
			continue
		}
		row[rank], row[at] = row[at], row[rank]
		top := row[rank]
		inv := power(top[y], prime-2)
		for _, r := range row[rank+1:] {
			if r[y] == 0 {
				continue
			}
			f := prime - product(r[y], inv)
			for k := y; k < m+n; k++ {
				if top[k] != 0 {
					r[k] = (r[k] + product(top[k], f)) % prime
				}
			}
		}
		rank++
	}
	for x := range n {
		free := true
		for _, r := range row[rank:] {
			free = free && r[m+x] == 0
		}
		if free {
			alone++
		}
	}
	return rank, alone
}

func product(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, prime)
}

func power(a, e uint64) uint64 {
	out := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			out = product(out, a)
		}
		a = product(a, a)
	}
	return out
}
