package csv

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/io/table"
)

// BenchmarkFile makes each pass over 2^20 rows, with one thread.
func BenchmarkFile(b *testing.B) {
	const rows = 1 << 20
	r := rand.New(rand.NewPCG(1, 2))
	var in bytes.Buffer
	in.WriteString("date,delay,distance,origin,destination\n")
	for range rows {
		fmt.Fprintf(&in, "2001-%02d-%02d 00:01:00,%d,%d,A%02d,%c%c%c\n", 1+r.IntN(12), 1+r.IntN(28), r.IntN(99), r.IntN(3000),
			r.IntN(300)%90, 'A'+r.IntN(26), 'A'+r.IntN(26), 'A'+r.IntN(26))
	}
	request := table.Request{Private: []string{"origin"}, Threads: 1}
	file := text{bytes.NewReader(in.Bytes())}
	f, err := table.Open(file, request, Format)
	if err != nil {
		b.Fatal(err)
	}
	alphabet, _, err := f.Scan(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	nothing := func(table.Batch) error { return nil }
	for _, pass := range []struct {
		name string
		do   func() error
	}{
		{"Open", func() error { _, err := table.Open(file, request, Format); return err }},
		{"Scan", func() error { _, _, err := f.Scan(context.Background()); return err }},
		{"Read", func() error {
			for unit := range f.Units() {
				if err := f.Read(context.Background(), unit, alphabet, nothing); err != nil {
					return err
				}
			}
			return nil
		}},
		{"Rewrite", func() error { return f.Rewrite(context.Background(), nowhere{}, alphabet, alphabet, nothing) }},
	} {
		b.Run(pass.name, func(b *testing.B) {
			b.SetBytes(int64(in.Len()))
			for b.Loop() {
				if err := pass.do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}

// nowhere takes what is written and keeps nothing.
type nowhere struct{}

func (nowhere) WriteAt(b []byte, _ int64) (int, error) { return len(b), nil }
func (nowhere) Truncate(int64) error                   { return nil }
func (nowhere) Fd() (uintptr, bool)                    { return 0, false }
