package draw

import (
	"bytes"
	"math"
	"strconv"
	"testing"
)

// Integers are their plain decimals, and are the text of the same digits.
func TestIDOfIntegers(t *testing.T) {
	var got, want ID
	of := []int64{0, 1, -1, 12345678, math.MaxInt64, math.MinInt64}
	for v := int64(10); v < math.MaxInt64/10; v *= 10 {
		of = append(of, v-1, v, v+1, 1-v, -v, -v-1)
	}
	for _, v := range of {
		got.Reset()
		want.Reset()
		got.Int(v)
		want.Text(strconv.FormatInt(v, 10))
		if !bytes.Equal(got.message(), want.message()) {
			t.Errorf("%d is %q", v, got.message())
		}
	}
	got.Reset()
	want.Reset()
	got.Uint(math.MaxUint64)
	want.Part([]byte("18446744073709551615"))
	if !bytes.Equal(got.message(), want.message()) {
		t.Errorf("the largest uint64 is %q", got.message())
	}
}
