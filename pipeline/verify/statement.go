package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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

	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// Names of the files that state a release.
const (
	StatementFile = "release.json"
	CommitmentKey = "commitment.key"
	publicFolder  = "public"
	maxColumns    = 8
)

// A statement is release.json, an in-toto Statement, as docs/files.md describes
// it.
type statement struct {
	Type          string      `json:"_type"`
	Subject       []namedFile `json:"subject"`
	PredicateType string      `json:"predicateType"`
	Predicate     struct {
		Version     string      `json:"version"`
		Stamp       string      `json:"stamp,omitempty"`
		Inputs      []namedFile `json:"inputs,omitempty"`
		Commitment  string      `json:"commitment,omitempty"`
		NotComputed []string    `json:"not_computed,omitempty"`
	} `json:"predicate"`
}

// A namedFile is a file of the release, by its name and hash.
type namedFile struct {
	Name   string `json:"name"`
	Digest struct {
		SHA256 string `json:"sha256"`
	} `json:"digest"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// What the statements name themselves.
const (
	jointSchema   = report.JointSchema
	statementType = "https://in-toto.io/Statement/v1"
	internalType  = "https://github.com/tacet-privacy/tacet/release/v1"
	publicType    = "https://github.com/tacet-privacy/tacet/public-release/v1"
)

// checkStatement holds every file of the release to its statement, and that, with
// --trust, to its signature; the public statement to the internal one. report
// are the bytes of the report, and public says which of the two it is.
func (v *Result) checkStatement(q Request, report []byte, public bool) error {
	const name = "statement"
	path, own := stating(q.Report, public)
	data, err := read(path, "--report")
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && q.Trust == "":
		if err := legible(report, q.Report); err != nil {
			return err // an older version left no statement
		}
		return NoRelease(filepath.Dir(path))
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
		v.Add(name, false, "%s is not there: a folder without it holds no release", StatementFile)
		return nil
	}
	s, ok := parse(data, public)
	if !ok {
		v.Add(name, false, "%s is not a statement of this version, or was changed", StatementFile)
		return nil
	}
	var w kernel.Faults
	columns := s.holdsNames(&w)
	prefix := strings.TrimSuffix(own, filepath.Base(own))
	held, absent := s.holdsFiles(&w, filepath.Dir(path), map[string]string{own: q.Report, prefix + "plan.json": q.Plan,
		prefix + "order.csv": q.Order, prefix + files.WeightsFile: filepath.Join(filepath.Dir(q.Plan), files.WeightsFile)})
	s.holdsReport(&w, own, report, columns)
	id := statedReport(data)
	if public {
		id = files.Hex(report)
	}
	v.Settle(name, w, "%d files are, byte for byte, those that %s names; release %.*s", held, StatementFile, idDigits, id)
	if len(absent) > 0 {
		v.Skip("stated files", "not there: "+strings.Join(s.folded(absent), ", "))
	}
	inside, open := s.extra(filepath.Dir(path))
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

// NoRelease says that a folder has no statement.
func NoRelease(folder string) error {
	return kernel.Errorf("do not rely on its files; where they were made, the same job with --overwrite makes them "+
		"whole",
		"%s holds no release: %s is missing, as a run leaves it that was ended while it put files in place", folder,
		StatementFile)
}

// checkSigned wants the signature of a statement beside it.
func checkSigned(v *Result, name string, key *publicKey, path string, data []byte) {
	if _, why := signer(path, "the statement", data, key); why != "" {
		v.Add(name, false, "%s", why)
		return
	}
	v.Add(name, true, "minisign, key %s", key.name())
}

// stating is the statement that a report belongs to, and the report's name in
// it. A report of one of several columns lies a folder below.
func stating(report string, public bool) (path, own string) {
	dir, base := filepath.Split(report)
	dir = filepath.Clean(dir)
	if path = filepath.Join(dir, StatementFile); exists(path) {
		return path, base
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return path, base
	}
	if public {
		part := filepath.Dir(abs)
		if above := filepath.Join(filepath.Dir(part), publicFolder, StatementFile); exists(above) {
			return above, "../" + filepath.Base(part) + "/" + publicFolder + "/" + base
		}
		return path, base
	}
	if above := filepath.Join(filepath.Dir(abs), StatementFile); exists(above) {
		return above, filepath.Base(abs) + "/" + base
	}
	return path, base
}

// Stated reports whether the folder of a report, or the one above it, has a
// statement.
func Stated(report string) bool {
	path, _ := stating(report, filepath.Base(filepath.Dir(report)) == publicFolder)
	return exists(path)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// parse reads a statement. Its bytes must be those that its content is written
// as: no member twice, unknown or in another order.
func parse(data []byte, public bool) (*statement, bool) {
	s := &statement{}
	if json.Unmarshal(data, s) != nil {
		return nil, false
	}
	if s.Subject == nil || !asWritten(data, s) || s.Type != statementType {
		return nil, false
	}
	p := s.Predicate
	if public {
		return s, s.PredicateType == publicType && len(p.Inputs) == 0 && !slices.Contains(p.NotComputed, "input") && s.roles()
	}
	return s, s.PredicateType == internalType && len(p.Inputs) <= 1 && p.Commitment == "" && s.roles()
}

// asWritten reports whether bytes are those that a run writes for what was read from them.
func asWritten(data []byte, read any) bool {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(read) == nil && bytes.Equal(b.Bytes(), data)
}

// roles reports whether the output comes first, where it was computed, and no
// other file has a role.
func (s *statement) roles() bool {
	for i, f := range slices.Concat(s.Subject, s.Predicate.Inputs) {
		if output := i == 0 && s.output() != ""; len(f.Annotations) > 0 != output {
			return false
		}
	}
	return true
}

// output is the hash of the output, "" where none was computed.
func (s *statement) output() string {
	if len(s.Subject) > 0 && s.Subject[0].Annotations["role"] == "output" {
		return s.Subject[0].Digest.SHA256
	}
	return ""
}

// sumOf is the hash of a file, "" of one that is not named.
func (s *statement) sumOf(name string) string {
	for _, f := range s.files() {
		if f.Name == name {
			return f.Digest.SHA256
		}
	}
	return ""
}

// files are all but the output.
func (s *statement) files() []namedFile {
	if s.output() != "" {
		return s.Subject[1:]
	}
	return s.Subject
}

// holdsNames wants exactly the names of the files of a release, in order, and
// counts its columns where there are several.
func (s *statement) holdsNames(w *kernel.Faults) (columns int) {
	var names []string
	for _, f := range s.files() {
		names = append(names, f.Name)
		for i := 1; i <= maxColumns; i++ {
			if strings.HasPrefix(strings.TrimPrefix(f.Name, "../"), fmt.Sprint(i)+"/") {
				columns = max(columns, i)
			}
		}
	}
	want := namesOf(s.PredicateType == publicType, columns)
	// The list of files is checked against the report by whoever reads it.
	if s.PredicateType == internalType && slices.Contains(names, ListFile) {
		want = append(want, ListFile)
	}
	for _, n := range names { // checked against the plan by whoever reads that
		if folder, ok := strings.CutSuffix(n, files.WeightsFile); ok && slices.Contains(want, folder+"plan.json") {
			want = append(want, n)
		}
	}
	slices.Sort(want)
	if columns == 1 || !slices.Equal(names, want) {
		for _, n := range names {
			if !slices.Contains(want, n) {
				w.Addf("it names %q, which is no file of a release", n)
			}
		}
		for _, n := range want {
			if !slices.Contains(names, n) {
				w.Addf("it does not name %s", n)
			}
		}
		w.Addf("its list of files is not that of a release")
	}
	return columns
}

// namesOf are the files of a release, in order; columns is 0 for one column.
func namesOf(public bool, columns int) (names []string) {
	const open = "mechanism.json"
	views, guides := []string{"report.html", "report.json", "report.txt", open}, []string{"codebook.html",
		"codebook.json"}
	folders := []string{""}
	if columns > 0 {
		folders = nil
		for i := range columns {
			folders = append(folders, fmt.Sprint(i+1)+"/")
		}
	}
	if !public {
		names = append(names, CommitmentKey)
	}
	if !public && columns > 0 {
		names = append(names, append([]string{"joint.json"}, page.PageNames...)...)
	}
	if public && columns > 0 {
		names = append(names, "report.html", "report.txt")
	}
	for _, g := range guides { // one of each for all columns
		if !public {
			g = publicFolder + "/" + g
		}
		names = append(names, g)
	}
	for _, folder := range folders {
		for _, v := range views {
			switch {
			case public && columns > 0:
				names = append(names, "../"+folder+publicFolder+"/"+v)
			case public:
				names = append(names, v)
			case v == open:
				names = append(names, folder+publicFolder+"/"+v)
			default:
				names = append(names, folder+v, folder+publicFolder+"/"+v)
			}
		}
		if !public {
			names = append(names, folder+"plan.json", folder+"order.csv")
		}
	}
	slices.Sort(names)
	return names
}

// holdsFiles compares the files that are there with their hashes, and names
// those that are not. given says where a file lies, if elsewhere.
func (s *statement) holdsFiles(w *kernel.Faults, folder string, given map[string]string) (held int, absent []string) {
	for _, f := range s.files() {
		path, ok := given[f.Name]
		if !ok {
			path = filepath.Join(folder, filepath.FromSlash(f.Name))
		}
		sum, err := sumOf(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			absent = append(absent, f.Name)
		case err != nil:
			w.Addf("%s cannot be read", f.Name)
		case sum != f.Digest.SHA256:
			w.Addf("%s is not the file that was released", f.Name)
		default:
			held++
		}
	}
	return held, absent
}

// folded names a public folder instead of its files where all of them are absent.
func (s *statement) folded(absent []string) (out []string) {
	for _, name := range absent {
		folder := path.Dir(name) + "/"
		whole := path.Base(folder) == publicFolder && !slices.ContainsFunc(s.files(), func(f namedFile) bool {
			return strings.HasPrefix(f.Name, folder) && !slices.Contains(absent, f.Name)
		})
		switch {
		case !whole:
			out = append(out, name)
		case !slices.Contains(out, "all of "+folder):
			out = append(out, "all of "+folder)
		}
	}
	return out
}

// extra are files in the folders of the release that are none of it: beside the internal
// reports, and in public folders, which hold nothing else.
func (s *statement) extra(folder string) (inside, open []string) {
	public := s.PredicateType == publicType
	known, folders := map[string]bool{StatementFile: true, publicFolder + "/" + StatementFile: true,
		either(public, "", publicFolder+"/") + approvalFile: true}, map[string]bool{".": true, publicFolder: !public}
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

// holdsReport compares the report that was given, and what it says of input and
// output, with the statement.
func (s *statement) holdsReport(w *kernel.Faults, own string, report []byte, columns int) {
	if s.sumOf(own) != files.Hex(report) {
		w.Addf("it does not name this report")
	}
	var says struct {
		Schema  string `json:"schema"`
		Version string `json:"version"`
		Stamp   string `json:"stamp"`
		Input   struct {
			SHA256 string `json:"sha256"`
		} `json:"input"`
		Output struct {
			SHA256 string `json:"sha256"`
		} `json:"output"`
		Parts []json.RawMessage `json:"parts"`
		Joint string            `json:"joint_sha256"`
	}
	if json.Unmarshal(report, &says) != nil {
		return // whoever reads the report says so
	}
	p := s.Predicate
	w.Match(says.Version == p.Version && says.Stamp == p.Stamp, "what the statement says of the release")
	w.Match(says.Output.SHA256 == s.output(), "the hash of the output in the statement")
	without := func(sum, name string) []string {
		if sum == "" {
			return []string{name}
		}
		return nil
	}
	none := without(says.Output.SHA256, "output")
	if s.PredicateType == internalType {
		input := ""
		if len(p.Inputs) > 0 {
			input = p.Inputs[0].Digest.SHA256
		}
		w.Match(says.Input.SHA256 == input, "the hash of the input in the statement")
		joint := ""
		if says.Schema != jointSchema {
			joint = s.sumOf("joint.json")
		}
		w.Match(says.Joint == joint, "the hash of joint.json in the report")
		none = append(none, without(says.Input.SHA256, "input")...)
	}
	w.Match(slices.Equal(none, p.NotComputed), "the list of what has no hash")
	w.Match(says.Schema != jointSchema || len(says.Parts) == columns, "the number of columns in the statement")
}

// statesWeights reports whether the statement of a report names the weights beside its
// plan, as it must where the plan leaves them out, and only there.
func statesWeights(report string) bool {
	path, own := stating(report, false)
	data, err := read(path, "--report")
	s, ok := parse(data, false)
	return err == nil && ok && slices.ContainsFunc(s.files(), func(f namedFile) bool {
		return f.Name == strings.TrimSuffix(own, filepath.Base(own))+files.WeightsFile
	})
}

// sumOf is the hex SHA-256 of a file.
func sumOf(path string) (string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !st.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := f.WriteTo(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
