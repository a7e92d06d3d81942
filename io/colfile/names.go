package colfile

import (
	"os"

	"github.com/tacet-privacy/tacet/io/colfile/cell"
	"github.com/tacet-privacy/tacet/io/colfile/input"
	"github.com/tacet-privacy/tacet/io/colfile/letter"
)

// What a File is asked for and hands out lives in rooms below, which every
// format imports; callers know it by these names.
type (
	Input      = input.Source
	Local      = input.Local
	Request    = input.Request
	Column     = input.Column
	InputError = input.Error

	Kind     = letter.Kind
	Type     = letter.Type
	Value    = letter.Value
	Alphabet = letter.Alphabet
	Unit     = letter.Unit
	Batch    = letter.Batch

	Form     = cell.Form
	CellType = cell.Type
	Values   = cell.Values
)

// The kinds a private column may have.
const (
	Text    = letter.Text
	Binary  = letter.Binary
	Integer = letter.Integer
	Boolean = letter.Boolean
	Date    = letter.Date
)

// The forms of cells that are read beside.
const (
	TextCells        = cell.Text
	BinaryCells      = cell.Binary
	IntegerCells     = cell.Integer
	UnsignedCells    = cell.Unsigned
	BooleanCells     = cell.Boolean
	DateCells        = cell.Date
	TimeCells        = cell.Time
	TimestampCells   = cell.Timestamp
	FloatCells       = cell.Float
	DecimalCells     = cell.Decimal
	WideDecimalCells = cell.WideDecimal
)

// ErrUnseen marks a cell whose value is not in the alphabet given to Read or
// Rewrite. Test with errors.Is.
var ErrUnseen = letter.ErrUnseen

// OpenLocal opens a regular file for reading.
func OpenLocal(path string) (*Local, error) { return input.OpenLocal(path) }

// FromFile takes over an open regular file.
func FromFile(f *os.File) (*Local, error) { return input.FromFile(f) }

// NewAlphabet takes distinct values in the order their letters shall have.
func NewAlphabet(t Type, value []Value, null bool) *Alphabet {
	return letter.NewAlphabet(t, value, null)
}

// ParseAlphabet makes the alphabet of these labels, in their order. It fails
// where a label is no value of type t, naming its place, or stands twice.
func ParseAlphabet(t Type, label []string, null bool) (*Alphabet, error) {
	return letter.ParseAlphabet(t, label, null)
}
