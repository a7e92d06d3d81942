package report

// Map is where a record may go whose letter has the farthest output allowed:
// for orders by position only. At most 100 outputs are listed, the likeliest
// and the farthest, and at most 200 places that it may not become, the
// nearest.
type Map struct {
	Degrees bool          `json:"degrees"` // x is longitude and y latitude; else places of a plane
	From    Place         `json:"from"`
	To      []Destination `json:"to"`               // the likeliest first
	More    int           `json:"more"`             // allowed outputs that are not listed, or lie nowhere
	Others  []Place       `json:"others,omitempty"` // outputs that are not allowed
}

// Place is a letter where it lies.
type Place struct {
	Label Label   `json:"label"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// Destination is an allowed output.
type Destination struct {
	Label    Label   `json:"label"`
	X        float64 `json:"x"`
	Y        float64 `json:"y"`
	Share    float64 `json:"share"`    // of the letter's records that are expected to be written with it
	Distance float64 `json:"distance"` // in the unit of utilities
}
