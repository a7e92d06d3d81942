package parquetraw

// Logical is what values mean.
type Logical struct {
	Kind    LogicalKind
	Bits    int   // of an Integer
	Signed  bool  // of an Integer
	Unit    uint8 // of Time and Timestamp: 1 ms, 2 us, 3 ns
	UTC     bool  // of Time and Timestamp
	Scale   int64 // of a Decimal
	Precise int64 // digits of a Decimal
}

// LogicalKind numbers the members of the union LogicalType; Bson is where the
// format left its number, Interval has none there.
type LogicalKind int16

// The logical types of parquet.thrift.
const (
	Plain     LogicalKind = 0
	Utf8      LogicalKind = 1
	Map       LogicalKind = 2
	Listing   LogicalKind = 3
	Enum      LogicalKind = 4
	Decimal   LogicalKind = 5
	Date      LogicalKind = 6
	Time      LogicalKind = 7
	Timestamp LogicalKind = 8
	Interval  LogicalKind = 9
	Integer   LogicalKind = 10
	Unknown   LogicalKind = 11
	JSON      LogicalKind = 12
	Bson      LogicalKind = 13
	UUIDKind  LogicalKind = 14
	Float16   LogicalKind = 15
	Variant   LogicalKind = 16
	Geometry  LogicalKind = 17
	Geography LogicalKind = 18
)

// converted is ConvertedType, the older annotation, in terms of the newer.
var converted = map[int64]Logical{
	0: {Kind: Utf8}, 1: {Kind: Map}, 2: {Kind: Map}, 3: {Kind: Listing}, 4: {Kind: Enum}, 5: {Kind: Decimal}, 6: {Kind: Date},
	7: {Kind: Time, Unit: 1, UTC: true}, 8: {Kind: Time, Unit: 2, UTC: true},
	9: {Kind: Timestamp, Unit: 1, UTC: true}, 10: {Kind: Timestamp, Unit: 2, UTC: true},
	11: {Kind: Integer, Bits: 8}, 12: {Kind: Integer, Bits: 16}, 13: {Kind: Integer, Bits: 32}, 14: {Kind: Integer, Bits: 64},
	15: {Kind: Integer, Bits: 8, Signed: true}, 16: {Kind: Integer, Bits: 16, Signed: true},
	17: {Kind: Integer, Bits: 32, Signed: true}, 18: {Kind: Integer, Bits: 64, Signed: true},
	19: {Kind: JSON}, 20: {Kind: Bson}, 21: {Kind: Interval},
}

// readLogical takes the newer annotation where both stand.
func readLogical(element *Struct) Logical {
	l := Logical{}
	if u := element.Get(elementLogical).view(); u != nil && len(u.Fields()) > 0 {
		member := u.Fields()[0]
		l = Logical{Kind: LogicalKind(member.ID)}
		s := member.Value.view()
		switch l.Kind {
		case Decimal:
			l.Scale, _ = s.Get(1).Int()
			l.Precise, _ = s.Get(2).Int()
		case Time, Timestamp:
			l.UTC, _ = s.Get(1).Bool()
			if unit := s.Get(2).view(); unit != nil && len(unit.Fields()) > 0 {
				l.Unit = uint8(unit.Fields()[0].ID)
			}
		case Integer:
			bits, _ := s.Get(1).Int()
			l.Bits = int(bits)
			l.Signed, _ = s.Get(2).Bool()
		}
		return l
	}
	if c, ok := element.Get(elementConverted).Int(); ok {
		if l, ok = converted[c]; !ok {
			l.Kind = -1
		}
		if l.Kind == Decimal {
			l.Scale, _ = element.Get(elementScale).Int()
			l.Precise, _ = element.Get(elementPrecision).Int()
		}
	}
	return l
}
