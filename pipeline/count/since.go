package count

import (
	"path"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// since takes the files out of a set that releases before have, by path. It opens none.
func since(set *dataset.Set, r request.Reading) error {
	if !set.Tree {
		return fault.New(fault.Usage, "remove it, or give the folder with --input",
			"--since needs a folder; %s is a file", r.Path)
	}
	list, err := report.ReadLists(r.Since, r.Own)
	if err != nil {
		return fault.New(fault.Input, "give the --report folders of the releases before, all of them", "--since: %v", err)
	}
	size := map[string]int64{}
	set.Earlier = map[string]string{}
	for _, f := range list {
		size[f.Path], set.Earlier[f.SHA256] = f.Bytes, f.Path
	}
	var changed []string
	all := len(set.Members)
	added := map[string]bool{} // by partition
	set.Members = slices.DeleteFunc(set.Members, func(m dataset.Member) bool {
		bytes, known := size[m.Rel]
		if known && bytes != m.Size {
			changed = append(changed, m.Rel)
		}
		added[path.Dir(m.Rel)] = added[path.Dir(m.Rel)] || !known
		delete(size, m.Rel)
		return known
	})
	for gone := range size {
		if folder := path.Dir(gone); added[folder] && strings.Contains(folder, "=") {
			changed = append(changed, gone)
		}
	}
	switch {
	case len(changed) > 0:
		return fault.New(fault.Privacy, "put it back, and new rows into new files; rows that are drawn a second time leak "+
			"more than epsilon", "%s: %s, which a release before has, is gone or has another size: its rows may be in files "+
			"that are new", r.Path, slices.Min(changed))
	case len(set.Members) == 0:
		return fault.New(fault.Input, "run again once there is one", "%s: none of %d files is new", r.Path, all)
	}
	return nil
}
