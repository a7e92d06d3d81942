package mechanism

import "testing"

func TestFieldOfTheChecker(t *testing.T) {
	for _, a := range []uint64{1, 2, 7, 1 << 60, prime - 1} {
		if got := product(a, power(a, prime-2)); got != 1 {
			t.Errorf("%d times its inverse is %d", a, got)
		}
	}
}
