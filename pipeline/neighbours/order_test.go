package neighbours

import (
	"fmt"
	"testing"
)

// TestTextOrder: texts that give the order of their rows back are known, by their bytes
// or by their numbers, and others are not.
func TestTextOrder(t *testing.T) {
	for name, c := range map[string]struct {
		text func(i int) string
		want bool
	}{
		"numbers":   {func(i int) string { return fmt.Sprint(i) }, true},
		"backwards": {func(i int) string { return fmt.Sprintf("id-%d", 4000-i) }, true},
		"padded":    {func(i int) string { return fmt.Sprintf("%08d", i) }, true},
		"letters": {func(i int) string {
			return string([]byte{'a' + byte(i/400), 'a' + byte(i/20%20), 'a' + byte(i%20)})
		}, true},
		"scattered":  {func(i int) string { return fmt.Sprint(i * 2654435761 % (1 << 32)) }, false},
		"no numbers": {func(i int) string { return fmt.Sprintf("%x", uint32(i)*2654435761) }, false},
	} {
		v := &values{null: 4000, many: 4000, of: firstRows(4001), key: make([]uint64, 4001), text: make([][]byte, 4001)}
		for i := range 4000 {
			v.text[i] = []byte(c.text(i))
		}
		if got := v.restores(len(v.of)); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if v := (&values{null: -1}); v.restores(0) {
		t.Error("no texts have an order")
	}
}
