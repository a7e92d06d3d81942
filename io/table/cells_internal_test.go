package table

import "testing"

// oneCell is a column whose cells are their codes.
type oneCell struct{}

func (oneCell) Bytes(int) []byte   { return nil }
func (oneCell) Int(code int) int64 { return int64(code) }

// Letters and counts are the same with whatever part of the values in a dictionary, whose
// entries may be more than 16 bits tell apart, and some of which have no letter.
func TestLettersOfEntries(t *testing.T) {
	c := &PrivateColumn{Name: "a", Type: Type{Kind: Integer, Bits: 64}}
	const seen = 70_000
	value := make([]Value, seen)
	for i := range value {
		value[i].Int = int64(seen - 1 - i)
	}
	of := NewAlphabet(c.Type, value, false)
	for _, entries := range []int{0, 1, 500, 1<<16 - 1, 1 << 16, seen + 5} {
		l, n := newLetters(c, of), newCounter(c)
		for from := range 30 {
			v := Values{Type: CellType{Form: IntegerCells}, Entries: entries, Source: oneCell{}}
			for i := range 1000 {
				v.Code = append(v.Code, int32((from*997+i*i)%seen)-1)
			}
			dst := make([]int32, len(v.Code))
			if _, err := l.put(dst, &v); err != nil {
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
		two := make([]int32, 2)
		negative, err := l.put(two, &Values{Type: CellType{Form: IntegerCells}, Code: []int32{1, seen}, Entries: entries,
			Source: oneCell{}})
		if !negative || err != nil || two[0] != seen-2 || !isUnseen(two[1]) {
			t.Errorf("%d entries: %v, %t, %v", entries, two, negative, err)
		}
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
