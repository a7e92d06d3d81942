package table

import "testing"

// The first and last days have labels that are read back, and those beyond
// them are refused.
func TestDays(t *testing.T) {
	c := &PrivateColumn{Name: "day", Type: Type{Kind: Date}}
	for day, want := range map[int64]string{firstDay: "0000-01-01", 0: "1970-01-01", lastDay: "9999-12-31",
		firstDay - 1: "", lastDay + 1: "", 1<<31 - 1: "", -1 << 31: ""} {
		err := new(Tally).Put(Value{Int: day}, 1, c)
		if (err == nil) != (want != "") {
			t.Errorf("day %d is counted with %v", day, err)
		}
		if err != nil {
			continue
		}
		label := c.Type.Label(Value{Int: day})
		if back, err := c.Type.Parse(label); label != want || err != nil || back.Int != day {
			t.Errorf("day %d is %s and comes back as %d, %v", day, label, back.Int, err)
		}
	}
}
