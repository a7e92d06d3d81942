package document

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A Report is report.json as docs/files.md and its schema describe it.
type Report struct {
	Schema    string  `json:"schema"`
	Version   string  `json:"version"`
	Command   string  `json:"command"`
	Made      string  `json:"made"`
	Stamp     string  `json:"stamp"`
	Claims    []Claim `json:"claims"`
	Column    string  `json:"column"`
	Type      string  `json:"type"`
	Records   int64   `json:"records"`
	Letters   int     `json:"letters"`
	Forbidden int64   `json:"forbidden"`
	Prior     struct {
		Of      string   `json:"of"`
		Max     float64  `json:"max"`
		Min     float64  `json:"min"`
		Unseen  int      `json:"unseen"`
		Late    int      `json:"late"`
		Persons string   `json:"persons"`
		Own     string   `json:"own_factor"`
		OwnNats float64  `json:"own_nats"`
		Smooth  string   `json:"smooth"`
		File    string   `json:"file"`
		Only    bool     `json:"only"`
		Counts  []string `json:"counts"`
		Part    *struct {
			Records int64   `json:"records"`
			Of      int64   `json:"of"`
			Factor  string  `json:"factor"`
			Nats    float64 `json:"nats"`
		} `json:"part"`
	} `json:"prior"`
	Other      *otherClaim      `json:"other"`
	Population *populationClaim `json:"population"`
	Strata     *strataClaim     `json:"strata"`
	Nulls      *struct {
		Rule    string  `json:"rule"`
		Count   int64   `json:"count"`
		Share   float64 `json:"share"`
		Factor  string  `json:"null_factor"`
		Nats    float64 `json:"nats"`
		Present string  `json:"value_factor"`
		Valued  float64 `json:"value_nats"`
	} `json:"nulls"`
	Epsilon epsilonClaim `json:"epsilon"`
	Floor   struct {
		Rank       int     `json:"rank"`
		Value      float64 `json:"value"`
		Of         int     `json:"of"`
		Asked      string  `json:"asked"`
		Least      int     `json:"allowed"`
		Most       int     `json:"most"`
		Words      string  `json:"in_words"`
		NextRank   int     `json:"next_rank"`
		NextFactor string  `json:"next_factor"`
	} `json:"floor"`
	Design struct {
		Kind    string  `json:"kind"`
		Lower   string  `json:"lower_factor"`
		Upper   string  `json:"upper_factor"`
		Stopped bool    `json:"stopped"`
		Gap     float64 `json:"utility_gap"`
		Prefer  string  `json:"prefer"`
		Spare   string  `json:"headroom"`
	} `json:"design"`
	Utility struct {
		Worst      float64 `json:"worst"`
		Expected   float64 `json:"expected"`
		UpperBound float64 `json:"upper_bound"`
		Realised   float64 `json:"realised"`
		Unit       string  `json:"unit"`
		Unchanged  int64   `json:"unchanged"`
		Share      float64 `json:"unchanged_expected"`
		ShareBound float64 `json:"unchanged_upper_bound"`
	} `json:"utility"`
	Scale   ScaleClaim `json:"scale"`
	Binding *struct {
		Output  files.Label `json:"output"`
		Letters int         `json:"letters"`
		Records int64       `json:"records"`
	} `json:"binding"`
	Outputs []OutputClaim `json:"outputs"`
	Order   struct {
		Spec   string `json:"spec"`
		Form   string `json:"form"`
		SHA256 string `json:"sha256"`
		Ties   int    `json:"ties"`
		Extra  int    `json:"extra"`
	} `json:"order"`
	Baselines []BaselineClaim `json:"baselines"`
	Columns   []struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Fate string `json:"fate"`
	} `json:"columns"`
	Checks []struct {
		Name   string `json:"name"`
		Passed bool   `json:"passed"`
		Detail string `json:"detail"`
	} `json:"checks"`
	Input  FileClaim `json:"input"`
	Output FileClaim `json:"output"`
	Plan   struct {
		Plan   string `json:"plan_sha256"`
		Design string `json:"design_sha256"`
	} `json:"plan"`
	Warnings []string `json:"warnings"`
	Options  []struct {
		Name   string `json:"name"`
		Value  string `json:"value"`
		Origin string `json:"origin"`
	} `json:"options"`
	Pinned *pinnedClaim `json:"pinned"`
	Joint  *JointClaim  `json:"joint"`
	About  *aboutClaim  `json:"about"`
	Map    *mapClaim    `json:"map"`
	beliefClaims
	statedClaims
}

