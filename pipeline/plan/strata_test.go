package plan

import (
	"fmt"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

func TestGroup(t *testing.T) {
	for _, c := range []struct {
		records map[string]int64
		least   int64
		want    string
	}{
		{map[string]int64{"b": 200, "a": 100}, 100, "[[a] 100][[b] 200]"},
		{map[string]int64{"b": 200, "a": 99, "c": 1}, 100, "[[b] 200][rest [a c] 100]"},
		{map[string]int64{"b": 200, "a": 3, "c": 300}, 100, "[[c] 300][rest [a b] 203]"},
		{map[string]int64{"b": 2, "a": 3}, 100, "[rest [a b] 5]"},
		{map[string]int64{"10": 100, "9": 100, "": 0}, 100, "[[10] 100][rest [ 9] 100]"},
		{nil, 100, "[rest [] 0]"},
	} {
		table := NewTable(1)
		for name, n := range c.records {
			table.Count[table.Place(report.Label{Text: name})][0] = n
		}
		got := ""
		for _, g := range table.Group(c.least, 1) {
			rest := ""
			if g.Rest {
				rest = "rest "
			}
			got += fmt.Sprintf("[%s%v %d]", rest, g.Names, g.Records())
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.records, got, c.want)
		}
	}
}
