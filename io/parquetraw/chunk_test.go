package parquetraw

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"
)

// A testPage is a page of a chunk made by hand.
type testPage struct {
	typ   pageType
	kind  *Struct // its own header
	body  []byte
	crc   uint32
	plain int // bytes uncompressed, 0 where they are those of body
}

func header(field ...int64) *Struct {
	s := NewStruct()
	for i, v := range field {
		s.Set(int16(i+1), Int(I32, v))
	}
	return s
}

func (p testPage) append(b []byte) []byte {
	at := map[pageType]int16{dataPage: 5, indexPage: 6, dictionaryPage: 7, dataPageV2: 8}[p.typ]
	if p.plain == 0 {
		p.plain = len(p.body)
	}
	s := header(int64(p.typ), int64(p.plain), int64(len(p.body)))
	if p.crc != 0 {
		s.Set(4, Int(I32, int64(int32(p.crc))))
	}
	s.Set(at, StructValue(p.kind))
	return append(s.Append(b), p.body...)
}

// decodeChunk decodes an optional chunk of byte strings; a null is "-".
func decodeChunk(values int64, page ...testPage) ([]string, error) {
	var b []byte
	for _, p := range page {
		b = p.append(b)
	}
	f := &Footer{
		Leaves: []Leaf{{Path: []string{"a"}, Physical: ByteArray, Repetition: Optional}},
		Groups: []RowGroup{{Rows: values, Chunks: []Chunk{{Size: int64(len(b)), Values: values}}}},
	}
	x, err := f.OpenChunk(bytes.NewReader(b), 0, 0)
	if err != nil {
		return nil, err
	}
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
	plain, plainDict, rle, bitPacked, rleDict = int64(PlainEncoding), int64(PlainDictionary), int64(RLE), int64(BitPacked), int64(RLEDictionary)
)

var (
	abc   = testPage{typ: dictionaryPage, kind: header(3, plainDict), body: []byte("\x01\x00\x00\x00a\x02\x00\x00\x00bb\x00\x00\x00\x00")}
	index = testPage{typ: indexPage, kind: NewStruct(), body: []byte("whatever")}
	// null, bb, a, null, bb; indices of 2 bits: 1, 0, 1
	v1 = testPage{typ: dataPage, kind: header(5, plainDict, rle, rle), body: []byte("\x02\x00\x00\x00\x03\x16\x02\x03\x11\x00")}
	// the same with levels in the deprecated encoding
	legacy = testPage{typ: dataPage, kind: header(5, plainDict, bitPacked, bitPacked), body: []byte("\x68\x02\x03\x11\x00")}
	// the same again as a page of version 2
	v2 = testPage{typ: dataPageV2, kind: header(5, 2, 5, rleDict, 2, 0), body: []byte("\x03\x16\x02\x03\x11\x00")}
	// cc and null, PLAIN
	overflow = testPage{typ: dataPage, kind: header(2, plain, rle, rle), body: []byte("\x02\x00\x00\x00\x03\x01\x02\x00\x00\x00cc")}
	nothing  = testPage{typ: dataPage, kind: header(0, plain, rle, rle), body: []byte("\x00\x00\x00\x00")}
)

func TestChunkOfPagesOfEveryKind(t *testing.T) {
	five := []string{"-", "bb", "a", "-", "bb"}
	got, err := decodeChunk(17, abc, v1, index, legacy, nothing, v2, overflow)
	if err != nil || !slices.Equal(got, slices.Concat(five, five, five, []string{"cc", "-"})) {
		t.Fatalf("%q, %v", got, err)
	}
}

func TestChunkIgnoresWhatFollowsItsValues(t *testing.T) {
	if got, err := decodeChunk(5, abc, v1, testPage{typ: 77, kind: NewStruct()}); err != nil || len(got) != 5 {
		t.Fatalf("%q, %v", got, err)
	}
}

