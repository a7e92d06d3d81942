package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
)

// parquetRows does the job with parquet-go's rows.
func parquetRows(_ context.Context, e errand) error {
	law, err := readLaw(e.Plan)
	if err != nil {
		return err
	}
	in, err := os.Open(e.Input)
	if err != nil {
		return err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	f, err := parquet.OpenFile(in, st.Size())
	if err != nil {
		return err
	}
	leaf, ok := f.Schema().Lookup(e.Column)
	if !ok {
		return fmt.Errorf("the file has no column %q", e.Column)
	}
	out, err := os.Create(e.Output)
	if err != nil {
		return err
	}
	codec := parquet.Compression(&parquet.Snappy)
	if e.Codec == "zstd" {
		codec = parquet.Compression(&parquet.Zstd)
	}
	w := parquet.NewWriter(out, f.Schema(), codec, parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.RLEDictionary))
	p := &rowPeer{sampler: law.sampler(), letter: map[string]int{}, column: leaf.ColumnIndex}
	for x, label := range law.inputs {
		p.letter[label] = x
	}
	for _, label := range law.outputs {
		p.output = append(p.output, parquet.ByteArrayValue([]byte(label)))
	}
	for _, g := range f.RowGroups() {
		if err := p.group(w, g); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), out.Close())
}

type rowPeer struct {
	*sampler
	letter map[string]int
	output []parquet.Value
	column int
}

func (p *rowPeer) group(w *parquet.Writer, g parquet.RowGroup) error {
	rows := g.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 4096)
	for {
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			v := &row[p.column]
			x, ok := p.letter[string(v.ByteArray())]
			if !ok {
				return fmt.Errorf("a value is not in the plan")
			}
			*v = p.output[p.draw(x)].Level(0, v.DefinitionLevel(), v.Column())
		}
		if _, err := w.WriteRows(buffer[:n]); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
