package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"context"
	"slices"
	"testing"
)

const flights = "../../testdata/tables/flights.parquet"

func TestParquetFlights(t *testing.T) {
	in, err := table.OpenLocal(flights)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	f, err := open(in, table.Request{Private: []string{"origin", "distance"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []table.Column{{Name: "date", Type: "timestamp[us]", Nullable: true, Readable: true},
		{Name: "delay", Type: "int64", Nullable: true, Readable: true},
		{Name: "distance", Type: "int64", Nullable: true, Readable: true},
		{Name: "origin", Type: "string", Nullable: true, Readable: true},
		{Name: "destination", Type: "string", Nullable: true, Readable: true}}
	if f.Format() != "parquet" || !slices.Equal(f.Columns(), want) {
		t.Errorf("format %s, columns %v", f.Format(), f.Columns())
	}
	if !slices.Equal(f.Units(), []int64{50000, 50000, 50000, 50000}) {
		t.Errorf("units %v", f.Units())
	}
	alphabet, count, err := f.Scan(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	origin := alphabet[0]
	most := slices.Index(count[0], slices.Max(count[0]))
	if origin.Len() != 228 || origin.Null() != -1 || origin.Labels()[most] != "ORD" || count[0][most] != 11277 {
		t.Errorf("%d origins, %d from %s", origin.Len(), count[0][most], origin.Labels()[most])
	}
	read := [][]int64{make([]int64, origin.Len()), make([]int64, alphabet[1].Len())}
	for group := range f.Units() {
		if err := f.Read(context.Background(), group, alphabet, func(b table.Batch) error {
			for i := range read {
				for _, letter := range b.Letters[i] {
					read[i][letter]++
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range read {
		if !slices.Equal(read[i], count[i]) {
			t.Errorf("column %d: letters read occur otherwise than they were counted", i)
		}
	}
}
