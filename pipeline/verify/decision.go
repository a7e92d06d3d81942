package verify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// A decision is decision.json, decision-2.json and so on: what a person decided of the
// release in whose folder it lies.
type decision struct {
	Schema    string `json:"schema"`
	Number    int    `json:"number"`
	Release   string `json:"release"`
	Report    string `json:"report_sha256"`
	Statement string `json:"statement_sha256"`
	Decision  string `json:"decision"`
	By        string `json:"by"`
	Date      string `json:"date"`
	Note      string `json:"note,omitempty"`
}

// decisionFormat is the schema of decisions.
const decisionFormat = "tacet.decision/v1"

// idDigits is the length of a release's id.
const idDigits = 8

// decisionName is the name of a decision, and decisionSigned that of its signature.
var (
	decisionName   = regexp.MustCompile(`^decision(?:-([2-9]|[1-9][0-9]+))?\.json$`)
	decisionSigned = regexp.MustCompile(`^decision(?:-([2-9]|[1-9][0-9]+))?\.json\.minisig$`)
)

// decisionFile is the name of the nth decision.
func decisionFile(n int) string {
	if n == 1 {
		return "decision.json"
	}
	return fmt.Sprintf("decision-%d.json", n)
}

// checkDecisions lists the decisions beside the statement of a release, and holds each to
// it. With keys of approvers it wants every decision signed by one of them, an approval,
// and that none of them rejected the release in the end.
func (v *Result) checkDecisions(q Request, public bool) error {
	const approval = "approval"
	if public {
		if q.Approvers != nil {
			v.Skip(approval, "decisions lie beside the internal report")
		}
		return nil
	}
	var keys []*publicKey
	for _, given := range q.Approvers {
		k, err := trusted(given, "--approver")
		if err != nil {
			return err
		}
		keys = append(keys, k)
	}
	path, _ := stating(q.Report, false)
	stated, err := os.ReadFile(path)
	if err != nil {
		return nil // the check of the statement says so
	}
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return unreadable(filepath.Dir(path), "--report", err)
	}
	last := map[*publicKey]string{} // decisions of this release, by who signed them
	present := map[int]bool{}
	for _, e := range list {
		if n := numberOf(decisionName, e.Name()); n > 0 {
			present[n] = true
		}
		if n := numberOf(decisionSigned, e.Name()); n > 0 && !present[n] {
			present[n] = false
		}
	}
	for n := 1; len(present) > 0; n++ {
		there, signed := present[n]
		delete(present, n)
		name := "decision"
		if n > 1 {
			name = fmt.Sprintf("decision %d", n)
		}
		if !there {
			v.Add(name, false, "%s is missing, and %s", decisionFile(n),
				either(signed, "its signature is there", "a later one is there"))
			if !signed && n > maxDecisions {
				break
			}
			continue
		}
		by, decided := checkDecision(v, name, filepath.Join(filepath.Dir(path), decisionFile(n)), n, stated, keys)
		if by != nil {
			last[by] = decided
		}
	}
	if keys == nil {
		return nil
	}
	approved, rejected := 0, 0
	for _, decided := range last {
		if decided == "approve" {
			approved++
		} else {
			rejected++
		}
	}
	v.Add(approval, approved > 0 && rejected == 0, "%d of %d keys approve this release, %d reject it", approved, len(keys),
		rejected)
	return nil
}

// maxDecisions ends a list with gaps.
const maxDecisions = 1000

// numberOf is the number in a file's name, 0 for another file.
func numberOf(form *regexp.Regexp, file string) int {
	m := form.FindStringSubmatch(file)
	switch {
	case m == nil:
		return 0
	case m[1] == "":
		return 1
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// checkDecision looks at the nth decision. Where it is of this release and one of keys
// signed it, by is that key.
func checkDecision(v *Result, name, path string, n int, stated []byte, keys []*publicKey) (by *publicKey,
	decided string) {
	for _, p := range []string{path, path + ".minisig"} {
		// What is no regular file may be a pipe, which nobody ever writes to.
		if st, err := os.Lstat(p); err != nil || !st.Mode().IsRegular() {
			v.Add(name, false, "%s is %s", filepath.Base(p), either(err != nil, "not there", "no regular file"))
			return nil, ""
		}
	}
	data, err := read(path, "--report")
	if err != nil {
		v.Add(name, false, "%s cannot be read", filepath.Base(path))
		return nil, ""
	}
	d, ok := readDecision(data)
	if !ok {
		v.Add(name, false, "%s is no decision of this version, or was changed", filepath.Base(path))
		return nil, ""
	}
	says := fmt.Sprintf("%s by %s on %s, of release %s", d.Decision, strconv.Quote(d.By), d.Date, d.Release)
	var w kernel.Faults
	if d.Number != n {
		w.Addf("%s says that it is decision %d", filepath.Base(path), d.Number)
	}
	if d.Statement != files.Hex(stated) || d.Report != statedReport(stated) || d.Release != d.Report[:idDigits] {
		w.Addf("of another release: %s", says)
	}
	signedBy, why := signer(path, filepath.Base(path), data, keys...)
	if keys != nil && why != "" {
		w.Addf("%s", why)
	}
	switch {
	case len(w) == 0 && keys == nil:
		v.Skip(name, says+", which is this one; whether who signed it may decide: give --approver")
	case v.Settle(name, w, "%s, which is this one; minisign, key %s", says, keyName(signedBy)):
		return signedBy, d.Decision
	}
	return nil, ""
}

// keyName is the name of a key, "" of none.
func keyName(k *publicKey) string {
	if k == nil {
		return ""
	}
	return k.name()
}

// readDecision reads a decision, whose bytes must be those that its content is written as.
func readDecision(data []byte) (d decision, ok bool) {
	if json.Unmarshal(data, &d) != nil || !asWritten(data, d) {
		return d, false
	}
	_, err := time.Parse(time.RFC3339, d.Date)
	return d, err == nil && d.Schema == decisionFormat && (d.Decision == "approve" || d.Decision == "reject") &&
		files.Is(d.Report) && files.Is(d.Statement) && d.By != ""
}

// statedReport is the hash that a statement gives of the report, of the joint one where there
// is one; "" where it gives none.
func statedReport(stated []byte) string {
	s, ok := parse(stated, false)
	if !ok {
		return ""
	}
	return cmp.Or(s.sumOf("joint.json"), s.sumOf("report.json"))
}
