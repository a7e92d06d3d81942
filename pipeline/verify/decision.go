package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// decisionName is the name of a decision, and decisionSigned that of its signature.
var (
	decisionName   = regexp.MustCompile(`^decision(?:-([2-9]|[1-9][0-9]+))?\.json$`)
	decisionSigned = regexp.MustCompile(`^decision(?:-([2-9]|[1-9][0-9]+))?\.json\.minisig$`)
)

// checkDecisions lists the decisions beside the statement of a release, and holds each to
// it. A release that a key rejected last fails. With keys of approvers it wants every decision
// signed by one of them, and as many approvals as are asked for.
func (v *Result) checkDecisions(q Request, public bool) error {
	const approval = "approval"
	var keys []*publicKey
	for _, given := range q.Approvers {
		k, err := trusted(given, "--approver")
		if err != nil {
			return err
		}
		keys = append(keys, k)
	}
	if public {
		return v.checkApproval(q, keys)
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
	last := map[string]string{} // decisions of this release, by the key that signed them
	present := map[int]bool{}
	for _, e := range list {
		if n := numberOf(decisionName, e.Name()); n > 0 {
			present[n] = true
		}
		if n := numberOf(decisionSigned, e.Name()); n > 0 && !present[n] {
			present[n] = false
		}
	}
	warnings := warningsOf(filepath.Dir(path))
	for n := 1; len(present) > 0; n++ {
		there, signed := present[n]
		delete(present, n)
		name := "decision"
		if n > 1 {
			name = fmt.Sprintf("decision %d", n)
		}
		if !there {
			v.Add(name, false, "%s is missing, and %s", nth(n).File(),
				either(signed, "its signature is there", "a later one is there"))
			if !signed && n > maxDecisions {
				break
			}
			continue
		}
		d, by := v.checkDecision(q, name, filepath.Join(filepath.Dir(path), nth(n).File()), n, stated, warnings, keys)
		if by != "" {
			last[by] = d
		}
	}
	approved, rejected := 0, 0
	for _, decided := range last {
		if decided == "approve" {
			approved++
		} else {
			rejected++
		}
	}
	switch {
	case keys != nil:
		need := max(1, q.Approvals)
		v.Add(approval, approved >= need && rejected == 0, "%d of %d keys approve this release, %d reject it%s", approved,
			len(keys), rejected, either(need > 1, fmt.Sprintf("; %d must approve", need), ""))
	case rejected > 0:
		v.Add(approval, false, "%d of %d who decided reject this release", rejected, len(last))
	}
	return nil
}

// warningsOf are those of the reports in a folder, as an approval accepts them.
func warningsOf(folder string) (out []string) {
	paths, _ := filepath.Glob(filepath.Join(folder, "[1-8]", "report.json"))
	many := len(paths) > 0
	if !many {
		paths = []string{filepath.Join(folder, "report.json")}
	}
	for _, path := range paths {
		var r struct {
			Column   string   `json:"column"`
			Warnings []string `json:"warnings"`
		}
		data, err := read(path, "--report")
		if err != nil || json.Unmarshal(data, &r) != nil {
			continue // the check of the statement says so
		}
		for _, w := range r.Warnings {
			out = append(out, either(many, r.Column+": ", "")+w)
		}
	}
	return out
}

// checkApproval looks at the approval beside a public report.
func (v *Result) checkApproval(q Request, keys []*publicKey) error {
	const name = "approval"
	stating, _ := stating(q.Report, true)
	path := filepath.Join(filepath.Dir(stating), report.ApprovalFile)
	data, err := os.ReadFile(path)
	stated, err2 := os.ReadFile(stating)
	var a report.Approval
	switch {
	case err2 != nil:
	case err != nil && keys == nil:
	case err != nil:
		v.Skip(name, report.ApprovalFile+" is not there; decisions lie beside the internal report")
	case !readApproval(data, &a) || a.Schema != report.ApprovalSchema ||
		a.Decision != "approve":
		v.Add(name, false, "%s is no approval of this version, or was changed", report.ApprovalFile)
	case a.Statement != files.Hex(stated):
		v.Add(name, false, "of another release")
	case q.withdrawn(signedBy(path)):
		v.Add(name, false, "by a key that was withdrawn: %s", signedBy(path))
	case keys == nil:
		v.Skip(name, "approved on "+a.Date+"; whether who signed it may approve: give --approver")
	default:
		by, why := signer(path, report.ApprovalFile, data, keys...)
		v.Add(name, why == "", "%s", either(why == "", "approved on "+a.Date+"; minisign, key "+named(by), why))
	}
	return nil
}

// nth has the name of the nth decision.
func nth(n int) *report.Decision { return &report.Decision{Number: n} }

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

// checkDecision looks at the nth decision. Where it is of this release, and signed by one of
// keys if there are any, by is the name of its key.
func (v *Result) checkDecision(q Request, name, path string, n int, stated []byte, warnings []string,
	keys []*publicKey) (decided, by string) {
	for _, p := range []string{path, path + ".minisig"} {
		// What is no regular file may be a pipe, which nobody ever writes to.
		if st, err := os.Lstat(p); err != nil || !st.Mode().IsRegular() {
			v.Add(name, false, "%s is %s", filepath.Base(p), either(err != nil, "not there", "no regular file"))
			return "", ""
		}
	}
	data, err := read(path, "--report")
	if err != nil {
		v.Add(name, false, "%s cannot be read", filepath.Base(path))
		return "", ""
	}
	d, ok := readDecision(data)
	if !ok {
		v.Add(name, false, "%s is no decision of this version, or was changed", filepath.Base(path))
		return "", ""
	}
	says := fmt.Sprintf("%s by %s on %s, of release %s", d.Decision, strconv.Quote(d.By), d.Date, d.Release)
	approves := d.Decision == "approve"
	var w kernel.Faults
	if d.Number != n {
		w.Addf("%s says that it is decision %d", filepath.Base(path), d.Number)
	}
	if d.Statement != files.Hex(stated) || d.Report != statedReport(stated) || d.Release != report.ID(d.Report) {
		w.Addf("of another release: %s", says)
	}
	if keys != nil {
		if _, why := signer(path, filepath.Base(path), data, keys...); why != "" {
			w.Addf("%s", why)
		}
	}
	by = signedBy(path)
	statement, _ := stating(q.Report, false)
	if approves && by != "" && by == signedBy(statement) {
		w.Addf("by the key that signed the release, which cannot approve it: %s", by)
	}
	if q.withdrawn(by) {
		w.Addf("by a key that was withdrawn: %s", by)
	}
	if approves && !slices.Equal(d.Accepts, warnings) {
		w.Addf("it does not accept the warnings of this report")
	}
	if approves && len(d.Accepts) > 0 {
		says += fmt.Sprintf(", accepting its %d warnings", len(d.Accepts))
	}
	switch {
	case len(w) == 0 && keys == nil:
		v.Skip(name, says+", which is this one; whether who signed it may decide: give --approver")
	case !v.Settle(name, w, "%s, which is this one; minisign, key %s", says, by):
		return "", ""
	}
	return d.Decision, cmp.Or(by, name) // a rejection counts whoever signed it
}

// named is the name of a key, "" of none.
func named(k *publicKey) string {
	if k == nil {
		return ""
	}
	return keyName(k.ID())
}

// readApproval reads an approval, whose bytes must be those that its content is written as.
func readApproval(data []byte, a *report.Approval) bool {
	if json.Unmarshal(data, a) != nil {
		return false
	}
	written, err := a.Encode()
	return err == nil && bytes.Equal(written, data)
}

// readDecision reads a decision, whose bytes must be those that its content is written as.
func readDecision(data []byte) (d report.Decision, ok bool) {
	if json.Unmarshal(data, &d) != nil {
		return d, false
	}
	if written, err := d.Encode(); err != nil || !bytes.Equal(written, data) {
		return d, false
	}
	_, err := time.Parse(time.RFC3339, d.Date)
	return d, err == nil && d.Schema == report.DecisionSchema && (d.Decision == "approve" || d.Decision == "reject") &&
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
