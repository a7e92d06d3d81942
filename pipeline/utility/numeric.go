package utility

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxDecimals is the most digits after the point: more do not fit 63 bits.
const maxDecimals = 18

// buildNumeric takes the labels themselves as numbers: integers, plain
// decimals in text, dates in days, false and true as 0 and 1. Differences are
// exact before they are rounded once, so equal steps tie.
func buildNumeric(b *builder, _ string) *draft {
	c, in := &cast{rows: b.rows(false), outputs: b.outputs(false)}, b.in.Letters.Label
	label := slices.Clone(in)
	for _, l := range c.outputs {
		label = append(label, l.label)
	}
	keys, bad := b.in.Kind.keys(label)
	scale := 1.0
	if bad != nil && b.in.Kind == Text {
		keys, scale, bad = decimals(label)
	}
	if bad != nil {
		if x := bad[0]; x >= len(in) {
			fail(errorf("remove it from --labels",
				"numeric: the output label %s is not a number of the column's type", quote(label[x])))
		}
		inputs, _ := slices.BinarySearch(bad, len(in))
		fail(b.missing(bad[:inputs], "are not plain decimal numbers",
			"for labels that are not numbers use ordered: or positions:"))
	}
	d := &draft{cast: c, order: newLine(keys[:len(in)], keys[len(in):], 0, scale),
		basis: "minus the difference of the labels"}
	if b.in.Kind == Date {
		d.unit, d.basis = "days", "minus the difference in days"
	}
	return d
}

// decimals are integers whose differences are those of the labels times
// scale, a power of ten. A label that is no plain decimal, or that does not
// fit 63 bits at that scale, is bad.
func decimals(label []string) (keys []uint64, scale float64, bad []int) {
	most := 0
	for _, l := range label {
		if _, fraction, ok := strings.Cut(l, "."); ok {
			if n := len(strings.TrimRight(fraction, "0")); n <= maxDecimals {
				most = max(most, n)
			}
		}
	}
	keys = make([]uint64, len(label))
	for i, l := range label {
		whole, fraction, point := strings.Cut(l, ".")
		fraction = strings.TrimRight(fraction, "0")
		v, err := int64(0), error(strconv.ErrSyntax)
		if strings.Trim(whole, "+-") != "" && !(point && strings.HasSuffix(l, ".")) && len(fraction) <= most {
			v, err = strconv.ParseInt(whole+fraction+strings.Repeat("0", most-len(fraction)), 10, 64)
		}
		if err != nil {
			bad = append(bad, i)
		}
		keys[i] = shift(v)
	}
	return keys, math.Pow10(most), bad
}
