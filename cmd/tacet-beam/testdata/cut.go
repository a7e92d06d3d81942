//go:build ignore

// Cut makes an uneven set of files of flights, in hive folders. One has no rows. It is
// run in the main module, whose library it takes:
//
//	go run cmd/tacet-beam/testdata/cut.go FLIGHTS FOLDER FILES
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// A Flight has the columns of the source, in its order.
type Flight struct {
	Date        *int64  `parquet:"date,optional,timestamp(microsecond:local)"`
	Delay       *int64  `parquet:"delay,optional"`
	Distance    *int64  `parquet:"distance,optional"`
	Origin      *string `parquet:"origin,optional,dict"`
	Destination *string `parquet:"destination,optional,dict"`
}

func main() {
	files, err := strconv.Atoi(os.Args[3])
	if err == nil {
		err = cut(os.Args[1], os.Args[2], files)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// cut gives file i of n 2i of n(n-1) parts of the rows, the last what is left.
func cut(in, folder string, n int) error {
	src, err := os.Open(in)
	if err != nil {
		return err
	}
	defer src.Close()
	r := parquet.NewGenericReader[Flight](src)
	defer r.Close()
	rows := int(r.NumRows())
	for i := range n {
		part := rows * 2 * i / (n * (n - 1))
		if i == n-1 {
			part = rows // and the end of the source ends it
		}
		path := filepath.Join(folder, fmt.Sprintf("dt=%d", i%3), fmt.Sprintf("part-%03d.parquet", i))
		if err := take(r, part, path); err != nil {
			return err
		}
	}
	return nil
}

// take writes the next rows of r to a file.
func take(r *parquet.GenericReader[Flight], rows int, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	dst, err := os.Create(path)
	if err != nil {
		return err
	}
	w := parquet.NewGenericWriter[Flight](dst)
	buffer := make([]Flight, 1000)
	for rows > 0 {
		n, err := r.Read(buffer[:min(rows, len(buffer))])
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if _, err := w.Write(buffer[:n]); err != nil {
			return err
		}
		rows -= n
		if err != nil {
			break
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return dst.Close()
}
