package floors

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// What is said of an epsilon and a limit is what tacet design does when it is asked for
// both, and no floor.
func TestChoicesAreDesigns(t *testing.T) {
	const counts = "label,count\na,4000\nb,3000\nc,2000\nd,900\ne,97\nf,3\n"
	for name, o := range map[string]request.Options{
		"page":     {Utility: "ordered:a,b,c,d,e,f", Page: "page.html", MaxShift: "5%", MaxFactor: "4"},
		"table":    {Utility: "ordered:a,b,c,d,e,f", MaxShift: "3%", Epsilon: "1.5"},
		"no limit": {Utility: "circular:a,b,c,d,e,f"},
		"value":    {Utility: "ordered:a,b,c,d,e,f", FloorBy: "value", MaxShift: "0%", MaxFactor: "7/3"},
		"headroom": {Utility: "ordered:a,b,c,d,e,f", Headroom: "10%", MaxShift: "1%", MaxFactor: "1.01"},
		"shares":   {Utility: "ordered:a,b,c,d,e,f", Prefer: request.Shares},
	} {
		t.Run(name, func(t *testing.T) {
			v := studied(t, counts, o)
			limits, asked, designed := map[string]bool{}, 0, 0
			for _, c := range v.f.Choices {
				fresh := o
				fresh.MaxFactor, fresh.Epsilon, fresh.MaxShift, fresh.Counts = "", c.Epsilon, c.MaxShift, v.o.Counts
				wanted, err := fresh.Decision()
				if err != nil {
					t.Fatal(err)
				}
				if limits[c.MaxShift] = true; c.Asked {
					asked++
				}
				p, err := decide.Plan(context.Background(), wanted, v.grouped)
				if err != nil {
					if c.Refused != fault.As(err).What || c.Open || c.Floor != "" {
						t.Errorf("design says %q, the frontier %+v", err, c)
					}
					continue
				}
				designed++
				if c.Open || c.Refused != "" || c.Rank != p.Rank || c.Worst != p.Value || c.Words != p.Words ||
					c.Expected != p.Expected || c.Used != p.Counted().Used || c.Nats != p.Epsilon.Nats() {
					t.Errorf("design finds rank %d, %s, %v of mean %v, the frontier %+v", p.Rank, p.Words, p.Value, p.Expected, c)
				}
			}
			own := 0
			if o.MaxFactor != "" || o.Epsilon == "1.5" {
				own = 1
			}
			if asked != own || !limits[o.MaxShift] || designed < 5 || len(limits) > 1 != (o.Page != "") {
				t.Errorf("%d asked for, limits %v, %d designs", asked, limits, designed)
			}
			checkSuggested(t, v)
		})
	}
}

// checkSuggested holds the sentences beside the chart to the stops.
func checkSuggested(t *testing.T, v *survey) {
	t.Helper()
	v.o.Page = "page.html"
	p := &page.Page{}
	if _, err := v.places(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	data, err := v.page(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, c := range v.f.Choices {
		if c.Asked && !strings.Contains(text, "<strong>Asked for: epsilon "+c.Epsilon) ||
			c.Asked && c.Floor != "" && !strings.Contains(text, "It buys "+c.Floor+": "+c.Words) ||
			c.Refused != "" && !strings.Contains(text, c.Refused) {
			t.Errorf("the page does not say what becomes of %+v", c)
		}
	}
}

// What there was no time for is said to be not searched, in the table and on the page.
func TestChoicesWithoutTime(t *testing.T) {
	o := request.Options{Utility: "ordered:a,b,c", Page: "page.html", MaxFactor: "4", SolveTime: time.Nanosecond}
	v := studied(t, "label,count\na,4\nb,3\nc,2\n", o)
	for _, c := range v.f.Choices {
		if !c.Open || c.Refused != "" || c.Floor != "" {
			t.Errorf("%+v", c)
		}
	}
	data, err := v.page(context.Background())
	const left = "Not searched in the time there was, with shares within 5%: epsilon log(1.5), "
	if text := string(data); err != nil || !strings.Contains(text, left) || !strings.Contains(text, "It has no point here") ||
		strings.Contains(text, "It buys") {
		t.Errorf("the page: %v", err)
	}
}

// A suggestion makes no guess more than ten times as likely.
func TestSuggestedWithinTen(t *testing.T) {
	v := studied(t, "label,count\na,4000\nb,3000\nc,2000\nd,900\ne,97\nf,3\n",
		request.Options{Utility: "ordered:a,b,c,d,e,f", Page: "page.html", MaxShift: "5%"})
	p := &page.Page{}
	all, err := v.places(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		p.Stops = append(p.Stops, q.stop)
	}
	p.Asked = -1
	p.Suggest()
	if p.Suggested < 0 || !(p.Stops[p.Suggested].Asked <= math.Log(10)+1e-9) || p.Stops[p.Suggested].Limit != p.Limit ||
		len(strings.Fields(p.Why)) > 25 {
		t.Errorf("suggested %d: %s", p.Suggested, p.Why)
	}
}
