package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// checkCommitment holds the public statement to the internal one in a folder:
// it has the HMAC-SHA-256 [RFC 2104] of that under commitment.key, and says the
// same of output and public files. With a key that is trusted it is signed,
// too.
func checkCommitment(v *Result, trusted *publicKey, folder string, inside *statement, internal []byte) error {
	const name = "commitment"
	path := filepath.Join(folder, publicFolder, report.StatementFile)
	data, err := read(path, "--report")
	if errors.Is(err, fs.ErrNotExist) {
		v.Skip(name, "no public/"+report.StatementFile+" beside the report")
		return nil
	}
	if err != nil {
		return err
	}
	if trusted != nil {
		checkSigned(v, "public signature", trusted, path, data)
	}
	var w kernel.Faults
	s, ok := parse(data, true)
	if !ok {
		v.Add(name, false, "public/%s is not a statement of this version, or was changed", report.StatementFile)
		return nil
	}
	s.holdsNames(&w)
	p, q := s.Predicate, inside.Predicate
	w.Match(p.Version == q.Version && p.Stamp == q.Stamp && slices.Contains(p.NotComputed,
		"output") == slices.Contains(q.NotComputed, "output"), "what public/"+report.StatementFile+" says of the release")
	w.Match(s.output() == inside.output() && (s.output() == "" || s.Subject[0].Name == inside.Subject[0].Name),
		"the output in public/"+report.StatementFile)
	for _, f := range s.files() {
		at, above := strings.CutPrefix(f.Name, "../")
		if !above {
			at = publicFolder + "/" + f.Name
		}
		if !slices.ContainsFunc(inside.files(), func(g report.Subject) bool { return g.Name == at && g.Digest == f.Digest }) {
			w.Addf("%s is not the file that %s names", at, report.StatementFile)
		}
	}
	key, err := read(filepath.Join(folder, report.CommitmentFile), "--report")
	if errors.Is(err, fs.ErrNotExist) && len(w) == 0 {
		v.Skip(name, "no "+report.CommitmentFile+" beside the report")
		return nil
	}
	if err == nil {
		w.Match(s.tied(key, internal), "the commitment of public/"+report.StatementFile)
	}
	v.Settle(name, w, "public/%s was made of this %s, under %s, and says the same of all public files",
		report.StatementFile, report.StatementFile, report.CommitmentFile)
	return nil
}

// tied reports whether a public statement has the commitment of the internal one under a key:
// 32 bytes in hex and a line feed.
func (s *statement) tied(key, internal []byte) bool {
	secret, err := hex.DecodeString(strings.TrimSuffix(string(key), "\n"))
	again := s.Statement
	again.Commit(internal, secret)
	return err == nil && len(secret) == sha256.Size && again.Predicate.Commitment == s.Predicate.Commitment
}
