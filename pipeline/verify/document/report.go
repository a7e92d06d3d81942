package document

import "github.com/tacet-privacy/tacet/pipeline/verify/cells"

// A Report is report.json as docs/files.md and its schema describe it.
type Report struct {
	Schema    string `json:"schema"`
	Version   string `json:"version"`
	Command   string `json:"command"`
	Made      string `json:"made"`
	Stamp     string `json:"stamp"`
	Column    string `json:"column"`
	Type      string `json:"type"`
	Records   int64  `json:"records"`
	Letters   int    `json:"letters"`
	Forbidden int64  `json:"forbidden"`
	Prior     struct {
		Of      string  `json:"of"`
		Max     float64 `json:"max"`
		Min     float64 `json:"min"`
		Unseen  int     `json:"unseen"`
		Persons string  `json:"persons"`
		Own     string  `json:"own_factor"`
		OwnNats float64 `json:"own_nats"`
		Smooth  string  `json:"smooth"`
	} `json:"prior"`
	Other      *otherClaim      `json:"other"`
	Population *populationClaim `json:"population"`
	Strata     *strataClaim     `json:"strata"`
	Nulls      *struct {
		Rule  string  `json:"rule"`
		Count int64   `json:"count"`
		Nats  float64 `json:"nats"`
		Share float64 `json:"share"`
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
		Any     string  `json:"any_prior_factor"`
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
	Scale struct {
		Commonest    float64 `json:"commonest_from"`
		Rarest       float64 `json:"rarest_from"`
		Letters      int     `json:"uncapped_letters"`
		Share        float64 `json:"uncapped_share"`
		Certain      int     `json:"certain_letters"`
		CertainShare float64 `json:"certain_share"`
	} `json:"scale"`
	Binding *struct {
		Output  cells.Label `json:"output"`
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
	Baselines []struct {
		Kind     string  `json:"kind"`
		Tuned    bool    `json:"tuned"`
		Nats     float64 `json:"nats"`
		Worst    float64 `json:"worst"`
		Expected float64 `json:"expected"`
	} `json:"baselines"`
	Columns []struct {
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
	Factor string  `json:"factor"`
	Nats   float64 `json:"nats"`
}

// An OutputClaim is what the report says of one output.
type OutputClaim struct {
	Label   cells.Label `json:"label"`
	Factor  string      `json:"factor"`
	Nats    float64     `json:"nats"`
	Support int         `json:"support"`
	Share   float64     `json:"share"`
}

// A FileClaim is what the report says of input or output.
type FileClaim struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	Format string `json:"format"`
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
