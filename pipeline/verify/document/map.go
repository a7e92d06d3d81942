package document

import (
	"math"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
)

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
	Label cells.Label `json:"label"`
	X     float64     `json:"x"`
	Y     float64     `json:"y"`
}

// A ReachClaim is how far a letter is carried.
type ReachClaim struct {
	Label    cells.Label `json:"label"`
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
