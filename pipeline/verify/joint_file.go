package verify

import "github.com/tacet-privacy/tacet/pipeline/verify/cells"

// jointFormat is the format of joint.json.
const jointFormat = "tacet.joint/v1"

// A jointFile is joint.json as docs/columns.md and its schema describe it.
type jointFile struct {
	Schema  string     `json:"schema"`
	Version string     `json:"version"`
	Stamp   string     `json:"stamp"`
	Parts   []partFile `json:"parts"`
	Input   fileClaim  `json:"input"`
	Output  fileClaim  `json:"output"`
	Joint   jointClaim `json:"joint"`
}

func (*jointFile) format() string { return jointFormat }

type partFile struct {
	Column string `json:"column"`
	Folder string `json:"folder"`
	Plan   struct {
		Plan   string `json:"plan_sha256"`
		Design string `json:"design_sha256"`
	} `json:"plan"`
}

// A jointClaim is what all private columns are said to tell together.
type jointClaim struct {
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
	Scale        string  `json:"scale"`
	Added        float64 `json:"added_nats"`
	Worst        *struct {
		Columns []string      `json:"columns"`
		Output  []cells.Label `json:"output"`
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
}

type guessClaim struct {
	Guess   []cells.Label `json:"guess"`
	Records int64         `json:"records"`
	Before  float64       `json:"before"`
	After   float64       `json:"after"`
	Factor  string        `json:"factor"`
}

// names are the columns of the claim.
func (j *jointClaim) names() []string {
	var out []string
	for _, c := range j.Columns {
		out = append(out, c.Column)
	}
	return out
}
