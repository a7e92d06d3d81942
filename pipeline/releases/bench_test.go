package releases

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// BenchmarkByID is one pass over a file that reads ids and draws by them.
func BenchmarkByID(b *testing.B) {
	const records = 1_000_000
	type row struct {
		ID int64  `parquet:"id,snappy"`
		X  string `parquet:"x,dict,snappy"`
	}
	ctx, dir := context.Background(), b.TempDir()
	rng, rows := rand.New(rand.NewPCG(1, 1)), make([]row, records)
	for i := range rows {
		at := min(rng.IntN(10), rng.IntN(14))
		rows[i] = row{rng.Int64N(1e8), "ABCDEFGHIJ"[at : at+1]}
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, parquet.MaxRowsPerRowGroup(250_000))
	if _, err := w.Write(rows); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	k, err := key.New(key.Draw, "2026-01-31T12:00:00Z")
	if err != nil {
		b.Fatal(err)
	}
	o := &request.Options{Input: filepath.Join(dir, "in"), Column: "x", Utility: "ordered:A,B,C,D,E,F,G,H,I,J",
		Epsilon: "0.9", Threads: 1,
		Repeat: request.Repeat{RecordID: []string{"id"}, KeyFile: filepath.Join(dir, "key")}}
	if err := os.WriteFile(o.Input, file.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	if err := key.Write(o.KeyFile, k); err != nil {
		b.Fatal(err)
	}
	reading, err := o.Reading()
	if err != nil {
		b.Fatal(err)
	}
	m, err := NewMemo(&o.Repeat, o.Column)
	if err != nil {
		b.Fatal(err)
	}
	s, err := count.Open(b.Context(), reading, []string{o.Column})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.Scan(ctx); err != nil {
		b.Fatal(err)
	}
	one := s.Private[0]
	d, err := count.NewDomain(o.Letters(), one.Counted())
	if err != nil {
		b.Fatal(err)
	}
	asked, err := o.Decision()
	if err != nil {
		b.Fatal(err)
	}
	if err := d.Group(ctx, asked, one); err != nil {
		b.Fatal(err)
	}
	p, err := decide.Plan(ctx, asked, d)
	if err != nil {
		b.Fatal(err)
	}
	if err := m.Follow(p); err != nil {
		b.Fatal(err)
	}
	began := processorTime()
	for b.Loop() {
		err := one.EachBatch(ctx, func() (func(*table.Batch) error, func()) {
			h := m.Hand()
			return func(batch *table.Batch) error {
				_, err := h.Draw(batch, nil)
				return err
			}, func() {}
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((processorTime()-began)/float64(b.N)/records, "ns-CPU/record")
}

// processorTime is what this process took, in ns.
func processorTime() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano() + u.Stime.Nano())
}
