package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// checkCommitment holds the public statement to the internal one in a folder:
// it has the HMAC-SHA-256 [RFC 2104] of that under commitment.key, and says the
// same of output and public files. With a key that is trusted it is signed,
// too.
func checkCommitment(v *Result, trusted *publicKey, folder string, inside *report.Statement, internal []byte) error {
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
	s, ok := report.ReadStatement(data, report.PublicStatement)
	if !ok {
		v.Add(name, false, "public/%s is not a statement of this version, or was changed", report.StatementFile)
		return nil
	}
	key, err := read(filepath.Join(folder, report.CommitmentFile), "--report")
	if failed(err) {
		return err
	}
	secret, none := hex.DecodeString(strings.TrimSuffix(string(key), "\n"))
	want := inside.Open()
	if want.Predicate.Commitment = s.Predicate.Commitment; !errors.Is(err, fs.ErrNotExist) {
		w.Match(none == nil && len(secret) == sha256.Size, report.CommitmentFile)
		want.Commit(internal, secret)
	}
	sameStatement(&w, s, want, publicFolder+"/"+report.StatementFile, report.StatementFile)
	if errors.Is(err, fs.ErrNotExist) && len(w) == 0 {
		v.Skip(name, "no "+report.CommitmentFile+" beside the report")
		return nil
	}
	v.Settle(name, w, "public/%s was made of this %s, under %s, and says the same of all public files",
		report.StatementFile, report.StatementFile, report.CommitmentFile)
	return nil
}
