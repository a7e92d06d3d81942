package page

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

// A testPage is a page of a chunk made by hand.
type testPage struct {
	typ   format.PageType
	kind  *meta.Value // its own header
	body  []byte
	crc   uint32
	plain int // bytes uncompressed, 0 where they are those of body
}

func ints(field ...int64) *meta.Value {
	s := meta.NewStruct()
	for i, v := range field {
		s.Set(int16(i+1), meta.Int(meta.I32, v))
	}
	return s
}

func (p testPage) append(b []byte) []byte {
	at := map[format.PageType]int16{format.DataPage: 5, format.IndexPage: 6, format.DictionaryPage: 7,
		format.DataPageV2: 8}[p.typ]
	if p.plain == 0 {
		p.plain = len(p.body)
	}
	s := ints(int64(p.typ), int64(p.plain), int64(len(p.body)))
	if p.crc != 0 {
		s.Set(4, meta.Int(meta.I32, int64(int32(p.crc))))
	}
	s.Set(at, p.kind)
	return append(s.Encode(b), p.body...)
}

// openTexts begins a chunk of byte strings that is not compressed.
func openTexts(b []byte, values int64, optional bool) *Reader {
	leaf := &meta.Leaf{Path: []string{"a"}, Physical: format.ByteArray}
	if optional {
		leaf.Most.Definition = 1
	}
	return Open(bytes.NewReader(b), leaf, &meta.Chunk{Size: int64(len(b)), Values: values}, 0)
}

// decodeChunk decodes an optional chunk of byte strings; a null is "-".
func decodeChunk(values int64, page ...testPage) ([]string, error) {
	var b []byte
	for _, p := range page {
		b = p.append(b)
	}
	x := openTexts(b, values, true)
	defer x.Close()
	var out []string
	code := make([]int32, 5)
	for {
		n, err := x.Next(code)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		for _, c := range code[:n] {
			if c == Null {
				out = append(out, "-")
			} else {
				out = append(out, string(x.Bytes(int(c))))
			}
		}
	}
}

const (
	plain, plainDict, rle, bitPacked, rleDict = int64(format.Plain), int64(format.PlainDictionary), int64(format.RLE),
		int64(format.BitPacked), int64(format.RLEDictionary)
)

var (
	abc = testPage{typ: format.DictionaryPage, kind: ints(3, plainDict),
		body: []byte("\x01\x00\x00\x00a\x02\x00\x00\x00bb\x00\x00\x00\x00")}
	index = testPage{typ: format.IndexPage, kind: meta.NewStruct(), body: []byte("whatever")}
	// null, bb, a, null, bb; indices of 2 bits: 1, 0, 1
	v1 = testPage{typ: format.DataPage, kind: ints(5, plainDict, rle, rle),
		body: []byte("\x02\x00\x00\x00\x03\x16\x02\x03\x11\x00")}
	// the same with levels in the deprecated encoding
	legacy = testPage{typ: format.DataPage, kind: ints(5, plainDict, bitPacked, bitPacked),
		body: []byte("\x68\x02\x03\x11\x00")}
	// the same again as a page of version 2
	v2 = testPage{typ: format.DataPageV2, kind: ints(5, 2, 5, rleDict, 2, 0), body: []byte("\x03\x16\x02\x03\x11\x00")}
	// cc and null, PLAIN
	overflow = testPage{typ: format.DataPage, kind: ints(2, plain, rle, rle),
		body: []byte("\x02\x00\x00\x00\x03\x01\x02\x00\x00\x00cc")}
	nothing = testPage{typ: format.DataPage, kind: ints(0, plain, rle, rle), body: []byte("\x00\x00\x00\x00")}
)

