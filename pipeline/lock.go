package pipeline

import (
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// lock keeps other runs away from output and report until the set is unlocked:
// two nights at once would be two samples of the same records. It makes the
// folders of output and reports; nothing is made in one before its lock is held, so
// that a run that has to go leaves alone what the other one needs.
func (r *release) lock() error {
	switch {
	case r.o.Output == "":
		return fault.New(fault.Usage, "name the file with --output", "no output is given")
	case r.o.Report == "":
		return fault.New(fault.Usage, "name the folder with --report", "no report folder is given")
	}
	if !r.s.File.Tree {
		if err := publish.Check(r.o.Output, true); err != nil { // a lock in a folder that is none says less
			return err
		}
	}
	if !store.Is(r.o.Output) { // a store lets one of two runs create the object, and refuses the other
		output := filepath.Clean(r.o.Output)
		if err := r.set.LockIn(filepath.Dir(output), filepath.Base(output)); err != nil {
			return err
		}
	}
	folders := []string{r.o.Report}
	for _, p := range r.parts {
		if p.Options.Report != r.o.Report {
			folders = append(folders, p.Options.Report)
		}
	}
	if store.Is(r.o.Report) { // whoever puts the first object there keeps the others away
		return r.set.Vacant(r.o.Report)
	}
	for _, folder := range folders {
		if err := r.set.LockIn(folder, report.StatementFile); err != nil {
			return err
		}
	}
	return nil
}
