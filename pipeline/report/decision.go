package report

import "fmt"

// A Decision is what a person decided of a release: decision.json, decision-2.json and
// so on, beside the internal statement and each with a signature of its own. The release
// does not name them: it changes no byte by a decision.
type Decision struct {
	Schema    string `json:"schema"`
	Number    int    `json:"number"`           // 1, 2, ... as in the file's name
	Release   string `json:"release"`          // id: the first 8 digits of the next
	Report    string `json:"report_sha256"`    // of report.json, or joint.json where there is one
	Statement string `json:"statement_sha256"` // of release.json, which names all other files
	Decision  string `json:"decision"`         // "approve" or "reject"
	By        string `json:"by"`
	Date      string `json:"date"` // RFC 3339, by the clock of who decided
	Note      string `json:"note,omitempty"`
	// Accepts are the warnings of the report that whoever approves accepts by signing.
	Accepts []string `json:"accepts,omitempty"`
}

// DecisionSchema names the format of a decision.
const DecisionSchema = "tacet.decision/v2"

// An Approval is public/approval.json: that a release was approved, and not by whom.
type Approval struct {
	Schema    string `json:"schema"`
	Statement string `json:"statement_sha256"` // of public/release.json
	Decision  string `json:"decision"`         // "approve"
	Date      string `json:"date"`             // RFC 3339
}

// ApprovalSchema names the format of an approval for everybody, ApprovalFile its file.
const (
	ApprovalSchema = "tacet.approval/v1"
	ApprovalFile   = "approval.json"
)

// ID is the id of a release, of the SHA-256 of its report.json, or of joint.json where there
// are several private columns.
func ID(sha256 string) string { return sha256[:min(8, len(sha256))] }

// Of says which release is decided on, by the hash of its report.
func (d *Decision) Of(report FileHash) { d.Report, d.Release = report.SHA256, ID(report.SHA256) }

// File is the decision's name.
func (d *Decision) File() string {
	if d.Number == 1 {
		return "decision.json"
	}
	return fmt.Sprintf("decision-%d.json", d.Number)
}

// Encode is approval.json.
func (a *Approval) Encode() ([]byte, error) { return unescaped(a, "approval") }

// Encode is the decision's file.
func (d *Decision) Encode() ([]byte, error) { return unescaped(d, "decision") }
