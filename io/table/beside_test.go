package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// A besideCase is a column: its Arrow type, and of every row what it is in
// JSON and as the one text of the cell.
type besideCase struct {
	typ   arrow.DataType
	json  func(i int) any
	text  func(i int) string
	float func(i int) float64 // nil where the form is not numeric
}

var besideEpoch = time.Date(2019, 12, 30, 23, 59, 58, 0, time.UTC)

func besideCases() []besideCase {
	number := func(i int) float64 { return float64(i*i%50_000-20_000) / 8 }
	stamp := func(unit time.Duration) besideCase {
		at := func(i int) time.Time { return besideEpoch.Add(time.Duration(i)*time.Hour + time.Duration(i%3)*unit) }
		u := map[time.Duration]arrow.TimeUnit{time.Second: arrow.Second, time.Millisecond: arrow.Millisecond,
			time.Microsecond: arrow.Microsecond, time.Nanosecond: arrow.Nanosecond}[unit]
		return besideCase{&arrow.TimestampType{Unit: u}, func(i int) any { return at(i).UnixNano() / int64(unit) },
			func(i int) string { return at(i).Format("2006-01-02T15:04:05.999999999") },
			func(i int) float64 { return float64(at(i).UnixNano() / int64(unit)) }}
	}
	quoted := func(i int) any { return fmt.Sprintf("id-%d", i) }
	raw := func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)*0x01030507) }
	return []besideCase{
		{arrow.BinaryTypes.String, func(i int) any { return fmt.Sprintf("s%d", i%7) },
			func(i int) string { return fmt.Sprintf("s%d", i%7) }, nil},
		{arrow.BinaryTypes.String, quoted, func(i int) string { return quoted(i).(string) }, nil},
		{arrow.BinaryTypes.Binary, func(i int) any { return base64.StdEncoding.EncodeToString(raw(i)) },
			func(i int) string { return table.Type{Kind: table.Binary}.Label(table.Value{Bytes: string(raw(i))}) },
			nil},
		{&arrow.FixedSizeBinaryType{ByteWidth: 4}, func(i int) any { return base64.StdEncoding.EncodeToString(raw(i)) },
			func(i int) string { return table.Type{Kind: table.Binary}.Label(table.Value{Bytes: string(raw(i))}) },
			nil},
		{arrow.PrimitiveTypes.Int8, func(i int) any { return i%256 - 128 },
			func(i int) string { return strconv.Itoa(i%256 - 128) },
			func(i int) float64 { return float64(i%256 - 128) }},
		{arrow.PrimitiveTypes.Uint16, func(i int) any { return 65535 - i },
			func(i int) string { return strconv.Itoa(65535 - i) }, func(i int) float64 { return float64(65535 - i) }},
		{arrow.PrimitiveTypes.Uint32, func(i int) any { return math.MaxUint32 - i },
			func(i int) string { return strconv.Itoa(math.MaxUint32 - i) },
			func(i int) float64 { return float64(math.MaxUint32 - i) }},
		{arrow.PrimitiveTypes.Int64, func(i int) any { return -i * 1e9 },
			func(i int) string { return strconv.Itoa(-i * 1e9) }, func(i int) float64 { return float64(-i * 1e9) }},
		{arrow.FixedWidthTypes.Boolean, func(i int) any { return i%3 == 0 },
			func(i int) string { return strconv.FormatBool(i%3 == 0) }, nil},
		{arrow.FixedWidthTypes.Date32, func(i int) any { return besideEpoch.AddDate(0, 0, -i*7).Format(time.DateOnly) },
			func(i int) string { return besideEpoch.AddDate(0, 0, -i*7).Format(time.DateOnly) },
			func(i int) float64 { return math.Floor(float64(besideEpoch.AddDate(0, 0, -i*7).Unix()) / 86400) }},
		{arrow.FixedWidthTypes.Time64us, func(i int) any { return i * 1_000_001 % 86_400_000_000 }, func(i int) string {
			return time.UnixMicro(int64(i * 1_000_001 % 86_400_000_000)).UTC().Format("15:04:05.999999")
		}, func(i int) float64 { return float64(i * 1_000_001 % 86_400_000_000) }},
		stamp(time.Millisecond), stamp(time.Microsecond), stamp(time.Nanosecond),
		{arrow.PrimitiveTypes.Float32, func(i int) any { return number(i) },
			func(i int) string { return strconv.FormatFloat(number(i), 'g', -1, 64) }, number},
		{arrow.PrimitiveTypes.Float64, func(i int) any { return number(i) },
			func(i int) string { return strconv.FormatFloat(number(i), 'g', -1, 64) }, number},
		{arrow.FixedWidthTypes.Float16, func(i int) any { return float64(i%512)/4 - 60 },
			func(i int) string { return strconv.FormatFloat(float64(i%512)/4-60, 'g', -1, 64) },
			func(i int) float64 { return float64(i%512)/4 - 60 }},
		{&arrow.Decimal128Type{Precision: 9, Scale: 3}, func(i int) any { return fmt.Sprintf("%.3f", number(i)) },
			func(i int) string { return strconv.FormatFloat(number(i), 'f', -1, 64) }, number},
		{&arrow.Decimal128Type{Precision: 38, Scale: 4}, func(i int) any { return fmt.Sprintf("%.4f", number(i)) },
			func(i int) string { return strconv.FormatFloat(number(i), 'f', -1, 64) }, number},
	}
}

