package neighbours

import (
	"fmt"
	"math"
	"testing"
)

// TestTextOrder: texts that give the order of their rows back are known, by their bytes
// or by their numbers, and others are not.
func TestTextOrder(t *testing.T) {
	for name, c := range map[string]struct {
		text func(i int) string
		want float64
	}{
		"numbers":   {func(i int) string { return fmt.Sprint(i) }, 1},
		"backwards": {func(i int) string { return fmt.Sprintf("id-%d", 4000-i) }, -1},
		"padded":    {func(i int) string { return fmt.Sprintf("%08d", i) }, 1},
		"letters": {func(i int) string {
			return string([]byte{'a' + byte(i/400), 'a' + byte(i/20%20),
				'a' + byte(i%20)})
		}, 1}, "scattered": {func(i int) string { return fmt.Sprint(i * 2654435761 % (1 << 32)) }, 0},
		"no numbers": {func(i int) string { return fmt.Sprintf("%x", uint32(i)*2654435761) }, 0},
	} {
		var text [][]byte
		for i := range 4000 {
			text = append(text, []byte(c.text(i)))
		}
		if got := textOrder(text); !(math.Abs(got-c.want) <= .06) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := textOrder(nil); got != 0 {
		t.Errorf("no texts have the order %v", got)
	}
}
