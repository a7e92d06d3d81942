package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A token is a value that must not get out of the input: it stands in one
// place only, and nothing else in the world looks like it.
type token struct {
	place   string // where it was put
	text    string
	integer bool
}

// tokens makes the tokens of a private column: letters, and one for every
// other place of a file that may hold a raw value.
func tokens(integer bool, letters int) (letter []token, at map[string]token) {
	r := rand.New(rand.NewPCG(uint64(letters), 11))
	next := func(place string) token {
		if integer {
			return token{place, strconv.FormatInt(int64(r.Uint64()>>1|1<<60), 10), true}
		}
		return token{place, fmt.Sprintf("%08x%08x", r.Uint32(), r.Uint32()), false}
	}
	at = map[string]token{}
	for _, place := range []string{"unused", "masked", "gap", "pandas", "custom", "schema", "field"} {
		at[place] = next(place)
	}
	for i := range letters {
		letter = append(letter, next(fmt.Sprintf("letter %d", i)))
	}
	return letter, at
}

func (k token) number() int64 {
	n, err := strconv.ParseInt(k.text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// bytes is the token as a Parquet file holds it.
func (k token) bytes() []byte {
	if k.integer {
		return binary.LittleEndian.AppendUint64(nil, uint64(k.number()))
	}
	return []byte(k.text)
}

// forms are the ways in which a token may be written: text and bytes, each as
// it is, in hex, and in base64 at every offset within something longer. Of a
// text ten letters tell it, since bounds may be cut.
func (k token) forms() []string {
	raw := []string{k.text[:10]}
	if k.integer {
		raw = []string{k.text, string(binary.LittleEndian.AppendUint64(nil, uint64(k.number()))),
			string(binary.BigEndian.AppendUint64(nil, uint64(k.number())))}
	}
	all := slices.Clone(raw)
	for _, s := range raw {
		x := hex.EncodeToString([]byte(s))
		all = append(all, x, strings.ToUpper(x))
		for lead := range 3 {
			in := base64.StdEncoding.EncodeToString([]byte("xxx"[:lead] + s))
			inner := in[(lead*8+5)/6 : (lead+len(s))*8/6]
			all = append(all, inner, strings.NewReplacer("+", "-", "/", "_").Replace(inner))
		}
	}
	return all
}

// in reports the form in which data holds the token, -1 for none.
func (k token) in(data []byte) int {
	return slices.IndexFunc(k.forms(), func(f string) bool { return bytes.Contains(data, []byte(f)) })
}

// clean fails where data holds one of the tokens in any form.
func clean(t *testing.T, what string, data []byte, ks []token) {
	t.Helper()
	for _, k := range ks {
		if form := k.in(data); form >= 0 {
			t.Errorf("%s holds the token of %s in form %d", what, k.place, form)
		}
	}
}

// TestTokenForms is the control of the search itself: every form is found in
// something longer, and a token is not found in what merely resembles it.
func TestTokenForms(t *testing.T) {
	for _, integer := range []bool{false, true} {
		letter, _ := tokens(integer, 3)
		for _, k := range letter {
			plain := []string{"x" + k.text + "x", "xy" + k.text + "x", "xyz" + k.text}
			if integer {
				plain = append(plain, "x"+string(binary.LittleEndian.AppendUint64(nil, uint64(k.number()))), "xy"+
					string(binary.BigEndian.AppendUint64(nil, uint64(k.number()))))
			}
			for _, s := range plain {
				for _, told := range []string{s, hex.EncodeToString([]byte(s)), base64.StdEncoding.EncodeToString([]byte(s)),
					base64.RawURLEncoding.EncodeToString([]byte(s))} {
					if k.in([]byte(told)) < 0 {
						t.Errorf("%q is not found in %q", k.text, told)
					}
					if letter[0] != k && letter[0].in([]byte(told)) >= 0 {
						t.Errorf("another token is found in %q", told)
					}
				}
			}
		}
	}
}

// exposed is every byte of a file, and after it every page or buffer once
// more, decompressed. It shares no code with what wrote the file.
func exposed(t *testing.T, file []byte) []byte {
	t.Helper()
	if bytes.HasPrefix(file, []byte("PAR1")) {
		return append(slices.Clone(file), parquetPages(t, file)...)
	}
	return append(slices.Clone(file), arrowBuffers(t, file)...)
}

func parquetFooter(t *testing.T, file []byte) *format.FileMetaData {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
	must(t, err)
	return f.Metadata()
}

// parquetPages walks the chunks header by header.
func parquetPages(t *testing.T, file []byte) (all []byte) {
	t.Helper()
	footer := parquetFooter(t, file)
	for _, kv := range footer.KeyValueMetadata {
		if raw, err := base64.StdEncoding.DecodeString(kv.Value); err == nil {
			all = append(all, raw...)
		}
	}
	for _, group := range footer.RowGroups {
		for _, chunk := range group.Columns {
			at := chunkStart(&chunk.MetaData)
			for left := file[at : at+chunk.MetaData.TotalCompressedSize]; len(left) > 0; {
				r := new(thrift.CompactProtocol).NewReaderFromBytes(left)
				var h format.PageHeader
				must(t, thrift.NewDecoder(r).Decode(&h))
				left = left[len(left)-r.Reader().(*bytes.Reader).Len():]
				page := left[:h.CompressedPageSize]
				left = left[len(page):]
				if h.DataPageHeaderV2.Valid {
					v2 := h.DataPageHeaderV2.V
					page = page[v2.DefinitionLevelsByteLength+v2.RepetitionLevelsByteLength:]
					if v2.IsCompressed.Valid && !v2.IsCompressed.V {
						continue
					}
				}
				plain, err := parquet.LookupCompressionCodec(chunk.MetaData.Codec).Decode(nil, page)
				must(t, err)
				all = append(all, plain...)
			}
		}
	}
	return all
}

// chunkStart is where the first page of a chunk is.
func chunkStart(m *format.ColumnMetaData) int64 {
	if m.DictionaryPageOffset > 0 {
		return min(m.DictionaryPageOffset, m.DataPageOffset)
	}
	return m.DataPageOffset
}

// arrowBuffers is what a reader gets, also below nulls and beyond the rows.
func arrowBuffers(t *testing.T, file []byte) (all []byte) {
	t.Helper()
	r, err := ipc.NewFileReader(bytes.NewReader(file))
	must(t, err)
	defer r.Close()
	all = append(all, r.Schema().String()...)
	for i := range r.NumRecords() {
		b, err := r.RecordBatch(i)
		must(t, err)
		for _, c := range b.Columns() {
			all = append(all, dataBuffers(c.Data())...)
		}
	}
	return all
}

func dataBuffers(d arrow.ArrayData) (all []byte) {
	if d == nil {
		return nil
	}
	for _, b := range d.Buffers() {
		if b != nil {
			all = append(all, b.Buf()...)
		}
	}
	for _, c := range d.Children() {
		all = append(all, dataBuffers(c)...)
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		all = append(all, dataBuffers(d.Dictionary())...)
	}
	return all
}
