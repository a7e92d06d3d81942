// Package sign says in the name of a key what was released.
//
// A release has two kinds of signature. The detached one, in the format of
// minisign, stands beside a file and covers its bytes. The envelope
// (report.dsse.json, DSSE v1) covers an in-toto statement whose subjects are
// the output and the report, by SHA-256, and whose predicate is the report
// itself, so that neither can be put beside another.
//
// Both are Ed25519 and the same for the same files: they hold no time.
package sign

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	"aead.dev/minisign"

	"github.com/tacet-privacy/tacet/pipeline/key"
)

// What the envelope holds, as DSSE and in-toto name it.
const (
	payloadType   = "application/vnd.in-toto+json"
	statementType = "https://in-toto.io/Statement/v1"
	// PredicateType names what the predicate is: a report of this module, of
	// the format that its schema member says.
	PredicateType = "https://github.com/tacet-privacy/tacet/report"
)

// A Subject is a file that a statement is about.
type Subject struct {
	Name   string // without folders
	SHA256 string // hex
}

// Detached is the content of NAME.minisig for the bytes that r gives. name is
// told in the trusted comment.
func Detached(k *key.Key, name string, r io.Reader) ([]byte, error) {
	m := minisign.NewReader(r)
	if _, err := io.Copy(io.Discard, m); err != nil {
		return nil, fmt.Errorf("signing %s: %w", name, err)
	}
	return m.SignWithComments(k.Minisign(), "file:"+printable(name)+"\thashed", "signature of tacet, key "+k.ID()), nil
}

// Envelope is the content of report.dsse.json: the statement that report, a
// JSON document, is about these subjects, signed.
func Envelope(k *key.Key, report []byte, subjects ...Subject) ([]byte, error) {
	type digest struct {
		SHA256 string `json:"sha256"`
	}
	type subject struct {
		Name   string `json:"name"`
		Digest digest `json:"digest"`
	}
	statement := struct {
		Type          string          `json:"_type"`
		Subject       []subject       `json:"subject"`
		PredicateType string          `json:"predicateType"`
		Predicate     json.RawMessage `json:"predicate"`
	}{Type: statementType, PredicateType: PredicateType, Predicate: report}
	for _, s := range subjects {
		statement.Subject = append(statement.Subject, subject{s.Name, digest{s.SHA256}})
	}
	payload, err := encode(statement)
	if err != nil {
		return nil, fmt.Errorf("signing the report: %w", err)
	}
	type signature struct {
		KeyID string `json:"keyid"`
		Sig   []byte `json:"sig"`
	}
	return encode(struct {
		PayloadType string      `json:"payloadType"`
		Payload     []byte      `json:"payload"`
		Signatures  []signature `json:"signatures"`
	}{payloadType, payload, []signature{{fingerprint(k), ed25519.Sign(k.Ed25519(), authenticated(payloadType, payload))}}})
}

// authenticated is what DSSE signs (PAE in its protocol.md).
func authenticated(payloadType string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
}

// fingerprint names the key as ssh-keygen -l does, which DSSE libraries take
// where a key has no other name: SHA-256 of the key in SSH's encoding
// (RFC 8709, section 4).
func fingerprint(k *key.Key) string {
	public := k.Ed25519().Public().(ed25519.PublicKey)
	sum := sha256.Sum256(fmt.Appendf(nil, "\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20%s", public))
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// encode writes a document on one line, with nothing escaped that need not be.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// printable keeps a name on the line of the comment.
func printable(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c < ' ' || c == 0x7f {
			b[i] = '?'
		}
	}
	return string(b)
}
