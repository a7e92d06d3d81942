package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"context"
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/tacet-privacy/tacet/io/publish"
)

// processorTime of this process, in nanoseconds.
func processorTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// benchmarkFile is the file of TACET_BENCH_PARQUET, which has a column origin
// as the flights have.
func benchmarkFile() string {
	if path := os.Getenv("TACET_BENCH_PARQUET"); path != "" {
		return path
	}
	return flights
}

// toNewFile runs write on a fresh output each time and reports the processor
// time per row, syncing left out.
func toNewFile(b *testing.B, rows, size int64, write func(out *publish.File) error) {
	b.Helper()
	dir := b.TempDir()
	var spent int64
	b.SetBytes(size)
	for b.Loop() {
		set := publish.NewSet()
		out, err := set.Add(publish.Target{Path: dir + "/out"})
		if err != nil {
			b.Fatal(err)
		}
		start := processorTime(b)
		if err := write(out); err != nil {
			b.Fatal(err)
		}
		spent += processorTime(b) - start
		if err := set.Abort(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(spent)/float64(b.N)/float64(rows), "cpu-ns/row")
}

func BenchmarkParquetRewrite(b *testing.B) {
	in, err := table.OpenLocal(benchmarkFile())
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	f, err := open(in, table.Request{Private: []string{"origin"}})
	if err != nil {
		b.Fatal(err)
	}
	alphabet, _, err := f.Scan(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	rows := int64(0)
	for _, n := range f.Units() {
		rows += n
	}
	b.Run("rewrite", func(b *testing.B) {
		toNewFile(b, rows, in.Size(), func(out *publish.File) error {
			return f.Rewrite(context.Background(), out, alphabet, alphabet, func(table.Batch) error { return nil })
		})
	})
	b.Run("copy", func(b *testing.B) {
		toNewFile(b, rows, in.Size(), func(out *publish.File) error {
			_, err := io.CopyBuffer(out.Writer(), io.NewSectionReader(in, 0, in.Size()), make([]byte, 1<<20))
			return err
		})
	})
}