func TestChunkRefuses(t *testing.T) {
	with := func(p testPage, edit func(p *testPage)) testPage {
		p.kind, _, _ = ParseStruct(p.kind.Append(nil))
		edit(&p)
		return p
	}
	for name, c := range map[string]struct {
		values int64
		page   []testPage
		what   string
	}{
		"no dictionary":     {5, []testPage{v1}, "without a dictionary page"},
		"two dictionaries":  {10, []testPage{abc, v1, abc, v1}, "second dictionary"},
		"late dictionary":   {7, []testPage{overflow, abc, v1}, "behind values"},
		"too few values":    {6, []testPage{abc, v1}, "1 values fewer"},
		"too many values":   {4, []testPage{abc, v1}, "more values than the column chunk"},
		"unknown page":      {5, []testPage{{typ: 77, kind: NewStruct()}}, "unknown type"},
		"index of 2":        {5, []testPage{with(abc, func(p *testPage) { p.kind.Set(1, Int(I32, 1)) }), v1}, "does not have"},
		"short dictionary":  {5, []testPage{with(abc, func(p *testPage) { p.kind.Set(1, Int(I32, 4)) }), v1}, "shorter than its header"},
		"split streams":     {2, []testPage{with(overflow, func(p *testPage) { p.kind.Set(2, Int(I32, 9)) })}, "BYTE_STREAM_SPLIT"},
		"integers' deltas":  {2, []testPage{with(overflow, func(p *testPage) { p.kind.Set(2, Int(I32, 5)) })}, "does not suit"},
		"checksum":          {5, []testPage{abc, with(v1, func(p *testPage) { p.crc = 1 })}, "checksum"},
		"size uncompressed": {5, []testPage{abc, with(v1, func(p *testPage) { p.plain = 99 })}, "as long as its header says"},
		"huge page":         {5, []testPage{abc, with(v1, func(p *testPage) { p.plain = maxPage + 1 })}, "more than 64 MiB"},
		"long levels":       {5, []testPage{abc, with(v2, func(p *testPage) { p.kind.Set(5, Int(I32, 7)) })}, "longer levels"},
		"rows and values":   {5, []testPage{abc, with(v2, func(p *testPage) { p.kind.Set(3, Int(I32, 4)) })}, "number of values or rows"},
		"value beyond page": {2, []testPage{with(overflow, func(p *testPage) { p.body = append(slices.Clone(p.body[:6]), 3, 0, 0, 0, 'c', 'c') })}, "ends early"},
	} {
		_, err := decodeChunk(c.values, c.page...)
		var f *FormatError
		if !errors.As(err, &f) || !strings.Contains(f.What, c.what) || !strings.HasPrefix(f.What, `column "a", row group 0: `) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := with(v1, func(p *testPage) { p.crc = crc32.ChecksumIEEE(p.body) })
	if _, err := decodeChunk(5, abc, good); err != nil {
		t.Error(err)
	}
}

func FuzzChunk(f *testing.F) {
	file := smallFile(f, 1, 50)
	footer, err := ReadFooter(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		f.Fatal(err)
	}
	for i, c := range footer.Groups[0].Chunks[:2] {
		f.Add(file[c.Start:c.Start+c.Size], uint8(c.Physical), i == 1, uint8(c.Codec), uint16(50))
	}
	f.Add([]byte{}, uint8(0), true, uint8(0), uint16(1))
	f.Fuzz(func(t *testing.T, b []byte, physical uint8, optional bool, codec uint8, values uint16) {
		leaf := Leaf{Path: []string{"a"}, Physical: Physical(physical)}
		if optional {
			leaf.Repetition = Optional
		}
		chunk := Chunk{Size: int64(len(b)), Values: int64(values), Codec: Codec(codec), Physical: leaf.Physical}
		footer := &Footer{Leaves: []Leaf{leaf}, Groups: []RowGroup{{Rows: int64(values), Chunks: []Chunk{chunk}}}}
		x, err := footer.OpenChunk(bytes.NewReader(b), 0, 0)
		if err != nil {
			return
		}
		defer x.Close()
		code, rows := make([]int32, 100), 0
		for {
			n, err := x.Next(code)
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
			rows += n
			for _, c := range code[:n] {
				if c < Null || int(c) >= x.Codes() || c == Null && !optional {
					t.Fatalf("code %d of %d", c, x.Codes())
				}
				if c >= 0 && leaf.Physical == ByteArray {
					x.Bytes(int(c))
				} else if c >= 0 {
					x.Int(int(c))
				}
			}
		}
		if rows != int(values) {
			t.Fatalf("%d rows, want %d", rows, values)
		}
	})
}
