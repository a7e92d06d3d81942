package plan

import (
	"fmt"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Parts of dates are those of package time, before 1970, too.
func TestCalendar(t *testing.T) {
	for n := int64(-800_000); n < 800_000; n += 997 {
		at := time.Unix(n*86400, 0).UTC()
		for _, c := range []struct{ function, want string }{{"weekday", at.Weekday().String()},
			{"month", at.Month().String()}} {
			s := Spec{"c", c.function}
			if got := s.function().label[s.number(table.CellType{Form: table.DateCells}, n)]; got != c.want {
				t.Errorf("%s of day %d: %s, want %s", c.function, n, got, c.want)
			}
		}
		ticks := n * 1_234_567
		hour := time.UnixMicro(ticks).UTC().Hour()
		if got := (Spec{"c", "hour"}).number(table.CellType{Form: table.TimestampCells, Ticks: 1e6},
			ticks); got != hour {
			t.Errorf("hour of %d: %d, want %d", ticks, got, hour)
		}
	}
}

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
		for _, g := range table.Group(Spec{Column: "c"}, c.least, 1) {
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

func TestParse(t *testing.T) {
	for text, want := range map[string]Spec{"a": {Column: "a"}, "weekday(a b)": {"a b", "weekday"}, "a(": {Column: "a("}} {
		if s, err := Parse(text); err != nil || s != want || s.String() != text {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "year(a)", "weekday()", "f(x)"} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%q is %+v", text, s)
		}
	}
}
