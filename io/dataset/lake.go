package dataset

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/tacet-privacy/tacet/io/table"
)

// A lake is a table format whose folders hold files of older versions, too: only its log
// says which files are the rows of the table.
type lake struct {
	name string
	log  string // pattern of a path that only folders of such tables have
	list string // how its live files are listed
}

var lakes = []lake{
	{"a Delta", "_delta_log", `for example python3 -c 'import deltalake; print(*deltalake.DeltaTable("TABLE")` +
		`.file_uris(), sep="\n")' >TABLE/files.txt`},
	{"an Iceberg", "metadata/*.metadata.json", "tacet_iceberg.py list TABLE FILES does it"},
	{"a Hudi", ".hoodie", "as its readers do"},
}

// refuse says what to do with the folder of such a table.
func (l lake) refuse() error {
	return table.Errorf("list the files of its present version and give --input @files.txt, "+l.list,
		"the folder is %s table, which keeps removed rows in files that are no longer part of it", l.name)
}

// outOfLakes refuses what is part of the log of a table, by its path.
func outOfLakes(rel string) error {
	part := strings.Split(rel, "/")
	for _, l := range lakes {
		deep := strings.Count(l.log, "/") + 1
		for to := deep; to <= len(part); to++ {
			if ok, _ := path.Match(l.log, strings.Join(part[to-deep:to], "/")); ok {
				return l.refuse()
			}
		}
	}
	return nil
}

// noLake refuses a folder of this machine that has the log of a table.
func noLake(folder string) error {
	for _, l := range lakes {
		if found, _ := filepath.Glob(filepath.Join(folder, l.log)); len(found) > 0 {
			return l.refuse()
		}
	}
	return nil
}
