package kernel

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// PlanFormat is the format of plan.json.
const PlanFormat = "tacet.plan/v2"

// A Plan is what is proven of plan.json; what else stands there is told again, by those who
// refuse a member that they do not know.
type Plan struct {
	Column  string
	Null    string
	Bins    *BinRule
	Inputs  []files.Label
	Outputs []files.Label
	Counts  []string
	Epsilon struct {
		Target, Factor string
		Nats           float64
	}
	Floor struct {
		By, Asked string
		Rank      int
		Value, At float64
	}
	Method      struct{ Kind string } `json:"design"`
	Certificate struct {
		Lower string `json:"lower_factor"`
		Upper string `json:"upper_factor"`
		Pi    []string
	}
	Utility struct{ Prefer string }
	Order   struct{ Form, Kind, Load, SHA256 string }
	Prior   *struct { // where counts are not those of the records
		Of, Smooth string
		Only       bool
		Records    []string
	}
	Other  struct{ Adopted []string } // inputs that came later, with the records of other files
	Shares *planShares
	Given  struct { // the column given which the promise holds
		Of, Rule string
		Only     bool   `json:"given_only"`
		Least    string `json:"min"`
	} `json:"strata"`
	Groups []planGroup // one where no column is given, none without letters
	Laws   []planLaw   `json:"mechanisms"`
	Design string      `json:"design_sha256"`
	Hash   string      `json:"plan_sha256"`
}

// A BinRule is how the values of the column are put into bins.
type BinRule struct{ Spec, Of, As string }

// planShares are there where something was asked of the shares of published values: the limit
// of the shift, as it was written, too, what it is, and the room that the rows leave below it.
type planShares struct {
	Limit, Asked, Shift, Room string
	Keep                      bool `json:"keep_values"`
}

// planGroup is records that one mechanism draws.
type planGroup struct {
	Names           []files.Label `json:"strata"`
	Rest            bool
	Counts, Records []string // records where the plan has a prior
	Law             int      `json:"mechanism"`
	Factor          string
	Nats, Value     float64
	Rank            int
}

// planLaw is a mechanism: its rows by input or, where letters share them, by block, or in a
// file beside the plan; none where the rows of a safe design follow from order and floor.
type planLaw struct {
	Rows, Blocks []planRow
	Weights      string `json:"weights_sha256"` // of the file that has the rows
}

// planRow is the law of one input letter, or of the letters of a block.
type planRow struct {
	Input   files.Label
	Inputs  []files.Label
	Total   string
	Outputs [][2]*string // label or null, and weight
}

// Empty reports a plan without letters: no rows, or public nulls only.
func (p *Plan) Empty() bool { return len(p.Inputs) == 0 }

// Apart is the hash of the file that has the rows, "" where the plan has them.
func (p *Plan) Apart() string {
	for _, l := range p.Laws {
		if l.Weights != "" {
			return l.Weights
		}
	}
	return ""
}

// NullOutput reports whether null may be drawn.
func (p *Plan) NullOutput() bool {
	n := len(p.Outputs)
	return n > 0 && p.Outputs[n-1].Null
}

// held reports whether epsilon holds relative to the plan's records, too, and not to its
// declared or smoothed prior alone.
func (p *Plan) held() bool { return p.Prior != nil && !p.Prior.Only }

// ReadPlan reads plan.json: see Decode.
func ReadPlan(data []byte, path string) (*Plan, error) {
	p := &Plan{}
	return p, Decode(data, path, PlanFormat, p)
}

// Decode reads one JSON document of a format: no member twice, none in other letters, nothing
// behind the end. What the library says of a bad one may quote it and is dropped.
func Decode(data []byte, path, format string, into any) error {
	bad := func(what string) error {
		return Errorf("it was cut short, changed, or written by another version", "%s %s", path, what)
	}
	broken := json.Unmarshal(data, into)
	if syntax := new(json.SyntaxError); errors.As(broken, &syntax) {
		return bad("is not a JSON document")
	}
	schema, what := names(data)
	switch {
	case what != "":
		return bad(what)
	case schema != format:
		return bad("is not of format " + format)
	case broken != nil:
		return bad("has a member of another type")
	}
	return nil
}

// Members finds the format that a document names, and what is wrong with the names of its
// members, "" if nothing is: Go takes the last of several of a name, in any case, and other
// readers take another.
func Members(data []byte) (format, what string) {
	if !json.Valid(data) {
		return "", "is not a JSON document"
	}
	return names(data)
}

// names is Members of a document that is JSON.
func names(data []byte) (format, what string) {
	var open []map[string]bool // the names so far of each object, nil for a list
	name, named := "", false   // of the member whose value is next
	for at := 0; at < len(data); at++ {
		switch data[at] {
		case '{':
			open, named = append(open, map[string]bool{}), false
		case '[':
			open, named = append(open, nil), false
		case '}', ']':
			open = open[:len(open)-1]
		case ',':
			named = false
		case '"':
			from := at + 1
			for at = from; data[at] != '"'; at++ {
				if data[at] == '\\' {
					at++
				}
			}
			text, depth := data[from:at], len(open)
			switch {
			case depth == 0 || open[depth-1] == nil:
			case named:
				if depth == 1 && name == "schema" {
					format = string(text)
				}
			case open[depth-1][string(text)]:
				return "", "has a member twice"
			case strings.Trim(string(text), "abcdefghijklmnopqrstuvwxyz0123456789_") != "":
				return "", "has a member that is not known"
			default:
				name, named = string(text), true
				open[depth-1][name] = true
			}
		}
	}
	return format, ""
}
