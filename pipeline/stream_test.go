package pipeline_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// A streamedRow has a private value, "" for null, its stratum, and its place in the
// order in which it comes.
type streamedRow struct {
	X *string `parquet:"x,optional"`
	W string  `parquet:"w"`
	I int64   `parquet:"i"`
}

func streamedRows(n int, nulls bool) []streamedRow {
	r := rand.New(rand.NewPCG(19, 7))
	rows := make([]streamedRow, n)
	for i := range rows {
		x := string("aabcd"[r.IntN(5)])
		rows[i] = streamedRow{&x, string("st"[r.IntN(2)]), int64(i)}
		if nulls && r.IntN(9) == 0 {
			rows[i].X = nil
		}
	}
	return rows
}

// arrowStream are the rows as a stream; the dictionary of w is another one in every
// second record batch.
func arrowStream(t *testing.T, rows []streamedRow, size int) []byte {
	t.Helper()
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "w", Type: dict}, {Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	for at := 0; at < len(rows); at += size {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		values, order := array.NewStringBuilder(memory.DefaultAllocator), []string{"s", "t"}
		if at/size%2 == 1 {
			order = []string{"t", "s"}
		}
		values.AppendValues(order, nil)
		must(t, b.Field(1).(*array.BinaryDictionaryBuilder).InsertStringDictValues(values.NewStringArray()))
		for _, row := range rows[at:min(at+size, len(rows))] {
			if row.X == nil {
				b.Field(0).AppendNull()
			} else {
				b.Field(0).(*array.StringBuilder).Append(*row.X)
			}
			must(t, b.Field(1).(*array.BinaryDictionaryBuilder).AppendString(row.W))
			b.Field(2).(*array.Int64Builder).Append(row.I)
		}
		must(t, w.Write(b.NewRecordBatch()))
	}
	must(t, w.Close())
	return out.Bytes()
}

