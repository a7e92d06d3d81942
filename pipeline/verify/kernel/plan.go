package kernel

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// PlanFormat is the format of plan.json.
const PlanFormat = "tacet.plan/v2"

// A Plan is plan.json as docs/files.md describes it.
type Plan struct {
	Schema  string         `json:"schema"`
	Column  string         `json:"column"`
	Null    string         `json:"null"`
	Bins    *files.BinRule `json:"bins"`
	Inputs  []files.Label  `json:"inputs"`
	Outputs []files.Label  `json:"outputs"`
	Counts  []string       `json:"counts"`
	Epsilon struct {
		Target string  `json:"target"`
		Asked  string  `json:"asked"` // where the target is lower, or the least
		Least  bool    `json:"least"`
		Factor string  `json:"factor"`
		Nats   float64 `json:"nats"`
	} `json:"epsilon"`
	Floor struct {
		Rank       int     `json:"rank"`
		Value      float64 `json:"value"`
		By         string  `json:"by"`
		At         float64 `json:"at"`
		Words      string  `json:"in_words"`
		Asked      string  `json:"asked"`
		NextRank   int     `json:"next_rank"`
		NextFactor string  `json:"next_factor"`
	} `json:"floor"`
	Method struct {
		Kind    string `json:"kind"`
		Stopped bool   `json:"stopped"`
	} `json:"design"`
	Certificate struct {
		Lower  string          `json:"lower_factor"`
		Upper  string          `json:"upper_factor"`
		Pi     []string        `json:"pi"`
		Prices json.RawMessage `json:"prices"` // of earlier versions: a proof of two priors together
	} `json:"certificate"`
	Utility struct {
		Expected   float64 `json:"expected"`
		UpperBound float64 `json:"upper_bound"`
		Gap        float64 `json:"gap"`
		Prefer     string  `json:"prefer"`
		Share      float64 `json:"unchanged"`
		ShareBound float64 `json:"unchanged_upper_bound"`
	} `json:"utility"`
	Order struct {
		Spec   string `json:"spec"`
		Form   string `json:"form"`
		Kind   string `json:"kind"`
		Load   string `json:"load"`
		SHA256 string `json:"sha256"`
		Ties   int    `json:"ties"`
		Extra  int    `json:"extra"`
		Unit   string `json:"unit"`
	} `json:"order"`
	Prior *struct { // where counts are not those of the records
		Of      string   `json:"of"`
		Smooth  string   `json:"smooth"`
		Only    bool     `json:"only"`
		Records []string `json:"records"`
	} `json:"prior"`
	Other *struct { // letters that are treated alike
		Label    string   `json:"label"`
		MinCount int64    `json:"min_count"`
		Merged   []string `json:"merged"`
		Lent     []string `json:"lent"`
		Adopted  []string `json:"adopted"`
		Extends  string   `json:"extends"`
	} `json:"other"`
	Population json.RawMessage `json:"population"` // told again, not proven
	Headroom   *struct {
		Share  string `json:"share"`
		Target string `json:"target"`
	} `json:"headroom"`
	Shares *planShares `json:"shares"`
	Given  struct {    // the column given which the promise holds
		Of       string      `json:"of"`
		Function string      `json:"function"`
		Only     bool        `json:"given_only"`
		Least    string      `json:"min"`
		Rule     string      `json:"rule"`
		Tried    []planTried `json:"tried"`
	} `json:"strata"`
	Groups []planGroup `json:"groups"` // one where no column is given, none without letters
	Laws   []planLaw   `json:"mechanisms"`
	Design string      `json:"design_sha256"`
	Hash   string      `json:"plan_sha256"`
}

// planTried is a design that was weighed against others.
type planTried struct {
	Rule     string  `json:"rule"`
	Found    bool    `json:"found"`
	Rank     int     `json:"rank"`
	Value    float64 `json:"value"`
	Expected float64 `json:"expected"`
}

// planShares are there where something was asked of the shares of published values.
type planShares struct {
	Limit   string     `json:"limit"`
	Asked   string     `json:"asked"` // the limit as it was written
	Shift   string     `json:"shift"`
	Open    int        `json:"undecided_floors"`
	Factor  string     `json:"factor"` // that the bounds hold for
	Within  string     `json:"within"` // the shift that worth holds for
	Worth   *planBound `json:"worth"`
	Least   *planBound `json:"least"`
	Refused *planBound `json:"refused"`
	At      float64    `json:"refused_at"`
}

// planBound is a bound with its proof, in units of 2^-scale.
type planBound struct {
	Value string   `json:"value"`
	Price []string `json:"price"` // by input
	Level []string `json:"level"` // by output
	Base  string   `json:"base"`  // "" where there is no proof
	Scale int      `json:"scale"`
}

// planGroup is records that one mechanism draws.
type planGroup struct {
	Names    []files.Label `json:"strata"`
	Rest     bool          `json:"rest"`
	Counts   []string      `json:"counts"`
	Records  []string      `json:"records"` // there where the plan has a prior
	Law      int           `json:"mechanism"`
	Factor   string        `json:"factor"`
	Nats     float64       `json:"nats"`
	Rank     int           `json:"rank"`
	Value    float64       `json:"value"`
	Expected float64       `json:"expected"`
}

// planLaw is a mechanism: its rows by input or, where letters share them, by block, or in a
// file beside the plan; none where the rows of a safe design follow from order and floor.
type planLaw struct {
	Rows    []planRow `json:"rows"`
	Blocks  []planRow `json:"blocks"`
	Weights string    `json:"weights_sha256"` // of the file that has the rows
}

// planRow is the law of one input letter, or of the letters of a block.
type planRow struct {
	Input   files.Label   `json:"input"`
	Inputs  []files.Label `json:"inputs"`
	Total   string        `json:"total"`
	Outputs [][]*string   `json:"outputs"` // [label or null, weight]
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

// ReadPlan reads plan.json strictly: see Decode.
func ReadPlan(data []byte, path string) (*Plan, error) {
	p := &Plan{}
	return p, Decode(data, path, PlanFormat, p)
}

// Decode reads one JSON document of a format strictly: no member that is not known, none
// twice, none in other letters, nothing behind the end. What the library says of a bad one
// may quote it and is dropped.
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
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(into) != nil {
		return bad("has a member that is not known, or of another type")
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
