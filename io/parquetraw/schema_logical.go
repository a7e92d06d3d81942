package parquetraw

import (
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
	"github.com/tacet-privacy/tacet/io/parquetraw/thrift"
)

// Logical is what values mean.
type Logical struct {
	Kind    format.LogicalKind
	Bits    int   // of an Integer
	Signed  bool  // of an Integer
	Unit    uint8 // of Time and Timestamp: 1 ms, 2 us, 3 ns
	UTC     bool  // of Time and Timestamp
	Scale   int64 // of a Decimal
	Precise int64 // digits of a Decimal
}

// converted is ConvertedType, the older annotation, in terms of the newer.
var converted = map[int64]Logical{
	0: {Kind: format.Utf8}, 1: {Kind: format.Map}, 2: {Kind: format.Map}, 3: {Kind: format.Listing}, 4: {Kind: format.Enum}, 5: {Kind: format.Decimal}, 6: {Kind: format.Date},
	7: {Kind: format.Time, Unit: 1, UTC: true}, 8: {Kind: format.Time, Unit: 2, UTC: true},
	9: {Kind: format.Timestamp, Unit: 1, UTC: true}, 10: {Kind: format.Timestamp, Unit: 2, UTC: true},
	11: {Kind: format.Integer, Bits: 8}, 12: {Kind: format.Integer, Bits: 16}, 13: {Kind: format.Integer, Bits: 32}, 14: {Kind: format.Integer, Bits: 64},
	15: {Kind: format.Integer, Bits: 8, Signed: true}, 16: {Kind: format.Integer, Bits: 16, Signed: true},
	17: {Kind: format.Integer, Bits: 32, Signed: true}, 18: {Kind: format.Integer, Bits: 64, Signed: true},
	19: {Kind: format.JSON}, 20: {Kind: format.Bson}, 21: {Kind: format.Interval},
}

// readLogical takes the newer annotation where both stand.
func readLogical(element *thrift.Struct) Logical {
	l := Logical{}
	if u := element.Get(format.ElementLogical).View(); u != nil && len(u.Fields()) > 0 {
		member := u.Fields()[0]
		l = Logical{Kind: format.LogicalKind(member.ID)}
		s := member.Value.View()
		switch l.Kind {
		case format.Decimal:
			l.Scale, _ = s.Get(1).Int()
			l.Precise, _ = s.Get(2).Int()
		case format.Time, format.Timestamp:
			l.UTC, _ = s.Get(1).Bool()
			if unit := s.Get(2).View(); unit != nil && len(unit.Fields()) > 0 {
				l.Unit = uint8(unit.Fields()[0].ID)
			}
		case format.Integer:
			bits, _ := s.Get(1).Int()
			l.Bits = int(bits)
			l.Signed, _ = s.Get(2).Bool()
		}
		return l
	}
	if c, ok := element.Get(format.ElementConverted).Int(); ok {
		if l, ok = converted[c]; !ok {
			l.Kind = -1
		}
		if l.Kind == format.Decimal {
			l.Scale, _ = element.Get(format.ElementScale).Int()
			l.Precise, _ = element.Get(format.ElementPrecision).Int()
		}
	}
	return l
}
