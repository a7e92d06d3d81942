package report

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Names of the files of a release that state it.
const (
	StatementFile   = "release.json"   // in the folder of the report, and in its public folder
	CommitmentFile  = "commitment.key" // beside the internal statement
	SignatureEnding = ".minisig"
)

// Types that the statements name.
const (
	statementType     = "https://in-toto.io/Statement/v1"
	InternalStatement = "https://github.com/tacet-privacy/tacet/release/v1"
	PublicStatement   = "https://github.com/tacet-privacy/tacet/public-release/v1"
)

// A Statement is release.json.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"` // output first, then by name
	PredicateType string    `json:"predicateType"`
	Predicate     Predicate `json:"predicate"`
}

// A Subject is a file of the release. Its name is a path from the folder of the
// statement, with slashes; that of the output has no folder.
type Subject struct {
	Name        string            `json:"name"`
	Digest      FileHash          `json:"digest"`
	Annotations map[string]string `json:"annotations,omitempty"` // "role" is "output" for the output
}

// A FileHash is the hash of a file.
type FileHash struct {
	SHA256 string `json:"sha256"` // hex
}

// A Predicate is what else is stated.
type Predicate struct {
	Version string    `json:"version"`          // of Tacet
	Stamp   string    `json:"stamp,omitempty"`  // "NOT A PRIVATE RELEASE" when a test seed was used
	Inputs  []Subject `json:"inputs,omitempty"` // internal: what was privatized
	// public: hex HMAC-SHA-256 of the internal statement under commitment.key
	Commitment  string   `json:"commitment,omitempty"`
	NotComputed []string `json:"not_computed,omitempty"`
}

// NewStatement is a statement of files; output is that of the file that was published,
// without a hash where none was computed.
func NewStatement(kind, version, stamp string, output Subject, files []Subject) *Statement {
	s := &Statement{Type: statementType, Subject: []Subject{}, PredicateType: kind, Predicate: Predicate{Version: version,
		Stamp: stamp}}
	if output.Digest.SHA256 == "" {
		s.Predicate.NotComputed = append(s.Predicate.NotComputed, "output")
	} else {
		output.Annotations = map[string]string{"role": "output"}
		s.Subject = append(s.Subject, output)
	}
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b Subject) int { return cmp.Compare(a.Name, b.Name) })
	s.Subject = append(s.Subject, files...)
	return s
}

// SubjectOf is a file of the release.
func SubjectOf(name string, data []byte) Subject {
	sum := sha256.Sum256(data)
	return Subject{Name: name, Digest: FileHash{hex.EncodeToString(sum[:])}}
}

// InPublic are the files that the public statement names, by their paths from its folder.
func InPublic(files []Subject) (open []Subject) {
	for _, f := range files {
		if at, ok := strings.CutPrefix(f.Name, "public/"); ok {
			f.Name = at
		} else if strings.Contains(f.Name, "/public/") {
			f.Name = "../" + f.Name
		} else {
			continue
		}
		open = append(open, f)
	}
	return open
}

// From notes what was privatized, without a hash where none was computed.
func (s *Statement) From(input Subject) {
	if input.Digest.SHA256 == "" {
		s.Predicate.NotComputed = append(s.Predicate.NotComputed, "input")
		return
	}
	s.Predicate.Inputs = append(s.Predicate.Inputs, input)
}

// Commit ties a public statement to the bytes of the internal one.
func (s *Statement) Commit(internal, key []byte) {
	mac := hmac.New(sha256.New, key)
	mac.Write(internal)
	s.Predicate.Commitment = hex.EncodeToString(mac.Sum(nil))
}

// Encode is release.json.
func (s *Statement) Encode() ([]byte, error) { return unescaped(s, "statement") }

// unescaped is the JSON of what is hashed or signed, in which every character stands
// for itself.
func unescaped(v any, of string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("%s: %w", of, err)
	}
	return b.Bytes(), nil
}
