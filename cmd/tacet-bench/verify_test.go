package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerify copies a small data set, each copy wrong in one way.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	in, out, plan := filepath.Join(dir, "in.parquet"), filepath.Join(dir, "out.parquet"), filepath.Join(dir, "plan.json")
	spec, err := json.Marshal(dataset{Rows: 5000, Codec: "snappy", Columns: rowColumns})
	if err != nil {
		t.Fatal(err)
	}
	if err := makeDataset(t.Context(), errand{Output: in, Spec: spec}); err != nil {
		t.Fatal(err)
	}
	writePlan(t, plan, "l16")
	from := "FROM read_parquet(" + quoted(in) + ")"
	for _, c := range []struct{ query, codec, want string }{
		{"SELECT * " + from, "", ""},
		{"SELECT * " + from, "any", ""},
		{"SELECT * REPLACE ('L' || lpad(((substr(l16, 2)::INT + 1) % 16)::VARCHAR, 3, '0') AS l16) " + from, "", ""},
		{"SELECT * REPLACE ('L' || lpad(((substr(l16, 2)::INT + 2) % 16)::VARCHAR, 3, '0') AS l16) " + from, "",
			"outside the support"},
		{"SELECT * REPLACE ('strange' AS l16) " + from, "any", "outside the support"},
		{"SELECT * " + from + " ORDER BY id DESC", "", "rows have moved"},
		{"SELECT * " + from + " ORDER BY id DESC", "any", ""},
		{"SELECT * REPLACE (amount + 1 AS amount) " + from, "", "other columns have changed"},
		{"SELECT * " + from + " LIMIT 4999", "", "rows have moved"},
		{"SELECT * " + from + " LIMIT 4999", "any", "5000 rows were read and 4999 written"},
	} {
		if err := query(t.Context(), 1, nil, "COPY ("+c.query+") TO "+quoted(out)+" (FORMAT parquet)"); err != nil {
			t.Fatal(err)
		}
		err := verify(t.Context(), errand{Input: in, Output: out, Plan: plan, Column: "l16", Codec: c.codec})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, codec %q: error %v, want %q", c.query, c.codec, err, c.want)
		}
	}
}

// TestPeers lets every peer do a small job and checks what it wrote.
func TestPeers(t *testing.T) {
	dir := t.TempDir()
	in, out, plan := filepath.Join(dir, "in.parquet"), filepath.Join(dir, "out.parquet"), filepath.Join(dir, "plan.json")
	for _, d := range []dataset{
		{Rows: 30000, Codec: "snappy", Columns: rowColumns},
		{Rows: 30000, Codec: "zstd", Columns: []string{"l16"}},
		{Rows: 30000, Codec: "snappy", Columns: []string{"id", "l16"}, Plain: true},
	} {
		spec, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := makeDataset(t.Context(), errand{Output: in, Spec: spec}); err != nil {
			t.Fatal(err)
		}
		writePlan(t, plan, "l16")
		if err := writeSlots(t.Context(), errand{Plan: plan}); err != nil {
			t.Fatal(err)
		}
		for _, peer := range []string{"duckdb", "duckdb-ordered", "arrow-go", "parquet-go"} {
			e := errand{Input: in, Output: out, Plan: plan, Column: "l16", Codec: d.Codec, Threads: 1}
			if err := errands[peer](t.Context(), e); err != nil {
				t.Errorf("%s: %v", peer, err)
				continue
			}
			e.Codec = ""
			if err := verify(t.Context(), e); err != nil {
				t.Errorf("%s: %v", peer, err)
			}
		}
	}
}

func TestSlotsFollowWeights(t *testing.T) {
	l := &law{row: [][]cell{{{0, 3}, {1, 1}}, {{1, 1 << 50}, {0, 3 << 50}}}}
	row, size := l.slots()
	if size != 256 {
		t.Fatalf("%d slots, want 256", size)
	}
	for x, want := range []int{192, 192} {
		zeros := 0
		for _, y := range row[x] {
			if y == 0 {
				zeros++
			}
		}
		if zeros != want || len(row[x]) != size {
			t.Errorf("row %d: output 0 has %d of %d slots, want %d", x, zeros, len(row[x]), want)
		}
	}
}

// writePlan makes a plan in which a letter stays or becomes the next one.
func writePlan(t *testing.T, path, column string) {
	label := letters(column)
	var rows []string
	for x := range label {
		rows = append(rows, fmt.Sprintf(`{"outputs": [[%q, "1"], [%q, "1"]]}`, label[x], label[(x+1)%len(label)]))
	}
	list, err := json.Marshal(label)
	if err != nil {
		t.Fatal(err)
	}
	plan := fmt.Sprintf(`{"inputs": %s, "outputs": %s, "mechanisms": [{"rows": [%s]}]}`, list, list,
		strings.Join(rows, ","))
	if err := os.WriteFile(path, []byte(plan), 0o600); err != nil {
		t.Fatal(err)
	}
}
