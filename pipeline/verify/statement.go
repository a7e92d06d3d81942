package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

const publicFolder = "public"

// checkStatement holds every file of the release to its statement, and that, with
// --trust, to its signature; the public statement to the internal one. stated
// are the bytes of the report, and public says which of the two it is.
func (v *Result) checkStatement(q *Request, stated []byte, public bool) error {
	const name = "statement"
	path, own := stating(q.Report, public)
	data, err := read(path, "--report")
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && q.Trust == "":
		return noRelease(filepath.Dir(path))
	case err != nil && !missing:
		return err
	}
	var key *publicKey
	if q.Trust != "" {
		if key, err = trusted(q.Trust, "--trust"); err != nil {
			return err
		}
		checkSigned(v, "signature", key, path, data)
	}
	if by := signedBy(path); q.withdrawn(by) {
		v.Add("withdrawn key", false, "%s, which signed the release", by)
	}
	if missing {
		v.Add(name, false, "%s is not there: a folder without it holds no release", report.StatementFile)
		return nil
	}
	s, ok := report.ReadStatement(data, kernel.Either(public, report.PublicStatement, report.InternalStatement))
	if !ok {
		v.Add(name, false, "%s is not a statement of this version, or was changed", report.StatementFile)
		return nil
	}
	q.stated = s
	var w kernel.Faults
	holdsReport(&w, s, own, stated)
	prefix := strings.TrimSuffix(own, filepath.Base(own))
	held, absent, err := holdsFiles(&w, s, filepath.Dir(path), map[string]string{own: q.Report,
		prefix + "plan.json": q.Plan, prefix + "order.csv": q.Order,
		prefix + files.WeightsFile: filepath.Join(filepath.Dir(q.Plan), files.WeightsFile)})
	if err != nil {
		return err
	}
	id := s.Report()
	if public {
		id = files.Hex(stated)
	}
	v.Settle(name, w, "%d files are, byte for byte, those that %s names; release %s", held, report.StatementFile,
		report.ID(id))
	if len(absent) > 0 {
		v.Skip("stated files", "not there: "+firstOf(absent))
	}
	inside, open := extra(s, filepath.Dir(path))
	if len(open) > 0 {
		v.Add("other files", false, "in a public folder, and not of the release: %s", firstOf(open))
	}
	if len(inside) > 0 {
		v.Skip("other files", "beside the report, and not of the release: "+firstOf(inside))
	}
	if !public {
		return checkCommitment(v, key, filepath.Dir(path), s, data)
	}
	return nil
}

// noRelease says that a folder has no statement.
func noRelease(folder string) error {
	return kernel.Errorf("do not rely on its files; where they were made, the same job with --overwrite makes them "+
		"whole",
		"%s holds no release: %s is missing, as a run leaves it that was ended while it put files in place", folder,
		report.StatementFile)
}

// checkSigned wants the signature of a statement beside it.
func checkSigned(v *Result, name string, key *publicKey, path string, data []byte) {
	by, why := signer(path, "the statement", data, key)
	v.Add(name, why == "", "%s", kernel.Either(why == "", "minisign, key "+by, why))
}

