package verify_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
)

// shuffledRelease is one of rows of which no two are equal in the other columns, or, in
// CSV, of such that many are.
func shuffledRelease(t *testing.T, ext string, doubled bool) *release {
	t.Helper()
	r := &release{dir: t.TempDir()}
	r.input, r.output = filepath.Join(r.dir, "in"+ext), filepath.Join(r.dir, "out"+ext)
	o := pipeline.Options{Input: r.input, Column: "c", Utility: "ordered:a,b,c,d,e", Epsilon: "1.5", Audit: "off",
		Output: r.output, Report: filepath.Join(r.dir, "report"), Shuffle: true}
	seed := uint64(1)
	o.TestSeed = &seed
	if ext == ".csv" {
		var in strings.Builder
		in.WriteString("k,c,d\n")
		for i := range 3000 {
			k := i
			if doubled {
				k /= 100
			}
			fmt.Fprintf(&in, "%d,%s,%d\n", k, abcde[i*i%5], k%7)
		}
		must(t, writeText(r.input, in.String()))
	} else {
		j := job{arrow: ext == ".arrow", cell: strings.Split("aabbcde", ""), rows: 1000}
		j.write(t, r.input)
	}
	_, err := pipeline.Run(t.Context(), o)
	must(t, err)
	r.load(t)
	return r
}

// byInput puts the rows of an output in the order that the input has.
func byInput(b []byte) [][]byte {
	rows := bytes.SplitAfter(b, []byte("\n"))
	rows = rows[1 : len(rows)-1]
	slices.SortStableFunc(rows, func(x, y []byte) int {
		i, _, _ := bytes.Cut(x, []byte(","))
		k, _, _ := bytes.Cut(y, []byte(","))
		return cmp.Or(len(i)-len(k), bytes.Compare(i, k)) // whole numbers
	})
	return rows
}

func tableOf(rows [][]byte) []byte { return append([]byte("k,c,d\n"), bytes.Join(rows, nil)...) }

// exchanged lets two values change places in as many rows as have them.
func exchanged(b []byte, values string) []byte {
	rows := byInput(b)
	var cell [][][]byte
	for _, r := range rows {
		cell = append(cell, bytes.Split(r, []byte(",")))
	}
	for i, x := range cell {
		for k, y := range cell {
			if i != k && x[1][0] == values[0] && y[1][0] == values[1] {
				x[1], y[1] = y[1], x[1]
			}
		}
	}
	for i, x := range cell {
		rows[i] = bytes.Join(x, []byte(","))
	}
	return tableOf(rows)
}

// ofOrder change rows that were shuffled: back into the order of the input, or such that
// no draw can have made them.
var ofOrder = []alteration{
	cells("shuffled.csv", "the order of the input", "order of the rows",
		func(b []byte) []byte { return tableOf(byInput(b)) }),
	cells("shuffled.csv", "backwards", "order of the rows", func(b []byte) []byte {
		rows := byInput(b)
		slices.Reverse(rows)
		return tableOf(rows)
	}),
	cells("shuffled.csv", "pairs of neighbours", "order of the rows", func(b []byte) []byte {
		rows := byInput(b)
		var out [][]byte
		for i := range len(rows) / 2 {
			k := i * 1111 % (len(rows) / 2)
			out = append(out, rows[2*k], rows[2*k+1])
		}
		return tableOf(out)
	}),
	cells("shuffled.csv", "sorted in blocks", "order of the rows", func(b []byte) []byte {
		rows := byInput(b)
		for at := 0; at < len(rows); at += 1000 {
			slices.Reverse(rows[at : at+1000])
		}
		return tableOf(rows)
	}),
	cells("shuffled.csv", "nearly the order of the input", "order of the rows", func(b []byte) []byte {
		rows, r := byInput(b), rand.New(rand.NewPCG(1, 1))
		for at := 0; at < len(rows); at += 600 {
			r.Shuffle(600, func(i, k int) { rows[at+i], rows[at+k] = rows[at+k], rows[at+i] })
		}
		return tableOf(rows)
	}),
	cells("shuffled.csv", "another cell", "copied columns", func(b []byte) []byte {
		return bytes.Replace(b, []byte("\n7,"),
			[]byte("\n3007,"), 1)
	}),
	cells("shuffled.csv", "another header", "columns", func(b []byte) []byte {
		return bytes.Replace(b, []byte("k,c,d"),
			[]byte("k,c,e"), 1)
	}),
	cells("shuffled.csv", "values of other rows", "forbidden cells", func(b []byte) []byte {
		return exchanged(b,
			"ae")
	}),
	cells("shuffled doubled.csv", "too many of a value among equal rows", "forbidden cells", func(b []byte) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(",a,0"), []byte(",e,0")), []byte(",b,0"), []byte(",e,0"))
	}),
}
