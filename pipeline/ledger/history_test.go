package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var about = About{Ledger: "l", Dataset: "d", Column: "c", Population: "p", Names: "k"}

func record(i int) Record {
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64(nil, uint64(i)))
	return Record(sum[:16])
}

func openHistory(t testing.TB, path, sha string, a About) *History {
	t.Helper()
	h, err := New(a)
	if path != "" {
		h, err = OpenHistory(path, sha, a)
	}
	ok(t, err)
	return h
}

func channel(t testing.TB, h *History, i int) uint16 {
	t.Helper()
	c, err := h.Channel(Channel{fmt.Sprint("design ", i), "key", "draw"})
	ok(t, err)
	return c
}

// A model is a history as one would write it down.
type model struct {
	night   int
	records map[Record][]RecordEntry
}

// publish adds what a night published; its list may hold a record more than
// once.
func (m *model) publish(night int, list []published) Tally {
	var t Tally
	before := map[Record][]RecordEntry{}
	for r, list := range m.records {
		before[r] = slices.Clone(list)
	}
	list = slices.Clone(list)
	isNew := func(p published) int {
		if slices.ContainsFunc(before[p.Record], func(e RecordEntry) bool {
			return e.Channel == p.channel &&
				e.Output == p.output
		}) {
			return 0
		}
		return 1
	}
	slices.SortFunc(list, func(a, b published) int { // known ones are seen again, new ones follow in this order
		if c := isNew(a) - isNew(b); c != 0 {
			return c
		}
		return int(a.channel)<<16 + int(a.output) - int(b.channel)<<16 - int(b.output)
	})
	seen := map[Record]bool{}
	for _, p := range list {
		seen[p.Record] = true
		es := m.records[p.Record]
		i := slices.IndexFunc(es, func(e RecordEntry) bool { return e.Channel == p.channel && e.Output == p.output })
		if i >= 0 {
			es[i].Last = uint16(night)
			continue
		}
		var same []int
		for i, e := range es {
			if e.Channel == p.channel {
				same = append(same, i)
			}
		}
		if len(same) >= limit {
			es = slices.Delete(es, same[len(same)-1], same[len(same)-1]+1)
		}
		m.records[p.Record] = append(es, RecordEntry{p.channel, p.output, uint16(night), uint16(night)})
	}
	for r, es := range m.records {
		t.Records++
		t.Entries += int64(len(es))
		if !seen[r] && slices.ContainsFunc(es, func(e RecordEntry) bool { return int(e.Last) == m.night }) {
			t.Vanished++
		}
		if before[r] == nil {
			t.New++
		}
	}
	m.night = night
	return t
}

type published struct {
	Record
	channel, output uint16
}

// TestAgainstModel: nights of records that come, go, change, and are drawn by
// new designs, with several outputs of one record in one night.
func TestAgainstModel(t *testing.T) {
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(1, seed))
		m := &model{records: map[Record][]RecordEntry{}}
		path, sha := "", ""
		for night := 1; night <= 24; night += 1 + rng.IntN(2) {
			h := openHistory(t, path, sha, about)
			channels := []uint16{channel(t, h, night/8), channel(t, h, night/8+1)}
			ok(t, h.Begin(night))
			var list []published
			for i := range 300 + 40*night {
				for n := rng.IntN(3); n > 0; n-- {
					list = append(list, published{record(i), channels[rng.IntN(8)/7], []uint16{0, 1, 2, Null}[rng.IntN(4)]})
				}
			}
			rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			for _, p := range list {
				at := find(h, p.Record)
				past, want := h.Past(at, nil), m.records[p.Record]
				if fmt.Sprint(outputs(past)) != fmt.Sprint(outputs(want)) {
					t.Fatalf("night %d: past is %v, want %v", night, past, want)
				}
				h.Publish(&p.Record, at, p.channel, p.output)
			}
			want := m.publish(night, list)
			want.Base, want.File = sha, "x"+Suffix
			path = filepath.Join(t.TempDir(), "x"+Suffix)
			got := write(t, h, path, m)
			sha, want.SHA256 = got.SHA256, got.SHA256
			if got != want {
				t.Fatalf("night %d: tally\n%+v, want\n%+v", night, got, want)
			}
			other := openHistory(t, path, sha, about) // and in another order of rows
			if other.Night() != night || other.meta.Records != want.Records {
				t.Errorf("it says night %d, %d records", other.Night(), other.meta.Records)
			}
			names := slices.Collect(maps.Keys(m.records))
			for i := range 100 { // beside some that it does not have
				names = append(names, record(-1-i))
			}
			for _, r := range names {
				if got := other.Past(find(other, r), nil); !slices.Equal(got, m.records[r]) {
					t.Fatalf("read again: %v, want %v", got, m.records[r])
				}
			}
		}
	}
}

// find looks up one record.
func find(h *History, r Record) Place {
	at := [1]Place{1} // of whoever was looked up before
	h.Find([]Record{r}, at[:])
	return at[0]
}

func outputs(list []RecordEntry) (out [][2]uint16) {
	for _, e := range list {
		out = append(out, [2]uint16{e.Channel, e.Output})
	}
	return out
}