// besideNull reports whether row i of column c is null.
func besideNull(c, i int) bool { return c%3 != 1 && (i+c)%11 == 3 || i/1000 == c }

// besideRecord holds a private column and one of every case.
func besideRecord(t *testing.T, rows int) arrow.RecordBatch {
	t.Helper()
	field := []arrow.Field{{Name: "private", Type: arrow.BinaryTypes.String}}
	for c, k := range besideCases() {
		field = append(field, arrow.Field{Name: fmt.Sprint("c", c), Type: k.typ, Nullable: true})
	}
	schema := arrow.NewSchema(field, nil)
	var rowsOf []map[string]any
	for i := range rows {
		row := map[string]any{"private": []string{"x", "y"}[i%2]}
		for c, k := range besideCases() {
			if row[fmt.Sprint("c", c)] = k.json(i); besideNull(c, i) {
				row[fmt.Sprint("c", c)] = nil
			}
		}
		rowsOf = append(rowsOf, row)
	}
	data, err := json.Marshal(rowsOf)
	must(t, err)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, bytes.NewReader(data))
	must(t, err)
	return record
}

// Every form of cell is read the same from Parquet, whatever its encoding, and
// from Arrow, plain and dictionary encoded, in Read and in Rewrite.
func TestBeside(t *testing.T) {
	const rows, group = 9000, 5000
	record := besideRecord(t, rows)
	file := map[string][]byte{"arrow": arrowBytes(t, record, group, false),
		"arrow dictionaries": arrowBytes(t, record, group, true)}
	for name, option := range map[string][]parquet.WriterProperty{
		"dictionary": {parquet.WithDictionaryDefault(true), parquet.WithCompression(compress.Codecs.Snappy)},
		"fallback": {parquet.WithDictionaryDefault(true), parquet.WithDictionaryPageSizeLimit(3000),
			parquet.WithDataPageSize(2000)},
		"plain": {parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Zstd),
			parquet.WithDataPageVersion(parquet.DataPageV2)},
		"split": append(besideSplit(), parquet.WithDictionaryDefault(false)),
	} {
		file[name] = parquetBytes(t, record, group, option...)
	}
	for name, data := range file {
		t.Run(name, func(t *testing.T) {
			var column []string
			for c := range besideCases() {
				column = append(column, fmt.Sprint("c", c))
			}
			f, err := open(bytesInput{bytes.NewReader(data)},
				table.Request{Private: []string{"private"}, Beside: column, Drop: []string{"c1"}, Threads: 2})
			must(t, err)
			in, _, err := f.Scan(context.Background())
			must(t, err)
			for unit := range f.Units() {
				must(t, f.Read(context.Background(), unit, in,
					func(b table.Batch) error { return checkBeside(b) }))
			}
			must(t, f.Rewrite(context.Background(), &memoryOutput{}, in, in, checkBeside))
		})
	}
}

