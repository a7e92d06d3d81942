package decide

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// What is said names every letter that decides alone, and a merger that helps
// though it is not with the nearest letter; that none helps is said of all.
func TestAdviceLines(t *testing.T) {
	circle := [][]float64{{0, -1, -2, -1}, {-1, 0, -1, -2}, {-2, -1, 0, -1}, {-1, -2, -1, 0}}
	apart := [][]float64{{0, -1}, {-1, 0}}
	for _, c := range []struct {
		value  [][]float64
		count  []int64
		letter string
		want   []string
	}{
		{circle, []int64{20, 2, 50, 2}, "a b c d", []string{"rank >= 4 needs at least epsilon 3.611",
			`each of the values "b", "d" decides that alone`, `; with "b" merged into "d": 2.9178`}},
		{circle, []int64{20, 2, 50, 0}, "a b c d", []string{`value "b" alone decides that; with "b" merged into "`}},
		{apart, []int64{3, 4}, "a b", []string{`value "a" alone decides that; with "a" merged into "b": 0`}},
	} {
		rank := len(c.value)
		p, err := mechanism.NewPrior(c.count)
		o, also := mechanism.NewMatrix(c.value)
		if err = errors.Join(err, also); err != nil {
			t.Fatal(err)
		}
		a, err := frontier.Advise(context.Background(), p, o, mechanism.RankFloor(rank), nil, optimum.Options{})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(NewAdvice(a, utility.Letters{Label: strings.Fields(c.letter)}).Lines(), "\n")
		for _, want := range c.want {
			if !strings.Contains(said, want) {
				t.Errorf("%v: %q is not said:\n%s", c.count, want, said)
			}
		}
	}
	none := &Advice{Lower: "2", Upper: "2", Nats: .6932, Floor: "rank >= 2", Letter: &report.Label{Text: "x"},
		Carriers: 5, Share: .3, Tried: 7, Merge: &Merger{}}
	said := strings.Join(none.Lines(), "\n")
	if !strings.Contains(said,
		"5 values carry nine tenths of a proof of that") || !strings.Contains(said,
		"none of 7 mergers of a value into a commoner one that were tried helped") {
		t.Error(said)
	}
	// A search that time ended proves a bound: nothing is said of the least factor.
	cut := *none
	cut.Upper, cut.Deciders = "3", []report.Label{{Text: "x"}}
	if said := strings.Join(cut.Lines(), "\n"); !strings.Contains(said,
		`value "x" alone proves at least epsilon 0.6931`) || strings.Contains(said, "decide") ||
		strings.Contains(said, "help") {
		t.Error(said)
	}
	cut.Lower, cut.Nats, cut.Letter = "1", 1.09861, nil
	if said := strings.Join(cut.Lines(), "\n"); said != "rank >= 2 needs at most epsilon 1.0987" {
		t.Error(said)
	}
	free := &Advice{Lower: "1", Upper: "1", Floor: "rank >= 5"}
	if said := strings.Join(free.Lines(), "\n"); said != "rank 5; nothing is proven about its epsilon" {
		t.Error(said)
	}
}
