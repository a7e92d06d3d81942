package document

import "github.com/tacet-privacy/tacet/pipeline/verify/files"

// JointFormat is the format of joint.json.
const JointFormat = "tacet.joint/v1"

// A Joint is joint.json as docs/columns.md and its schema describe it.
type Joint struct {
	Schema  string     `json:"schema"`
	Version string     `json:"version"`
	Stamp   string     `json:"stamp"`
	Parts   []partFile `json:"parts"`
	Input   FileClaim  `json:"input"`
	Output  FileClaim  `json:"output"`
	Joint   JointClaim `json:"joint"`
}

func (*Joint) format() string { return JointFormat }

type partFile struct {
	Column string `json:"column"`
	Folder string `json:"folder"`
	Plan   struct {
		Plan   string `json:"plan_sha256"`
		Design string `json:"design_sha256"`
	} `json:"plan"`
}

// A JointClaim is what all private columns are said to tell together.
type JointClaim struct {
	Columns []struct {
		Column string  `json:"column"`
		Target string  `json:"target"`
		Factor string  `json:"factor"`
		Nats   float64 `json:"nats"`
	} `json:"columns"`
	Factor       string  `json:"factor"`
	Nats         float64 `json:"nats"`
	Exact        bool    `json:"exact"`
	Rule         string  `json:"rule"`
	Records      int64   `json:"records"`
	Combinations int64   `json:"combinations"`
	Smallest     int64   `json:"smallest"`
	Target       string  `json:"target"`
	Most         float64 `json:"target_factor"`
	Scale        string  `json:"scale"`
	Added        float64 `json:"added_nats"`
	Worst        *struct {
		Columns []string      `json:"columns"`
		Output  []files.Label `json:"output"`
		Guesses []guessClaim  `json:"guesses"`
		Words   string        `json:"words"`
	} `json:"worst"`
	Pairs []struct {
		Columns []string `json:"columns"`
		Factor  string   `json:"factor"`
		Nats    float64  `json:"nats"`
		Exact   bool     `json:"exact"`
	} `json:"pairs"`
	Words []string `json:"words"`
	Shown *struct {
		Factor string  `json:"factor"`
		Nats   float64 `json:"nats"`
		Exact  bool    `json:"exact"`
	} `json:"with_presence"`
	Presence []presenceClaim `json:"presence"`
}

// A presenceClaim is what nulls of some columns are said to tell of another.
type presenceClaim struct {
	By     []string `json:"by"`
	Of     string   `json:"of"`
	Factor string   `json:"factor"`
	Nats   float64  `json:"nats"`
	Gain   float64  `json:"gain"`
	Beyond bool     `json:"beyond"`
}

type guessClaim struct {
	Guess   []files.Label `json:"guess"`
	Records int64         `json:"records"`
	Before  float64       `json:"before"`
	After   float64       `json:"after"`
	Factor  string        `json:"factor"`
}

// Names are the columns of the claim.
func (j *JointClaim) Names() []string {
	var out []string
	for _, c := range j.Columns {
		out = append(out, c.Column)
	}
	return out
}
