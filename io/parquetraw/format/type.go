package format

// Physical is how values are stored.
type Physical int32

// The physical types of parquet.thrift.
const (
	Boolean   Physical = 0
	Int32     Physical = 1
	Int64     Physical = 2
	Int96     Physical = 3
	Float     Physical = 4
	Float64   Physical = 5
	ByteArray Physical = 6
	FixedLen  Physical = 7
)

// Repetition says how often a field stands in its parent.
type Repetition int32

// The repetitions of parquet.thrift.
const (
	Required Repetition = 0
	Optional Repetition = 1
	Repeated Repetition = 2
)

// LogicalKind is what values mean. It numbers the members of the union
// LogicalType; Bson is where the format left its number, Interval has none
// there.
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
	UUID      LogicalKind = 14
	Float16   LogicalKind = 15
	Variant   LogicalKind = 16
	Geometry  LogicalKind = 17
	Geography LogicalKind = 18
)
