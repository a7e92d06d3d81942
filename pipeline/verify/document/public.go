package document

import "encoding/json"

// A Public is public/report.json as docs/files.md describes it: it holds
// nothing that tells of counts, so little of it can be recomputed.
type Public struct {
	Schema  string      `json:"schema"`
	Version string      `json:"version"`
	Stamp   string      `json:"stamp"`
	About   *aboutClaim `json:"about"`
	Column  string      `json:"column"`
	Given   string      `json:"given"`
	Rows    int64       `json:"rows"`
	Columns []struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Fate string `json:"fate"`
	} `json:"columns"`
	Dropped  []string        `json:"dropped"`
	Kept     bool            `json:"kept"`
	Domain   json.RawMessage `json:"domain"`
	Order    json.RawMessage `json:"order"`
	Declared json.RawMessage `json:"declared"`
	Target   string          `json:"target"`
	Factor   float64         `json:"target_factor"`
	Floor    json.RawMessage `json:"floor"`
	Design   string          `json:"design"`
	Grid     []GridClaim     `json:"grid"`
	Draws    json.RawMessage `json:"randomness"`
	Output   struct {
		Name string `json:"name"`
		FileClaim
	} `json:"output"`
	Changes json.RawMessage `json:"difference"`
}

func (*Public) format() string { return PublicFormat }

// PublicFormat is what public reports name themselves.
const PublicFormat = "tacet.public-report/v1"

// A GridClaim is the cap of a round share.
type GridClaim = struct {
	Share float64 `json:"share"`
	Cap   float64 `json:"cap"`
}
