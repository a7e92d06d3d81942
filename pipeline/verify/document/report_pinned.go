package document

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
