package pipeline

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A rerun is a run that can be repeated. A nil one stands for a run that cannot.
type rerun struct {
	key   *key.Key
	id    string
	draws []draw.Run // by file
}

// newRerun reads the key, before anything else is read. It is nil where none was given.
func newRerun(path, id string) (*rerun, error) {
	if path == "" {
		return nil, nil
	}
	k, err := key.Read(path, key.Run, "--run-key")
	return &rerun{key: k, id: id}, err
}

// begin gives every part what its rows are drawn by. The whole file is the
// content, since groups and null rules read other columns than the private one.
func (r *rerun) begin(files []dataset.Member, sums []string, all parts) (err error) {
	r.draws = nil
	for i, m := range files {
		content, err := publish.Digest(sums[i])
		if err != nil {
			return fmt.Errorf("the input has no hash to draw by: %w", err)
		}
		r.draws = append(r.draws, draw.Run{Key: draw.KeyOf([32]byte(r.key.Secret())), ID: r.id, Path: m.Rel,
			Content: content})
	}
	for _, p := range all {
		if p.planText, err = p.Plan.Encode(); err != nil { // which sets its hash
			return err
		}
		p.Runs = r.draws
	}
	return nil
}

// renamed refuses a file that the release before, whose report is at a path, drew by the
// same run key and run id under another name. Draws follow the path: they would be a
// second sample of its records, where the same run promises the first.
func (r *rerun) renamed(files []dataset.Member, sums []string, before *report.Report, at string) error {
	if before == nil || before.Draws.KeyID != r.key.ID() || before.Draws.RunID != r.id {
		return nil
	}
	path := filepath.Join(filepath.Dir(at), report.ListFile)
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
	for i, m := range files {
		was, known := name[sums[i]]
		if known && !stood[report.Listed{Path: m.Rel, SHA256: sums[i]}] {
			return fault.New(fault.Privacy,
				"give the file its name back, or another --run-id, which says that all is drawn anew",
				"%s of the release before is %s now: by the same run its records would be drawn a second time", was, m.Rel)
		}
	}
	return nil
}

// copied refuses a file that is the copy of one that a release before has.
func copied(set *dataset.Set, sums []string) error {
	for i, m := range set.Members {
		if was, known := set.Earlier[sums[i]]; known && sums[i] != "" {
			return fault.New(fault.Privacy, "leave it out", "%s is a copy of %s, which a release before has: its records would "+
				"be drawn a second time", m.Rel, was)
		}
	}
	return nil
}

// names are those of the run key and of the run, "" of one that cannot be repeated.
func (r *rerun) names() (key, run string) {
	if r == nil {
		return "", ""
	}
	return r.key.ID(), r.id
}

// commitment is the secret of a commitment: without it, nobody can try what the internal
// statement might say. A run that can be repeated makes it again; under a test seed it
// follows from that.
func (r *rerun) commitment(seed *uint64, all parts) []byte {
	if r != nil {
		of := []string{r.id}
		for _, one := range r.draws {
			of = append(of, one.Path, string(one.Content[:]))
		}
		for _, p := range all {
			of = append(of, p.Plan.Hash)
		}
		return r.key.Commitment(of...)
	}
	secret := make([]byte, 32)
	rand.Read(secret) // never fails: crypto/rand ends the program instead
	if seed != nil {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("tacet/v1 commitment under a test seed"), *seed))
		copy(secret, sum[:])
	}
	return secret
}
