package decide

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// AdviceCells is the size of a table above which no search is made for it.
const AdviceCells = 1 << 20

// Advice says why a floor costs what it costs, and what would help. Its
// figures encode counts.
type Advice struct {
	Floor string  `json:"floor"` // "rank >= 139"
	Lower string  `json:"lower_factor"`
	Upper string  `json:"upper_factor"` // least factor known of any mechanism there
	Nats  float64 `json:"nats"`         // of it, rounded up

	// Deciders are the letters of which each alone proves Lower. Letter has the
	// largest share of the weights of a proof, and Carriers letters have nine
	// tenths; nil where nothing binds.
	Deciders []report.Label `json:"deciders,omitempty"`
	Letter   *report.Label  `json:"letter,omitempty"`
	Share    float64        `json:"share,omitempty"`
	Carriers int            `json:"carriers,omitempty"`

	// Merge is the best of the Tried mergers of a letter with another.
	Merge *Merger `json:"merge,omitempty"`
	Tried int     `json:"mergers_tried,omitempty"`
}

// A Merger is what the floor would cost were the records of Letter counted as
// Into.
type Merger struct {
	Letter report.Label `json:"letter"`
	Into   report.Label `json:"into"`
	Factor string       `json:"factor"`
	Nats   float64      `json:"nats"`
	Helps  bool         `json:"helps"` // it is cheaper than Lower
}

// NewAdvice names what frontier.Advice numbers.
func NewAdvice(a frontier.Advice, in utility.Letters) *Advice {
	labels := report.Labels(in.Label, in.Null)
	out := &Advice{Floor: a.Floor.String(), Lower: a.Lower.RatString(), Upper: a.Upper.RatString(),
		Nats: mechanism.Nats(a.Upper)}
	if a.Letter < 0 {
		return out
	}
	out.Letter, out.Share, out.Carriers = &labels[a.Letter], a.Share, a.Carriers
	for _, x := range a.Deciders {
		out.Deciders = append(out.Deciders, labels[x])
	}
	out.Tried = a.Tried
	if m := a.Merge; m != nil {
		out.Merge = &Merger{Letter: labels[m.Letter], Into: labels[m.Into], Factor: m.Upper.RatString(),
			Nats: mechanism.Nats(m.Upper), Helps: m.Helps(a.Lower)}
	}
	return out
}

// Advise looks at the floor above that of the plan, for so long at the most;
// nil where there is none.
func Advise(ctx context.Context, most time.Duration, p *plan.Plan) (*Advice, error) {
	if p.Next == nil || p.Order.Inputs()*p.Order.Outputs() > AdviceCells {
		return nil, nil
	}
	solve, cancel := Solving(ctx, most)
	defer cancel()
	a, err := frontier.Advise(solve, p.Prior, p.Order, *p.Next, nil, optimum.Options{}, p.Also()...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("looking at the next floor: %w", err)
	}
	out := NewAdvice(a, p.Inputs)
	out.Floor = utility.NameFloor(p.Spec.Form, p.Lowest, *p.Next)
	return out, nil
}

// Lines are the advice in words, at most two of them.
func (a *Advice) Lines() []string {
	lines := []string{a.need()}
	if a.Letter == nil {
		return lines
	}
	carry := a.carry()
	_, open := a.open()
	switch m := a.Merge; {
	case m == nil:
	case !m.Helps && open: // what does not help against a bound may help against the least factor
	case m.Helps:
		carry += fmt.Sprintf("; with %q merged into %q: %s", m.Letter, m.Into, report.RoundUp(m.Nats, 4))
	case a.Tried == 1:
		carry += fmt.Sprintf("; merging %q into %q was tried and did not help", m.Letter, m.Into)
	default:
		carry += fmt.Sprintf("; none of %d mergers of a value into a commoner one that were tried helped", a.Tried)
	}
	return append(lines, carry)
}

// Free reports that epsilon 0 is all that is proven of the floor.
func (a *Advice) Free() bool { return a.Nats == 0 }

// need says what the floor costs; a search that time ended knows bounds.
func (a *Advice) need() string {
	if a.Free() {
		return strings.Replace(a.Floor, " >= ", " ", 1) + "; nothing is proven about its epsilon"
	}
	if _, open := a.open(); open {
		return fmt.Sprintf("%s needs at most epsilon %s", a.Floor, report.RoundUp(a.Nats, 4))
	}
	return fmt.Sprintf("%s needs at least epsilon %s", a.Floor, report.RoundUp(a.Nats, 4))
}

// open tells whether less is proven, which is least in nats, than is known to do.
func (a *Advice) open() (least float64, open bool) {
	lower, ok := new(big.Rat).SetString(a.Lower)
	upper, known := new(big.Rat).SetString(a.Upper)
	if !ok || !known || !frontier.Cheaper(lower, upper) {
		return 0, false
	}
	return 0 - mechanism.Nats(new(big.Rat).Inv(lower)), true // rounded down
}

// carry says which letters decide, or what they prove where a search was cut.
func (a *Advice) carry() string {
	const most = 4 // that are named
	that, proof := "decides that alone", "that"
	if least, open := a.open(); open {
		proof = "at least epsilon " + strconv.FormatFloat(math.Floor(least*1e4)/1e4, 'f', -1, 64)
		that = "alone proves " + proof
	}
	switch n := len(a.Deciders); {
	case n == 0:
		return fmt.Sprintf("%d values carry nine tenths of a proof of %s, most of it %q with %.0f %%", a.Carriers, proof,
			a.Letter, 100*a.Share)
	case n == 1 && proof == "that":
		return fmt.Sprintf("value %q alone decides that", a.Deciders[0])
	case n == 1:
		return fmt.Sprintf("value %q %s", a.Deciders[0], that)
	}
	var names []string
	for _, l := range a.Deciders[:min(len(a.Deciders), most)] {
		names = append(names, fmt.Sprintf("%q", l))
	}
	if more := len(a.Deciders) - most; more > 0 {
		return fmt.Sprintf("each of the values %s and %d more %s", strings.Join(names, ", "), more, that)
	}
	return fmt.Sprintf("each of the values %s %s", strings.Join(names, ", "), that)
}
