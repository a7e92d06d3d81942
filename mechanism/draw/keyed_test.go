package draw

import (
	"crypto/sha256"
	"math/big"
	"math/bits"
	"testing"
)

func binding(column string) Binding {
	return Binding{Record, sha256.Sum256([]byte("design")), column}
}

func someKey(b byte) Key { return KeyOf([32]byte{b}) }

// Every first and last place of every output, each with the least and the
// greatest word that leads there, against a search through the row.
func TestPlacesOfALaw(t *testing.T) {
	for name, m := range tables(t) {
		l := newLaw(m)
		for x := range m.Inputs() {
			row, r := m.Row(x), &l.row[x]
			if r.total != uint64(row.Total) || r.refuse != new(big.Int).Mod(new(big.Int).Lsh(big.NewInt(1), 64),
				big.NewInt(row.Total)).Uint64() {
				t.Fatalf("%s: row %d has total %d and refuses %d", name, x, r.total, r.refuse)
			}
			before := uint64(0)
			for i, y := range row.Output {
				last := before + uint64(row.At(i)) - 1
				for _, place := range []uint64{before, last} {
					for _, w := range wordsOf(place, r.total) {
						if got, _ := bits.Mul64(w, r.total); got != place {
							t.Fatalf("%s: word %d leads to %d, not %d", name, w, got, place)
						}
						if got := l.at(r, w, place); got != y {
							t.Errorf("%s: row %d, place %d of %d gives %d, want %d", name, x, place, r.total, got, y)
						}
					}
				}
				before = last + 1
			}
		}
	}
}

// wordsOf are the least and the greatest w with floor(w total / 2^64) = place.
func wordsOf(place, total uint64) []uint64 {
	at := func(p uint64) *big.Int {
		v := new(big.Int).Lsh(new(big.Int).SetUint64(p), 64)
		d := new(big.Int).SetUint64(total)
		return v.Add(v, d).Sub(v, big.NewInt(1)).Div(v, d)
	}
	end := at(place + 1)
	return []uint64{at(place).Uint64(), end.Sub(end, big.NewInt(1)).Uint64()}
}

func TestKeyedCallersBugs(t *testing.T) {
	m := tables(t)["mixed"]
	k := NewKeyed(someKey(1), binding("a"), m)
	var empty, reset, id ID
	reset.Reset()
	id.Text("1")
	for name, f := range map[string]func(){
		"no key":         func() { NewKeyed(Key{}, binding("a"), m) },
		"no unit":        func() { NewKeyed(someKey(1), Binding{}, m) },
		"empty id":       func() { k.Drawer().Draw(&empty, 0) },
		"reset id":       func() { k.Drawer().Draw(&reset, 0) },
		"unnamed":        func() { NewNames(someKey(1), Record, "p", "c").Namer().Name(&empty) },
		"unknown letter": func() { k.Drawer().Draw(&id, int32(m.Inputs())) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// Text is Part for a string.
func (id *ID) Text(text string) {
	id.length(len(text))
	id.b = append(id.b, text...)
}
