package decide

import (
	"context"
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/flat"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/options"
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

	// The letter with the largest share of the weights that prove Lower, and
	// how many letters have nine tenths; nil where nothing binds.
	Letter   *report.Label `json:"letter,omitempty"`
	Share    float64       `json:"share,omitempty"`
	Carriers int           `json:"carriers,omitempty"`

	Merge *Merger     `json:"merge,omitempty"`
	Bound *Bottleneck `json:"output,omitempty"` // for designs other than the optimum
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

// A Bottleneck is the output that decides the factor of a mechanism.
type Bottleneck struct {
	Output  report.Label `json:"output"`
	Factor  string       `json:"factor"`
	Nats    float64      `json:"nats"`
	Letters int          `json:"letters"` // that may give it
	Records int64        `json:"records"` // that hold one of these
	Rarest  report.Label `json:"rarest"`  // of the letters
}

// NewAdvice names what frontier.Advice numbers.
func NewAdvice(a frontier.Advice, in utility.Letters) *Advice {
	labels := report.Labels(in.Label, in.Null)
	out := &Advice{Floor: a.Floor.String(), Lower: a.Lower.RatString(), Upper: a.Upper.RatString(), Nats: mechanism.Nats(a.Upper)}
	if a.Letter < 0 {
		return out
	}
	out.Letter, out.Share, out.Carriers = &labels[a.Letter], a.Share, a.Carriers
	if m := a.Merge; m != nil {
		out.Merge = &Merger{Letter: labels[m.Letter], Into: labels[m.Into], Factor: m.Upper.RatString(), Nats: mechanism.Nats(m.Upper), Helps: Cheaper(m.Upper, a.Lower)}
	}
	return out
}

// Cheaper reports whether a is below b by more than a solver's last digits.
func Cheaper(a, b *big.Rat) bool {
	r, _ := new(big.Rat).Quo(a, b).Float64()
	return r < 1-1e-6
}

// Advise looks at the floor above that of the plan; nil where there is none.
func Advise(ctx context.Context, o *options.Options, p *plan.Plan) (*Advice, error) {
	if p.Next == nil || p.Order.Inputs()*p.Order.Outputs() > AdviceCells {
		return nil, nil
	}
	solve, cancel := Solving(ctx, o)
	defer cancel()
	a, err := frontier.Advise(solve, p.Prior, p.Order, *p.Next, optimum.LeastOptions{})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("looking at the next floor: %w", err)
	}
	out := NewAdvice(a, p.Inputs)
	var m *mechanism.Mechanism
	switch p.Kind {
	case "safe":
		m, err = mechanism.Safe(p.Prior, p.Order, *p.Next)
	case "flat":
		m, err = flat.Pruned(p.Prior, mechanism.SupportOf(p.Order, *p.Next))
	}
	if b := (mechanism.Bottleneck{Output: -1}); err == nil && m != nil {
		if b = m.Bottleneck(p.Prior); b.Output >= 0 {
			out.Bound = &Bottleneck{p.OutputLabels()[b.Output], b.Factor.RatString(), mechanism.Nats(b.Factor), b.Letters, b.Records, p.InputLabels()[b.Rarest]}
		}
	}
	return out, nil
}

// Lines are the advice in words, at most three of them.
func (a *Advice) Lines() []string {
	lines := []string{fmt.Sprintf("%s needs epsilon %s at the least", a.Floor, report.RoundUp(a.Nats, 4))}
	if b := a.Bound; b != nil {
		lines = append(lines, fmt.Sprintf("this design there: %s, decided by output %q, which %d letters of %d records may give, the rarest %q", report.RoundUp(b.Nats, 4), b.Output, b.Letters, b.Records, b.Rarest))
	}
	if a.Letter == nil {
		return lines
	}
	carry := fmt.Sprintf("letter %q alone decides that", a.Letter)
	if a.Carriers > 1 {
		carry = fmt.Sprintf("%d letters carry nine tenths of the proof, most of it %q with %.0f %%", a.Carriers, a.Letter, 100*a.Share)
	}
	switch m := a.Merge; {
	case m == nil:
	case m.Helps:
		carry += fmt.Sprintf("; %q counted as %q: %s", m.Letter, m.Into, report.RoundUp(m.Nats, 4))
	default:
		carry += fmt.Sprintf("; counting %q as %q would not help", m.Letter, m.Into)
	}
	return append(lines, carry)
}
