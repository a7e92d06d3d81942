package table_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	parquetpage "github.com/tacet-privacy/tacet/io/parquet/page"
	"github.com/tacet-privacy/tacet/io/table"
)

// rewriteParquet is rewrite for an output that may have holes.
func rewriteParquet(t testing.TB, file []byte, r table.Request, public bool, to ...*table.Alphabet) []byte {
	t.Helper()
	out := written(t, file, r, public, to...)
	if int64(len(out.b)) != out.size {
		t.Fatalf("%d bytes written of %d", len(out.b), out.size)
	}
	return out.b
}

// letters is how many letters shifted can give for a type.
func letters(t table.Type) int {
	if t.Kind == table.Boolean {
		return 2
	}
	return 23
}

// Every type, pattern of nulls, encoding and version of pages that the two libraries write.
func TestParquetRewriteTypesAndNulls(t *testing.T) {
	for _, typ := range parquetTypes {
		for _, p := range nullPatterns {
			t.Run(fmt.Sprintf("%v/%s", typ, p.name), func(t *testing.T) {
				c := makeCells(typ, 600, 20, p.null)
				var files [][]byte
				for version := range 2 {
					for _, e := range []encoding.Encoding{&parquet.RLEDictionary, &parquet.Plain} {
						if typ.Kind == table.Boolean && e == &parquet.RLEDictionary {
							e = &parquet.RLE
						}
						files = append(files, writeParquetGo(t, 250, e, []cells{c}, parquet.DataPageVersion(1+version),
							parquet.PageBufferSize(256)))
					}
					for _, dict := range []bool{true, false} {
						files = append(files, writeArrowGo(t, 250, []cells{c}, arrowparquet.WithDictionaryDefault(dict),
							arrowparquet.WithDataPageVersion(arrowparquet.DataPageVersion(version)),
							arrowparquet.WithDataPageSize(300), arrowparquet.WithBatchSize(64)))
					}
				}
				for i, file := range files {
					checkFile(t, file, []string{"a"}, c)
					public := i%4 == i/4 || i%4 == 3-i/4
					to := shifted(typ, letters(typ), c.null != nil && !public)
					after := rewriteParquet(t, file, table.Request{Private: []string{"a"}, Threads: 2}, public, to)
					checkParquet(t, file, after, nil, []string{"a"}, expected(c, to, public))
				}
			})
		}
	}
}

// Alphabets of every index width, and sizes around the page and the batch.
func TestParquetRewriteSizes(t *testing.T) {
	text, number := table.Type{Kind: table.Text}, table.Type{Kind: table.Integer, Bits: 32, Unsigned: false}
	const page = 1 << 16
	for _, rows := range []int{0, 1, 7, 8, 63, 64, 65, table.BatchRows - 1, table.BatchRows, table.BatchRows + 1,
		3*table.BatchRows + 7, page - 1, page, page + 1} {
		for i, p := range nullPatterns {
			if rows >= page-1 && i%5 != 0 { // required and scattered
				continue
			}
			t.Run(fmt.Sprintf("%d/%s", rows, p.name), func(t *testing.T) {
				c := []cells{makeCells(text, rows, 9, p.null), makeCells(number, rows, 5, nil)}
				file := writeArrowGo(t, 1<<20, c)
				checkFile(t, file, []string{"b", "a"}, c[1], c[0])
				checkFile(t, writeParquetGo(t, 1<<20, &parquet.RLEDictionary, c), []string{"a", "b"}, c...)
				to := []*table.Alphabet{shifted(text, 300, c[0].null != nil), shifted(number, 5, false)}
				after := rewriteParquet(t, file, table.Request{Private: []string{"a", "b"}, Threads: 2}, false, to...)
				checkParquet(t, file, after, nil, []string{"a", "b"}, expected(c[0], to[0], false),
					expected(c[1], to[1], false))
			})
		}
	}
}

