package report

// Pinned is the plan of an earlier night: the one that was followed, or the one
// that a redesign replaced. Its figures are under the counts of this file.
type Pinned struct {
	State   string  `json:"state"` // "followed" or "redesigned"
	Plan    string  `json:"plan_sha256"`
	Factor  string  `json:"factor,omitempty"`  // "p/q"; none where no counts move the plan, or letters are lacking
	Nats    float64 `json:"nats,omitempty"`    // rounded up
	Holds   bool    `json:"holds"`             // the factor is within epsilon
	Room    float64 `json:"room,omitempty"`    // e^epsilon / factor - 1
	Lacking int     `json:"lacking,omitempty"` // letters with records that the plan does not have
}
