package page

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// What is counted is what Next hands out, of few codes and of many.
func TestCount(t *testing.T) {
	for _, entries := range []int{3, few - 1, few, 3000} {
		count, want := make([]int64, entries+1), make([]int64, entries+1)
		var code []int32
		for i := range 10_007 {
			c := int32(i*i%(entries+1)) - 1
			code = append(code, c)
			want[c+1]++
		}
		if countCodes(count, code); !slices.Equal(count, want) {
			t.Errorf("%d entries: %v, want %v", entries, count, want)
		}
	}
}

// Pages of every kind, empty ones among them.
func TestCountPagesOfEveryKind(t *testing.T) {
	var b []byte
	for _, p := range []testPage{abc, nothing, v1, index, nothing, nothing, legacy, v2, overflow, nothing} {
		b = p.append(b)
	}
	x := Open(bytes.NewReader(b), Chunk{Column: "a", Size: int64(len(b)), Values: 17, Physical: meta.ByteArray,
		Optional: true})
	defer x.Close()
	var count []int64
	var err error
	for err == nil {
		count, err = x.Count(count)
	}
	if err != io.EOF || !slices.Equal(count, []int64{7, 3, 6, 0, 1}) {
		t.Errorf("%v, %v", count, err)
	}
}
