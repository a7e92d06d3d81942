package table_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/test/torture"
)

// A format is a way to write columns a, b, ..., perUnit rows to a unit.
type format struct {
	name  string
	texts bool // every column is of text, and may be null
	write func(t testing.TB, perUnit int, column []cells) []byte
}

// formats are held to one contract.
var formats = []format{
	{"parquet", false, func(t testing.TB, perUnit int, column []cells) []byte {
		return writeArrowGo(t, perUnit, column, arrowparquet.WithDictionaryPageSizeLimit(1<<30))
	}},
	{"plain parquet", false, func(t testing.TB, perUnit int, column []cells) []byte {
		return writeParquetGo(t, perUnit, &parquet.Plain, column)
	}},
	{"arrow", false, func(t testing.TB, perUnit int, column []cells) []byte {
		var typ []arrow.DataType
		for _, c := range column {
			typ = append(typ, arrowType(c.typ))
		}
		return writeArrow(t, perUnit, typ, column, 2, arrowCodecs[1].option...)
	}},
	{"arrow dictionaries", false, func(t testing.TB, perUnit int, column []cells) []byte {
		var typ []arrow.DataType
		for _, c := range column {
			typ = append(typ, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrowType(c.typ)})
		}
		return writeArrow(t, perUnit, typ, column, 0)
	}},
	{"csv", true, writeCSV},
}

// writeCSV puts quotes around every text, which tells the empty one from null.
func writeCSV(_ testing.TB, _ int, column []cells) []byte {
	var b bytes.Buffer
	b.WriteString("a,b\n"[:2*len(column)-1] + "\n")
	for row := range column[0].value {
		for i, c := range column {
			if i > 0 {
				b.WriteByte(',')
			}
			if c.null == nil || !c.null[row] {
				fmt.Fprintf(&b, "%q", c.value[row].Bytes)
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// eachFormat runs a test for every format; typ is the type of columns that it need not have
// of text.
func eachFormat(t *testing.T, run func(t *testing.T, f format, typ table.Type)) {
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			typ := table.Type{Kind: table.Integer, Bits: 32}
			if f.texts {
				typ = table.Type{Kind: table.Text}
			}
			run(t, f, typ)
		})
	}
}

// asRequest are files of these columns as CSV is to be read, and others too.
func asRequest(name ...string) table.Request {
	return table.Request{Private: name, Threads: 2, Dialect: table.Dialect{Delimiter: ",", Header: "yes"}}
}

// Every type, pattern of nulls, encoding and version of pages that the libraries write; where
// there are nulls, each pattern with half of the ways to write it, and with TACET_TORTURE with all.
func TestTypesAndNulls(t *testing.T) {
	for _, typ := range parquetTypes {
		for i, p := range nullPatterns {
			t.Run(fmt.Sprintf("%v/%s", typ, p.name), func(t *testing.T) {
				c := makeCells(typ, 600, 20, p.null)
				n := 23
				if typ.Kind == table.Boolean {
					n = 2
				}
				for k, file := range files(t, c, i) {
					if i > 0 && (i/2+k)%2 == 0 && !torture.Long() {
						continue
					}
					checkFile(t, file, []string{"a"}, c)
					public := (i+k)%2 == 0
					to := shifted(typ, n, c.null != nil && !public)
					after := rewrite(t, file, asRequest("a"), public, to)
					checkRewritten(t, file, after, nil, []string{"a"}, expected(c, to, public))
				}
			})
		}
	}
}

// files hold one column in every way that its type can be written, with one codec of Arrow
// each and one version of pages.
func files(t *testing.T, c cells, which int) (all [][]byte) {
	own := map[table.Kind][]encoding.Encoding{
		table.Text: {&parquet.DeltaByteArray, &parquet.DeltaLengthByteArray}, table.Binary: {&parquet.DeltaByteArray},
		table.Boolean: {&parquet.RLE}, table.Date: {&parquet.DeltaBinaryPacked}, table.Integer: {&parquet.DeltaBinaryPacked},
	}
	version := which % 2
	for _, e := range append([]encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary}, own[c.typ.Kind]...) {
		if c.typ.Kind == table.Boolean && e == &parquet.RLEDictionary {
			continue
		}
		all = append(all, writeParquetGo(t, 250, e, []cells{c}, parquet.DataPageVersion(1+version),
			parquet.PageBufferSize(256), parquet.DictionaryMaxBytes(150)))
	}
	for _, option := range []arrowparquet.WriterProperty{arrowparquet.WithDictionaryDefault(true),
		arrowparquet.WithDictionaryDefault(false), arrowparquet.WithDictionaryPageSizeLimit(100)} {
		all = append(all, writeArrowGo(t, 250, []cells{c}, option, arrowparquet.WithBatchSize(64),
			arrowparquet.WithDataPageVersion(arrowparquet.DataPageVersion(version)), arrowparquet.WithDataPageSize(300)))
	}
	for i, dt := range arrowStorage(c.typ) {
		all = append(all, writeArrow(t, 110, []arrow.DataType{dt}, []cells{c}, 2, arrowCodecs[(i+which)%3].option...))
	}
	return all
}

