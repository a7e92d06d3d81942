package pipeline_test

import (
	"bufio"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// Heaps of tests are small: to collect them seldom saves a fifth of the time.
var _ = debug.SetGCPercent(400)

// A world is records, numbered by their ids, whose letters change and which
// come and go. All its memory is taken at the start.
type world struct {
	r      *rand.Rand
	letter []byte // place in kinds by id; gone where the record is
	next   int    // id of the next record
	rows   []pair
}

// gone is the letter of a record that is not there.
const gone = 0xff

// A pair is a record as it stands in a file.
type pair struct {
	ID int64  `parquet:"id"`
	X  string `parquet:"x,dict"`
}

// newWorld has n records and room for as many as come in some nights.
func newWorld(n, nights int, seed uint64) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, 7)), letter: make([]byte, 0, n+nights*(n/500+10)),
		rows: make([]pair, 0, 2*n)}
	for range n {
		w.come()
	}
	return w
}

func (w *world) come() {
	w.letter = append(w.letter, byte(strings.Index(kinds, letterOf(w.r))))
	w.next++
}

// night lets a share of letters change, a tenth of it of records come, and as
// many go.
func (w *world) night(share float64) {
	for id := range w.next {
		if w.letter[id] == gone {
			continue
		}
		if w.r.Float64() < share {
			w.letter[id] = byte(strings.Index(kinds, letterOf(w.r)))
		}
		if w.r.Float64() < share/10 {
			w.letter[id] = gone
			w.come()
		}
	}
}

// write writes the records of tonight in any order.
func (w *world) write(t *testing.T, path string) {
	t.Helper()
	w.rows = w.rows[:0]
	for id, x := range w.letter {
		if x != gone {
			w.rows = append(w.rows, pair{int64(id), kinds[x : x+1]})
		}
	}
	w.r.Shuffle(len(w.rows), func(i, j int) { w.rows[i], w.rows[j] = w.rows[j], w.rows[i] })
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := bufio.NewWriter(f)
	out := parquet.NewGenericWriter[pair](b, parquet.MaxRowsPerRowGroup(int64(1+len(w.rows)/3)))
	_, err = out.Write(w.rows)
	if err := errors.Join(err, out.Close(), b.Flush()); err != nil {
		t.Fatal(err)
	}
}

// eachPair calls f with the records of a file as it was published, and the
// place of the output in kinds.
func eachPair(t *testing.T, path string, f func(id int64, y byte)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in := parquet.NewGenericReader[pair](file)
	defer in.Close()
	rows := make([]pair, 1000)
	for {
		n, err := in.Read(rows)
		for _, r := range rows[:n] {
			y := strings.Index(kinds, r.X)
			if y < 0 || len(r.X) != 1 {
				t.Fatalf("record %d is published as %q", r.ID, r.X)
			}
			f(r.ID, byte(y))
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
