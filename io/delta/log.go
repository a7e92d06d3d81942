// Package delta reads the log of a Delta table: which files are its rows now. It knows version
// 1 of the readers' protocol, by commits in JSON and checkpoints in Parquet of one file or
// several; it refuses what a reader must know beyond that.
package delta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/io/table"
)

// Folder is where the log of a table lies.
const Folder = "_delta_log"

// A File is one of a table.
type File struct {
	Path   string             // from the folder of the table, with slashes
	Values map[string]*string // of its partition columns; nil for null
}

// A Table is what its log says.
type Table struct {
	Version int64
	Columns []string // by which it is partitioned
	Files   []File   // by path
}

const (
	rewrite = "write the table again without it, as with Spark's REORG TABLE ... APPLY (PURGE), or list its files by " +
		"another reader and give --input @files.txt"
	damaged = "have Delta's own readers look at it"
)

// An action is one line of a commit, or one row of a checkpoint; what is not named here
// changes no file.
type action struct {
	Protocol *struct {
		MinReaderVersion int      `json:"minReaderVersion"`
		ReaderFeatures   []string `json:"readerFeatures"`
	} `json:"protocol"`
	MetaData *struct {
		PartitionColumns []string          `json:"partitionColumns"`
		Configuration    map[string]string `json:"configuration"`
	} `json:"metaData"`
	Add *struct {
		Path            string             `json:"path"`
		PartitionValues map[string]*string `json:"partitionValues"`
		DeletionVector  any                `json:"deletionVector"`
	} `json:"add"`
	Remove *struct {
		Path string `json:"path"`
	} `json:"remove"`
}

// Read reads the log of the table in a folder.
func Read(folder string) (*Table, error) {
	t := &Table{Version: -1}
	files := map[string]File{}
	known := false
	do := func(a *action) error { return t.follow(a, files, &known) }
	log := filepath.Join(folder, Folder)
	from, err := checkpoint(log, do)
	if err != nil {
		return nil, err
	}
	t.Version = from
	for {
		data, err := os.ReadFile(filepath.Join(log, fmt.Sprintf("%020d.json", t.Version+1)))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		t.Version++
		for text := range bytes.Lines(data) {
			if err := line(text, do); err != nil {
				return nil, err
			}
		}
	}
	later, err := filepath.Glob(filepath.Join(log, "[0-9]*.json"))
	if err != nil || slices.ContainsFunc(later, func(p string) bool {
		return filepath.Base(p) > fmt.Sprintf("%020d.json", t.Version)
	}) {
		return nil, table.Errorf(damaged, "the log lacks version %d, and has later ones", t.Version+1)
	}
	if t.Version < 0 || !known {
		return nil, table.Errorf(damaged, "the log has no version that can be read from its beginning")
	}
	for _, f := range files {
		t.Files = append(t.Files, f)
	}
	slices.SortFunc(t.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return t, nil
}

// follow does what an action says.
func (t *Table) follow(a *action, files map[string]File, known *bool) error {
	switch {
	case a.Protocol != nil:
		if a.Protocol.MinReaderVersion > 2 || len(a.Protocol.ReaderFeatures) > 0 {
			return table.Errorf(rewrite, "the table needs readers of version %d %v, and version 2 without features is known",
				a.Protocol.MinReaderVersion, a.Protocol.ReaderFeatures)
		}
		*known = true
	case a.MetaData != nil:
		if mode := a.MetaData.Configuration["delta.columnMapping.mode"]; mode != "" && mode != "none" {
			return table.Errorf(rewrite, "the table has column mapping: its files call the columns otherwise")
		}
		t.Columns = a.MetaData.PartitionColumns
	case a.Add != nil:
		name, err := local(a.Add.Path)
		if err != nil {
			return err
		}
		if a.Add.DeletionVector != nil {
			return table.Errorf(rewrite, "%q has a deletion vector: some of its rows are no rows of the table", name)
		}
		files[name] = File{name, a.Add.PartitionValues}
	case a.Remove != nil:
		name, err := local(a.Remove.Path)
		if err != nil {
			return err
		}
		delete(files, name)
	}
	return nil
}

// local is a path of the log below the folder of the table.
func local(p string) (string, error) {
	u, err := url.Parse(p)
	if err != nil || u.Scheme != "" || u.Host != "" || !filepath.IsLocal(u.Path) || path.Clean(u.Path) != u.Path {
		return "", table.Errorf(rewrite, "the log names a file outside the folder of the table, or none")
	}
	return u.Path, nil
}

// line does what an action in JSON says.
func line(text []byte, do func(*action) error) error {
	a := &action{}
	if err := json.Unmarshal(text, a); err != nil {
		return table.Errorf(damaged, "a line of the log is no action")
	}
	return do(a)
}

// checkpoint does what the last checkpoint says, and gives its version; -1 where there is none.
func checkpoint(log string, do func(*action) error) (int64, error) {
	data, err := os.ReadFile(filepath.Join(log, "_last_checkpoint"))
	if errors.Is(err, fs.ErrNotExist) {
		return -1, nil
	}
	var last struct {
		Version      int64           `json:"version"`
		Parts        int             `json:"parts"`
		V2Checkpoint json.RawMessage `json:"v2Checkpoint"`
	}
	if err == nil {
		err = json.Unmarshal(data, &last)
	}
	if err != nil {
		return 0, table.Errorf(damaged, "_last_checkpoint of the log cannot be read")
	}
	if last.V2Checkpoint != nil {
		return 0, table.Errorf(rewrite, "the table has checkpoints of version 2")
	}
	names := []string{fmt.Sprintf("%020d.checkpoint.parquet", last.Version)}
	for i := range last.Parts {
		names = append(names[:i:i], fmt.Sprintf("%020d.checkpoint.%010d.%010d.parquet", last.Version, i+1, last.Parts))
	}
	for _, name := range names {
		if err := rows(filepath.Join(log, name), do); err != nil {
			return 0, err
		}
	}
	return last.Version, nil
}

// rows does what the rows of a checkpoint say.
func rows(at string, do func(*action) error) (err error) {
	var known *table.InputError
	defer func() {
		if recover() != nil || err != nil && !errors.As(err, &known) { // the library panics on some files
			err = table.Errorf(damaged, "the checkpoint %s of the log cannot be read", filepath.Base(at))
		}
	}()
	f, err := os.Open(at)
	if err != nil {
		return err
	}
	defer f.Close()
	r := parquet.NewGenericReader[any](f)
	defer r.Close()
	for row := make([]any, 256); ; clear(row) {
		n, ended := r.Read(row)
		for _, one := range row[:n] {
			text, err := json.Marshal(texts(one))
			if err != nil {
				return err
			}
			if err := line(text, do); err != nil {
				return err
			}
		}
		if errors.Is(ended, io.EOF) {
			return nil
		}
		if ended != nil {
			return ended
		}
	}
}

// texts is a row with its bytes as texts.
func texts(v any) any {
	switch v := v.(type) {
	case []byte:
		return string(v)
	case *[]byte:
		if v == nil {
			return nil
		}
		return string(*v)
	case map[string]any:
		for k := range v {
			v[k] = texts(v[k])
		}
	}
	return v
}
