package draw

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
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

// Draws of many ids fit their rows at a false-alarm rate of 1e-9.
func TestKeyedLaw(t *testing.T) {
	m := tables(t)["mixed"]
	d := NewKeyed(someKey(1), binding("a"), m).Drawer()
	pairs := estimate.NewPairs(m.Inputs(), m.Outputs())
	var id ID
	in, out := make([]int32, 1), make([]int32, 1)
	for i := range 40000 {
		id.Reset()
		id.Int(int64(i))
		for x := range int32(m.Inputs()) {
			in[0], out[0] = x, d.Draw(&id, x)
			pairs.Add(in, out)
		}
	}
	if f := pairs.Fit(m); !f.Accepts(estimate.Alarm) {
		t.Errorf("%d draws do not fit: %+v", f.Records, f)
	}
}

// Two bindings, keys, letters or ids that differ in anything give independent
// draws: over 64 equally likely outputs 4000 of them agree 62.5 times, and
// more than 125 times with a chance below 1e-11 (Chernoff).
func TestKeyedDrawsDependOnEverything(t *testing.T) {
	all := make([]uint16, 64)
	for i := range all {
		all[i] = uint16(i)
	}
	m := design(t, 64, []mechanism.Row{mechanism.UniformRow(all), mechanism.UniformRow(all)})
	base := binding("a")
	person, other := base, base
	person.Unit, other.Design[31] = Person, other.Design[31]^1
	of := func(k Key, b Binding, x int32, fill func(*ID, int)) []int32 {
		d, out, id := NewKeyed(k, b, m).Drawer(), make([]int32, 4000), ID{}
		for i := range out {
			id.Reset()
			fill(&id, i)
			out[i] = d.Draw(&id, x)
		}
		return out
	}
	plain := func(id *ID, i int) { id.Int(int64(i)) }
	want := of(someKey(1), base, 0, plain)
	for name, got := range map[string][]int32{
		"key":       of(someKey(2), base, 0, plain),
		"column":    of(someKey(1), binding("b"), 0, plain),
		"design":    of(someKey(1), other, 0, plain),
		"unit":      of(someKey(1), person, 0, plain),
		"letter":    of(someKey(1), base, 1, plain),
		"id":        of(someKey(1), base, 0, func(id *ID, i int) { id.Int(int64(i + 1)) }),
		"more ids":  of(someKey(1), base, 0, func(id *ID, i int) { id.Int(int64(i)); id.Text("") }),
		"long ids":  of(someKey(1), base, 0, func(id *ID, i int) { id.Text(fmt.Sprintf("%0300d", i)) }),
		"longer id": of(someKey(1), base, 0, func(id *ID, i int) { id.Text(fmt.Sprintf("%0301d", i)) }),
	} {
		same := 0
		for i := range want {
			if got[i] == want[i] {
				same++
			}
		}
		if same > 125 {
			t.Errorf("another %s: %d of %d draws are the same", name, same, len(want))
		}
	}
}

// Rows in any order, from any goroutine, with any ids before them.
func TestKeyedDrawsDependOnNothingElse(t *testing.T) {
	m := tables(t)["unequal"]
	k := NewKeyed(someKey(3), binding("a"), m)
	const n = 5000
	want := make([]int32, n)
	d, id := k.Drawer(), ID{}
	for i := range want {
		id.Reset()
		id.Int(int64(i))
		want[i] = d.Draw(&id, int32(i%m.Inputs()))
	}
	var group sync.WaitGroup
	for g := range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			d, id := k.Drawer(), ID{}
			for _, i := range rand.New(rand.NewPCG(9, uint64(g))).Perm(n) {
				id.Reset()
				id.Text(fmt.Sprint(i))
				if got := d.Draw(&id, int32(i%m.Inputs())); got != want[i] {
					t.Errorf("record %d gives %d, and before %d", i, got, want[i])
					return
				}
			}
		}()
	}
	group.Wait()
	if d.Draw(&id, -1) != -1 {
		t.Error("a null outside the alphabet is not its own output")
	}
}

func TestKeyedCallersBugs(t *testing.T) {
	m := tables(t)["mixed"]
	k := NewKeyed(someKey(1), binding("a"), m)
	var empty, id ID
	id.Text("1")
	for name, f := range map[string]func(){
		"no key":         func() { NewKeyed(Key{}, binding("a"), m) },
		"no unit":        func() { NewKeyed(someKey(1), Binding{}, m) },
		"empty id":       func() { k.Drawer().Draw(&empty, 0) },
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
