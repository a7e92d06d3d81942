package verify

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/trust"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// signed makes a release in the name of a new key.
func signed(t *testing.T, epsilon string) (r *release, k *key.Key) {
	t.Helper()
	k, err := key.New(key.Signing, "")
	must(t, err)
	path := filepath.Join(t.TempDir(), "key")
	must(t, key.Write(path, k))
	j := job{cell: []string{"a", "b", "b", "c"}, rows: 400, order: "ordered:a,b,c", options: pipeline.Options{Epsilon: epsilon, Sign: path}}
	return j.make(t), k
}

func (r *release) trust(k *key.Key) document.Request {
	return document.Request{Report: r.path("report.json"), Input: r.input, Output: r.output, Trust: k.Public()}
}

func TestSigned(t *testing.T) {
	r, k := signed(t, "0.9")
	pub := filepath.Join(t.TempDir(), "k.pub")
	must(t, os.WriteFile(pub, []byte(k.Public()), 0o600))
	line := strings.Split(k.Public(), "\n")[1]
	for _, trust := range []string{pub, line} {
		q := r.trust(k)
		q.Trust = trust
		got, err := Run(t.Context(), q)
		must(t, err)
		if len(got.Failed()) > 0 || len(got.Checks) < 5 {
			t.Fatalf("failed: %v", got.Failed())
		}
		for i, name := range []string{"signature", "statement", "report signature", "output signature"} {
			if c := got.Checks[i]; c.Name != name || c.Outcome != verdict.Passed {
				t.Errorf("check %d is %v, want %s passed", i, c, name)
			}
		}
	}
	for path, mode := range map[string]os.FileMode{r.path("report.dsse.json"): 0o600, r.path("report.json.minisig"): 0o600} {
		if st, err := os.Stat(path); err != nil || st.Mode() != mode {
			t.Errorf("%s has mode %v, %v", path, st.Mode(), err)
		}
	}
	// The envelope covers what the detached signatures do.
	must(t, os.Remove(r.output+".minisig"))
	q := r.trust(k)
	q.Trust = line
	got, err := Run(t.Context(), q)
	if must(t, err); len(got.Failed()) > 0 || got.Checks[3].Outcome != verdict.NotChecked {
		t.Errorf("without a detached signature: %v", got.Checks[:4])
	}
}

// changeFile changes a file by its text.
func changeFile(t *testing.T, path string, change func(string) string) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	text := change(string(data))
	if text == string(data) {
		t.Fatalf("nothing changed in %s", path)
	}
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func replace(old, fresh string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, fresh, 1) }
}

