package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A workFolder holds counts, plan and messages of one job, while it runs.
type workFolder struct {
	path string
	lock *os.File
}

// workFolder makes a folder of the job below Work, and has it be Work from then on. It
// is named for the job file: a run that was killed leaves one, which the next takes.
func (j *Job) workFolder() (*workFolder, error) {
	data, err := os.ReadFile(j.Config)
	if err != nil {
		return nil, unreadable(j.Config, "give -config the path of a job file", err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s", j.Dir, data)
	path := filepath.Join(j.Work, fmt.Sprintf(".tacet-beam-%x", h.Sum(nil)[:8]))
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, unreadable(j.Work, "give -work a folder that this machine and all workers may write to", err)
	}
	lock, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	w := &workFolder{path, lock}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, &failure{Code: environment, What: "another tacet-beam has this job under way", Hint: "wait for its end"}
	}
	if err := w.empty(); err != nil {
		return nil, err
	}
	j.Work = path
	// Beam leaves an empty file in the temporary folder for each job.
	return w, os.Setenv("TMPDIR", path)
}

// unreadable is a failure of a file or folder that was named.
func unreadable(path, hint string, err error) error {
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return &failure{Code: usage, What: fmt.Sprintf("%s: %v", path, err), Hint: hint}
}

// empty removes what an earlier run left.
func (w *workFolder) empty() error {
	left, err := os.ReadDir(w.path)
	for _, e := range left {
		err = errors.Join(err, os.RemoveAll(filepath.Join(w.path, e.Name())))
	}
	return err
}

func (w *workFolder) remove() {
	os.RemoveAll(w.path)
	w.lock.Close()
}

// failure is what the first step said that failed for good, or else the first that
// failed; nil where none did.
func (w *workFolder) failure() (said *failure) {
	logs, _ := filepath.Glob(filepath.Join(w.path, "*.log"))
	failed := 0
	for _, path := range logs { // sorted, as the steps are
		f := lastFailure(path)
		if f == nil {
			continue
		}
		failed++
		if said == nil || said.Retry && !f.Retry {
			f.What = stepOf(path).String() + ": " + f.What
			said = f
		}
	}
	if failed > 1 {
		said.What += fmt.Sprintf(" (and %d more)", failed-1)
	}
	return said
}
