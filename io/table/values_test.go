package table

import "testing"

func TestDecimalText(t *testing.T) {
	for _, c := range []struct {
		bytes []byte
		scale int
		want  string
	}{
		{[]byte{0}, 0, "0"}, {[]byte{0}, 3, "0"}, {[]byte{0xff}, 0, "-1"}, {[]byte{0xff}, 2, "-0.01"},
		{[]byte{0x80, 0}, 1, "-3276.8"},
		{[]byte{0x7f, 0xff}, 5, "0.32767"}, {[]byte{5}, -2, "500"}, {[]byte{100}, 2, "1"}, {[]byte{0, 150}, 1, "15"},
		{[]byte{}, 1, "0"},
	} {
		if got := string(appendDecimal(nil, bigInt(c.bytes), c.scale)); got != c.want {
			t.Errorf("%x, scale %d: %s, not %s", c.bytes, c.scale, got, c.want)
		}
	}
}
