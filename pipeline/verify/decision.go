package verify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// decisionName is the name of a decision, and of its signature.
var decisionName = regexp.MustCompile(`^decision(?:-([2-9]|[1-9][0-9]+))?\.json(?:\.minisig)?$`)

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
	most, there := 0, map[string]bool{}
	for _, e := range list {
		most, there[e.Name()] = max(most, numberOf(e.Name())), true
	}
	// What accepts other warnings than these differs; what is unreadable fails elsewhere.
	open, _ := pipeline.SignOff{Report: filepath.Dir(path)}.Open()
	last := map[string]string{} // decisions of this release, by the key that signed them
	for n := 1; n <= most; n++ {
		name, file := strings.TrimSuffix(fmt.Sprint("decision ", n), " 1"), nth(n).File()
		signed := there[file+report.SignatureEnding]
		if there[file] {
			d, by := v.checkDecision(q, name, filepath.Join(filepath.Dir(path), file), n, stated, open.Warnings, keys)
			if by != "" {
				last[by] = d
			}
			continue
		}
		v.Add(name, false, "%s is missing, and %s is there", file, kernel.Either(signed, "its signature", "a later one"))
		if !signed {
			break
		}
	}
	rejected := 0
	for _, decided := range last {
		if decided == "reject" {
			rejected++
		}
	}
	approved := len(last) - rejected
	switch {
	case keys != nil:
		need := max(1, q.Approvals)
		v.Add(approval, approved >= need && rejected == 0, "%d of %d keys approve this release, %d reject it%s", approved,
			len(keys), rejected, kernel.Either(need > 1, fmt.Sprintf("; %d must approve", need), ""))
	case rejected > 0:
		v.Add(approval, false, "%d of %d who decided reject this release", rejected, len(last))
	}
	return nil
}

// checkApproval looks at the approval beside a public report.
func (v *Result) checkApproval(q Request, keys []*publicKey) error {
	const name = "approval"
	stating, _ := stating(q.Report, true)
	path := filepath.Join(filepath.Dir(stating), report.ApprovalFile)
	data, err := os.ReadFile(path)
	stated, none := os.ReadFile(stating)
	switch {
	case none != nil || err != nil && keys == nil:
		return nil
	case err != nil:
		v.Skip(name, report.ApprovalFile+" is not there; decisions lie beside the internal report")
		return nil
	}
	var a report.Approval
	_ = json.Unmarshal(data, &a)
	again, _ := (&report.Approval{Schema: report.ApprovalSchema, Statement: files.Hex(stated), Decision: "approve",
		Date: a.Date}).Encode()
	v.checkSignOff(q, name, path, "approved on "+a.Date, data, again, keys, nil)
	return nil
}

// checkSignOff holds a document to what a sign-off writes, and to its signature, which is to be by
// one of keys if there are any, and by none that was withdrawn.
func (v *Result) checkSignOff(q Request, name, path, says string, data, again []byte, keys []*publicKey,
	w kernel.Faults) bool {
	file, by := filepath.Base(path), signedBy(path)
	if keys != nil {
		if _, why := signer(path, file, data, keys...); why != "" {
			w.Addf("%s", why)
		}
	}
	if differ := differences(data, again); len(w) == 0 && differ != nil {
		w.Addf("%s is not what a sign-off writes of this release, in %s", file, firstOf(differ))
	}
	if q.withdrawn(by) {
		w.Addf("by a key that was withdrawn: %s", by)
	}
	if len(w) == 0 && keys == nil {
		v.Skip(name, says+"; whether who signed it may decide: give --approver")
		return true
	}
	return v.Settle(name, w, "%s; minisign, key %s", says, by)
}

// nth has the name of the nth decision.
func nth(n int) *report.Decision { return &report.Decision{Number: n} }

// numberOf is the number in a file's name, 0 for another file.
func numberOf(file string) int {
	m := decisionName.FindStringSubmatch(file)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(cmp.Or(m[1], "1"))
	return n
}

// checkDecision looks at the nth decision. Where it is of this release, and signed by one of
// keys if there are any, by is the name of its key.
func (v *Result) checkDecision(q Request, name, path string, n int, stated []byte, warnings []string,
	keys []*publicKey) (decided, by string) {
	for _, p := range []string{path, path + ".minisig"} {
		// What is no regular file may be a pipe, which nobody ever writes to.
		if st, err := os.Lstat(p); err != nil || !st.Mode().IsRegular() {
			v.Add(name, false, "%s is %s", filepath.Base(p), kernel.Either(err != nil, "not there", "no regular file"))
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
	again := &report.Decision{Schema: report.DecisionSchema, Number: n, Statement: files.Hex(stated),
		Decision: d.Decision, By: d.By, Date: d.Date, Note: d.Note}
	sum := ""
	if q.stated != nil {
		sum = q.stated.Report()
	}
	var w kernel.Faults
	if again.Of(report.FileHash{SHA256: sum}); d.Statement != again.Statement || d.Report != sum || sum == "" {
		w.Addf("of another release: %s", says)
	}
	by = signedBy(path)
	if d.Decision == "approve" {
		if again.Accepts = warnings; len(d.Accepts) > 0 {
			says += fmt.Sprintf(", accepting its %d warnings", len(d.Accepts))
		}
		if statement, _ := stating(q.Report, false); by != "" && by == signedBy(statement) {
			w.Addf("by the key that signed the release, which cannot approve it: %s", by)
		}
	}
	want, _ := again.Encode()
	if !v.checkSignOff(q, name, path, says+", which is this one", data, want, keys, w) {
		return "", ""
	}
	return d.Decision, cmp.Or(by, name) // a rejection counts whoever signed it
}

// readDecision reads a decision of which all can be said.
func readDecision(data []byte) (d report.Decision, ok bool) {
	err := json.Unmarshal(data, &d)
	_, undated := time.Parse(time.RFC3339, d.Date)
	return d, err == nil && undated == nil && (d.Decision == "approve" || d.Decision == "reject") && d.By != ""
}
