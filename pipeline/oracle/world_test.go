package oracle_test

import (
	"bytes"
	"encoding/csv"
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
	"github.com/parquet-go/parquet-go"
)

// Heaps of tests are small: to collect them seldom saves a fifth of the time.
var _ = debug.SetGCPercent(400)

// A record is a row of a tiny file: three columns that may be private, a
// stratum, an id and a person.
type record struct {
	V      *string `parquet:"v,optional"`
	U      *string `parquet:"u,optional"`
	W      *string `parquet:"w,optional"`
	S      string  `parquet:"s"`
	ID     int64   `parquet:"id"`
	Person string  `parquet:"person"`
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

// write writes the records as Parquet, or as an Arrow file.
func (w *world) write(t *testing.T, dir, format string) string {
	t.Helper()
	path := filepath.Join(dir, "in")
	var b bytes.Buffer
	switch format {
	case "arrow":
		w.arrow(t, &b)
	case "csv":
		w.csv(&b)
	default:
		out := parquet.NewGenericWriter[record](&b, parquet.MaxRowsPerRowGroup(int64(1+len(w.rows)/2)))
		if _, err := out.Write(w.rows); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
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

func (w *world) arrow(t *testing.T, b *bytes.Buffer) {
	t.Helper()
	text := func(name string) arrow.Field {
		return arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	schema := arrow.NewSchema([]arrow.Field{text("v"), text("u"), text("w"), text("s"),
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, text("person")}, nil)
	rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer rb.Release()
	for _, r := range w.rows {
		for i, p := range []*string{r.V, r.U, r.W, &r.S, nil, &r.Person} {
			switch f := rb.Field(i).(type) {
			case *array.StringBuilder:
				if p == nil {
					f.AppendNull()
				} else {
					f.Append(*p)
				}
			case *array.Int64Builder:
				f.Append(r.ID)
			}
		}
	}
	rec := rb.NewRecordBatch()
	defer rec.Release()
	out, err := ipc.NewFileWriter(b, ipc.WithSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
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
	if err := os.WriteFile(path, []byte(b.String()+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// published reads a file that was published, whatever its format.
func published(t *testing.T, path string) []record {
	t.Helper()
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return publishedSet(t, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.HasPrefix(data, []byte("PAR1")) {
		return publishedParquet(t, data)
	}
	if !bytes.HasPrefix(data, []byte("ARROW1")) {
		return publishedCSV(t, data)
	}
	in, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var rows []record
	for i := range in.NumRecords() {
		rec, err := in.RecordBatch(i)
		if err != nil {
			t.Fatal(err)
		}
		from := len(rows)
		rows = append(rows, make([]record, rec.NumRows())...)
		for c := range int(rec.NumCols()) {
			for k := range int(rec.NumRows()) {
				if rec.Column(c).IsNull(k) {
					continue
				}
				s := rec.Column(c).ValueStr(k)
				rows[from+k].set(rec.ColumnName(c), s)
			}
		}
	}
	return rows
}

// publishedCSV takes an empty cell for a null: no value of a world is the empty text.
func publishedCSV(t *testing.T, data []byte) (rows []record) {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
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

func publishedParquet(t *testing.T, data []byte) []record {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range f.Schema().Fields() {
		names = append(names, c.Name())
	}
	var rows []record
	for _, g := range f.RowGroups() {
		in := g.Rows()
		buf := make([]parquet.Row, 64)
		for {
			n, err := in.ReadRows(buf)
			for _, row := range buf[:n] {
				var r record
				for _, v := range row {
					if !v.IsNull() {
						r.set(names[v.Column()], v.String())
					}
				}
				rows = append(rows, r)
			}
			if err != nil {
				break
			}
		}
		in.Close()
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