// write writes h and compares what each sees with the model.
func write(t *testing.T, h *History, path string, m *model) Tally {
	t.Helper()
	seen := map[Record][]RecordEntry{}
	var last Record
	tally, err := h.Write(path, func(r *Record, list []RecordEntry) error {
		if string(last[:]) >= string(r[:]) {
			t.Error("records out of order")
		}
		last = *r
		seen[*r] = slices.Clone(list)
		return nil
	})
	ok(t, err)
	if !maps.EqualFunc(seen, m.records, slices.Equal) {
		t.Errorf("%d records are not those of the model, %d", len(seen), len(m.records))
	}
	return tally
}

// TestOrderAndThreads: the file depends on neither.
func TestOrderAndThreads(t *testing.T) {
	var sums []string
	for _, threads := range []int{1, 4} {
		path, sha := "", ""
		for night := 1; night <= 3; night++ {
			h := openHistory(t, path, sha, about)
			c := channel(t, h, 0)
			ok(t, h.Begin(night))
			var wg sync.WaitGroup
			for g := range threads {
				wg.Go(func() {
					for i := range 5000 {
						at := (i * 7919) % 5000 / 2 // twice each
						r := record(at)
						if at%threads != g {
							continue
						}
						h.Publish(&r, find(h, r), c, uint16(i*7919%5000%2*(night%2)))
					}
				})
			}
			wg.Wait()
			path = filepath.Join(t.TempDir(), "x"+Suffix)
			tally, err := h.Write(path, nil)
			ok(t, err)
			sha = tally.SHA256
		}
		sums = append(sums, sha)
	}
	if sums[0] != sums[1] {
		t.Errorf("one thread gives %s, four give %s", sums[0], sums[1])
	}
}

// TestDamaged: a file with any byte changed is refused, and where somebody
// gives it a sound hash it is refused or read, without a panic.
func TestDamaged(t *testing.T) {
	h := openHistory(t, "", "", about)
	c := channel(t, h, 0)
	ok(t, h.Begin(2))
	for i := range 5 {
		r := record(i)
		h.Publish(&r, find(h, r), c, 1)
		h.Publish(&r, find(h, r), c, 2)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "x"+Suffix)
	tally, err := h.Write(path, nil)
	ok(t, err)
	file, err := os.ReadFile(path)
	ok(t, err)
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	try := func(data []byte) error {
		ok(t, os.WriteFile(path, data, 0o600))
		if _, err := OpenHistory(path, tally.SHA256, about); err == nil {
			t.Error("a changed file was taken")
		}
		sum := sha256.Sum256(data)
		h, err := OpenHistory(path, hex.EncodeToString(sum[:]), about)
		if err == nil {
			r := record(3)
			h.Past(find(h, r), nil)
		}
		return err
	}
	refused := 0
	for i := range file {
		for _, x := range []byte{1, 0x80} {
			data := slices.Clone(file)
			data[i] ^= x
			if try(data) != nil {
				refused++
			}
		}
		if try(file[:i]) == nil || try(file[i+1:]) == nil {
			t.Errorf("a file cut at %d was taken", i)
		}
	}
	twice := slices.Clone(file) // the second record has the name of the first
	copy(twice[len(magic)+recordHead+2*entrySize:], twice[len(magic):][:16])
	backward := slices.Clone(file) // an entry first seen before the one before it
	backward[len(magic)+recordHead+entrySize+4] = 1
	if try(twice) == nil || try(backward) == nil {
		t.Error("a record named twice or an entry out of order was taken")
	}
	if refused < len(file)*2/3 {
		t.Errorf("only %d of %d changes broke a rule of the format", refused, 2*len(file))
	}
	ok(t, os.WriteFile(path, file, 0o600))
	for says, spoil := range map[string]func(*About){
		"named by key k, and this is key k2": func(a *About) { a.Names = "k2" },
		"of another ledger":                  func(a *About) { a.Ledger = "l2" },
		"of another ledger, dataset, column": func(a *About) { a.Column = "c2" },
		"dataset, column or population":      func(a *About) { a.Population = "" },
	} {
		a := about
		spoil(&a)
		if _, err := OpenHistory(path, tally.SHA256, a); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("says %v, want %q", err, says)
		}
	}
	if _, err := OpenHistory(filepath.Join(dir, "nowhere"), tally.SHA256, about); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestNights(t *testing.T) {
	h := openHistory(t, "", "", about)
	for _, night := range []int{-1, 0, 65536} {
		if h.Begin(night) == nil {
			t.Errorf("night %d began", night)
		}
	}
	if err := h.Begin(65535); err != nil {
		t.Error(err)
	}
}

// TestNothingPublished: an empty night is a history, too.
func TestNothingPublished(t *testing.T) {
	h := openHistory(t, "", "", about)
	ok(t, h.Begin(1))
	path := filepath.Join(t.TempDir(), "x"+Suffix)
	tally, err := h.Write(path, nil)
	if err != nil || tally.Records != 0 {
		t.Fatal(tally, err)
	}
	r := record(1)
	if h := openHistory(t, path, tally.SHA256, about); len(h.Past(find(h, r), nil)) > 0 || h.Night() != 1 {
		t.Error("a record out of nothing")
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"1.history", "2.history", "3.history", "lock", "other"} {
		ok(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	ok(t, Sweep(dir, []string{"2.history"}))
	left, _ := filepath.Glob(dir + "/*")
	if len(left) != 3 || filepath.Base(left[0]) != "2.history" {
		t.Errorf("left: %v", left)
	}
}
