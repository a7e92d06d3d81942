package neighbours

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// Of a file that is larger than the last stage, cells are kept of the rows that are
// chosen, and keys of all rows of the values that are.
func TestSampleCells(t *testing.T) {
	type numbered struct {
		Private string `parquet:"private,dict"`
		ID      int64  `parquet:"id"`      // two rows each, in neighbouring row groups
		Small   int32  `parquet:"small"`   // few
		Text    string `parquet:"text"`    // many
		Dict    string `parquet:"as,dict"` // few
	}
	const rows, each = 300_000, 50_000
	var b bytes.Buffer
	w := parquet.NewGenericWriter[numbered](&b, parquet.MaxRowsPerRowGroup(each))
	all := make([]numbered, rows)
	for i := range all {
		all[i] = numbered{"p" + string(rune('a'+i%7)), int64(i - i/each%2*each), int32(i % 100), string(rune('a' + i%3000)),
			string(rune('a' + i%1000))}
	}
	if _, err := w.Write(all); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in := memory{bytes.NewReader(b.Bytes())}
	f, err := count.OpenFile(in, table.Request{Private: []string{"private"}})
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := f.Scan(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	prior := slices.Repeat([]float64{1. / 7}, 7)
	s, err := read(context.Background(), setOf(t, in), Request{Private: "private", Columns: f.Columns()[1:], Threads: 2,
		Prior: prior, Factor: 2}, a[0])
	if err != nil || s.every() || s.akin != below(kinRows, rows) || len(s.cell) < 129_000 || len(s.cell) > 141_000 {
		t.Fatalf("%d cells, %v", len(s.cell), err)
	}
	before := 0
	for _, p := range s.part {
		for i := p.from; i+1 < p.to; i++ {
			if s.number(i+1) < s.before {
				if _, kept := slices.BinarySearch(s.cell, int32(i)); !kept {
					t.Fatalf("row %d, before one of the first stage, has no cell", i)
				}
				before++
			}
		}
	}
	if before < 3500 {
		t.Errorf("%d rows of the first stage have one before them", before)
	}
	want := func(k, i int) uint64 {
		r := &all[i]
		return []uint64{uint64(r.ID) ^ 1<<63, uint64(r.Small) ^ 1<<63, Hash([]byte(r.Text)), Hash([]byte(r.Dict))}[k]
	}
	for k := range s.column {
		read, err := s.load(context.Background(), group{k})
		if err != nil {
			t.Fatal(err)
		}
		c := read[0]
		for cell, row := range s.cell {
			if c.null[cell] || c.key[cell] != want(k, int(row)) ||
				s.number(int(row)) >= s.picked && s.number(int(row)+1) >= s.before {
				t.Fatalf("column %d: cell %d is not that of row %d", k, cell, row)
			}
		}
		found := c.kin
		slices.SortFunc(found, func(a, b kin) int { return int(a.row - b.row) })
		at := 0
		for i := range all {
			if !s.whollyIn(want(k, i)) {
				continue
			}
			if at == len(found) || found[at] != (kin{want(k, i), int32(i)}) {
				t.Fatalf("column %d: row %d is not there", k, i)
			}
			at++
		}
		if at != len(found) {
			t.Fatalf("column %d: %d rows too many", k, len(found)-at)
		}
	}
}
