package claim

import (
	"cmp"
	"fmt"
	"slices"
)

// A Risk is what somebody who sees something of a record may guess of its true value: a
// row of the table of risks. Before and After are chances of the guess that gains most; both
// are 0 where only the factor between them is known.
type Risk struct {
	Sees     string  `json:"sees"`             // completes "whoever sees"
	Times    float64 `json:"times"`            // After over Before, rounded as a bound; 0 where nothing bounds it
	Least    bool    `json:"at_least"`         // Times and After are bounds from below, else from above
	Before   float64 `json:"before,omitempty"` // nearest
	After    float64 `json:"after,omitempty"`
	Promised string  `json:"promised"` // "yes", "no", or with which probability
	Do       string  `json:"do"`       // what to do about it
}

// Certain reports whether some guess may be right for certain.
func (r *Risk) Certain() bool { return r.After >= 1 }

// Factor is how many times as often some guess is right, in words.
func (r *Risk) Factor() string {
	switch {
	case r.Times == 0:
		return "not limited"
	case r.Least:
		return "at least " + TimesDown(r.Times) + " times"
	case r.Times < 10:
		return "at most " + RoundUp(r.Times, 4) + " times"
	}
	return "at most " + RoundUp(r.Times, 1) + " times"
}

// Words are the risk as a sentence without a chance of a guess, which is the share of a
// value.
func (r *Risk) Words() string {
	promised := map[string]string{"yes": "That is promised", "no": "That is not promised"}[r.Promised]
	if promised == "" {
		promised = "That holds " + r.Promised
	}
	what := fmt.Sprintf("finds some guess of the true value %s as likely to be right", r.Factor())
	if r.Certain() {
		what = "may be certain of some true value"
		if r.Times > 0 {
			what += fmt.Sprintf(" (%s as likely to be right)", r.Factor())
		}
	}
	return fmt.Sprintf("Whoever sees %s %s. %s: %s.", r.Sees, what, promised, r.Do)
}

// instead are claims that say of one release what others promise of it.
var instead = map[string]string{"leakage": "leakage.reached", "joint": "joint.reached"}

// Risks are the claims with a risk, the worst first: what may become certain, then the
// largest factor.
func Risks(all []Claim) (out []Claim) {
	for _, c := range all {
		if by, ok := Find(all, instead[c.Key]); c.Risk != nil && !(ok && by.Risk != nil) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Claim) int {
		if a.Risk.Certain() != b.Risk.Certain() {
			return cmp.Compare(b.Risk.After, a.Risk.After)
		}
		return cmp.Compare(b.Risk.size(), a.Risk.size())
	})
	return out
}

// size is the factor to sort by; one that nothing bounds is above all.
func (r *Risk) size() float64 {
	if r.Times == 0 {
		return maxTimes
	}
	return r.Times
}

const maxTimes = 1e308
