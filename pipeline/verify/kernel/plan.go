package kernel

import (
	"encoding/json"
	"slices"
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
	Bins    *files.BinRule
	Inputs  []files.Label
	Outputs []files.Label
	Counts  []string
	Epsilon struct {
		Target, Asked, Factor string // what was asked for where the target is lower, or the least
		Least                 bool
		Nats                  float64
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
	Utility struct {
		Expected   float64
		UpperBound float64 `json:"upper_bound"`
		Prefer     string
	}
	Order struct{ Form, Kind, Load, SHA256 string }
	Prior *struct { // where counts are not those of the records
		Of, Smooth string
		Only       bool
		Records    []string
	}
	Other *struct { // letters that are treated alike
		Label           string
		Merged, Adopted []string
	}
	Headroom *struct{ Target string }
	Shares   *planShares
	Given    struct { // the column given which the promise holds
		Of, Function, Rule string
		Only               bool   `json:"given_only"`
		Least              string `json:"min"`
	} `json:"strata"`
	Groups []planGroup // one where no column is given, none without letters
	Laws   []planLaw   `json:"mechanisms"`
	Design string      `json:"design_sha256"`
	Hash   string      `json:"plan_sha256"`
}

// planShares are there where something was asked of the shares of published values.
type planShares struct {
	Limit, Asked, Shift   string // the limit, and as it was written
	Room                  string // that the rows leave below it
	Open                  int    `json:"undecided_floors"`
	Factor, Within        string // that the bounds hold for, and the shift that worth holds for
	Worth, Least, Refused *planBound
	At                    float64 `json:"refused_at"`
}

// planBound is a bound with its proof, in units of 2^-scale.
type planBound struct {
	Value, Base  string   // the base is "" where there is no proof
	Price, Level []string // by input, by output
	Scale        int
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
	Outputs [][]*string // [label or null, weight]
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

// alike are the letters that have one row.
func (p *Plan) alike() map[string]bool {
	alike := map[string]bool{}
	if p.Other != nil {
		alike[p.Other.Label] = true
		for _, l := range slices.Concat(p.Other.Merged, p.Other.Adopted) {
			alike[l] = true
		}
	}
	return alike
}

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
	schema, what := Members(data)
	if what == "" && schema != format {
		what = "is not of format " + format
	}
	if what != "" {
		return bad(what)
	}
	if json.Unmarshal(data, into) != nil {
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
