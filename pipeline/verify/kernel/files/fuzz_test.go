package files

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

// FuzzTables: any bytes are an order or weights, or are refused in one line.
func FuzzTables(f *testing.F) {
	for _, s := range []string{"", "input,a,b\na,0,-1\nb,-1,0\n", "a,1\nb,2\n",
		"tacetw1\n\x01\x01\x01\x01\x01\x01", "tacetw1\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\"a"} {
		f.Add([]byte(s))
	}
	labels := []Label{{Text: "a"}, {Text: "b"}}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, order := ReadOrder(data, labels, labels)
		rows, _, weights := ReadWeights(bytes.NewReader(data), len(labels), len(labels))
		if weights == "" && len(rows) != len(labels) {
			t.Errorf("%d rows are read", len(rows))
		}
		for _, why := range []string{order, weights} {
			if strings.ContainsAny(why, "\r\n") {
				t.Errorf("%q", why)
			}
		}
	})
}

// FuzzOpen: any bytes are a file whose column can be read to its end, or are refused in one
// line.
func FuzzOpen(f *testing.F) {
	flights, err := os.ReadFile("../../../../testdata/tables/regions.csv")
	must(f, err)
	f.Add(flights[:200])
	f.Add([]byte("c,d\n1,2\n\"3\n4\",5\n"))
	f.Add([]byte("PAR1\x15\x04\x19\x00\x04\x00\x00\x00PAR1"))
	f.Add([]byte("ARROW1\x00\x00\x10\x00\x00\x00\x00\x00\x0a\x00\x0c\x00\x08\x00\x00\x00ARROW1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := columnC.Open(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			err = toTheEnd(file)
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || strings.ContainsAny(e.What, "\r\n")) {
			t.Errorf("%q", err)
		}
	})
}

// toTheEnd reads a column, of a unit at most a million rows.
func toTheEnd(file File) error {
	letters, err := NewLetters(file.Type(), map[Label]int32{{Text: "1"}: 0}, Stranger)
	if err != nil {
		return nil // of a column that holds no text
	}
	return readTo(file, letters)
}

// readTo reads a column as letters.
func readTo(file File, letters *Letters) error {
	block := make([]int32, 4096)
	for unit := range file.Units() {
		r, err := file.Open(unit, letters)
		for rows, n := 0, 1; err == nil && n > 0 && rows < 1_000_000; rows += n {
			n, err = r.Next(block)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
