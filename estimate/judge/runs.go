package judge

import "github.com/tacet-privacy/tacet/estimate"

// Runs tells whether neighbouring records hold the same letter more often
// than in a shuffled file. Where they do, the draws of neighbours are several
// draws of one letter, and their leakages add up.
type Runs struct {
	count []int64
	last  int32
	n     int64 // records
	pairs int64 // neighbours looked at
	equal int64 // of them with the same letter
}

// NewRuns is for letters 0..letters-1.
func NewRuns(letters int) *Runs { return &Runs{count: make([]int64, letters), last: -1} }

// Add takes the letters of the next records; negative ones are left out.
func (r *Runs) Add(letter []int32) {
	for _, x := range letter {
		if x < 0 {
			continue
		}
		if r.last >= 0 {
			r.pairs++
			if x == r.last {
				r.equal++
			}
		}
		r.last = x
		r.count[x]++
		r.n++
	}
}

// Break says that the next record does not follow the last one.
func (r *Runs) Break() { r.last = -1 }

// Shares are those of neighbours with the same letter, as seen and as expected
// of a shuffled file; 0 where there are no neighbours.
func (r *Runs) Shares() (seen, expected float64) {
	if r.pairs == 0 {
		return 0, 0
	}
	same := 0.0 // pairs of records, neighbours or not
	for _, c := range r.count {
		same += float64(c) * float64(c-1)
	}
	return float64(r.equal) / float64(r.pairs), same / (float64(r.n) * float64(r.n-1))
}

// More reports whether more neighbours are equal than in a shuffled file, with so small a
// chance of an error. Their number varies less there than if they were independent: its
// variance is p - p^2 - 2 (q - p^2) a pair [Mood 1940], where two records are equal with the
// chance p and three with q, which is not below p^2. So the bound for independent ones is safe.
func (r *Runs) More(alarm float64) bool {
	_, expected := r.Shares()
	return estimate.AtLeast(r.equal, r.pairs, alarm) > expected
}
