// Package claim holds what a release promises and tells, one row for each
// sentence. A row names the observer, the prior and the records that it is
// about; every view prints its words, and no view has a sentence of its own
// about a promise. The package knows neither options nor files.
//
// The table of all rows is in package account: a key, a place, a value, and here
// the words for it. What was not computed is a claim without a figure, and its
// words say "not computed" where that can be. A row that claims nothing is a figure: it has no
// standing, observer, prior or records.
package claim

import "fmt"

// A Claim is one sentence about a promise, with all that makes it true.
type Claim struct {
	Key     string `json:"key"`     // of the table
	Section string `json:"section"` // of the report that prints it; "lead" is what everybody must read
	Head    string `json:"head"`    // one or two words before the sentence
	Public  bool   `json:"public"`  // the public report prints it, too
	Value
	Words string `json:"words"` // the sentence, without the head
}

// A Value is what a claim says.
type Value struct {
	Standing Standing `json:"standing,omitempty"` // "" of a figure that claims nothing, and so the next four
	Bounds   Bound    `json:"bounds,omitempty"`
	Observer Observer `json:"observer,omitempty"`
	Relative Prior    `json:"relative,omitempty"`
	Records  Records  `json:"records,omitempty"`
	Figure   *Figure  `json:"figure,omitempty"` // nil: not computed, or nothing is claimed
	Risk     *Risk    `json:"risk,omitempty"`   // nil: the claim is about no guess, or has no figure
	Facts
}

// A Figure is a number that is claimed.
type Figure struct {
	Factor string  `json:"factor,omitempty"` // e^leakage, "p/q"
	Times  float64 `json:"times,omitempty"`  // e^leakage rounded up, where the fraction is not told
	Nats   float64 `json:"nats,omitempty"`   // of the factor, rounded up
	Least  float64 `json:"least,omitempty"`  // a factor of at least that, rounded down
	Rank   int     `json:"rank,omitempty"`   // of the worst output, 1 to Of
	Of     int     `json:"of,omitempty"`     // M
	Level  *Level  `json:"level,omitempty"`  // that is kept, where the floor is one of levels
	Count  int64   `json:"count,omitempty"`  // records
	Share  float64 `json:"share,omitempty"`  // of the records of the claim
	Exact  bool    `json:"exact"`            // else it is a bound
}

// A Level is a floor of an order whose values stand in groups, and these in groups:
// At is 0 where any value may replace any, and Of where each is replaced by itself.
type Level struct {
	At int `json:"at"`
	Of int `json:"of"`
}

// Place says where a floor is: at a level, or else at a rank.
func Place(l *Level, rank, of int) string {
	if l != nil {
		return fmt.Sprintf("level %d of %d", l.At, l.Of)
	}
	return fmt.Sprintf("rank %d of %d", rank, of)
}

// Facts are the names that a sentence needs.
type Facts struct {
	Column string   `json:"column,omitempty"` // the private column
	Asked  string   `json:"asked,omitempty"`  // as the user wrote it
	Given  string   `json:"given,omitempty"`  // column of the strata, a column beside, or a file
	Note   string   `json:"note,omitempty"`   // a clause of the order, a rule or a condition
	Names  []string `json:"names,omitempty"`  // of columns or figures
}

// In are the claims of a section.
func In(all []Claim, section string) []Claim {
	return those(all, func(c Claim) bool { return c.Section == section })
}

// Published are the claims that everybody may see.
func Published(all []Claim) []Claim { return those(all, func(c Claim) bool { return c.Public }) }

func those(all []Claim, are func(Claim) bool) []Claim {
	out := []Claim{}
	for _, c := range all {
		if are(c) {
			out = append(out, c)
		}
	}
	return out
}

// Find is the claim of a key.
func Find(all []Claim, key string) (Claim, bool) {
	for _, c := range all {
		if c.Key == key {
			return c, true
		}
	}
	return Claim{}, false
}
