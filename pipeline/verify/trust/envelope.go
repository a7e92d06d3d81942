package trust

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// An Envelope is DSSE v1; a statement is in-toto v1.
type Envelope struct {
	PayloadType string `json:"payloadType"`
	Payload     []byte `json:"payload"`
	Signatures  []struct {
		KeyID string `json:"keyid"`
		Sig   []byte `json:"sig"`
	} `json:"signatures"`
}

type statement struct {
	Type    string `json:"_type"`
	Subject []struct {
		Name   string            `json:"name"`
		Digest map[string]string `json:"digest"`
	} `json:"subject"`
	PredicateType string          `json:"predicateType"`
	Predicate     json.RawMessage `json:"predicate"`
}

// checkEnvelope verifies the envelope and then what it says.
func checkEnvelope(v *subject.View, key *publicKey, path string, report []byte, reportSum, outputSum string) {
	const signature, content = "signature", "statement"
	data, err := os.ReadFile(path)
	if err != nil {
		v.Add(signature, false, "%s cannot be read", path)
		return
	}
	var e Envelope
	if err := strict(data, &e); err != nil || len(e.Signatures) == 0 || e.PayloadType != "application/vnd.in-toto+json" {
		v.Add(signature, false, "%s is no envelope of a statement: cut short, or changed", path)
		return
	}
	signed := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(e.PayloadType), e.PayloadType, len(e.Payload), e.Payload)
	holds, ours := false, false
	for _, s := range e.Signatures {
		ours = ours || s.KeyID == fingerprint(key)
		holds = holds || ed25519.Verify(key.key, signed, s.Sig)
	}
	if !v.Add(signature, holds, "%s", verdict.Either(holds, "Ed25519, key "+key.name(), verdict.Either(ours, "the statement is not the one that was signed", "by another key"))) {
		return
	}
	var s statement
	if err := strict(e.Payload, &s); err != nil || s.Type != "https://in-toto.io/Statement/v1" || s.PredicateType != "https://github.com/tacet-privacy/tacet/report" {
		v.Add(content, false, "it is not about a release")
		return
	}
	var w verdict.Faults
	found := map[string]bool{}
	for _, subject := range s.Subject {
		found[subject.Digest["sha256"]] = true
	}
	if len(s.Subject) != 2 {
		w.Addf("it is about %d files", len(s.Subject))
	}
	if !found[reportSum] {
		w.Addf("it is about another report")
	}
	if !found[outputSum] {
		w.Addf("it is about another output")
	}
	var told, given bytes.Buffer
	if json.Compact(&told, s.Predicate) != nil || json.Compact(&given, report) != nil || !bytes.Equal(told.Bytes(), given.Bytes()) {
		w.Addf("the report in it is another")
	}
	v.Settle(content, w, "it is about this report and this output, by their hashes, and holds the report")
}

// fingerprint is the SHA-256 of the key in SSH's encoding, by which envelopes
// name it.
func fingerprint(k *publicKey) string {
	h := sha256.New()
	h.Write([]byte{0, 0, 0, 11})
	h.Write([]byte("ssh-ed25519"))
	h.Write([]byte{0, 0, 0, ed25519.PublicKeySize})
	h.Write(k.key)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(h.Sum(nil))
}

// strict reads one JSON document with the members that are known.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something stands behind the end")
	}
	return nil
}
