package document

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A Plan is plan.json as docs/files.md describes it.
type Plan struct {
	Schema  string         `json:"schema"`
	Column  string         `json:"column"`
	Null    string         `json:"null"`
	Bins    *files.BinRule `json:"bins"`
	Inputs  []files.Label  `json:"inputs"`
	Outputs []files.Label  `json:"outputs"`
	Counts  []string       `json:"counts"`
	Epsilon epsilonClaim   `json:"epsilon"`
	Floor   struct {
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
		Lower string   `json:"lower_factor"`
		Upper string   `json:"upper_factor"`
		Pi    []string `json:"pi"`
		// Prices were a proof of two priors together, which is no longer read.
		Prices json.RawMessage `json:"prices"`
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
	Prior      *planPrior      `json:"prior"`
	Other      *planOther      `json:"other"`
	Population *planPopulation `json:"population"`
	Headroom   *PlanHeadroom   `json:"headroom"`
	Shares     *PlanShares     `json:"shares"`
	Given      planGiven       `json:"strata"`
	Groups     []planGroup     `json:"groups"` // one where no column is given, none without letters
	Laws       []PlanLaw       `json:"mechanisms"`
	Design     string          `json:"design_sha256"`
	Plan       string          `json:"plan_sha256"`
}

// Weights is the hash of the file that has the rows, "" where they are here.
func (p *Plan) Weights() string {
	for _, l := range p.Laws {
		if l.Weights != "" {
			return l.Weights
		}
	}
	return ""
}

// InLevels reports whether values of the order stand in groups, and these in groups:
// a utility is minus the levels up to the lowest group of both.
func (p *Plan) InLevels() bool {
	return slices.Contains([]string{"hierarchy", "tree", "prefix", "us-states", "countries", "decades"}, p.Order.Form)
}

// HasBins reports whether an option asks for the plan's bins. What a file said is in the
// plan alone.
func (p *Plan) HasBins(option string) bool {
	if p.Bins == nil {
		return option == ""
	}
	return strings.HasPrefix(option, "@") || p.Bins.Is(option)
}

// ByLevel reports whether the floor is one of levels.
func (p *Plan) ByLevel() bool { return p.Floor.By == "value" && p.InLevels() }

// A PlanRow is the law of one input letter, or of the letters of a block.
type PlanRow struct {
	Input   files.Label   `json:"input"`
	Inputs  []files.Label `json:"inputs"`
	Total   string        `json:"total"`
	Outputs planCells     `json:"outputs"`
}

// A planCell is written [label, weight].
type planCell struct {
	Label  files.Label
	Weight string
}

// A planPrior is there where the plan's counts are not those of the records.
type planPrior struct {
	Of      string   `json:"of"`
	Smooth  string   `json:"smooth"`
	Only    bool     `json:"only"`
	Records []string `json:"records"`
}

// A planOther says which letters are treated alike.
type planOther struct {
	Label    string   `json:"label"`
	MinCount int64    `json:"min_count"`
	Merged   []string `json:"merged"`
	Lent     []string `json:"lent"`
	Adopted  []string `json:"adopted"`
	Extends  string   `json:"extends"`
}

// A planPopulation is what the plan decides of the population.
type planPopulation struct {
	Delta   string   `json:"delta"`
	Rules   []string `json:"rules"`
	Letters int      `json:"letters"`
	Domain  string   `json:"domain"`
}

// A PlanHeadroom is what a plan was designed for below its epsilon.
type PlanHeadroom struct {
	Share  string `json:"share"`
	Target string `json:"target"`
}

// PlanShares are there where something was asked of the shares of published values.
type PlanShares struct {
	Limit   string     `json:"limit"`
	Asked   string     `json:"asked"` // the limit as it was written
	Shift   string     `json:"shift"`
	Open    int        `json:"undecided_floors"`
	Factor  string     `json:"factor"` // that the bounds hold for
	Within  string     `json:"within"` // the shift that worth holds for
	Worth   *PlanBound `json:"worth"`
	Least   *PlanBound `json:"least"`
	Refused *PlanBound `json:"refused"`
	At      float64    `json:"refused_at"`
}

// A PlanBound is a bound with its proof, in units of 2^-scale.
type PlanBound struct {
	Value string   `json:"value"`
	Price []string `json:"price"` // by input
	Level []string `json:"level"` // by output
	Base  string   `json:"base"`  // "" where there is no proof
	Scale int      `json:"scale"`
}

// A planGiven is the column given which the promise holds; the zero value is none.
type planGiven struct {
	Of       string         `json:"of"`
	Function string         `json:"function"`
	Only     bool           `json:"given_only"`
	Least    string         `json:"min"`
	Rule     string         `json:"rule"`
	Tried    []weighedClaim `json:"tried"`
}

// Spec is the column with its function.
func (g planGiven) Spec() string { return call(g.Function, g.Of) }

// A planGroup is records that one mechanism draws.
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

// A PlanLaw is a mechanism: its rows by input or, where letters share them, by block, or
// in a file beside the plan; none where the rows of a safe design follow from order and floor.
type PlanLaw struct {
	Rows    []PlanRow `json:"rows"`
	Blocks  []PlanRow `json:"blocks"`
	Weights string    `json:"weights_sha256"` // of the file that has the rows
}

// An epsilonClaim is what was asked for and what is reached.
type epsilonClaim struct {
	Target string  `json:"target"`
	Asked  string  `json:"asked"`
	Least  bool    `json:"least"`
	Factor string  `json:"factor"`
	Nats   float64 `json:"nats"`
}

// Promised is the epsilon that was asked for, before one for all columns
// together lowered it.
func (e epsilonClaim) Promised() string { return cmp.Or(e.Asked, e.Target) }

// A weighedClaim is a design that was compared with others.
type weighedClaim struct {
	Rule     string  `json:"rule"`
	Found    bool    `json:"found"`
	Rank     int     `json:"rank"`
	Value    float64 `json:"value"`
	Expected float64 `json:"expected"`
}

func (*Plan) format() string { return "tacet.plan/v2" }

// planCells are written [[label, weight], ...].
type planCells []planCell

// UnmarshalJSON takes cells apart by hand where labels need no decoding: a plan may hold
// a million.
func (c *planCells) UnmarshalJSON(data []byte) error {
	text := string(data)
	inner, opens := strings.CutPrefix(text, `[["`)
	inner, closes := strings.CutSuffix(inner, `"]]`)
	if !opens || !closes || strings.Contains(text, `\`) || !utf8.ValidString(text) {
		return json.Unmarshal(data, (*[]planCell)(c))
	}
	*c = make(planCells, 0, 1+strings.Count(inner, `"],["`))
	for pair := range strings.SplitSeq(inner, `"],["`) {
		label, weight, _ := strings.Cut(pair, `","`)
		if strings.Count(pair, `"`) != 2 || len(label)+len(weight)+3 != len(pair) {
			return json.Unmarshal(data, (*[]planCell)(c))
		}
		*c = append(*c, planCell{files.Label{Text: label}, weight})
	}
	return nil
}

// UnmarshalJSON reads one cell.
func (c *planCell) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if json.Unmarshal(data, &pair) != nil || len(pair) != 2 || pair[1][0] != '"' {
		return errors.New("no pair")
	}
	return errors.Join(json.Unmarshal(pair[0], &c.Label), json.Unmarshal(pair[1], &c.Weight))
}

// PublicMechanism is public/mechanism.json.
type PublicMechanism struct {
	Schema   string        `json:"schema"`
	Column   string        `json:"column"`
	Null     string        `json:"null"`
	Design   string        `json:"design"`
	Person   string        `json:"draws_by"`
	Held     bool          `json:"earlier_draws"`
	Limit    string        `json:"max_shift"`
	Withheld string        `json:"withheld"`
	Inputs   []files.Label `json:"inputs"`
	Outputs  []files.Label `json:"outputs"`
	Rows     []PlanRow     `json:"rows"`
}

func (*PublicMechanism) format() string { return "tacet.mechanism/v1" }
