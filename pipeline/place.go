package pipeline

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A place is where a release is put, with its files on their way there.
type place struct {
	o         *request.Release
	set       *publish.Set
	outputs   outputs
	file      map[string]*publish.File // of the reports, by path
	completes bool                     // what an earlier run under the same run key was ended at
	many      bool                     // files are written
	signer    *key.Key                 // of the statements; nil where nothing is signed
}

// lock keeps other runs away from output and reports until the set is unlocked:
// two nights at once would be two samples of the same records. It makes the
// folders of output and reports; nothing is made in one before its lock is held, so
// that a run that has to go leaves alone what the other one needs.
func (p *place) lock(tree bool, reports ...string) error {
	switch {
	case p.o.Output == "":
		return fault.New(fault.Usage, "name the file with --output", "no output is given")
	case p.o.Report == "":
		return fault.New(fault.Usage, "name the folder with --report", "no report folder is given")
	}
	if !tree {
		if err := publish.Check(p.o.Output, true); err != nil { // a lock in a folder that is none says less
			return err
		}
	}
	if !store.Is(p.o.Output) { // a store lets one of two runs create the object, and refuses the other
		output := filepath.Clean(p.o.Output)
		if err := p.set.LockIn(filepath.Dir(output), filepath.Base(output)); err != nil {
			return err
		}
	}
	if store.Is(p.o.Report) { // whoever puts the first object there keeps the others away
		return p.set.Vacant(p.o.Report)
	}
	folders := []string{p.o.Report}
	for _, folder := range reports {
		if folder != p.o.Report {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		if err := p.set.LockIn(folder, report.StatementFile); err != nil {
			return err
		}
	}
	return nil
}

// suits refuses an input without rows, most often that of a failed export, and an output
// whose name says another format.
func (p *place) suits(s *count.Input) error {
	if s.Rows == 0 && !p.o.AllowEmpty {
		return fault.New(fault.Input, "check what wrote it; --allow empty publishes it nevertheless", "%s has no rows",
			s.Path)
	}
	if s.File.Tree {
		return nil
	}
	return s.Writes(p.o.Output)
}

// add opens a temporary file.
func (p *place) add(t publish.Target) error {
	t.Overwrite = p.overwrites()
	f, err := p.set.Add(t)
	if p.file == nil {
		p.file = map[string]*publish.File{}
	}
	p.file[t.Path] = f
	return p.overwriteHint(err)
}

// overwrites reports whether files of an earlier release may be replaced.
func (p *place) overwrites() bool { return p.o.Overwrite || p.completes }

// commit puts everything in place. A failure after the output is there is told
// from one that published nothing.
func (p *place) commit() error {
	p.o.Tell(request.Placing, 0, 1)
	err := p.set.Commit()
	switch {
	case err == nil || !p.outputs.placed():
		return err
	case p.many && p.o.RunKey != "":
		return p.half(err)
	}
	return p.published(err)
}

// half is a failure among the files of a data set that the same run completes: there is
// no release yet.
func (p *place) half(err error) error {
	f := fault.As(err)
	if f.Class != fault.Environment {
		return err
	}
	what := f.What
	if f.Code() == fault.InterruptedCode {
		what = "interrupted"
	}
	return &fault.Fault{Class: f.Class, What: what + "; some files of " + store.Plain(p.o.Output) + " are in place, " +
		"and no " +
		report.StatementFile, Hint: "run again with the same run key and run id: that completes them",
		Err: &fault.Incomplete{Err: err}}
}

// published is a failure once the output is in place: running again would be a
// second sample, unless draws are made by a key.
func (p *place) published(err error) error {
	f := &fault.Fault{Class: fault.Published, What: fault.As(err).What +
		"; the output is published, but its report is incomplete",
		Hint: "do not simply run again: a second draw of the same records leaks more than epsilon; docs/repeated.md says " +
			"how to go on",
		Err: err}
	if p.o.Memoised() {
		f.Hint = "run again with the same input, key and plan and --overwrite: keyed draws repeat, and the report " +
			"becomes complete"
	}
	return f
}

// overwriteHint says what overwriting an earlier release means, and where what
// stands there is none.
func (p *place) overwriteHint(err error) error {
	var t *publish.TargetError
	if !errors.As(err, &t) || !t.Exists {
		return err
	}
	f := &fault.Fault{Class: fault.Usage, What: t.Error(),
		Hint: "give --overwrite, or another file; if somebody has that file, two draws of the same data together leak more " +
			"than epsilon",
		Err: err}
	if p.many && store.Is(p.o.Output) { // which takes no --overwrite
		f.Hint = "give another --report, and another --output for another release"
	} else if decider := p.decider(); torn(decider) {
		f.What += fmt.Sprintf(", and %s holds an incomplete release: %s is missing; a run was probably ended while it "+
			"put files in place", p.o.Report, filepath.Base(decider))
		f.Hint = "replace all files with --overwrite, or give another file and folder; if the first output was " +
			"published, a second draw of the same data leaks more than epsilon"
		if p.o.Memoised() {
			f.Hint = "run again with the same input, key and plan and --overwrite: keyed draws repeat"
		}
	}
	return f
}

// decider is the file that is put in place last of all.
func (p *place) decider() string { return store.In(p.o.Report, report.StatementFile) }

// torn reports whether a folder holds files of a report, but not the one that
// says that they are whole.
func torn(decider string) bool {
	if _, err := os.Lstat(decider); !errors.Is(err, os.ErrNotExist) {
		return false
	}
	list, err := os.ReadDir(filepath.Dir(decider))
	if err != nil {
		return false
	}
	for _, e := range list {
		if ok, _ := filepath.Match(".tacet-*.tmp", e.Name()); !ok {
			return true
		}
	}
	return false
}
