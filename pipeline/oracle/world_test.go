package oracle_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"
)

// Heaps of tests are small: to collect them seldom saves a fifth of the time.
var _ = debug.SetGCPercent(400)

// A record is a row of a tiny file: three columns that may be private, a
// stratum, an id and a person.
type record struct {
	V      *string `parquet:"v,optional" json:"v"`
	U      *string `parquet:"u,optional" json:"u"`
	W      *string `parquet:"w,optional" json:"w"`
	S      string  `parquet:"s" json:"s"`
	ID     int64   `parquet:"id" json:"id"`
	Person string  `parquet:"person" json:"person"`
}

// cells are the private columns of a record by name.
func (r record) cell(column string) string {
	p := map[string]*string{"v": r.V, "u": r.U, "w": r.W}[column]
	if p == nil {
		return null
	}
	return *p
}

// null stands for a cell that is null.
const null = "\x00"

// letters are the values of the private columns.
const letters = "abcde"

// A world makes tiny files of records whose values change from night to night.
type world struct {
	r      *rand.Rand
	n      int  // letters in use
	nulls  bool // some cells are null
	strata []string
	rows   []record
	next   int64
}

// newWorld has 6 to 40 records over 2 to 5 letters with unequal shares; small
// shares are likely, since bounds fail there.
func newWorld(r *rand.Rand, nulls bool, strata int) *world {
	w := &world{r: r, n: 2 + r.IntN(4), nulls: nulls}
	for i := range max(1, strata) {
		w.strata = append(w.strata, fmt.Sprintf("s%d", i))
	}
	for range 6 + r.IntN(35) {
		w.come()
	}
	return w
}

// come adds a record. Its letter depends on its stratum in half of the worlds.
func (w *world) come() {
	at := w.r.IntN(len(w.strata))
	x := w.letter(at)
	r := record{V: x, S: w.strata[at], ID: w.next, Person: fmt.Sprintf("p%d", w.next/2)}
	if r.U = w.letter(0); w.r.IntN(3) == 0 {
		r.U = x // depends on the first column
	}
	r.W = w.letter(0)
	w.next++
	w.rows = append(w.rows, r)
}

// letter is one of the letters, skewed towards one that a stratum prefers.
func (w *world) letter(stratum int) *string {
	if w.nulls && w.r.IntN(5) == 0 {
		return nil
	}
	i := min(w.r.IntN(w.n), w.r.IntN(w.n+1))
	if w.r.IntN(2) == 0 {
		i = (i + stratum) % w.n
	}
	s := letters[i : i+1]
	return &s
}

// night lets some letters change, and some records come and go.
func (w *world) night() {
	for i := range w.rows {
		if w.r.IntN(6) == 0 {
			w.rows[i].V = w.letter(0)
		}
	}
	if w.r.IntN(2) == 0 {
		w.come()
	}
	if len(w.rows) > 6 && w.r.IntN(2) == 0 {
		at := w.r.IntN(len(w.rows))
		w.rows = append(w.rows[:at:at], w.rows[at+1:]...)
	}
	w.r.Shuffle(len(w.rows), func(i, j int) { w.rows[i], w.rows[j] = w.rows[j], w.rows[i] })
}

// write writes the records as Parquet, as an Arrow file or as CSV.
func (w *world) write(t *testing.T, dir, format string) string {
	t.Helper()
	path := filepath.Join(dir, "in")
	var b bytes.Buffer
	var err error
	switch format {
	case "arrow":
		err = w.arrow(&b)
	case "csv":
		w.csv(&b)
	default:
		err = parquet.Write(&b, w.rows, parquet.MaxRowsPerRowGroup(int64(1+len(w.rows)/2)))
	}
	must(t, errors.Join(err, os.WriteFile(path, b.Bytes(), 0o666)))
	return path
}

// csv writes all texts in quotes, which nulls have not.
func (w *world) csv(b *bytes.Buffer) {
	b.WriteString("v,u,w,s,id,person\n")
	for _, r := range w.rows {
		for _, p := range []*string{r.V, r.U, r.W, &r.S} {
			if p != nil {
				fmt.Fprintf(b, "\"%s\"", strings.ReplaceAll(*p, "\"", "\"\""))
			}
			b.WriteString(",")
		}
		fmt.Fprintf(b, "%d,\"%s\"\n", r.ID, r.Person)
	}
}

func (w *world) arrow(b *bytes.Buffer) error {
	text := func(name string) arrow.Field {
		return arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	schema := arrow.NewSchema([]arrow.Field{text("v"), text("u"), text("w"), text("s"),
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, text("person")}, nil)
	rows, err := json.Marshal(w.rows)
	if err != nil {
		return err
	}
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, bytes.NewReader(rows))
	if err != nil {
		return err
	}
	out, err := ipc.NewFileWriter(b, ipc.WithSchema(schema))
	if err != nil {
		return err
	}
	return errors.Join(out.Write(rec), out.Close())
}

// matrix writes a random order over the letters: distances of points on a line,
// or any whole utilities.
func (w *world) matrix(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("x")
	for y := range letters {
		b.WriteString("," + letters[y:y+1])
	}
	line := w.r.IntN(2) == 0
	for x := range letters {
		b.WriteString("\n" + letters[x:x+1])
		for y := range letters {
			u := 10 - w.r.IntN(8)
			if line {
				u = -max(x-y, y-x)
			}
			if x == y {
				u = 11
			}
			fmt.Fprintf(&b, ",%d", u)
		}
	}
	path := filepath.Join(dir, "order.csv")
	must(t, os.WriteFile(path, []byte(b.String()+"\n"), 0o666))
	return path
}

// published reads a file that was published, whatever its format.
func published(t *testing.T, path string) []record {
	t.Helper()
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return publishedSet(t, path)
	}
	data := bytesOf(t, path)
	var all arrow.Table
	var err error
	switch {
	case bytes.HasPrefix(data, []byte("PAR1")):
		all, err = pqarrow.ReadTable(t.Context(), bytes.NewReader(data), nil, pqarrow.ArrowReadProperties{},
			memory.DefaultAllocator)
	case bytes.HasPrefix(data, []byte("ARROW1")):
		all, err = arrowTable(data)
	default:
		return publishedCSV(t, data)
	}
	must(t, err)
	rows := make([]record, all.NumRows())
	for c := range int(all.NumCols()) {
		k := 0
		for _, chunk := range all.Column(c).Data().Chunks() {
			for i := range chunk.Len() {
				if !chunk.IsNull(i) {
					rows[k].set(all.Column(c).Name(), chunk.ValueStr(i))
				}
				k++
			}
		}
	}
	return rows
}

func arrowTable(data []byte) (arrow.Table, error) {
	in, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var all []arrow.RecordBatch
	for i := range in.NumRecords() {
		rec, err := in.RecordBatchAt(i)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return array.NewTableFromRecords(in.Schema(), all), nil
}

// publishedCSV takes an empty cell for a null: no value of a world is the empty text.
func publishedCSV(t *testing.T, data []byte) (rows []record) {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	must(t, err)
	for _, row := range all[1:] {
		var r record
		for i, cell := range row {
			if cell != "" {
				r.set(all[0][i], cell)
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// set fills in a cell.
func (r *record) set(name, s string) {
	switch name {
	case "v":
		r.V = &s
	case "u":
		r.U = &s
	case "w":
		r.W = &s
	case "s":
		r.S = s
	case "id":
		fmt.Sscan(s, &r.ID)
	case "person":
		r.Person = s
	}
}

// must ends a test where something fails that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
