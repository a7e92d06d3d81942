package pipeline

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// commit puts everything in place. A failure after the output is there is told
// from one that published nothing.
func (r *release) commit() error {
	r.o.Tell(request.Placing, 0, 1)
	err := r.set.Commit()
	switch {
	case err == nil || !r.outputs.placed():
		return err
	case r.list != nil && r.run != nil:
		return r.half(err)
	}
	return r.published(err)
}

// half is a failure among the files of a data set that the same run completes: there is
// no release yet.
func (r *release) half(err error) error {
	f := fault.As(err)
	if f.Class != fault.Environment {
		return err
	}
	what := f.What
	if f.Code() == fault.InterruptedCode {
		what = "interrupted"
	}
	return &fault.Fault{Class: f.Class, What: what + "; some files of " + store.Plain(r.o.Output) + " are in place, " +
		"and no " +
		report.StatementFile, Hint: "run again with the same run key and run id: that completes them",
		Err: &fault.Incomplete{Err: err}}
}

// published is a failure once the output is in place: running again would be a
// second sample, unless draws are made by a key.
func (r *release) published(err error) error {
	f := &fault.Fault{Class: fault.Published, What: fault.As(err).What +
		"; the output is published, but its report is incomplete",
		Hint: "do not simply run again: a second draw of the same records leaks more than epsilon; docs/nightly says how " +
			"to go on",
		Err: err}
	if r.o.Memoised() {
		f.Hint = "run again with the same input, key and plan and --overwrite: keyed draws repeat, and the report " +
			"becomes complete"
	}
	return f
}

// overwriteHint says what overwriting an earlier release means, and where what
// stands there is none.
func (r *release) overwriteHint(err error) error {
	var t *publish.TargetError
	if !errors.As(err, &t) || !t.Exists {
		return err
	}
	f := &fault.Fault{Class: fault.Usage, What: t.Error(),
		Hint: "give --overwrite, or another file; if somebody has that file, two draws of the same data together leak more " +
			"than epsilon",
		Err: err}
	if decider := r.decider(); torn(decider) {
		f.What += fmt.Sprintf(", and %s holds an incomplete release: %s is missing; a run was probably ended while it "+
			"put files in place", r.o.Report, filepath.Base(decider))
		f.Hint = "replace all files with --overwrite, or give another file and folder; if the first output was " +
			"published, a second draw of the same data leaks more than epsilon"
		if r.o.Memoised() {
			f.Hint = "run again with the same input, key and plan and --overwrite: keyed draws repeat"
		}
	}
	return f
}

// decider is the file that is put in place last of all.
func (r *release) decider() string { return store.In(r.o.Report, report.StatementFile) }

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