func TestChunkOfPagesOfEveryKind(t *testing.T) {
	five := []string{"-", "bb", "a", "-", "bb"}
	got, err := decodeChunk(17, abc, v1, index, legacy, nothing, v2, overflow)
	if err != nil || !slices.Equal(got, slices.Concat(five, five, five, []string{"cc", "-"})) {
		t.Fatalf("%q, %v", got, err)
	}
	var b []byte
	for _, p := range []testPage{abc, nothing, v1, index, nothing, legacy, v2, overflow, nothing} {
		b = p.append(b)
	}
	x := openTexts(b, 17, true)
	defer x.Close()
	code := make([]int32, 17)
	if n, err := x.Next(code); n != 17 || err != nil || x.Entries() != 3 || code[15] != 3 || code[14] != 1 {
		t.Errorf("%d codes, %v, %v", n, code, err)
	}
}

func TestChunkIgnoresWhatFollowsItsValues(t *testing.T) {
	if got, err := decodeChunk(5, abc, v1, testPage{typ: 77, kind: meta.NewStruct()}); err != nil || len(got) != 5 {
		t.Fatalf("%q, %v", got, err)
	}
}

func TestChunkRefuses(t *testing.T) {
	with := func(p testPage, edit func(p *testPage)) testPage {
		p.kind, _, _ = meta.ParseStruct(p.kind.Encode(nil))
		edit(&p)
		return p
	}
	for name, c := range map[string]struct {
		values int64
		page   []testPage
		what   string
	}{
		"no dictionary":    {5, []testPage{v1}, "without a dictionary page"},
		"two dictionaries": {10, []testPage{abc, v1, abc, v1}, "second dictionary"},
		"late dictionary":  {7, []testPage{overflow, abc, v1}, "behind values"},
		"too few values":   {6, []testPage{abc, v1}, "1 values fewer"},
		"too many values":  {4, []testPage{abc, v1}, "more values than the column chunk"},
		"unknown page":     {5, []testPage{{typ: 77, kind: meta.NewStruct()}}, "unknown type"},
		"index of 2": {5, []testPage{with(abc, func(p *testPage) { p.kind.Set(1, meta.Int(meta.I32, 1)) }), v1},
			"does not have"},
		"short dictionary": {5, []testPage{with(abc, func(p *testPage) { p.kind.Set(1, meta.Int(meta.I32, 4)) }), v1},
			"shorter than its header"},
		"split streams": {2, []testPage{with(overflow, func(p *testPage) { p.kind.Set(2, meta.Int(meta.I32, 9)) })},
			"BYTE_STREAM_SPLIT"},
		"integers' deltas": {2, []testPage{with(overflow, func(p *testPage) { p.kind.Set(2, meta.Int(meta.I32, 5)) })},
			"does not suit"},
		"checksum": {5, []testPage{abc, with(v1, func(p *testPage) { p.crc = 1 })}, "checksum"},
		"size uncompressed": {5, []testPage{abc, with(v1, func(p *testPage) { p.plain = 99 })},
			"as long as its header says"},
		"huge page": {5, []testPage{abc, with(v1, func(p *testPage) { p.plain = maxPage + 1 })},
			"more than 64 MiB"},
		"long levels": {5, []testPage{abc, with(v2, func(p *testPage) { p.kind.Set(5, meta.Int(meta.I32, 7)) })},
			"longer levels"},
		"rows and values": {5, []testPage{abc, with(v2, func(p *testPage) { p.kind.Set(3, meta.Int(meta.I32, 4)) })},
			"number of values or rows"},
		"value beyond page": {2,
			[]testPage{with(overflow, func(p *testPage) {
				p.body = append(slices.Clone(p.body[:6]), 3, 0, 0, 0, 'c',
					'c')
			})}, "ends early"},
	} {
		_, err := decodeChunk(c.values, c.page...)
		var f *table.InputError
		if !errors.As(err, &f) || !strings.Contains(f.What, c.what) ||
			!strings.HasPrefix(f.What, `column "a", row group 0: `) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := with(v1, func(p *testPage) { p.crc = crc32.ChecksumIEEE(p.body) })
	if _, err := decodeChunk(5, abc, good); err != nil {
		t.Error(err)
	}
}