// Sizes around the batch and the page, two columns in any order, and the same bytes with
// however many threads, and again from the same File.
func TestSizesAndThreads(t *testing.T) {
	const page = 1 << 16
	eachFormat(t, func(t *testing.T, form format, typ table.Type) {
		for i, rows := range []int{0, 1, 7, 8, 63, 64, 65, table.BatchRows - 1, table.BatchRows, table.BatchRows + 1,
			3*table.BatchRows + 7, page - 1, page, page + 1} {
			for k, p := range nullPatterns {
				if rows >= page-1 && k != 5 || rows > 65 && (i+k)%3 > 0 {
					continue
				}
				c := []cells{makeCells(table.Type{Kind: table.Text}, rows, 9, p.null), makeCells(typ, rows, 5, nil)}
				to := []*table.Alphabet{shifted(c[0].typ, 40, c[0].null != nil), shifted(typ, 90, false)}
				for _, perUnit := range []int{1 << 20, 1 + rows/3}[(i+k)%2:] {
					file := form.write(t, perUnit, c)
					checkFile(t, file, []string{"b", "a"}, c[1], c[0])
					r := asRequest("a", "b")
					after := rewrite(t, file, r, false, to...)
					checkRewritten(t, file, after, nil, r.Private, expected(c[0], to[0], false), expected(c[1], to[1], false))
					for r.Threads = 1; r.Threads < 6; r.Threads += 4 {
						if !bytes.Equal(after, rewrite(t, file, r, false, to...)) {
							t.Fatalf("%d rows, %s: other bytes with %d threads", rows, p.name, r.Threads)
						}
					}
				}
			}
		}
	})
}

func TestRewriteAsText(t *testing.T) {
	for _, typ := range parquetTypes {
		c := makeCells(typ, 3000, 20, nullPatterns[4].null)
		to := shifted(table.Type{Kind: table.Text}, 23, true)
		for _, f := range formats[:4] {
			file := f.write(t, 1000, []cells{c})
			checkRewritten(t, file, rewrite(t, file, asRequest("a"), false, to), nil, []string{"a"}, expected(c, to, false))
		}
	}
}

func TestRefusedRequests(t *testing.T) {
	eachFormat(t, func(t *testing.T, f format, typ table.Type) {
		c := makeCells(typ, 5, 3, nil)
		file := f.write(t, 5, []cells{c, c})
		for _, x := range []struct {
			r          table.Request
			what, hint string
		}{
			{table.Request{Private: []string{"q"}}, `no column "q"`, "its columns are "},
			{table.Request{Private: []string{"a"}, Drop: []string{"q"}}, `no column "q"`, ""},
			{table.Request{Private: []string{"a"}, Beside: []string{"q"}}, `no column "q"`, ""},
			{table.Request{Private: []string{"a", "a"}}, `column "a" is named twice`, "once"},
			{table.Request{Private: []string{"a"}, Drop: []string{"a"}}, "privatized and dropped", ""},
		} {
			x.r.Dialect = asRequest().Dialect
			refused(t, file, x.r, x.what, x.hint)
		}
	})
}

// 65,535 values are letters, null among them.
func TestTooManyLetters(t *testing.T) {
	eachFormat(t, func(t *testing.T, f format, _ table.Type) {
		for _, rows := range []int{table.MaxLetters, table.MaxLetters + 1, 3 * table.MaxLetters} {
			for _, null := range []bool{false, true} {
				if rows > table.MaxLetters && null || rows > table.MaxLetters+1 && f.name != "plain parquet" {
					continue
				}
				c := cells{typ: table.Type{Kind: table.Text}, null: make([]bool, rows+1)}
				for i := range rows {
					c.value = append(c.value, table.Value{Bytes: fmt.Sprint("id", i)})
				}
				c.value = append(c.value, c.value[0])
				if null {
					c.value[rows], c.null[rows] = table.Value{}, true
				}
				file := f.write(t, 1<<20, []cells{c})
				if rows == table.MaxLetters && !null {
					checkFile(t, file, []string{"a"}, c)
				} else {
					refused(t, file, asRequest("a"), "65535 distinct values", "group its values")
				}
			}
		}
	})
}

