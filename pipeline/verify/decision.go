package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
			v.Add(name, false, "%s is missing, and %s", nth(n).File(),
				either(signed, "its signature is there", "a later one is there"))
			if !signed && n > maxDecisions {
				break
			}
			continue
		}
		by, decided := checkDecision(v, name, filepath.Join(filepath.Dir(path), nth(n).File()), n, stated, keys)
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
	if d.Statement != files.Hex(stated) || d.Report != statedReport(stated) || d.Release != report.ID(d.Report) {
		w.Addf("of another release: %s", says)
	}
	signedBy, why := signer(path, filepath.Base(path), data, keys...)
	if keys != nil && why != "" {
		w.Addf("%s", why)
	}
	switch {
	case len(w) == 0 && keys == nil:
		v.Skip(name, says+", which is this one; whether who signed it may decide: give --approver")
	case v.Settle(name, w, "%s, which is this one; minisign, key %s", says, named(signedBy)):
		return signedBy, d.Decision
	}
	return nil, ""
}

// named is the name of a key, "" of none.
func named(k *publicKey) string {
	if k == nil {
		return ""
	}
	return keyName(k.ID())
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
