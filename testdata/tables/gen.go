//go:build ignore

// Gen makes flights.parquet, airports.csv and regions.csv from two files of vega-datasets:
//
//	go run gen.go -flights flights-3m.parquet -airports airports.csv
//
// Flights are domestic flights of the first half of 2001, on-time performance
// data of the US Department of Transportation, Bureau of Transportation
// Statistics: a work of the US government, in the public domain. Airports are
// US government records too. Both as packaged by vega-datasets.
//
// The rule: rows 0, 15, 30, ... of the three million, all columns, in the order
// of the source, in row groups of 50,000. Airports: those that occur in origin
// anywhere in the three million rows, ascending by code.
package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

const (
	every = 15
	group = 50_000
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
	flights := flag.String("flights", "", "flights-3m.parquet")
	airports := flag.String("airports", "", "airports.csv")
	flag.Parse()
	origins, err := thin(*flights, "flights.parquet")
	if err != nil {
		log.Fatal(err)
	}
	if err := positions(*airports, "airports.csv", origins); err != nil {
		log.Fatal(err)
	}
	if err := regions("airports.csv", "regions.csv"); err != nil {
		log.Fatal(err)
	}
}

// divisions are the divisions and regions of the US Census Bureau with their states;
// PR and VI, which it leaves out, count as South Atlantic.
const divisions = `New England;Northeast;CT ME MA NH RI VT
Middle Atlantic;Northeast;NJ NY PA
East North Central;Midwest;IN IL MI OH WI
West North Central;Midwest;IA KS MN MO NE ND SD
South Atlantic;South;DE DC FL GA MD NC SC VA WV PR VI
East South Central;South;AL KY MS TN
West South Central;South;AR LA OK TX
Mountain;West;AZ CO ID NM MT UT NV WY
Pacific;West;AK CA HI OR WA`

// regions writes a line airport;state;division;region;* for every airport. The source
// has no state for MQT, which is in Michigan.
func regions(in, out string) error {
	above := map[string]string{}
	for _, line := range strings.Split(divisions, "\n") {
		part := strings.Split(line, ";")
		for _, state := range strings.Fields(part[2]) {
			above[state] = part[0] + ";" + part[1]
		}
	}
	src, err := os.Open(in)
	if err != nil {
		return err
	}
	defer src.Close()
	rows, err := csv.NewReader(src).ReadAll()
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, row := range rows[1:] {
		state := row[slices.Index(rows[0], "state")]
		if row[0] == "MQT" {
			state = "MI"
		}
		if above[state] == "" {
			return fmt.Errorf("%s: no division holds the state %q", row[0], state)
		}
		fmt.Fprintf(&b, "%s;%s;%s;*\n", row[0], state, above[state])
	}
	return os.WriteFile(out, []byte(b.String()), 0o666)
}

// thin writes every 15th row and returns the letters of origin in all rows.
func thin(in, out string) (map[string]bool, error) {
	src, err := os.Open(in)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(src, info.Size())
	if err != nil {
		return nil, err
	}
	// The Arrow schema makes readers restore large_string and the timestamp.
	arrow, ok := f.Lookup("ARROW:schema")
	if !ok {
		return nil, errors.New("the source has no Arrow schema")
	}
	dst, err := os.Create(out)
	if err != nil {
		return nil, err
	}
	w := parquet.NewGenericWriter[Flight](dst, parquet.Compression(&zstd.Codec{Level: zstd.SpeedBestCompression}),
		parquet.KeyValueMetadata("ARROW:schema", arrow))
	r := parquet.NewGenericReader[Flight](f)
	defer r.Close()
	origins := map[string]bool{}
	buffer := make([]Flight, 1000*every)
	kept := 0
	for {
		n, err := r.Read(buffer)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if n < len(buffer) && err == nil {
			return nil, fmt.Errorf("%d rows read, %d wanted", n, len(buffer))
		}
		for i, row := range buffer[:n] {
			if row.Origin != nil && !origins[*row.Origin] {
				origins[strings.Clone(*row.Origin)] = true
			}
			if i%every != 0 {
				continue
			}
			if _, err := w.Write(buffer[i : i+1]); err != nil {
				return nil, err
			}
			if kept++; kept%group == 0 {
				if err := w.Flush(); err != nil {
					return nil, err
				}
			}
		}
		if err == io.EOF {
			break
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return origins, dst.Close()
}

// positions keeps the rows of in whose code is wanted, and the columns that
// place an airport.
func positions(in, out string, wanted map[string]bool) error {
	src, err := os.Open(in)
	if err != nil {
		return err
	}
	defer src.Close()
	rows, err := csv.NewReader(src).ReadAll()
	if err != nil {
		return err
	}
	head := []string{"iata", "name", "city", "state", "latitude", "longitude"}
	var kept [][]string
	for _, row := range rows[1:] {
		if !wanted[row[0]] {
			continue
		}
		pick := make([]string, len(head))
		for i, h := range head {
			pick[i] = row[slices.Index(rows[0], h)]
		}
		kept = append(kept, pick)
	}
	if len(kept) != len(wanted) {
		return fmt.Errorf("%d airports fly, %d have a position", len(wanted), len(kept))
	}
	slices.SortFunc(kept, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	dst, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := csv.NewWriter(dst).WriteAll(append([][]string{head}, kept...)); err != nil {
		return err
	}
	return dst.Close()
}
