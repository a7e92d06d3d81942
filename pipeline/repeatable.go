package pipeline

import (
	"fmt"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// runKey reads the key of a run that can be repeated, before anything else is
// read. It is nil where none was given.
func runKey(path string) (*key.Key, error) {
	if path == "" {
		return nil, nil
	}
	return key.Read(path, key.Run, "--run-key")
}

// repeatable gives every part what its rows are drawn by. The whole file is the
// content, since groups and null rules read other columns than the private one.
func (r *release) repeatable() error {
	if r.run == nil {
		return nil
	}
	sums, err := r.input.Wait()
	if err != nil {
		return err
	}
	if err := r.renamed(sums); err != nil {
		return err
	}
	var runs []draw.Run
	for i, m := range r.s.File.Members {
		content, err := publish.Digest(sums[i])
		if err != nil {
			return fmt.Errorf("the input has no hash to draw by: %w", err)
		}
		runs = append(runs, draw.Run{Key: draw.KeyOf([32]byte(r.run.Secret())), ID: r.o.RunID, Path: m.Rel,
			Content: content})
	}
	for _, p := range r.parts {
		if p.planText, err = p.Plan.Encode(); err != nil { // which sets its hash
			return err
		}
		p.Runs, p.runKeyID = runs, r.run.ID()
	}
	return nil
}

// tellRun puts into the report by what run key the rows were drawn.
func (p *part) tellRun(r *report.Report) {
	if p.Runs == nil {
		return
	}
	r.Draws.Key = "the run key " + p.runKeyID + ", in a file: whoever has it, the input and the plan can undo the " +
		"draws; every row group has a stream of its own"
	r.Draws.KeyID, r.Draws.RunID = p.runKeyID, p.Options.RunID
}

// commitment is the secret of a commitment: without it, nobody can try what the
// internal statement might say. A run that can be repeated makes it again.
func (r *release) commitment() []byte {
	if r.run == nil {
		return commitKey(r.o.TestSeed)
	}
	runs := r.parts[0].Runs
	parts := []string{runs[0].ID}
	for _, one := range runs {
		parts = append(parts, one.Path, string(one.Content[:]))
	}
	for _, p := range r.parts {
		parts = append(parts, p.Plan.Hash)
	}
	return r.run.Commitment(parts...)
}