func TestParquetRewriteWidths(t *testing.T) {
	typ := table.Type{Kind: table.Integer, Bits: 64, Unsigned: false}
	c := makeCells(typ, 5000, 5, nullPatterns[5].null)
	file := writeArrowGo(t, 1<<20, []cells{c})
	for _, n := range []int{1, 2, 3, 4, 5, 8, 9, 31, 100, 200, 256, 500, 1000, 2000, 4000, 8000, 16000, 32000, 65530} {
		to := shifted(typ, n, true)
		if n%7 == 0 {
			to = shifted(typ, n+1, true)
		}
		// A draw all over a large alphabet, too.
		spread := func(b table.Batch) error {
			for j := range b.Letters[0] {
				b.Letters[0][j] = int32((b.Row + int64(j)) * 13 % int64(to.Len()))
			}
			return nil
		}
		f, err := open(inMemory(file), table.Request{Private: []string{"a"}})
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := f.Scan(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		out := &memoryOutput{}
		if err := f.Rewrite(context.Background(), out, in, []*table.Alphabet{to}, spread); err != nil {
			t.Fatal(err)
		}
		want := cells{typ: typ, value: make([]table.Value, len(c.value)), null: make([]bool, len(c.value))}
		for row := range want.value {
			if l := int32(row * 13 % to.Len()); l == to.Null() {
				want.null[row] = true
			} else {
				want.value[row] = to.Values()[l]
			}
		}
		checkParquet(t, file, out.b, nil, []string{"a"}, want)
	}
}

func TestParquetRewriteRowGroupsOfOneRow(t *testing.T) {
	c, other := makeCells(table.Type{Kind: table.Text}, 40, 5, nullPatterns[3].null),
		makeCells(table.Type{Kind: table.Boolean}, 40, 2, nil)
	to := shifted(c.typ, 9, true)
	for _, file := range [][]byte{writeParquetGo(t, 1, &parquet.Plain, []cells{c, other}),
		writeArrowGo(t, 1, []cells{c, other})} {
		checkFile(t, file, []string{"a", "b"}, c, other)
		after := rewriteParquet(t, file, table.Request{Private: []string{"a"}}, false, to)
		checkParquet(t, file, after, nil, []string{"a"}, expected(c, to, false))
	}
}

func TestParquetRewriteAsText(t *testing.T) {
	text := table.Type{Kind: table.Text}
	for _, typ := range parquetTypes {
		c := makeCells(typ, 3000, 20, nullPatterns[4].null)
		to := shifted(text, 23, true)
		for _, file := range [][]byte{writeParquetGo(t, 1000, nil, []cells{c}), writeArrowGo(t, 1000, []cells{c})} {
			after := rewriteParquet(t, file, table.Request{Private: []string{"a"}}, false, to)
			checkParquet(t, file, after, nil, []string{"a"}, expected(c, to, false))
			f, err := open(inMemory(after), table.Request{})
			if err != nil {
				t.Fatal(err)
			}
			if at := slices.IndexFunc(f.Columns(),
				func(c table.Column) bool { return c.Name == "a" }); f.Columns()[at].Type != "string" {
				t.Errorf("%v written as string is %s", typ, f.Columns()[at].Type)
			}
		}
	}
}

// The same bytes whatever the number of threads, and again from the same File.
func TestParquetRewriteDoesNotDependOnThreads(t *testing.T) {
	c := []cells{makeCells(table.Type{Kind: table.Text}, 30000, 40, nullPatterns[4].null),
		makeCells(table.Type{Kind: table.Date}, 30000, 20, nil)}
	file := writeParquetGo(t, 4000, nil, c)
	to := []*table.Alphabet{shifted(c[0].typ, 50, true), shifted(c[1].typ, 9, false)}
	var first []byte
	for _, threads := range []int{1, 2, 7} {
		after := rewriteParquet(t, file, table.Request{Private: []string{"a", "b"}, Threads: threads}, false, to...)
		if first == nil {
			first = after
		}
		if !bytes.Equal(after, first) {
			t.Errorf("%d threads write other bytes than one", threads)
		}
	}
	f, err := open(inMemory(file), table.Request{Private: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := f.Scan(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		out := &memoryOutput{}
		if err := f.Rewrite(context.Background(), out, in, to, draw(to)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.b, first) {
			t.Error("a second rewrite gives other bytes")
		}
	}
}

func TestParquetRewriteErrors(t *testing.T) {
	text := table.Type{Kind: table.Text}
	c := makeCells(text, 20000, 5, nil)
	file := writeArrowGo(t, 5000, []cells{c})
	in, _ := c.counts()
	run := func(ctx context.Context, file []byte, in, to *table.Alphabet, f func(table.Batch) error) error {
		p, err := open(inMemory(file), table.Request{Private: []string{"a"}, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		return p.Rewrite(ctx, &memoryOutput{}, []*table.Alphabet{in}, []*table.Alphabet{to}, f)
	}
	to := shifted(text, 9, false)
	all := draw([]*table.Alphabet{to})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ctx, file, in, to, all); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	ours := errors.New("no more randomness")
	if err := run(context.Background(), file, in, to, func(b table.Batch) error {
		if b.Unit.Group == 2 {
			return ours
		}
		return nil
	}); !errors.Is(err, ours) {
		t.Errorf("failing draw: %v", err)
	}
	if err := run(context.Background(), file, in, to, func(table.Batch) error { panic("a cell") }); err == nil ||
		bytes.Contains([]byte(err.Error()), []byte("cell")) {
		t.Errorf("panicking draw: %v", err)
	}
	for _, letter := range []int32{-2, -1, int32(to.Len()), 1 << 30, -1 << 31} {
		if err := run(context.Background(), file, in, to, func(b table.Batch) error {
			b.Letters[0][3] = letter
			return nil
		}); !errors.Is(err, parquetpage.ErrLetter) {
			t.Errorf("letter %d: %v", letter, err)
		}
	}
	few := table.NewAlphabet(text, in.Values()[1:], false)
	if err := run(context.Background(), file, few, to, all); !errors.Is(err, table.ErrUnseen) {
		t.Errorf("unseen value: %v", err)
	}
	var input *table.InputError
	if err := run(context.Background(), file, in, shifted(text, 9, true), all); !errors.As(err, &input) {
		t.Errorf("null in a required column: %v", err)
	}
	if err := run(context.Background(), file, in, shifted(table.Type{Kind: table.Date}, 9, false), all); !errors.As(err,
		&input) {
		t.Errorf("text as dates: %v", err)
	}
}
