package delta

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/io/table"
)

const (
	protocol = `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}` + "\n"
	gone     = `{"remove":{"path":"c.parquet"}}` + "\n"
	mapped   = `{"metaData":{"configuration":{"delta.columnMapping.mode":"name"}}}`
	meta     = `{"metaData":{"partitionColumns":["dt"],"configuration":{}}}` + "\n"
)

func add(path, more string) string {
	return fmt.Sprintf(`{"add":{"path":"%s","partitionValues":{"dt":"1"}%s}}`+"\n", path, more)
}

// The rows of a table are those of its live files, whether commits or a checkpoint say so;
// what a reader of version 1 does not know is refused.
func TestRead(t *testing.T) {
	whole := protocol + meta + add("dt=1/a%20b.parquet", "") + add("c.parquet", `,"deletionVector":null`)
	for name, c := range map[string]struct {
		log        map[string]string
		checkpoint bool // of version 0
		want       string
	}{
		"commits": {log: map[string]string{"0": whole, "1": gone + add("d.parquet", "")},
			want: "1 [dt] d.parquet dt=1/a b.parquet"},
		"put back": {log: map[string]string{"0": whole + gone + add("c.parquet", "")},
			want: "0 [dt] c.parquet dt=1/a b.parquet"},
		"a checkpoint": {log: map[string]string{"1": add("d.parquet", "")}, checkpoint: true,
			want: "1 [dt] d.parquet kept.parquet"},
		"features": {log: map[string]string{"0": `{"protocol":{"minReaderVersion":3,"readerFeatures":["v2Checkpoint"]}}`},
			want: "needs readers of version 3"},
		"column mapping": {log: map[string]string{"0": protocol + mapped},
			want: "column mapping"},
		"a deletion vector": {log: map[string]string{"0": whole + add("e.parquet", `,"deletionVector":{"storageType":"u"}`)},
			want: `"e.parquet" has a deletion vector`},
		"a file elsewhere": {log: map[string]string{"0": whole + add("s3://bucket/e.parquet", "")},
			want: "outside the folder"},
		"a file above": {log: map[string]string{"0": whole + add("../e.parquet", "")}, want: "outside the folder"},
		"a gap":        {log: map[string]string{"0": whole, "2": meta}, want: "lacks version 1"},
		"no beginning": {log: map[string]string{"3": whole}, want: "lacks version 0"},
		"nothing":      {want: "no version"},
		"no JSON":      {log: map[string]string{"0": whole + "{"}, want: "no action"},
		"others": {log: map[string]string{"0": whole, "_last_checkpoint": `{"version":0,"v2Checkpoint":{}}`},
			want: "checkpoints of version 2"},
		"a checkpoint that went": {log: map[string]string{"_last_checkpoint": `{"version":5}`},
			want: "the checkpoint 00000000000000000005.checkpoint.parquet of the log cannot be read"},
	} {
		folder := t.TempDir()
		log := filepath.Join(folder, Folder)
		if err := os.Mkdir(log, 0o700); err != nil {
			t.Fatal(err)
		}
		for version, text := range c.log {
			if len(version) == 1 {
				version = fmt.Sprintf("%020s.json", version)
			}
			if err := os.WriteFile(filepath.Join(log, version), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if c.checkpoint {
			writeCheckpoint(t, log)
		}
		of, err := Read(folder)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(of.Version, " ", of.Columns)
			for _, f := range of.Files {
				if got += " " + f.Path; f.Values["dt"] == nil || *f.Values["dt"] != "1" {
					t.Errorf("%s: %s has the values %v", name, f.Path, f.Values)
				}
			}
		}
		var refused *table.InputError
		if err != nil && !errors.As(err, &refused) || !strings.Contains(got, c.want) || err == nil && got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// writeCheckpoint writes one of version 0.
func writeCheckpoint(t *testing.T, log string) {
	t.Helper()
	type added struct {
		Path   string             `parquet:"path"`
		Values map[string]*string `parquet:"partitionValues"`
	}
	type row struct {
		Protocol *struct {
			Reader int32 `parquet:"minReaderVersion"`
		} `parquet:"protocol,optional"`
		Meta *struct {
			Columns       []string          `parquet:"partitionColumns,list"`
			Configuration map[string]string `parquet:"configuration"`
		} `parquet:"metaData,optional"`
		Add *added `parquet:"add,optional"`
	}
	one := "1"
	rows := make([]row, 3)
	rows[0].Protocol = &struct {
		Reader int32 `parquet:"minReaderVersion"`
	}{1}
	rows[1].Meta = &struct {
		Columns       []string          `parquet:"partitionColumns,list"`
		Configuration map[string]string `parquet:"configuration"`
	}{[]string{"dt"}, map[string]string{"delta.appendOnly": "true"}}
	rows[2].Add = &added{"kept.parquet", map[string]*string{"dt": &one}}
	if err := parquet.WriteFile(filepath.Join(log, fmt.Sprintf("%020d.checkpoint.parquet", 0)), rows); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(log, "_last_checkpoint"), []byte(`{"version":0,"size":3}`), 0o600); err != nil {
		t.Fatal(err)
	}
}
