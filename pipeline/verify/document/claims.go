package document

// A Claim is a sentence of a report about a promise, with what it says of whom.
type Claim struct {
	Key      string       `json:"key"`
	Section  string       `json:"section"`
	Head     string       `json:"head"`
	Public   bool         `json:"public"`
	Standing string       `json:"standing"`
	Bounds   string       `json:"bounds"`
	Observer string       `json:"observer"`
	Relative string       `json:"relative"`
	Records  string       `json:"records"`
	Figure   *ClaimFigure `json:"figure"`
	Column   string       `json:"column"`
	Asked    string       `json:"asked"`
	Given    string       `json:"given"`
	Note     string       `json:"note"`
	Names    []string     `json:"names"`
	Words    string       `json:"words"`
}

// A ClaimFigure is the number of a claim.
type ClaimFigure struct {
	Factor string  `json:"factor"`
	Times  float64 `json:"times"`
	Nats   float64 `json:"nats"`
	Least  float64 `json:"least"`
	Rank   int     `json:"rank"`
	Of     int     `json:"of"`
	Count  int64   `json:"count"`
	Share  float64 `json:"share"`
	Exact  bool    `json:"exact"`
}