type epsilonClaim struct {
	Target string  `json:"target"`
	Asked  string  `json:"asked"`
	Factor string  `json:"factor"`
	Nats   float64 `json:"nats"`
}

// A BaselineClaim is what another mechanism is said to keep.
type BaselineClaim struct {
	Kind     string  `json:"kind"`
	Tuned    bool    `json:"tuned"`
	Nats     float64 `json:"nats"`
	Worst    float64 `json:"worst"`
	Expected float64 `json:"expected"`
}

// A ColumnClaim is what became of a column.
type ColumnClaim struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Fate string `json:"fate"`
}

// An OutputClaim is what the report says of one output.
type OutputClaim struct {
	Label   files.Label `json:"label"`
	Factor  string      `json:"factor"`
	Nats    float64     `json:"nats"`
	Support int         `json:"support"`
	Share   float64     `json:"share"`
	Rows    int64       `json:"earlier_rows"`
	Earlier string      `json:"earlier_factor"`
	Told    float64     `json:"earlier_nats"`
	Own     bool        `json:"own"`
}

// A FileClaim is what the report says of input or output.
type FileClaim struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	Format string `json:"format"`
}

// A statedClaims is what was chosen, what is compared, and what is told beside.
type statedClaims struct {
	Domain struct {
		Rule     string `json:"rule"`
		Declared int    `json:"declared"`
		Observed int    `json:"observed"`
		Unseen   string `json:"unseen"`
		Null     string `json:"null"`
	} `json:"domain"`
	Declared    []SourceClaim `json:"declared"`
	Conditional struct {
		State    string      `json:"state"`
		Records  int64       `json:"records"`
		Of       int64       `json:"of"`
		Largest  *LiftClaim  `json:"largest"`
		Blind    int         `json:"blind_letters"`
		Columns  []ToldClaim `json:"columns"`
		Pairs    []ToldClaim `json:"pairs"`
		Together *ToldClaim  `json:"together"`
		Place    *ToldClaim  `json:"place"`
		Runs     *runs       `json:"runs"`
		Found    []finding   `json:"findings"`
	} `json:"conditional"`
	History    historyClaims `json:"history"`
	Persons    *personClaims `json:"person_figures"`
	Floors     []FloorCost   `json:"floors"`
	Randomness DrawsClaim    `json:"randomness"`
	Difference []ChangeClaim `json:"difference"`
}

// A SourceClaim is a file in which a choice was declared.
type SourceClaim struct {
	Flag   string `json:"flag"`
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// A DrawsClaim is how the draws are said to have been made.
type DrawsClaim struct {
	Generator string `json:"generator"`
	Key       string `json:"key"`
	Kind      string `json:"kind"`
	KeyID     string `json:"key_id"`
	Unit      string `json:"unit"`
}

// A ChangeClaim is a field that differs from an earlier report.
type ChangeClaim struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	Now    string `json:"now"`
}

// A FloorCost is what another floor is said to cost.
type FloorCost struct {
	Floor   string  `json:"floor"`
	At      float64 `json:"at"`
	ByValue bool    `json:"by_value"`
	Value   float64 `json:"value"`
	Safe    string  `json:"safe_factor"`
	Nats    float64 `json:"safe_nats"`
	Lower   string  `json:"lower_factor"`
	Mean    float64 `json:"safe_mean"`
}

