package pipeline

import (
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// renamed refuses a file that the release before drew by the same run key and run id
// under another name. Draws follow the path: they would be a second sample of its
// records, where the same run promises the first.
func (r *release) renamed(sums []string) error {
	before := r.parts[0].before
	if before == nil || before.Draws.KeyID != r.run.ID() || before.Draws.RunID != r.o.RunID {
		return nil
	}
	path := filepath.Join(filepath.Dir(r.o.Previous), report.ListFile)
	list, err := report.ReadList(path)
	if err != nil {
		return fault.Unreadable("--previous", path, err)
	}
	if list == nil {
		list = report.List{{Path: store.Name(before.Input.Path), SHA256: before.Input.SHA256}}
	}
	name := map[string]string{} // by hash
	stood := map[report.Listed]bool{}
	for _, f := range list {
		name[f.SHA256], stood[report.Listed{Path: f.Path, SHA256: f.SHA256}] = f.Path, true
	}
	for i, m := range r.s.File.Members {
		was, known := name[sums[i]]
		if known && !stood[report.Listed{Path: m.Rel, SHA256: sums[i]}] {
			return fault.New(fault.Privacy, "give the file its name back, or another --run-id, which says that all is drawn anew",
				"%s of the release before is %s now: by the same run its records would be drawn a second time", was, m.Rel)
		}
	}
	return nil
}
