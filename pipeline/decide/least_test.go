package decide

import (
	"context"
	"fmt"
	"strings"
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
				d.Of = ""
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
				// The least itself may be the most that is accepted, and nothing below it.
				atMost := func(most mechanism.Epsilon) error {
					bounded := *asked
					bounded.AtMost = &most
					q, err := Plan(context.Background(), &bounded, d)
					if err == nil && q.Target != p.Target {
						t.Errorf("the least is %s, and %s at most %s", p.Target, q.Target, most)
					}
					return err
				}
				if err := atMost(p.Epsilon); err != nil {
					t.Errorf("at most the least, %s: %v", p.Target, err)
				}
				if steps := int(p.Epsilon.Nats()*leastGrid + .5); steps > 0 {
					below, err := onGrid(steps - 1)
					if err != nil {
						t.Fatal(err)
					}
					if err := atMost(below); err == nil || !strings.Contains(err.Error(), p.Target) {
						t.Errorf("below the least, %s: %v", p.Target, err)
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

// TestLastWithin: the last step of the grid is found in exact numbers. In floats 1.001 is
// 1000.9999999999999 thousandths, and log(2) is rounded up.
func TestLastWithin(t *testing.T) {
	for most, want := range map[string]int{"1.001": 1001, "1.0019999999999999999": 1001, "0": 0, "0.0009": 0,
		"log(1)": 0, "log(2)": 693, "log(27182818284590452353/10000000000000000000)": 999,
		"log(27182818284590452354/10000000000000000000)": 1000, "9999": 32000} {
		e, err := mechanism.ParseEpsilon(most)
		if err != nil {
			t.Fatal(err)
		}
		if got := lastWithin(e, 32000); got != want {
			t.Errorf("%s: %d thousandths, want %d", most, got, want)
		}
	}
}
