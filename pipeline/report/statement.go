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

// NewStatement is the internal statement of a release: of the file that was published, of what was
// privatized, each without a hash where none was computed, and of all other files.
func NewStatement(version, stamp string, output, input Subject, files []Subject) *Statement {
	s := stating(InternalStatement, version, stamp, output, files)
	if input.Digest.SHA256 == "" {
		s.Predicate.NotComputed = append(s.Predicate.NotComputed, "input")
	} else {
		s.Predicate.Inputs = []Subject{input}
	}
	return s
}

// ReadStatement reads a statement of a type. Its bytes must be those that its content is written
// as: no member twice, unknown or in another order.
func ReadStatement(data []byte, kind string) (s *Statement, ok bool) {
	s = &Statement{}
	if json.Unmarshal(data, s) != nil || s.Subject == nil {
		return nil, false
	}
	written, err := s.Encode()
	return s, err == nil && bytes.Equal(written, data) && s.PredicateType == kind
}

// stating is a statement of files.
func stating(kind, version, stamp string, output Subject, files []Subject) *Statement {
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

// Output is the file that was published; it has no hash where none was computed.
func (s *Statement) Output() (of Subject) {
	if len(s.Subject) > 0 && s.Subject[0].Annotations["role"] == "output" {
		of = s.Subject[0]
	}
	return of
}

// Files are all but the output.
func (s *Statement) Files() []Subject {
	if s.Output().Digest.SHA256 != "" {
		return s.Subject[1:]
	}
	return s.Subject
}

// SumOf is the hash of a file, "" of one that is not named.
func (s *Statement) SumOf(name string) string {
	for _, f := range s.Files() {
		if f.Name == name {
			return f.Digest.SHA256
		}
	}
	return ""
}

// Report is the hash of the report, of the joint one where there is one; "" where none is named.
func (s *Statement) Report() string { return cmp.Or(s.SumOf("joint.json"), s.SumOf("report.json")) }

// Open is the public statement that goes with an internal one, but for the commitment: its files
// are those in public folders, by their paths from its own.
func (s *Statement) Open() *Statement {
	var open []Subject
	for _, f := range s.Files() {
		if at, ok := strings.CutPrefix(f.Name, "public/"); ok {
			f.Name = at
		} else if strings.Contains(f.Name, "/public/") {
			f.Name = "../" + f.Name
		} else {
			continue
		}
		open = append(open, f)
	}
	return stating(PublicStatement, s.Predicate.Version, s.Predicate.Stamp, s.Output(), open)
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
