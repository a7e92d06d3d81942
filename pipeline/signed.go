package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/documents"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/sign"
)

// Names of signatures: that of a file stands beside it under its name and
// this ending, the envelope beside the report.
const (
	signatureEnding = ".minisig"
	envelopeFile    = "report.dsse.json"
)

// signatures are the files that say in whose name a release was made. Without
// a key there are none.
type signatures struct {
	key     *key.Key
	output  *publish.File
	text    []byte                      // of output
	reports map[string][2]*publish.File // by path of the report: its signature, its envelope
}

// newSignatures reads the key of --sign.
func newSignatures(o *options.Options) (*signatures, error) {
	s := &signatures{reports: map[string][2]*publish.File{}}
	if o.Sign == "" {
		return s, nil
	}
	if o.Hash == "none" {
		return nil, fault.New(fault.Usage, "leave --hash none out", "--sign needs the hashes that --hash none leaves out")
	}
	k, err := key.Read(o.Sign, key.Signing, "--sign")
	s.key = k
	return s, err
}

// addOutput opens the signature of the output; where nothing is signed it
// refuses to leave one of an earlier release beside a new output.
func (s *signatures) addOutput(r *release) (err error) {
	s.output, err = s.add(r, r.o.Output+signatureEnding, false)
	return err
}

// addReport opens signature and envelope of a report. Those of an internal
// report are private as it is: who has the public key can tell by them whether
// a guess of the report is right.
func (s *signatures) addReport(r *release, path string, private bool) error {
	detached, err := s.add(r, path+signatureEnding, private)
	if err != nil {
		return err
	}
	envelope, err := s.add(r, filepath.Join(filepath.Dir(path), envelopeFile), private)
	s.reports[path] = [2]*publish.File{detached, envelope}
	return err
}

func (s *signatures) add(r *release, path string, private bool) (*publish.File, error) {
	if s.key != nil {
		f, err := r.set.Add(publish.Target{Path: path, Overwrite: r.o.Overwrite, Private: private})
		return f, r.overwriteHint(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Usage, "sign this release too, with --sign, or remove it", "%s is the signature of an earlier release", path)
	}
	return nil, nil
}

// signOutput signs the file that will be published.
func (s *signatures) signOutput(ctx context.Context, r *release, written documents.Sized) (err error) {
	if s.key != nil {
		s.text, err = sign.Detached(s.key, filepath.Base(r.o.Output), documents.Stopping(ctx, io.NewSectionReader(written, 0, written.Size())))
	}
	return err
}

// outputSignature is none or one document.
func (s *signatures) outputSignature() []documents.Document {
	if s.key == nil {
		return nil
	}
	return []documents.Document{{To: s.output, Data: s.text}}
}

// signReport signs a report, and that it is about the output with this hash.
func (s *signatures) signReport(r *release, path string, report []byte, outputHash string) ([]documents.Document, error) {
	if s.key == nil {
		return nil, nil
	}
	name := filepath.Base(path)
	detached, err := sign.Detached(s.key, name, bytes.NewReader(report))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(report)
	envelope, err := sign.Envelope(s.key, report, sign.Subject{Name: filepath.Base(r.o.Output), SHA256: outputHash}, sign.Subject{Name: name, SHA256: hex.EncodeToString(sum[:])})
	if err != nil {
		return nil, err
	}
	to := s.reports[path]
	return []documents.Document{{To: to[0], Data: detached}, {To: to[1], Data: envelope}}, nil
}