// TestForged alters what is signed, or who signs, and wants the check named.
func TestForged(t *testing.T) {
	r, k := signed(t, "0.9")
	other, _ := signed(t, "1.4")
	stranger, err := key.New(key.Signing, "")
	must(t, err)
	flip := func(i int) func(string) string {
		return func(s string) string {
			b := []byte(s)
			b[(i+len(b))%len(b)] ^= 1
			return string(b)
		}
	}
	line := func(n int, change func(string) string) func(string) string {
		return func(s string) string {
			lines := strings.Split(s, "\n")
			lines[n] = change(lines[n])
			return strings.Join(lines, "\n")
		}
	}
	payload := func(old, fresh string) func(string) string {
		return func(s string) string { return reseal(t, s, k.Ed25519(), replace(old, fresh)) }
	}
	report, envelope, output := r.path("report.json"), r.path("report.dsse.json"), r.output
	another := func(path string) func(string) string {
		return func(string) string {
			data, err := os.ReadFile(path)
			must(t, err)
			return string(data)
		}
	}
	for _, c := range []struct {
		name, path string
		change     func(string) string
		want       []string
	}{
		{"a figure of the report", report, replace(`"records": 400`, `"records": 401`), []string{"statement", "report signature"}},
		{"spaces in the report", report, replace(`"records": 400`, `"records":  400`), []string{"statement", "report signature"}},
		{"an unknown member", report, replace(`"records"`, `"recorts"`), []string{"statement", "report signature"}},
		{"half a report", report, func(s string) string { return s[:len(s)/2] }, []string{"statement", "report signature"}},
		{"a byte of the output", output, flip(100), []string{"statement", "output signature"}},
		{"another output", output, another(other.output), []string{"statement", "output signature"}},
		{"the envelope of another release", envelope, another(other.path("report.dsse.json")), []string{"signature"}},
		{"half an envelope", envelope, func(s string) string { return s[:len(s)/2] }, []string{"signature"}},
		{"an empty envelope", envelope, func(string) string { return "{}" }, []string{"signature"}},
		{"an envelope without signatures", envelope, func(s string) string { return s[:strings.Index(s, `"signatures"`)] + "\"signatures\":[]}\n" }, []string{"signature"}},
		{"something behind the envelope", envelope, func(s string) string { return s + s }, []string{"signature"}},
		{"another payload type", envelope, replace("in-toto+json", "in-toto+jsom"), []string{"signature"}},
		{"a byte of the payload", envelope, flip(120), []string{"signature"}},
		{"a byte of the signature", envelope, flip(-20), []string{"signature"}},
		{"a statement about another output", envelope, payload(`"name":"out.parquet","digest":{"sha256":"`, `"name":"out.parquet","digest":{"sha256":"00`), []string{"statement"}},
		{"a statement with another report in it", envelope, payload(`"records":400`, `"records":399`), []string{"statement"}},
		{"a statement of another type", envelope, payload("Statement/v1", "Statement/v0"), []string{"statement"}},
		{"another predicate type", envelope, payload("tacet/report", "tacet/other"), []string{"statement"}},
		{"a third subject", envelope, payload(`"subject":[`, `"subject":[{"name":"x","digest":{"sha256":"00"}},`), []string{"statement"}},
		{"a member more", envelope, payload(`{"_type"`, `{"more":1,"_type"`), []string{"statement"}},
		{"the trusted comment", report + ".minisig", line(2, replace("report", "deport")), []string{"report signature"}},
		{"half a signature", report + ".minisig", func(s string) string { return s[:len(s)/2] }, []string{"report signature"}},
		{"an empty signature", output + ".minisig", func(string) string { return "" }, []string{"output signature"}},
		{"the signature of another file", output + ".minisig", another(report + ".minisig"), []string{"output signature"}},
		{"a signature by another key", output + ".minisig", another(other.output + ".minisig"), []string{"output signature"}},
		{"a signature of the old kind", output + ".minisig", line(1, replace("RU", "RW")), []string{"output signature"}},
	} {
		kept, err := os.ReadFile(c.path)
		must(t, err)
		changeFile(t, c.path, c.change)
		r.forged(t, c.name, r.trust(k), c.want)
		must(t, os.WriteFile(c.path, kept, 0o600))
	}
	r.forged(t, "another key", r.trust(stranger), []string{"signature", "report signature", "output signature"})
	must(t, os.Remove(envelope))
	r.forged(t, "no envelope", r.trust(k), []string{"signature"})
}

// forged wants these checks of signatures to fail, and no error instead.
func (r *release) forged(t *testing.T, name string, q document.Request, want []string) {
	t.Helper()
	q.Trust = strings.Split(q.Trust, "\n")[1]
	got, err := Run(t.Context(), q)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var failed []string
	for _, f := range got.Failed() {
		if strings.HasSuffix(f, "signature") || f == "statement" {
			failed = append(failed, f)
		}
	}
	if !slices.Equal(failed, want) {
		t.Errorf("%s: failed %v, want %v; %v", name, failed, want, got.Checks[:4])
	}
}

// reseal alters the statement of an envelope and signs it again: what is wrong
// then is what it says.
func reseal(t *testing.T, text string, by ed25519.PrivateKey, change func(string) string) string {
	t.Helper()
	var e trust.Envelope
	must(t, json.Unmarshal([]byte(text), &e))
	old := e.Payload
	e.Payload = []byte(change(string(old)))
	if bytes.Equal(old, e.Payload) {
		t.Fatal("nothing changed in the statement")
	}
	e.Signatures[0].Sig = ed25519.Sign(by, fmt.Appendf(nil, "DSSEv1 28 application/vnd.in-toto+json %d %s", len(e.Payload), e.Payload))
	data, err := json.Marshal(e)
	must(t, err)
	return string(data)
}

// TestTrust refuses what is no public key, without repeating it.
func TestTrust(t *testing.T) {
	r, k := signed(t, "0.9")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty": "", "prose": "my key\n", "secret": string(k.Text()), "short": "RWQAAA\n",
		"kind": base64.StdEncoding.EncodeToString(append([]byte("Xd"), make([]byte, 40)...)), "comment only": "untrusted comment: x\n",
	} {
		path := filepath.Join(dir, "k")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		for _, trust := range []string{path, filepath.Join(dir, "absent"), strings.TrimSpace(string(k.Text())[strings.Index(string(k.Text()), "\n"):])} {
			q := r.trust(k)
			q.Trust = trust
			var e *document.Error
			if _, err := Run(t.Context(), q); !errors.As(err, &e) || strings.Contains(e.What, "RWQAAE") || strings.Contains(e.What, "my key") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