// stating is the statement that a report belongs to, and the report's name in
// it. A report of one of several columns lies a folder below.
func stating(of string, public bool) (path, own string) {
	dir, base := filepath.Split(of)
	path = filepath.Join(dir, report.StatementFile)
	abs, err := filepath.Abs(dir)
	if exists(path) || err != nil {
		return path, base
	}
	folder, own := filepath.Dir(abs), filepath.Base(abs)+"/"+base
	if public {
		own = "../" + filepath.Base(folder) + "/" + publicFolder + "/" + base
		folder = filepath.Join(filepath.Dir(folder), publicFolder)
	}
	if above := filepath.Join(folder, report.StatementFile); exists(above) {
		return above, own
	}
	return path, base
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// holdsReport compares the statement with one that is told again: from what the report that was
// given says of input and output, of the files of a release, with their hashes as stated.
func holdsReport(w *kernel.Faults, s *report.Statement, own string, stated []byte) {
	if s.SumOf(own) != files.Hex(stated) {
		w.Addf("it does not name this report")
	}
	type by struct {
		Version string `json:"version"`
		Stamp   string `json:"stamp"`
	}
	var says struct {
		Schema string `json:"schema"`
		by
		Stated *by             `json:"stated"` // of report.json; other documents have it themselves
		Input  report.FileHash `json:"input"`
		Output report.FileHash `json:"output"`
		Parts  []any           `json:"parts"`
		Joint  string          `json:"joint_sha256"`
	}
	if json.Unmarshal(stated, &says) != nil {
		return // whoever reads the report says so
	}
	if says.Stated != nil {
		says.by = *says.Stated
	}
	public, columns := s.PredicateType == report.PublicStatement, 0
	for s.SumOf(fmt.Sprintf("%s%d/public/report.json", kernel.Either(public, "../", ""), columns+1)) != "" {
		columns++
	}
	joint := says.Schema == report.JointSchema
	w.Match(columns != 1 && (!joint || len(says.Parts) == columns), "the number of columns in the statement")
	w.Match(public || joint || says.Joint == s.SumOf("joint.json"), "the hash of joint.json in the report")
	input := report.Subject{Digest: says.Input}
	if len(s.Predicate.Inputs) > 0 {
		input.Name = s.Predicate.Inputs[0].Name
	}
	output := report.Subject{Name: s.Output().Name, Digest: says.Output}
	want := report.NewStatement(says.Version, says.Stamp, output, input, names(s, columns))
	if public {
		want = want.Open()
		want.Predicate.Commitment = s.Predicate.Commitment
	}
	for i, f := range want.Files() {
		want.Files()[i].Digest.SHA256 = s.SumOf(f.Name)
	}
	sameStatement(w, s, want, report.StatementFile, "the report")
}

// sameStatement compares a statement with the one that follows from another file.
func sameStatement(w *kernel.Faults, s, want *report.Statement, name, from string) {
	is, err := s.Encode()
	again, err2 := want.Encode()
	if err != nil || err2 != nil || !bytes.Equal(is, again) {
		w.Addf("%s is not what a run writes that made %s, in %s", name, from, firstOf(differences(is, again)))
	}
}

// names are the files of a release of several private columns, 0 for one, and such as only some
// have: that there are these is checked by whoever reads report and plan.
func names(s *report.Statement, columns int) (all []report.Subject) {
	names := pipeline.Files(max(1, columns))
	for _, f := range s.Files() {
		folder, weights := strings.CutSuffix(f.Name, files.WeightsFile)
		if f.Name == report.ListFile || weights && slices.Contains(names, folder+"plan.json") {
			names = append(names, f.Name)
		}
	}
	for _, name := range names {
		all = append(all, report.Subject{Name: name})
	}
	return all
}

// holdsFiles compares the files that are there with their hashes, and names
// those that are not. given says where a file lies, if elsewhere. It fails where the
// system does not read a file, of which nothing follows then.
func holdsFiles(w *kernel.Faults, s *report.Statement, folder string,
	given map[string]string) (held int, absent []string, err error) {
	for _, f := range s.Files() {
		path, ok := given[f.Name]
		if !ok {
			path = filepath.Join(folder, filepath.FromSlash(f.Name))
		}
		sum, err := sumOf(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			absent = append(absent, f.Name)
		case failed(err):
			return held, absent, unreadable(path, "--report", err)
		case err != nil:
			w.Addf("%s is no file", f.Name)
		case sum != f.Digest.SHA256:
			w.Addf("%s is not the file that was released", f.Name)
		default:
			held++
		}
	}
	return held, absent, nil
}

// extra are files in the folders of the release that are none of it: beside the internal
// reports, and in public folders, which hold nothing else.
func extra(s *report.Statement, folder string) (inside, open []string) {
	public := s.PredicateType == report.PublicStatement
	approval := kernel.Either(public, "", publicFolder+"/") + report.ApprovalFile
	known, folders := map[string]bool{report.StatementFile: true, publicFolder + "/" + report.StatementFile: true,
		approval: true}, map[string]bool{".": true, publicFolder: !public}
	for _, f := range s.Subject {
		known[f.Name] = true
		folders[path.Dir(f.Name)] = true
	}
	for _, at := range slices.Sorted(maps.Keys(folders)) {
		list, err := os.ReadDir(filepath.Join(folder, filepath.FromSlash(at)))
		if err != nil || !folders[at] {
			continue // what is absent is named
		}
		for _, e := range list {
			name := path.Join(at, e.Name())
			of := strings.TrimSuffix(name, ".minisig")
			switch {
			case known[of], folders[name], strings.HasPrefix(e.Name(), ".tacet-"),
				at == "." && !public && decisionName.MatchString(of):
			case public || path.Base(at) == publicFolder:
				open = append(open, name)
			default:
				inside = append(inside, name)
			}
		}
	}
	return inside, open
}

// sumOf is the hex SHA-256 of a file.
func sumOf(path string) (string, error) {
	f, err := table.OpenLocal(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return publish.SumOf(context.Background(), f)
}
