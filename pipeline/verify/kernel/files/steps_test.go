package files

import "testing"

// TestReadSteps: differences of numbers, dates and places in a list, exact before they are
// divided.
func TestReadSteps(t *testing.T) {
	labels := func(text ...string) (l []Label) {
		for _, s := range text {
			l = append(l, Label{Text: s})
		}
		return l
	}
	for _, c := range []struct {
		form, kind, file string
		in, out          []Label
		want             []float64 // of the first input
	}{
		{"numeric", "integer", "", labels("-3"), labels("-3", "4", "9223372036854775807"), []float64{0, -7, -(1<<63 + 2)}},
		{"numeric", "integer", "", labels("18446744073709551615"), labels("18446744073709551614", "5"),
			[]float64{-1, -18446744073709551610}},
		{"numeric", "text", "", labels("0.5"), labels("-0.25", "10", "2.50"), []float64{-.75, -9.5, -2}},
		{"numeric", "date", "", labels("2024-03-01"), labels("2024-02-28", "2024-03-01", "2025-03-01"),
			[]float64{-2, 0, -365}}, {"numeric", "boolean", "", labels("true"), labels("true", "false"), []float64{0, -1}},
		{"ordered", "text", "a\r\n\"b,\"\nc\nd\n", labels("a"), labels("a", "b,", "d"), []float64{0, -1, -3}},
		{"circular", "text", "a\nb\nc\nd\n", labels("a"), labels("b", "c", "d"), []float64{-1, -2, -1}},
	} {
		p, why := ReadSteps(c.form, c.kind, []byte(c.file), c.in, c.out)
		if why != "" {
			t.Errorf("%s of %s: %s", c.form, c.kind, why)
			continue
		}
		got := make([]float64, len(c.out))
		p.Row(0, got)
		for y, want := range c.want {
			if got[y] != want {
				t.Errorf("%s of %s: %v to %v is worth %v, and not %v", c.form, c.kind, c.in[0].Text, c.out[y].Text, got[y], want)
			}
		}
	}
	for name, bad := range map[string]func() string{
		"a word": func() string { _, why := ReadSteps("numeric", "integer", nil, labels("1"), labels("x")); return why },
		"unknown": func() string {
			_, why := ReadSteps("ordered", "text", []byte("a\n"), labels("a"), labels("b"))
			return why
		},
		"twice": func() string {
			_, why := ReadSteps("ordered", "text", []byte("a\na\n"), labels("a"), labels("a"))
			return why
		},
		"null": func() string {
			_, why := ReadSteps("numeric", "integer", nil, labels("1"), []Label{{Null: true}})
			return why
		},
	} {
		if bad() == "" {
			t.Errorf("%s: it has a place", name)
		}
	}
}