// fromStream are the rows of a stream.
func fromStream(t *testing.T, stream io.Reader) (rows []streamedRow) {
	t.Helper()
	r, err := ipc.NewReader(stream)
	must(t, err)
	for r.Next() {
		b := r.RecordBatch()
		for i := range int(b.NumRows()) {
			row := streamedRow{nil, b.Column(1).ValueStr(i), b.Column(2).(*array.Int64).Value(i)}
			if x := b.Column(0).ValueStr(i); !b.Column(0).IsNull(i) {
				row.X = &x
			}
			rows = append(rows, row)
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return rows
}

// labelOf names a value in lists of labels, null last.
func labelOf(labels []string, x *string) int {
	for i, l := range labels {
		if x != nil && l == *x {
			return i
		}
	}
	return len(labels)
}

// TestStreamDraws: whoever counts the pairs of a stream finds the mechanism of the plan,
// in every stratum, and the other columns as they were. It fails with a chance of 1e-9
// for a stream that is right: there are fewer than 100 pairs, and 6.7 standard
// deviations are passed with one of 2e-11.
func TestStreamDraws(t *testing.T) {
	for _, o := range []pipeline.Options{
		{}, {Strata: "w"}, {Null: "draw"}, {Null: "public"},
	} {
		rows := streamedRows(60_000, o.Null != "")
		o.Input, o.Column, o.MaxFactor = parquetOf(t, rows), "x", "2"
		o.Utility, o.WritePlan = "ordered:a,b,c,d", filepath.Join(t.TempDir(), "plan.json")
		if o.Null == "draw" {
			order := filepath.Join(t.TempDir(), "order.csv")
			o.Utility = "matrix:" + order
			err := os.WriteFile(order, []byte(",a,b,c,d\na,3,2,1,0\nb,2,3,2,1\nc,1,2,3,2\nd,0,1,2,3\n,1,1,1,1\n"), 0o600)
			must(t, err)
		}
		if _, _, err := pipeline.Design(context.Background(), o); err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		p, err := decide.LoadPlan(o.WritePlan)
		must(t, err)
		var out bytes.Buffer
		done, err := pipeline.Stream(context.Background(), pipeline.Options{Input: "-", Output: "-", Plan: o.WritePlan,
			PartOfPlan: true}, bytes.NewReader(arrowStream(t, rows, 7001)), &out)
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		got := fromStream(t, &out)
		if len(got) != len(rows) || done.Rows != int64(len(rows)) || done.Batches != 9 {
			t.Fatalf("%d rows of %d came out, and %d in %d batches are told of", len(got), len(rows), done.Rows, done.Batches)
		}
		pairs, records := map[[3]int]float64{}, map[[2]int]float64{}
		for i, row := range rows {
			if got[i].W != row.W || got[i].I != row.I {
				t.Fatalf("%+v: row %d has other neighbours", o, i)
			}
			group := 0
			if o.Strata != "" && row.W == "t" {
				group = 1
			}
			if row.X == nil && o.Null == "public" {
				if got[i].X != nil {
					t.Fatal("a public null is replaced")
				}
				continue
			}
			x, y := labelOf(p.Inputs.Label, row.X), labelOf(p.Outputs.Label, got[i].X)
			pairs[[3]int{group, x, y}]++
			records[[2]int{group, x}]++
		}
		for g := range p.Groups {
			for x := range p.Inputs.Len() {
				row, n := p.Groups[g].Mechanism.Row(x), records[[2]int{g, x}]
				for at, y := range row.Output {
					weight := int64(1)
					if row.Weight != nil {
						weight = row.Weight[at]
					}
					chance := float64(weight) / float64(row.Total)
					off := math.Abs(pairs[[3]int{g, x, int(y)}]-n*chance) / math.Sqrt(n*chance*(1-chance)+1)
					if !(off <= 6.7) {
						t.Errorf("%+v: group %d, value %d gives output %d %.1f standard deviations off", o, g, x, y, off)
					}
					delete(pairs, [3]int{g, x, int(y)})
				}
			}
		}
		if len(pairs) > 0 {
			t.Errorf("%+v: outputs that the plan forbids: %v", o, pairs)
		}
	}
}

// TestStreamKeyed: the rows of a stream with a run key are those of docs/draws.md, in
// pieces of a record batch.
func TestStreamKeyed(t *testing.T) {
	rows, folder := streamedRows(9000, false), t.TempDir()
	o := pipeline.Options{Input: parquetOf(t, rows), Column: "x", MaxFactor: "2", Strata: "w", Utility: "ordered:a,b,c,d",
		WritePlan: filepath.Join(folder, "plan.json")}
	if _, _, err := pipeline.Design(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	p, err := decide.LoadPlan(o.WritePlan)
	must(t, err)
	k, err := key.New(key.Run, "2026-11-23T00:00:00Z")
	must(t, err)
	o = pipeline.Options{Input: "-", Output: "-", Plan: o.WritePlan, PartOfPlan: true, Shard: "3/7"}
	o.RunKey, o.RunID = filepath.Join(folder, "key"), "tonight"
	must(t, os.WriteFile(o.RunKey, k.Text(), 0o600))
	var out bytes.Buffer
	if _, err := pipeline.Stream(context.Background(), o, bytes.NewReader(arrowStream(t, rows, 5000)), &out); err != nil {
		t.Fatal(err)
	}
	got := fromStream(t, &out)
	hash, err := hex.DecodeString(p.Hash)
	must(t, err)
	laws, law := p.Laws()
	for _, piece := range [][2]int{{0, 4096}, {4096, 5000}, {5000, 9000}} {
		var text, groups []byte
		of, at := make([][]int32, len(laws)), make([][]int, len(laws)) // by mechanism, its values and rows
		for i, r := range rows[piece[0]:piece[1]] {
			x := labelOf(p.Inputs.Label, r.X)
			g := slices.IndexFunc(p.Groups, func(g plan.Group) bool { return g.Names[0].Text == r.W })
			text, groups = binary.BigEndian.AppendUint32(text, uint32(x)), binary.BigEndian.AppendUint32(groups, uint32(g))
			of[law[g]], at[law[g]] = append(of[law[g]], int32(x)), append(at[law[g]], piece[0]+i)
		}
		run := draw.Run{Key: draw.KeyOf([32]byte(k.Secret())), ID: "tonight", Path: "3/7",
			Content: sha256.Sum256(append(text, groups...))}
		for m, letters := range of {
			draw.NewTable(laws[m]).Draw(run.Streams([32]byte(hash), "x").Unit(piece[0], m), letters)
			for i, row := range at[m] {
				if want := p.Outputs.Label[letters[i]]; *got[row].X != want {
					t.Fatalf("row %d is %q, not %q", row, *got[row].X, want)
				}
			}
		}
	}
}

// TestStreamEnds: a stream ends with its context, although nothing more comes.
func TestStreamEnds(t *testing.T) {
	rows := streamedRows(3000, false)
	o := pipeline.Options{Input: parquetOf(t, rows), Column: "x", MaxFactor: "2", Utility: "ordered:a,b,c,d",
		WritePlan: filepath.Join(t.TempDir(), "plan.json")}
	if _, _, err := pipeline.Design(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	in, feed := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		stream := arrowStream(t, rows, 500)
		feed.Write(stream[:len(stream)/2])
	}()
	begun := writerFunc(func(b []byte) (int, error) {
		time.AfterFunc(50*time.Millisecond, stop) // once all that came is written
		return len(b), nil
	})
	_, err := pipeline.Stream(ctx, pipeline.Options{Input: "-", Output: "-", Plan: o.WritePlan, PartOfPlan: true}, in,
		begun)
	if f := fault.As(err); f == nil || f.What != "interrupted; the output is cut off and must not be used" {
		t.Errorf("it ends with %v", err)
	}
	feed.Close()
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
