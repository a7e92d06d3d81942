package document

import (
	"math"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A beliefClaims is what the report says an observer can come to believe.
type beliefClaims struct {
	Target float64 `json:"target_factor"`
	Grid   []struct {
		Share float64 `json:"share"`
		Cap   float64 `json:"cap"`
	} `json:"grid"`
	Certainty *struct {
		Confirmed *float64 `json:"confirmed"`
		Kept      *float64 `json:"kept"`
		Unchanged *bool    `json:"unchanged"`
		Allowed   bool     `json:"unchanged_allowed"`
		Nothing   string   `json:"nothing"`
	} `json:"certainty"`
	Caps     []CapClaim  `json:"caps"`
	Guess    *GuessClaim `json:"guess"`
	Story    *StoryClaim `json:"story"`
	Analysts *struct {
		Letters   int `json:"letters"`
		Rank      int `json:"rank"`
		Estimable int `json:"estimable"`
	} `json:"analysts"`
}

// A GuessClaim is how often the best guess is right.
type GuessClaim struct {
	Before float64 `json:"before"`
	Mean   float64 `json:"mean"`
	Worst  float64 `json:"worst"`
}

// A ScaleClaim is what epsilon means for the counts.
type ScaleClaim struct {
	Commonest    float64  `json:"commonest_from"`
	Rarest       float64  `json:"rarest_from"`
	Letters      *int     `json:"uncapped_letters"`
	Share        *float64 `json:"uncapped_share"`
	Certain      *int     `json:"certain_letters"`
	CertainShare *float64 `json:"certain_share"`
}

// A StoryClaim is the worst case.
type StoryClaim struct {
	Output files.Label   `json:"output"`
	Guess  files.Label   `json:"guess"`
	Before float64       `json:"before"`
	After  float64       `json:"after"`
	Factor string        `json:"factor"`
	Strata []files.Label `json:"strata"`
}

// A BeliefsClaim is what one observer can come to believe.
type BeliefsClaim struct {
	Guess *GuessClaim `json:"guess"`
	Scale ScaleClaim  `json:"scale"`
	Caps  []CapClaim  `json:"caps"`
	Story *StoryClaim `json:"story"`
}

// Silent reports whether nothing is said of beliefs.
func (c BeliefsClaim) Silent() bool {
	return c.Guess == nil && len(c.Caps) == 0 && c.Story == nil && c.Scale.Certain == nil &&
		c.Scale.CertainShare == nil && c.Scale.Letters == nil && c.Scale.Share == nil
}

// A CapClaim is how sure an observer can become of a letter.
type CapClaim struct {
	Label   files.Label `json:"label"`
	Records int64       `json:"records"`
	Share   float64     `json:"share"`
	Cap     float64     `json:"cap"`
	Reached float64     `json:"reached"`
	Certain bool        `json:"certain"`
	Most    float64     `json:"largest_share"`
}

// A mapClaim is what the record may become that can be moved farthest.
type mapClaim struct {
	Degrees bool         `json:"degrees"`
	From    PlaceClaim   `json:"from"`
	To      []ReachClaim `json:"to"`
	More    int          `json:"more"`
	Others  []PlaceClaim `json:"others"`
}

// A PlaceClaim is where a letter lies.
type PlaceClaim struct {
	Label files.Label `json:"label"`
	X     float64     `json:"x"`
	Y     float64     `json:"y"`
}

// A ReachClaim is how far a letter is carried.
type ReachClaim struct {
	Label    files.Label `json:"label"`
	X        float64     `json:"x"`
	Y        float64     `json:"y"`
	Share    float64     `json:"share"`
	Distance float64     `json:"distance"`
}

// Distance from where the map starts: along the sphere of the IUGG's mean
// radius in kilometres, by the haversine formula, or straight.
func (m *mapClaim) Distance(to PlaceClaim) float64 {
	if !m.Degrees {
		return math.Hypot(to.X-m.From.X, to.Y-m.From.Y)
	}
	const rad, radius = math.Pi / 180, 6371.0088
	north, east := math.Sin((to.Y-m.From.Y)*rad/2), math.Sin((to.X-m.From.X)*rad/2)
	h := north*north + math.Cos(m.From.Y*rad)*math.Cos(to.Y*rad)*east*east
	return 2 * radius * math.Asin(math.Sqrt(min(1, h)))
}

// Alike reports whether two distances are equal but for the digits to which
// coordinates are kept: a millionth of a degree is a tenth of a metre.
func (m *mapClaim) Alike(a, b float64) bool {
	tolerance := 1e-9 * max(a, b)
	if m.Degrees {
		tolerance = 1e-3
	}
	return math.Abs(a-b) <= tolerance
}
