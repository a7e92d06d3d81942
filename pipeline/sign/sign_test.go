package sign

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/tacet-privacy/tacet/pipeline/key"
)

func newKey(t *testing.T) *key.Key {
	t.Helper()
	k, err := key.New(key.Signing, "")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestDetached verifies with the library, and with minisign itself where it is
// installed.
func TestDetached(t *testing.T) {
	k, dir := newKey(t), t.TempDir()
	for _, message := range [][]byte{nil, []byte("letters"), bytes.Repeat([]byte{7}, 1<<20)} {
		sig, err := Detached(k, "out\n.parquet", bytes.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		public := k.Minisign().Public().(minisign.PublicKey)
		if !minisign.Verify(public, message, sig) {
			t.Error("the library refuses the signature")
		}
		if minisign.Verify(public, append(message, 1), sig) || minisign.Verify(newKey(t).Minisign().Public().(minisign.PublicKey), message, sig) {
			t.Error("the signature fits another message or key")
		}
		again, _ := Detached(k, "out\n.parquet", bytes.NewReader(message))
		if !bytes.Equal(sig, again) {
			t.Error("two signatures of one file differ")
		}
		if lines := strings.Split(string(sig), "\n"); len(lines) != 5 || lines[2] != "trusted comment: file:out?.parquet\thashed" {
			t.Errorf("the signature is not of four lines:\n%s", sig)
		}
		program, err := exec.LookPath("minisign")
		if err != nil {
			continue // the library has judged
		}
		file, pub := filepath.Join(dir, "m"), filepath.Join(dir, "k.pub")
		if err := errors.Join(os.WriteFile(file, message, 0o600), os.WriteFile(file+".minisig", sig, 0o600), os.WriteFile(pub, []byte(k.Public()), 0o600)); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program, "-V", "-H", "-p", pub, "-m", file).CombinedOutput(); err != nil {
			t.Errorf("minisign: %v: %s", err, out)
		}
	}
}

// verifier is an Ed25519 key as package dsse takes it.
type verifier struct{ public ed25519.PublicKey }

func (v verifier) Verify(_ context.Context, data, sig []byte) error {
	if !ed25519.Verify(v.public, data, sig) {
		return errors.New("wrong signature")
	}
	return nil
}
func (v verifier) KeyID() (string, error)   { return "", nil } // dsse takes the fingerprint then
func (v verifier) Public() crypto.PublicKey { return v.public }

// TestEnvelope has another implementation of DSSE open the envelope.
func TestEnvelope(t *testing.T) {
	k, report := newKey(t), []byte("{\n  \"schema\": \"tacet.report/v1\",\n  \"column\": \"a<b>&\"\n}\n")
	out, rep := sha256.Sum256([]byte("output")), sha256.Sum256(report)
	subjects := []Subject{{"out.parquet", hex.EncodeToString(out[:])}, {"report.json", hex.EncodeToString(rep[:])}}
	data, err := Envelope(k, report, subjects...)
	if err != nil {
		t.Fatal(err)
	}
	var e dsse.Envelope
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	ours, err := dsse.NewEnvelopeVerifier(verifier{k.Ed25519().Public().(ed25519.PublicKey)})
	if err != nil {
		t.Fatal(err)
	}
	accepted, payload, err := ours.VerifyAndDecode(t.Context(), &e)
	if err != nil || len(accepted) != 1 || accepted[0].KeyID != e.Signatures[0].KeyID {
		t.Fatalf("the library refuses the envelope: %v, %v", accepted, err)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, report); err != nil {
		t.Fatal(err)
	}
	text := `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"out.parquet","digest":{"sha256":"` + subjects[0].SHA256 +
		`"}},{"name":"report.json","digest":{"sha256":"` + subjects[1].SHA256 + `"}}],"predicateType":"` + PredicateType + `","predicate":` + want.String() + "}\n"
	if string(payload) != text {
		t.Errorf("statement\n%s\nwant\n%s", payload, text)
	}
	theirs, _ := dsse.NewEnvelopeVerifier(verifier{newKey(t).Ed25519().Public().(ed25519.PublicKey)})
	if _, err := theirs.Verify(t.Context(), &e); err == nil {
		t.Error("another key accepts the envelope")
	}
	if _, err := Envelope(k, []byte("{half"), subjects...); err == nil {
		t.Error("a report that is no document was signed")
	}
}
