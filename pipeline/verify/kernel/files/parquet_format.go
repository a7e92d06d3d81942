package files

import (
	"bytes"
	"reflect"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The structs of parquet.thrift with the fields that a run writes, where those of package format do
// not tell a field that is 0 from none. A run's struct, read and written again, is its bytes: then
// it has no other field, and says nothing in another way.
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
type (
	footer struct { // FileMetaData
		Version   int32                        `thrift:"1,required"`
		Schema    thrift.Slice[part[element]]  `thrift:"2,required"`
		Rows      int64                        `thrift:"3,required"`
		Groups    thrift.Slice[rowGroup]       `thrift:"4"`
		Pairs     thrift.Slice[keyValue]       `thrift:"5"`
		CreatedBy thrift.Null[string]          `thrift:"6"`
		Orders    thrift.Slice[part[struct{}]] `thrift:"7"`
	}
	element struct { // SchemaElement
		Type       thrift.Null[format.Type]                `thrift:"1"`
		Length     thrift.Null[int32]                      `thrift:"2"`
		Repetition thrift.Null[format.FieldRepetitionType] `thrift:"3"`
		Name       string                                  `thrift:"4,required"`
		Children   thrift.Null[int32]                      `thrift:"5"`
		Converted  thrift.Null[deprecated.ConvertedType]   `thrift:"6"`
		Scale      thrift.Null[int32]                      `thrift:"7"`
		Precision  thrift.Null[int32]                      `thrift:"8"`
		ID         thrift.Null[int32]                      `thrift:"9"`
		Logical    thrift.Null[part[format.LogicalType]]   `thrift:"10"`
	}
	rowGroup struct {
		Chunks thrift.Slice[columnChunk] `thrift:"1,required"`
		Bytes  int64                     `thrift:"2,writezero"`
		Rows   int64                     `thrift:"3,required"`
		Offset thrift.Null[int64]        `thrift:"5"`
		Stored thrift.Null[int64]        `thrift:"6"`
	}
	columnChunk struct {
		Offset int64            `thrift:"2,writezero"`
		Meta   part[columnMeta] `thrift:"3,required"`
	}
	columnMeta struct { // of ColumnMetaData what is read
		Type       format.Type             `thrift:"1,required"`
		Path       thrift.Slice[string]    `thrift:"3,required"`
		Codec      format.CompressionCodec `thrift:"4,required"`
		Values     int64                   `thrift:"5,required"`
		Size       int64                   `thrift:"7,required"`
		Data       int64                   `thrift:"9,required"`
		Dictionary int64                   `thrift:"11"`
	}
	noMeta struct { // of ColumnMetaData what no output has: key-value metadata and a bloom filter
		Pairs  thrift.Slice[keyValue] `thrift:"8"`
		Offset thrift.Null[int64]     `thrift:"14"`
		Length thrift.Null[int32]     `thrift:"15"`
	}
	keyValue struct {
		Key   string              `thrift:"1,required"`
		Value thrift.Null[string] `thrift:"2"`
	}
	pageHeader struct {
		Type       format.PageType                          `thrift:"1,required"`
		Plain      int32                                    `thrift:"2,required"`
		Size       int32                                    `thrift:"3,required"`
		CRC        thrift.Null[int32]                       `thrift:"4"`
		V1         thrift.Null[dataPage]                    `thrift:"5"`
		Dictionary thrift.Null[format.DictionaryPageHeader] `thrift:"7"`
		V2         thrift.Null[dataPageV2]                  `thrift:"8"`
	}
	dataPage struct {
		Values   int32                        `thrift:"1,required"`
		Encoding format.Encoding              `thrift:"2,required"`
		Levels   format.Encoding              `thrift:"3,required"`
		Repeated thrift.Null[format.Encoding] `thrift:"4"`
	}
	dataPageV2 struct {
		Values     int32             `thrift:"1,required"`
		Encoding   format.Encoding   `thrift:"4,required"`
		Levels     int32             `thrift:"5,required"` // their bytes
		Compressed thrift.Null[bool] `thrift:"7"`
	}
)

// A part is a struct that keeps the bytes it was read from, and is written as these. What is not
// known in it is there, too.
type part[T any] struct {
	V   T
	Raw []byte
}

func (part[T]) Type() thrift.Type { return thrift.STRUCT }

func (part[T]) NullFunc() thrift.NullFunc { return func(reflect.Value) bool { return false } }

func (part[T]) EncodeFunc(thrift.EncodeFuncCache) thrift.EncodeFunc {
	return func(w thrift.Writer, v reflect.Value, _ thrift.Flags) error {
		_, err := w.Writer().Write(v.Field(1).Bytes())
		return err
	}
}

func (part[T]) DecodeFunc(seen thrift.DecodeFuncCache) thrift.DecodeFunc {
	decode := thrift.DecodeFuncFor[T](seen)
	return func(r thrift.Reader, v reflect.Value, f thrift.Flags) error {
		from := r.BytesRead()
		err := decode(r, v.Field(0), f)
		v.Field(1).SetBytes(r.(*source).all[from:r.BytesRead()])
		return err
	}
}

// A source is a reader that parts can take their bytes from.
type source struct {
	thrift.BytesReader
	all []byte
}

// Discard passes bytes over.
func (s *source) Discard(n int) (int, error) {
	return s.BytesReader.(interface{ Discard(int) (int, error) }).Discard(n)
}

var compact thrift.CompactProtocol

// parsed is the struct that b begins with, whose lengths can be, and how many bytes it takes. It panics
// where there is none; if it is strict, also for a field of another type, which is else as if it were absent.
func parsed[T any](l Lengths, b []byte, strict bool) (v T, used int) {
	read(l.Thrift(b))
	s := &source{compact.NewReaderFromBytes(b), b}
	d := thrift.NewDecoder(s)
	if d.SetStrict(strict); d.Decode(&v) != nil {
		panic("another struct")
	}
	return v, s.BytesRead()
}

// writes reports whether bytes are those that a struct is written as.
func writes(raw []byte, v any) bool {
	c := &comparing{in: bytes.NewReader(raw)}
	return thrift.NewEncoder(compact.NewWriter(c)).Encode(v) == nil && c.at == int64(len(raw))
}

func read[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
