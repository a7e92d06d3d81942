package table

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"time"
)

// Text that stands for numbers is counted in units of 10^-textDigits, times in
// nanoseconds, where that fits 64 bits: the rest is worked out as it is.
const textDigits = 9

var (
	textNumbers = CellType{Form: DecimalCells, Scale: textDigits}
	textTimes   = CellType{Form: TimestampCells, Ticks: 1e9}
)

// OfText is what cells of text are taken for by a spec: timestamps for dates and units
// of the calendar, else decimals. It says so whatever the cells hold, so that no cell
// decides how another is read.
func OfText(spec string) string {
	if e, _, err := parseEdges(spec); err == nil && (e.unit != nil || e.dates || e.duration) {
		return "timestamp"
	}
	return "decimal"
}

// findText is the bin of a cell of text.
func (b *Binner) findText(text []byte) int32 {
	number, times := textNumber, b.bins.Of == "timestamp"
	cells := textNumbers
	if times {
		number, cells = textTime, textTimes
	}
	short, long, ok := number(text)
	switch {
	case !ok:
		return nullBin - int32(noNumber)
	case long != nil:
		return b.exactly(long)
	}
	return b.among(uint64(short)^1<<63, cells)
}

// textNumber reads a plain number: digits, with a sign before and a point in them. It
// is short, or long where that is not nil.
func textNumber(text []byte) (short int64, long *big.Rat, ok bool) {
	whole, behind, point := bytes.Cut(text, []byte{'.'})
	if len(behind) > textDigits || point && len(behind) == 0 || len(whole) == 0 || whole[len(whole)-1] < '0' {
		return longNumber(text)
	}
	var room [32]byte
	digits := append(append(append(room[:0], whole...), behind...), "000000000"[len(behind):]...)
	if short, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
		return short, nil, true
	}
	return longNumber(text)
}

func longNumber(text []byte) (int64, *big.Rat, bool) {
	if !plainNumber().Match(text) {
		return 0, nil, false
	}
	v, ok := new(big.Rat).SetString(string(text))
	return 0, v, ok
}

// textLayouts are the ways in which a time may be written, all in UTC; fractions of
// the second may follow.
var textLayouts = []string{time.DateOnly, stampLayout, stampLayout + "Z", time.DateTime, time.DateTime + "Z"}

// textTime reads a date or a timestamp.
func textTime(text []byte) (short int64, long *big.Rat, ok bool) {
	for _, layout := range textLayouts {
		t, err := time.Parse(layout, string(text))
		if err != nil {
			continue
		}
		if s := t.Unix(); s > math.MinInt64/int64(1e9) && s < math.MaxInt64/int64(1e9) {
			return s*1e9 + int64(t.Nanosecond()), nil, true
		}
		v := big.NewRat(int64(t.Nanosecond()), 1e9)
		return 0, v.Add(v, new(big.Rat).SetInt64(t.Unix())), true
	}
	return 0, nil, false
}

// TextValue is what bins take a cell of text for: a plain number, or the seconds of a time.
func TextValue(text []byte) (v float64, dated, ok bool) {
	short, long, ok := textNumber(text)
	if !ok {
		dated = true
		short, long, ok = textTime(text)
	}
	if v = float64(short) / 1e9; long != nil {
		v, _ = long.Float64()
	}
	return v, dated, ok
}
