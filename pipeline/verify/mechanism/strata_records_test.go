package mechanism

import (
	"testing"
	"time"
)

func TestMonth(t *testing.T) {
	for day := int64(-800_000); day < 800_000; day += 29 {
		if want := int64(time.Unix(day*86400, 0).UTC().Month()) - 1; month(day) != want {
			t.Errorf("day %d is in month %d, not %d", day, want, month(day))
		}
	}
}
