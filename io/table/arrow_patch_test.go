package table_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// patched reports whether all messages of after stand where those of before do.
func patched(t *testing.T, before, after []byte) bool {
	t.Helper()
	a, err := batch.Open(inMemory(before), int64(len(before)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := batch.Open(inMemory(after), int64(len(after)))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Dicts) != len(b.Dicts) || !slices.Equal(a.Batches, b.Batches) {
		return false
	}
	for _, d := range a.Dicts {
		if !slices.Contains(b.Dicts, d) {
			return false
		}
	}
	return true
}

// A patch and a rewrite message by message (forced by compression) have the
// same content.
func TestArrowPatchIsRewrite(t *testing.T) {
	for _, typ := range []table.Type{{Kind: table.Text}, {Kind: table.Binary}, {Kind: table.Date},
		{Kind: table.Integer, Bits: 64, Unsigned: false}} {
		for _, dt := range arrowStorage(typ) {
			if _, ok := dt.(*arrow.DictionaryType); !ok {
				continue
			}
			for i, p := range nullPatterns {
				beside := 2
				if i == 3 {
					beside = len(arrowNeighbours)
				}
				t.Run(fmt.Sprint(dt, p.name), func(t *testing.T) {
					c := []cells{makeCells(typ, 300, 20, p.null), makeCells(typ, 300, 20, nil)}
					types := []arrow.DataType{dt, dt}
					to := []*table.Alphabet{shifted(typ, 5, false), shifted(typ, 4, false)}
					file := writeArrow(t, 110, types, c, beside)
					private := []string{"a", "b"}
					after := rewrite(t, file, table.Request{Private: private, Threads: 2}, true, to...)
					// where all is null, the dictionary has no room for letters
					if p.name != "all" && !patched(t, file, after) {
						t.Fatal("the messages moved")
					}
					want := []cells{expected(c[0], to[0], true), expected(c[1], to[1], true)}
					checkRewritten(t, file, after, nil, private, want...)
					other := rewrite(t, writeArrow(t, 110, types, c, beside, arrowCodecs[1].option...),
						table.Request{Private: private}, true, to...)
					_, one := readRecords(t, after)
					_, two := readRecords(t, other)
					for i := range one {
						if !array.RecordEqual(one[i], two[i]) {
							t.Fatalf("record batch %d differs between patch and rewrite", i)
						}
					}
				})
			}
		}
	}
}

func TestArrowPatchNotTaken(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	c := makeCells(table.Type{Kind: table.Text}, 400, 20, nullPatterns[3].null)
	file := writeArrow(t, 150, []arrow.DataType{dt, dt}, []cells{c, c}, 4)
	shared := again(t, file, nil, func(s *batch.Schema) { s.Fields[2].Dict.ID = s.Fields[0].Dict.ID })
	apart := again(t, file, nil, func(s *batch.Schema) {})
	private := []string{"a"}
	for _, k := range []struct {
		name    string
		file    []byte
		r       table.Request
		public  bool
		letters int
		null    bool
		patch   bool
	}{
		{"as it is", file, table.Request{Private: private}, true, 9, false, true},
		{"another layout", apart, table.Request{Private: private}, true, 9, false, true},
		{"a dropped column", file, table.Request{Private: private, Drop: []string{"n1"}}, true, 9, false, false},
		{"null is a letter", file, table.Request{Private: private}, false, 9, true, false},
		{"a wider index", file, table.Request{Private: private}, true, 300, false, false},
		{"a longer dictionary", file, table.Request{Private: private}, true, 100, false, false},
		{"a shared dictionary", shared, table.Request{Private: private}, true, 9, false, false},
	} {
		to := shifted(c.typ, k.letters, k.null)
		after := rewrite(t, k.file, k.r, k.public, to)
		if patched(t, k.file, after) != k.patch {
			t.Errorf("%s: patched is %v", k.name, !k.patch)
		}
		for i, b := range blocks(t, after)[1:] {
			if before := blocks(t, after)[i]; before.Offset+before.Meta+before.Body != b.Offset {
				t.Errorf("%s: a gap before record batch %d", k.name, i+1)
			}
		}
		checkRewritten(t, k.file, after, k.r.Drop, private, expected(c, to, k.public))
	}
}

// A null where there was none has no room in the old place: that record batch
// goes behind the others, and zeros stay.
func TestArrowPatchNewNulls(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	c := makeCells(table.Type{Kind: table.Text}, 400, 20, nullPatterns[1].null)
	file := writeArrow(t, 100, []arrow.DataType{dt}, []cells{c}, 4)
	f, err := open(inMemory(file), table.Request{Private: []string{"a"}, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := f.Scan(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	to := []*table.Alphabet{shifted(c.typ, 7, false)}
	out := &memoryOutput{}
	err = f.Rewrite(context.Background(), out, in, to, func(b table.Batch) error {
		if err := draw(to)(b); err != nil {
			return err
		}
		if b.Unit.Group%2 == 1 {
			b.Letters[0][3] = -1
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := expected(c, to[0], true)
	for _, row := range []int{103, 303} {
		want.value[row], want.null[row] = table.Value{}, true
	}
	after := out.file(t)
	checkRewritten(t, file, after, nil, []string{"a"}, want)
	was, is := blocks(t, file), blocks(t, after)
	for i, b := range was {
		if gone := i%2 == 1; (is[i] != b) != gone {
			t.Errorf("record batch %d moved from %v to %v", i, b, is[i])
		} else if gone && bytes.Count(after[b.Offset:b.Offset+b.Meta+b.Body], []byte{0}) != int(b.Meta+b.Body) {
			t.Errorf("the old place of record batch %d is not zero", i)
		}
	}
}

func blocks(t *testing.T, file []byte) []batch.Block {
	t.Helper()
	raw, err := batch.Open(inMemory(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return raw.Batches
}

func TestArrowPatchCanary(t *testing.T) {
	for _, typ := range []table.Type{{Kind: table.Text}, {Kind: table.Integer, Bits: 64, Unsigned: false}} {
		for _, dt := range arrowStorage(typ) {
			if _, ok := dt.(*arrow.DictionaryType); !ok {
				continue
			}
			k := makeTokens(typ)
			file, c := canary(t, dt, typ, k, 0, false)
			checkControl(t, file, dt, typ, k)
			to := shifted(typ, 9, false)
			after := rewrite(t, file, table.Request{Private: []string{"a"}}, true, to)
			if !patched(t, file, after) {
				t.Fatalf("%v: the messages moved", dt)
			}
			checkFile(t, after, []string{"a"}, expected(c, to, true))
			checkNoToken(t, after, typ, k)
		}
	}
}
