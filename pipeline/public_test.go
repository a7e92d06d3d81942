package pipeline_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// counted writes a Parquet file of one string column with so many records of
// each letter, shuffled the same way whatever they are.
func counted(t *testing.T, path string, letters []string, count []int) {
	t.Helper()
	type record struct {
		C string `parquet:"c,dict"`
	}
	var rows []record
	for x, n := range count {
		for range n {
			rows = append(rows, record{letters[x]})
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
	var b bytes.Buffer
	w := parquet.NewGenericWriter[record](&b)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestCommitment: the public statement holds the HMAC of the internal one under
// its key, and no plain hash of a file that holds counts.
func TestCommitment(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "in.parquet")
	counted(t, input, []string{"a", "b"}, []int{30, 70})
	var said []string
	for i := range 2 {
		folder := filepath.Join(dir, fmt.Sprint(i))
		o := pipeline.Options{Input: input, Column: "c", Utility: "ordered:a,b", Epsilon: "0", Design: "safe",
			Output: filepath.Join(dir, fmt.Sprint("out", i)), Report: folder}
		run(t, o)
		key, err := hex.DecodeString(strings.TrimSpace(string(read(t, filepath.Join(folder, report.CommitmentFile)))))
		if err != nil || len(key) != 32 {
			t.Fatalf("the key: %v", err)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(read(t, filepath.Join(folder, report.StatementFile)))
		want := hex.EncodeToString(mac.Sum(nil))
		public := string(read(t, filepath.Join(folder, "public", report.StatementFile)))
		if !strings.Contains(public, want) {
			t.Errorf("the public statement does not hold %s", want)
		}
		said = append(said, want)
		for name, mode := range map[string]os.FileMode{report.CommitmentFile: 0o600, report.StatementFile: 0o600,
			"report.html": 0o600,
			"report.json": 0o600, "plan.json": 0o600, "order.csv": 0o600,
			"report.txt": 0o600, "public/report.json": 0o644, "public/" + report.StatementFile: 0o644} {
			if st, err := os.Stat(filepath.Join(folder, name)); err != nil || st.Mode().Perm()&^0o022 != mode&^0o022 {
				t.Errorf("%s: %v, %v", name, st.Mode(), err)
			}
			if mode != 0o600 {
				continue
			}
			sum := sha256.Sum256(read(t, filepath.Join(folder, name)))
			for _, f := range []string{"report.json", "report.txt", "report.html", report.StatementFile} {
				if strings.Contains(string(read(t, filepath.Join(folder, "public", f))), hex.EncodeToString(sum[:])) {
					t.Errorf("public/%s has the hash of %s", f, name)
				}
			}
		}
	}
	if said[0] == said[1] {
		t.Error("two runs have one commitment")
	}
}

// TestReportsKeepTheirSchemas: what a run writes is what the schemas say.
func TestReportsKeepTheirSchemas(t *testing.T) {
	o := flights(t.TempDir(), fewFlights(t), 5)
	o.Settings = []report.Setting{{Name: "design", Value: "safe", Origin: "flag"}}
	o.About = &report.About{Owner: "The airport authority", Persons: "1"}
	run(t, o)
	for name, schema := range map[string]string{"report.json": "report-v3.json",
		"public/report.json": "public-report-v2.json"} {
		data := read(t, filepath.Join(o.Report, name))
		c := jsonschema.NewCompiler()
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(read(t, "../docs/schema/"+schema)))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource(schema, doc); err != nil {
			t.Fatal(err)
		}
		compiled, err := c.Compile(schema)
		if err != nil {
			t.Fatal(err)
		}
		is, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(is); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