// An aboutClaim is what people say; nothing of it can be checked.
type aboutClaim struct {
	Release     string `json:"release"`
	Date        string `json:"date"`
	DataFrom    string `json:"data_from"`
	DataTo      string `json:"data_to"`
	Series      string `json:"series"`
	Owner       string `json:"owner"`
	Preparer    string `json:"preparer"`
	Reviewer    string `json:"reviewer"`
	NextReview  string `json:"next_review"`
	Purpose     string `json:"purpose"`
	Recipients  string `json:"recipients"`
	Access      string `json:"access"`
	Terms       string `json:"terms"`
	WhyColumn   string `json:"why_column"`
	WhyDetail   string `json:"why_detail"`
	Row         string `json:"row"`
	Persons     string `json:"persons"`
	SinglingOut string `json:"singling_out"`
	Linkability string `json:"linkability"`
	Inference   string `json:"inference"`
}

// A pinnedClaim is what the report says of the plan of an earlier night.
type pinnedClaim struct {
	State   string  `json:"state"`
	Plan    string  `json:"plan_sha256"`
	Factor  string  `json:"factor"`
	Nats    float64 `json:"nats"`
	Holds   bool    `json:"holds"`
	Room    float64 `json:"room"`
	Lacking int     `json:"lacking"`
}

// An otherClaim is what the report says of them.
type otherClaim struct {
	Label    string `json:"label"`
	MinCount int64  `json:"min_count"`
	Letters  int    `json:"letters"`
	Records  int64  `json:"records"`
	Adopted  int    `json:"adopted"`
	Lent     int    `json:"lent"`
}

// A populationClaim is what the report says of it.
type populationClaim struct {
	Delta   string      `json:"delta"`
	Bounded bool        `json:"bounded"`
	Rule    string      `json:"rule"`
	Nats    float64     `json:"nats"`
	Records int64       `json:"records"`
	Sets    int         `json:"sets"`
	Letters int         `json:"letters"`
	Domain  string      `json:"domain"`
	Rules   []RuleClaim `json:"rules"`
	Design  string      `json:"design_factor"`
	If      []string    `json:"conditions"`
	Strata  []struct {
		Records int64       `json:"records"`
		Bounded bool        `json:"bounded"`
		Rule    string      `json:"rule"`
		Nats    float64     `json:"nats"`
		Rules   []RuleClaim `json:"rules"`
	} `json:"strata"`
}

// A RuleClaim is what one rule bounds epsilon by.
type RuleClaim struct {
	Rule    string       `json:"rule"`
	Delta   float64      `json:"delta"`
	Bounded bool         `json:"bounded"`
	Nats    float64      `json:"nats"`
	Output  *files.Label `json:"output"`
	Radius  float64      `json:"radius"`
	Records int64        `json:"records"`
}

// Promised is the epsilon that was asked for, before one for all columns
// together lowered it.
func (e epsilonClaim) Promised() string {
	if e.Asked != "" {
		return e.Asked
	}
	return e.Target
}

func (*Report) format() string { return "tacet.report/v1" }

// Option is the effective value of a flag, "" where it is not recorded.
func (r *Report) Option(name string) string {
	for _, o := range r.Options {
		if o.Name == name {
			return o.Value
		}
	}
	return ""
}

// Fate lists the columns that became that.
func (r *Report) Fate(fate string) []string {
	var names []string
	for _, c := range r.Columns {
		if c.Fate == fate {
			names = append(names, c.Name)
		}
	}
	return names
}

// Same compares what two claims state.
func (c RuleClaim) Same(d RuleClaim) bool {
	return c.Rule == d.Rule && (c.Output == nil) == (d.Output == nil) && (c.Output == nil || *c.Output == *d.Output) &&
		c.Delta == d.Delta && c.Bounded == d.Bounded && c.Nats == d.Nats && c.Radius == d.Radius && c.Records == d.Records
}
