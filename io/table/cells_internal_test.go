package table

import (
	"slices"
	"testing"
)

// What is counted are all codes, few and many, or none where one is too large.
func TestCountCodes(t *testing.T) {
	for _, entries := range []int{3, few - 1, few, 3000} {
		count, want := make([]int64, entries+1), make([]int64, entries+1)
		var code []int32
		for i := range 10_007 {
			c := int32(i*i%(entries+1)) - 1
			code = append(code, c)
			want[c+1]++
		}
		if !countCodes(count, code) || countCodes(count, []int32{0, int32(entries)}) || !slices.Equal(count, want) {
			t.Errorf("%d entries: %v, want %v", entries, count, want)
		}
	}
}

// oneCell is a column whose cells are their codes.
type oneCell struct{}

func (oneCell) Bytes(int) []byte   { return nil }
func (oneCell) Int(code int) int64 { return int64(code) }

// Letters and counts are the same with whatever part of the values in a dictionary, whose
// entries may be more than 16 bits tell apart, and some of which have no letter.
func TestLettersOfEntries(t *testing.T) {
	c := &PrivateColumn{Name: "a", Type: Type{Kind: Integer, Bits: 64}}
	const seen = 70_000
	of := &ColumnLexicon{Ints: map[int64]int32{}, Null: -1, Rest: Unseen}
	for i := range int64(seen) {
		of.Ints[i] = int32(seen - 1 - i)
	}
	for _, entries := range []int{0, 1, 500, 1<<16 - 1, 1 << 16, seen + 5} {
		l, n := newLetters(c, of), newCounter(c)
		for from := range 30 {
			v := Values{Type: CellType{Form: IntegerCells}, Entries: entries, Source: oneCell{}}
			for i := range 1000 {
				v.Code = append(v.Code, int32((from*997+i*i)%seen)-1)
			}
			dst := make([]int32, len(v.Code))
			if err := l.put(dst, &v, 0); err != nil {
				t.Fatal(err)
			}
			for i, code := range v.Code {
				if want := max(-1, seen-1-code); code >= 0 && dst[i] != want || code < 0 && dst[i] != -1 {
					t.Fatalf("%d entries: code %d has letter %d", entries, code, dst[i])
				}
			}
			if from < 3 {
				if err := n.add(&v, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := l.put(make([]int32, 2), &Values{Code: []int32{1, seen}, Entries: entries, Source: oneCell{}}, 7); err == nil ||
			err.Error() != UnseenError("a", 8).Error() {
			t.Errorf("%d entries: %v", entries, err)
		}
		l.close()
		var total Tally
		if err := n.into(&total); err != nil {
			t.Fatal(err)
		}
		sum := total.Null
		for _, k := range total.Count {
			sum += k
		}
		if sum != 3000 {
			t.Errorf("%d entries: %d cells are counted", entries, sum)
		}
	}
}
