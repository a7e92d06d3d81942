package decide

import (
	"context"
	"fmt"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// TestLeastFound: at the least epsilon there is a design, and a thousandth below there is
// none, whatever else is asked for; where nothing else is, it is the one that the program
// of the least factor gives.
func TestLeastFound(t *testing.T) {
	for name, ask := range map[string]func(o *request.Options){
		"plain":    func(o *request.Options) {},
		"headroom": func(o *request.Options) { o.Headroom = "10%" },
		"limit":    func(o *request.Options) { o.MaxShift, o.Headroom = "10%", "10%" },
		"robust":   func(o *request.Options) { o.Confidence, o.Robust = "0.01", true },
	} {
		for rank := 1; rank <= 3; rank++ {
			t.Run(fmt.Sprint(name, rank), func(t *testing.T) {
				o := &request.Options{Column: "x", Utility: "ordered:a,b,c,d", Epsilon: request.LeastEpsilon, FloorRank: &rank}
				ask(o)
				asked, err := o.Decision()
				if err != nil {
					t.Fatal(err)
				}
				d := besideOf(t, []int64{4000, 3000, 2000, 1000}, []int64{4000, 3000, 2000, 1000})
				d.Of, d.Groups[0].Sample = "", mechanism.Prior{}
				p, err := Plan(context.Background(), asked, d)
				if err != nil {
					t.Fatal(err)
				}
				if name == "plain" {
					at, err := leastFound(context.Background(), asked, d)
					if err != nil || at.Goal.Epsilon.String() != p.Target {
						t.Errorf("%v is found, and %s is the least: %v", at, p.Target, err)
					}
				}
				if steps := int(p.Epsilon.Nats()*leastGrid + .5); steps > 0 {
					below, err := onGrid(steps - 1)
					if err != nil {
						t.Fatal(err)
					}
					var q *plan.Plan
					if q, err = Plan(context.Background(), asked.At(below), d); err == nil {
						t.Errorf("the least is %s, and %s does, too", p.Target, q.Target)
					}
				}
			})
		}
	}
}
