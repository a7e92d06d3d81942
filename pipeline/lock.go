package pipeline

import (
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// lock keeps other runs away from output and report until unlock is called: two
// nights at once would be two samples of the same records. It comes after
// targets, which makes the folders.
func (r *release) lock() (unlock func(), err error) {
	var held []*publish.Lock
	unlock = func() {
		for _, l := range held {
			l.Release() // what cannot be removed is swept by the next run
		}
	}
	paths := []string{r.o.Output}
	for _, p := range r.parts {
		paths = append(paths, filepath.Join(p.Options.Report, jsonFile))
	}
	for _, path := range paths {
		l, err := publish.LockTarget(path)
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, l)
	}
	return unlock, nil
}

// commit puts everything in place. A failure after the output is there is told
// from one that published nothing: running again would be a second sample.
func (r *release) commit() error {
	err := r.set.Commit()
	if err == nil || !r.output.Placed() {
		return err
	}
	return &fault.Fault{Class: fault.Published, What: fault.As(err).What + "; the output is published, its report is not whole",
		Hint: "do not run again as it is: fresh draws of the same records would be a second sample; see docs/nightly", Err: err}
}