// A value that was not counted is told by its column and row, and never shown.
func TestUnseenValue(t *testing.T) {
	eachFormat(t, func(t *testing.T, f format, typ table.Type) {
		for _, typ := range []table.Type{{Kind: table.Text}, typ} {
			c := makeCells(typ, 5000, 4, nil)
			known := cells{typ: typ, value: c.value[:4000:4000]}
			in, _ := known.counts()
			c.value[4321] = letterValue(typ, 79)
			file, err := open(inMemory(f.write(t, 1<<20, []cells{c, c})), asRequest("a"))
			must(t, err)
			err = file.Read(context.Background(), 0, []*table.Alphabet{in}, func(table.Batch) error { return nil })
			if !errors.Is(err, table.ErrUnseen) ||
				err.Error() != `column "a", row 4322: the value is not among the values counted before` {
				t.Errorf("%v: %v", typ, err)
			}
		}
	})
}

// What goes wrong in a rewriting ends it with that error, which quotes no cell.
func TestRewriteErrors(t *testing.T) {
	eachFormat(t, func(t *testing.T, form format, typ table.Type) {
		c := makeCells(table.Type{Kind: table.Text}, 3*table.BatchRows, 5, nil)
		file := form.write(t, 1000, []cells{c, c})
		in, _ := c.counts()
		to := shifted(c.typ, 9, false)
		run := func(ctx context.Context, in, to *table.Alphabet, f func(table.Batch) error) error {
			p, err := open(inMemory(file), asRequest("a"))
			must(t, err)
			return p.Rewrite(ctx, &memoryOutput{}, []*table.Alphabet{in}, []*table.Alphabet{to}, f)
		}
		all := draw([]*table.Alphabet{to})
		ctx, cancel := context.WithCancel(context.Background())
		if err := run(ctx, in, to, func(b table.Batch) error { cancel(); return all(b) }); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		ours := errors.New("no more randomness")
		if err := run(context.Background(), in, to, func(b table.Batch) error {
			if b.Row >= 2*table.BatchRows {
				return ours
			}
			return all(b)
		}); !errors.Is(err, ours) {
			t.Errorf("failing draw: %v", err)
		}
		for _, letter := range []int32{-2, -1, int32(to.Len()), 1 << 30, -1 << 31} {
			if letter == -1 && form.texts {
				continue
			}
			if err := run(context.Background(), in, to, func(b table.Batch) error {
				b.Letters[0][3] = letter
				return nil
			}); err == nil || letter != -1 && !strings.Contains(err.Error(), "a letter outside the output alphabet") {
				t.Errorf("letter %d: %v", letter, err)
			}
		}
		few := table.NewAlphabet(c.typ, in.Values()[1:], false)
		if err := run(context.Background(), few, to, all); !errors.Is(err, table.ErrUnseen) {
			t.Errorf("unseen value: %v", err)
		}
		if form.texts {
			return
		}
		if err := run(context.Background(), in, shifted(typ, 9, false), all); !errors.As(err, new(*table.InputError)) {
			t.Errorf("text as numbers: %v", err)
		}
		if !strings.HasSuffix(form.name, "parquet") {
			return
		}
		if err := run(context.Background(), in, shifted(c.typ, 9, true), all); !errors.As(err, new(*table.InputError)) {
			t.Errorf("null in a required column: %v", err)
		}
		if err := run(context.Background(), in, to, func(table.Batch) error { panic("a cell") }); err == nil ||
			strings.Contains(err.Error(), "cell") {
			t.Errorf("panicking draw: %v", err)
		}
	})
}

func TestReadStopsWhenCancelled(t *testing.T) {
	eachFormat(t, func(t *testing.T, form format, typ table.Type) {
		c := makeCells(typ, 20000, 3, nil)
		f, err := open(inMemory(form.write(t, 1<<20, []cells{c, c})), asRequest("a"))
		must(t, err)
		in, _ := c.counts()
		ctx, cancel := context.WithCancel(context.Background())
		batches := 0
		err = f.Read(ctx, 0, []*table.Alphabet{in}, func(table.Batch) error { batches++; cancel(); return nil })
		if !errors.Is(err, context.Canceled) || batches != 1 {
			t.Fatalf("%v after %d batches", err, batches)
		}
		if _, _, err := f.Scan(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
}

// breaking is a file that cannot be read once it is broken.
type breaking struct {
	table.Input
	broken error
}

func (b *breaking) ReadAt(p []byte, off int64) (int, error) {
	if b.broken != nil {
		return 0, b.broken
	}
	return b.Input.ReadAt(p, off)
}

func TestReadFailureIsNoInputError(t *testing.T) {
	eachFormat(t, func(t *testing.T, form format, typ table.Type) {
		for _, broken := range []error{errors.New("the device is gone"), io.ErrUnexpectedEOF} {
			c := makeCells(typ, 500, 20, nil)
			in := &breaking{Input: inMemory(form.write(t, 100, []cells{c, c}))}
			f, err := open(in, asRequest("a"))
			must(t, err)
			in.broken = broken
			if _, _, err := f.Scan(context.Background()); !errors.Is(err, broken) || errors.As(err, new(*table.InputError)) {
				t.Errorf("a read that fails: %v", err)
			}
		}
	})
}