// checkBeside compares a batch with what was written.
func checkBeside(b table.Batch) error {
	n := len(b.Letters[0])
	for c, k := range besideCases() {
		v := b.Beside[c]
		if len(v.Code) != n {
			return fmt.Errorf("column %d: %d values for %d rows", c, len(v.Code), n)
		}
		for j := range n {
			i := int(b.Row) + j
			if v.Null(j) != besideNull(c, i) {
				return fmt.Errorf("column %d, row %d: null %v", c, i, v.Null(j))
			}
			if v.Null(j) {
				continue
			}
			if got := string(v.AppendText(nil, j)); got != k.text(i) {
				return fmt.Errorf("column %d (%v), row %d: %q, not %q", c, k.typ, i, got, k.text(i))
			}
			if v.Type.Numeric() != (k.float != nil) {
				return fmt.Errorf("column %d: numeric %v", c, v.Type.Numeric())
			}
			if k.float != nil && !(math.Abs(v.Float(j)-k.float(i)) <= 1e-9*math.Abs(k.float(i))) {
				return fmt.Errorf("column %d, row %d: %v, not %v", c, i, v.Float(j), k.float(i))
			}
		}
	}
	return nil
}

func TestBesideRefuses(t *testing.T) {
	list := arrow.NewSchema([]arrow.Field{{Name: "private", Type: arrow.BinaryTypes.String},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)}}, nil)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, list,
		strings.NewReader(`[{"private":"x","l":[1]}]`))
	must(t, err)
	for name, data := range map[string][]byte{"parquet": parquetBytes(t, record, 9),
		"arrow": arrowBytes(t, record, 9, false)} {
		for column, want := range map[string]string{"l": "whose values cannot be read", "none": "has no column"} {
			_, err := open(bytesInput{bytes.NewReader(data)},
				table.Request{Private: []string{"private"}, Beside: []string{column}})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, column %s: %v", name, column, err)
			}
		}
		f, err := open(bytesInput{bytes.NewReader(data)}, table.Request{Private: []string{"private"}})
		must(t, err)
		if c := f.Columns(); !c[0].Readable || c[1].Readable {
			t.Errorf("%s: readable are %v", name, c)
		}
	}
}

func besideSplit() (all []parquet.WriterProperty) {
	for c, k := range besideCases() {
		switch k.typ.ID() {
		case arrow.INT64, arrow.FLOAT32, arrow.FLOAT64, arrow.FIXED_SIZE_BINARY, arrow.FLOAT16, arrow.UINT32:
			all = append(all, parquet.WithEncodingFor(fmt.Sprint("c", c), parquet.Encodings.ByteStreamSplit))
		case arrow.STRING:
			all = append(all, parquet.WithEncodingFor(fmt.Sprint("c", c), parquet.Encodings.DeltaByteArray))
		case arrow.TIMESTAMP, arrow.INT8:
			all = append(all, parquet.WithEncodingFor(fmt.Sprint("c", c), parquet.Encodings.DeltaBinaryPacked))
		}
	}
	return all
}

func parquetBytes(t *testing.T, r arrow.RecordBatch, group int64, option ...parquet.WriterProperty) []byte {
	t.Helper()
	return parquetOf(t, inUnits(r, group), nil, option...)
}

// arrowBytes writes record batches of group rows; with dictionaries, text and
// numbers are dictionary encoded where the library builds that.
func arrowBytes(t *testing.T, r arrow.RecordBatch, group int64, dictionaries bool) []byte {
	t.Helper()
	column, field := slices.Clone(r.Columns()), slices.Clone(r.Schema().Fields())
	for i, a := range column {
		if dictionaries && i > 0 {
			switch a.DataType().ID() {
			case arrow.STRING, arrow.INT64, arrow.FLOAT64, arrow.TIMESTAMP, arrow.FIXED_SIZE_BINARY, arrow.DECIMAL128:
				column[i] = encoded(a)
				field[i].Type = column[i].DataType()
			}
		}
	}
	schema := arrow.NewSchema(field, nil)
	return writeRecords(t, schema, inUnits(array.NewRecordBatch(schema, column, r.NumRows()), group), ipc.WithZstd())
}

// encoded makes a dictionary with a value for every row, some of them null.
func encoded(a arrow.Array) arrow.Array {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: a.DataType()}
	b := array.NewInt32Builder(memory.DefaultAllocator)
	for i := range a.Len() {
		b.Append(int32(i))
	}
	return array.NewDictionaryArray(typ, b.NewArray(), a)
}
