package pipeline

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A SignOff is what a person decides of a release.
type SignOff struct {
	Report   string // folder of the internal report
	Decision string // "approve" or "reject"
	By, Note string // Note may be ""
	Date     string // RFC 3339
	Key      string // place of a signing key, as package key takes it
	Public   bool   // an approval is put beside the public report, too, without a name
	// Verify proves a release that is to be approved from its files; nil where that was done.
	Verify func() error
}

// Open is what a report leaves to whoever decides.
type Open struct {
	Warnings []string // to be accepted by signing, with their column where there are several
	Missing  []string // what nobody declared
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
	if s.Decision == "approve" {
		open, err := s.Open()
		if err != nil {
			return nil, "", err
		}
		d.Accepts = open.Warnings
		if key.SignedBy(filepath.Join(s.Report, report.StatementFile)+report.SignatureEnding) == k.ID() {
			return nil, "", fault.New(fault.Privacy, "approve with a key of somebody who did not make the release", "%s is the "+
				"key that signed the release", s.Key)
		}
		if s.Verify != nil {
			if err := s.Verify(); err != nil {
				return nil, "", err
			}
		}
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
		err = putBoth(path, data, signature, true)
		var taken *publish.TargetError
		switch {
		case err == nil && s.Public && s.Decision == "approve":
			return d, path, s.publish(k)
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

// publish puts an approval beside the public report.
func (s SignOff) publish(k *key.Key) error {
	folder := filepath.Join(s.Report, publicFolder)
	stated, err := os.ReadFile(filepath.Join(folder, report.StatementFile))
	if err != nil {
		return fault.Unreadable("--report", folder, err)
	}
	a := report.Approval{Schema: report.ApprovalSchema, Statement: report.SubjectOf("", stated).Digest.SHA256,
		Decision: s.Decision, Date: s.Date}
	data, err := a.Encode()
	if err != nil {
		return err
	}
	signature, err := key.Detached(k, report.ApprovalFile, bytes.NewReader(data))
	if err != nil {
		return err
	}
	return putBoth(filepath.Join(folder, report.ApprovalFile), data, signature, false)
}

// Open reads what the reports of the release leave open.
func (s SignOff) Open() (o Open, err error) {
	paths := []string{filepath.Join(s.Report, jsonFile)}
	if many, err := filepath.Glob(filepath.Join(s.Report, "[1-8]", jsonFile)); err == nil && len(many) > 0 {
		paths = many
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return o, fault.Unreadable("--report", path, err)
		}
		r, _, err := report.Read(data)
		if err != nil || r == nil {
			return o, fault.New(fault.Input, "give the folder of the internal report", "%s is no internal report", path)
		}
		for _, w := range r.Warnings {
			if len(paths) > 1 {
				w = r.Column + ": " + w
			}
			o.Warnings = append(o.Warnings, w)
		}
		o.Missing = page.Undeclared(r)
	}
	return o, nil
}

// putBoth puts a decision in place after its signature.
func putBoth(path string, data, signature []byte, private bool) (err error) {
	set := publish.NewSet()
	defer set.AbortOn(&err)
	var documents []publish.Document
	for _, f := range []struct {
		path string
		data []byte
	}{{path + report.SignatureEnding, signature}, {path, data}} {
		to, err := set.Add(publish.Target{Path: f.path, Private: private})
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
	stated, ok := report.ReadStatement(data, report.InternalStatement)
	if !ok {
		return nil, fault.New(fault.Input, "give the folder of the internal report, in which "+report.StatementFile+" lies",
			"%s does not state a release that can be decided on", path)
	}
	if stamp := stated.Predicate.Stamp; stamp != "" && s.Decision == "approve" {
		return nil, fault.New(fault.Privacy, "make the release without --test-seed", "the release is stamped %s, and is not "+
			"to be approved", stamp)
	}
	d := &report.Decision{Schema: report.DecisionSchema, Statement: report.SubjectOf("", data).Digest.SHA256,
		Decision: s.Decision, By: s.By, Date: s.Date, Note: s.Note}
	for _, f := range stated.Files() { // the output may lie anywhere
		held, err := os.ReadFile(filepath.Join(s.Report, filepath.FromSlash(f.Name)))
		if err != nil {
			return nil, fault.Unreadable("--report", filepath.Join(s.Report, f.Name), err)
		}
		if report.SubjectOf("", held).Digest != f.Digest {
			return nil, fault.New(fault.Privacy, "do not decide on it; tacet verify says what else is wrong",
				"%s is not the file that was released", filepath.Join(s.Report, f.Name))
		}
	}
	if d.Of(report.FileHash{SHA256: stated.Report()}); d.Report == "" {
		return nil, fault.New(fault.Input, "make the release again", "%s names no report", path)
	}
	return d, nil
}
