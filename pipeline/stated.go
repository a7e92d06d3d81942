package pipeline

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// signatureFile is the signature of a statement.
const signatureFile = report.StatementFile + report.SignatureEnding

// signerOf reads the key of --sign, nil for none; files are hashed as hash says.
func signerOf(sign, hash string) (*key.Key, error) {
	switch {
	case sign == "":
		return nil, nil
	case hash == "none":
		return nil, fault.New(fault.Usage, "remove --hash none", "--sign needs hashes, and --hash none leaves them out")
	}
	return key.Read(sign, key.Signing, "--sign")
}

// openStatements opens the files that state a release, which are written after all others from
// a list of them, that of the folder of the report last of all. Where nothing is signed, a
// signature of an earlier release is not left beside them.
func (at *place) openStatements() (err error) {
	folder := store.In(at.o.Report, publicFolder)
	if err := leftOver(store.In(at.o.Report, (&report.Decision{Number: 1}).File()), "a decision",
		"move the decisions elsewhere, or give another folder with --report"); err != nil {
		return err
	}
	if err := leftOver(store.In(folder, report.ApprovalFile), "an approval", "move it elsewhere, or give another folder "+
		"with --report"); err != nil {
		return err
	}
	if err := at.open(at.o.Report, report.CommitmentFile); err != nil {
		return err
	}
	for _, in := range []string{public, ""} {
		if at.signer != nil {
			err = at.open(at.o.Report, in+signatureFile)
		} else {
			err = leftOver(store.In(at.o.Report, in+signatureFile), "the signature",
				"sign this release as well, with --sign, or remove the file")
		}
		if err != nil {
			return err
		}
		if err := at.add(publish.Target{Path: store.In(at.o.Report, in+report.StatementFile), Private: in == "",
			Decides: true}); err != nil {
			return err
		}
	}
	return nil
}

// leftOver refuses a file of an earlier release that this one would not replace.
func leftOver(path, what, hint string) error {
	switch _, err := os.Lstat(path); {
	case store.Is(path): // nothing stands there, see lock
	case err == nil:
		return fault.New(fault.Usage, hint, "%s is %s of an earlier release", path, what)
	case !errors.Is(err, fs.ErrNotExist):
		return fault.Unreadable("", path, err)
	}
	return nil
}

// statements are those of all other documents of the release, and what ties, by a
// secret, and signs them.
func (at *place) statements(secret []byte, all []publish.Document,
	rep *report.Report) (_ []publish.Document, err error) {
	o, texts := at.o, map[string][]byte{report.CommitmentFile: []byte(hex.EncodeToString(secret) + "\n")}
	var files []report.Subject
	for _, d := range append(all, at.documents(o.Report, texts)...) {
		if path, ok := within(o.Report, d.To.Path()); ok {
			files = append(files, report.SubjectOf(path, d.Data))
		}
	}
	inside := report.NewStatement(o.Version, rep.Stamp,
		report.Subject{Name: store.Name(o.Output), Digest: report.FileHash{SHA256: rep.Output.SHA256}},
		report.Subject{Name: store.Name(o.Input), Digest: report.FileHash{SHA256: rep.Input.SHA256}}, files)
	if texts[report.StatementFile], err = inside.Encode(); err != nil {
		return nil, err
	}
	outside := inside.Open()
	outside.Commit(texts[report.StatementFile], secret)
	if texts[public+report.StatementFile], err = outside.Encode(); err != nil {
		return nil, err
	}
	for _, in := range []string{public, ""} {
		if at.signer == nil {
			break
		}
		if texts[in+signatureFile], err = key.Detached(at.signer, report.StatementFile,
			bytes.NewReader(texts[in+report.StatementFile])); err != nil {
			return nil, err
		}
	}
	return at.documents(o.Report, texts), nil
}

// within is the path from a folder to a file in it, with slashes.
func within(folder, path string) (string, bool) {
	rel, err := filepath.Rel(store.Plain(folder), store.Plain(path))
	rel = filepath.ToSlash(rel)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
