package table

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Floats, decimals and timestamps are published as the lower end or the middle of a bin.
// Each type has numbers that it cannot hold, so its name says which: float64,
// decimal(10,2), timestamp[us].

// tickNames are the units of timestamps, by how many there are in a second.
var tickNames = map[int64]string{1: "s", 1e3: "ms", 1e6: "us", 1e9: "ns"}

// ExactName is what a type of cells is called in BinsOf where bins are published as its
// values: the name says which numbers it holds.
func (t CellType) ExactName() string {
	switch t.Form {
	case FloatCells:
		return fmt.Sprintf("float%d", t.Bits)
	case DecimalCells, WideDecimalCells:
		return fmt.Sprintf("decimal(%d,%d)", min(t.Digits, maxDigits), t.Scale)
	case TimestampCells:
		return "timestamp[" + tickNames[t.Ticks] + "]"
	}
	return t.CellName()
}

// exactType is the type that ExactName calls so; ok is false where that is none of floats,
// decimals and timestamps.
func exactType(name string) (t CellType, ok bool) {
	switch {
	case slices.Contains([]string{"float16", "float32", "float64"}, name):
		t.Form = FloatCells
		t.Bits, _ = strconv.Atoi(name[len("float"):])
	case strings.HasPrefix(name, "decimal("):
		t.Form = WideDecimalCells
		_, _ = fmt.Sscanf(name, "decimal(%d,%d)", &t.Digits, &t.Scale)
		if t.Digits < 1 || t.Digits > maxDigits || t.Scale < -maxDigits || t.Scale > maxDigits {
			return t, false
		}
	case strings.HasPrefix(name, "timestamp["):
		t.Form = TimestampCells
		for ticks, unit := range tickNames {
			if name == "timestamp["+unit+"]" {
				t.Ticks = ticks
			}
		}
	}
	return t, t != (CellType{}) && t.ExactName() == name
}

// maxDigits bounds those of a decimal: 256 bits hold 76.
const maxDigits = 76

// exactCell is what a column stores for v: the bits of a float, the steps of a decimal or
// timestamp. Of floats it is the nearest one in the bin from..to, whose open ends are nil.
// ok is false where the type has no such value.
func (t CellType) exactCell(v, from, to *big.Rat) (cell *big.Int, ok bool) {
	if t.Form == FloatCells {
		return t.nearestFloat(v, from, to)
	}
	steps := new(big.Rat).Quo(v, t.step())
	return steps.Num(), steps.IsInt() && t.inRange(steps.Num())
}

// step is the difference of two neighbours among decimals or timestamps.
func (t CellType) step() *big.Rat {
	if t.Form == TimestampCells {
		return big.NewRat(1, t.Ticks)
	}
	return scaled(big.NewInt(1), t.Scale)
}

// inRange reports whether cells have that many steps, and a label says them.
func (t CellType) inRange(steps *big.Int) bool {
	if t.Form == TimestampCells {
		return steps.IsInt64() && sayable(t.exactNumber(steps))
	}
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Digits)), nil)
	return steps.CmpAbs(most) < 0
}

// exactNumber is what a cell stands for, which is finite.
func (t CellType) exactNumber(cell *big.Int) *big.Rat {
	if t.Form == FloatCells {
		return new(big.Rat).SetFloat64(t.float(cell.Int64()))
	}
	n := new(big.Rat).SetInt(cell)
	return n.Mul(n, t.step())
}

// exactText is the label of a cell: a plain decimal, of floats the shortest that reads
// back, and timestamps as bins name them.
func (t CellType) exactText(cell *big.Int) string {
	switch t.Form {
	case FloatCells:
		return strconv.FormatFloat(t.float(cell.Int64()), 'f', -1, max(t.Bits, 32)) // of 16 bits as of 32
	case TimestampCells:
		return stamp(t.exactNumber(cell))
	}
	return plain(t.exactNumber(cell))
}

// exactParse is the inverse of exactText; ok is false for any other text.
func (t CellType) exactParse(text string) (cell *big.Int, ok bool) {
	var v *big.Rat
	switch t.Form {
	case FloatCells:
		f, err := strconv.ParseFloat(text, max(t.Bits, 32))
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, false
		}
		v = new(big.Rat).SetFloat64(f)
	case TimestampCells:
		seconds, _, _, err := parseTime(text)
		if err != nil {
			return nil, false
		}
		v = seconds
	default:
		if !exactDecimal().MatchString(text) {
			return nil, false
		}
		v, _ = new(big.Rat).SetString(text)
	}
	cell, ok = t.exactCell(v, nil, nil)
	return cell, ok && t.exactText(cell) == text
}

// exactText is the label of row i, which is not null; ok is false for what has none.
func (v *Values) exactText(i int) (text string, ok bool) {
	t := v.Type
	switch t.Form {
	case FloatCells:
		f := v.Float(i)
		return strconv.FormatFloat(f, 'f', -1, max(t.Bits, 32)), !math.IsInf(f, 0) && !math.IsNaN(f)
	case WideDecimalCells:
		return t.exactText(bigInt(v.Bytes(i))), true
	}
	cell := big.NewInt(v.Int(i))
	return t.exactText(cell), t.inRange(cell)
}

// exactDecimal is a decimal of at most maxDigits digits on each side of the point.
var exactDecimal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?[0-9]{1,152}(\.[0-9]{1,76})?$`)
})
