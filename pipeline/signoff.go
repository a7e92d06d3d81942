package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A SignOff is what a person decides of a release.
type SignOff struct {
	Report   string // folder of the internal report
	Decision string // "approve" or "reject"
	By, Note string // Note may be ""
	Date     string // RFC 3339
	Key      string // place of a signing key, as package key takes it
}

// longest bounds the texts of a decision, in bytes.
const longest = 2000

// Write puts the decision and its signature beside the report, and returns the decision
// and its path. What stands there is never replaced: a later decision has the next
// number. It refuses a release whose files are not those that its statement names.
func (s SignOff) Write() (d *report.Decision, path string, err error) {
	for _, t := range []struct{ flag, text string }{{"--by", s.By}, {"--note", s.Note}} {
		if !printed(t.text) {
			return nil, "", fault.New(fault.Usage, "write it on one line", "%s is longer than %d bytes, or holds what cannot "+
				"be printed", t.flag, longest)
		}
	}
	if strings.TrimSpace(s.By) == "" {
		return nil, "", fault.New(fault.Usage, `say who decides, as --by "A. Approver"`, "--by names nobody")
	}
	k, err := key.Read(s.Key, key.Signing, "--key")
	if err != nil {
		return nil, "", err
	}
	d, err = s.of()
	if err != nil {
		return nil, "", err
	}
	for d.Number = 1; ; d.Number++ {
		path = filepath.Join(s.Report, d.File())
		if exists(path) {
			continue
		}
		data, err := d.Encode()
		if err != nil {
			return nil, "", err
		}
		signature, err := key.Detached(k, d.File(), bytes.NewReader(data))
		if err != nil {
			return nil, "", err
		}
		err = putBoth(path, data, signature)
		var taken *publish.TargetError
		switch {
		case !errors.As(err, &taken) || !taken.Exists:
			return d, path, err
		case !exists(path):
			return nil, "", fault.New(fault.Usage, "remove it if no other sign-off is at work: one that was cut short leaves it",
				"%s is there, without the decision that it signs", path+report.SignatureEnding)
		}
	}
}

// exists reports whether something stands at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// putBoth puts a decision in place after its signature.
func putBoth(path string, data, signature []byte) (err error) {
	set := publish.NewSet()
	defer set.AbortOn(&err)
	var documents []publish.Document
	for _, f := range []struct {
		path string
		data []byte
	}{{path + report.SignatureEnding, signature}, {path, data}} {
		to, err := set.Add(publish.Target{Path: f.path, Private: true})
		if err != nil {
			return err
		}
		documents = append(documents, publish.Document{To: to, Data: f.data})
	}
	if err := publish.WriteAll(documents); err != nil {
		return err
	}
	return set.Commit()
}

// printed reports whether a text has one line that can be read.
func printed(text string) bool {
	return len(text) <= longest && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) })
}

// of is a decision of the release, whose files are held to its statement.
func (s SignOff) of() (*report.Decision, error) {
	path := filepath.Join(s.Report, report.StatementFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Unreadable("--report", path, err)
	}
	var stated report.Statement
	if err := json.Unmarshal(data, &stated); err != nil || stated.PredicateType != report.InternalStatement {
		return nil, fault.New(fault.Input, "give the folder of the internal report, in which "+report.StatementFile+" lies",
			"%s does not state a release that can be decided on", path)
	}
	if stamp := stated.Predicate.Stamp; stamp != "" && s.Decision == "approve" {
		return nil, fault.New(fault.Privacy, "make the release without --test-seed", "the release is stamped %s, and is not "+
			"to be approved", stamp)
	}
	d := &report.Decision{Schema: report.DecisionSchema, Statement: report.SubjectOf("", data).Digest.SHA256,
		Decision: s.Decision, By: s.By, Date: s.Date, Note: s.Note}
	for _, f := range stated.Subject {
		if f.Annotations != nil {
			continue // the output may lie anywhere
		}
		held, err := os.ReadFile(filepath.Join(s.Report, filepath.FromSlash(f.Name)))
		if err != nil {
			return nil, fault.Unreadable("--report", filepath.Join(s.Report, f.Name), err)
		}
		if report.SubjectOf("", held).Digest != f.Digest {
			return nil, fault.New(fault.Privacy, "do not decide on it; tacet verify says what else is wrong",
				"%s is not the file that was released", filepath.Join(s.Report, f.Name))
		}
		if f.Name == jsonFile || f.Name == jointFile {
			d.Of(f.Digest)
		}
	}
	if d.Report == "" {
		return nil, fault.New(fault.Input, "make the release again", "%s names no report", path)
	}
	return d, nil
}
