package report

import (
	"encoding/json"
	"fmt"
)

// CodebookSchema names the format of public/codebook.json.
const CodebookSchema = "tacet.codebook/v1"

// A Codebook says how to use the private columns of a published file. It follows from
// the public reports, and tells nothing that these do not tell.
type Codebook struct {
	Schema  string     `json:"schema"`
	Version string     `json:"version"`         // of Tacet
	Stamp   string     `json:"stamp,omitempty"` // "NOT A PRIVATE RELEASE" when a test seed was used
	File    PublicFile `json:"file"`            // that was published
	Cite    string     `json:"cite"`            // how to cite it
	Columns []Entry    `json:"columns"`         // the private ones
}

// An Entry is what a data user needs of one private column. Figures are named as in the
// public report.
type Entry struct {
	Column    string      `json:"column"`
	Type      string      `json:"type"`
	Given     string      `json:"given,omitempty"` // column, or function of one, given which the promise holds
	Null      string      `json:"null"`            // rule for nulls: "refuse", "draw", "public"
	Order     PublicOrder `json:"order"`
	Target    string      `json:"target"`        // epsilon, as the user wrote it
	Factor    float64     `json:"target_factor"` // e^epsilon, rounded up
	Floor     PublicFloor `json:"floor"`
	Done      []Said      `json:"done"`   // what was done and promised, in words
	Shares    Counting    `json:"shares"` // whether the column may be counted
	Mechanism Access      `json:"mechanism"`
	Formulas  []Formula   `json:"formulas"` // for who has the mechanism
	Programs  []Program   `json:"programs"` // that count the column
}

// Said is a claim of the public report.
type Said struct {
	Key   string `json:"key"`
	Words string `json:"words"`
}

// Counting says how wrong a count of the published column can be.
type Counting struct {
	// that was promised, as it was asked for: no set of values is off by more, in shares
	// of all records, before chance in the draws; absent where none was
	Limit  string `json:"limit,omitempty"`
	Words  string `json:"words"`
	Tables string `json:"tables"` // of tables of the column against another one
}

// Access says who gets the mechanism.
type Access struct {
	File  string `json:"file"` // path from the folder of the codebook: the mechanism, or why it is withheld
	Words string `json:"words"`
}

// A Formula is one for the mechanism p, a row for each true value and a column for each
// published one.
type Formula struct {
	Name    string `json:"name"`
	Formula string `json:"formula"`
	Words   string `json:"words"`
}

// A Program is a few lines that can be run beside the published file.
type Program struct {
	Language string `json:"language"` // "python" or "sql"
	Library  string `json:"library"`
	Code     string `json:"code"`
}

// Encode is codebook.json.
func (c *Codebook) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("codebook: %w", err)
	}
	return append(data, '\n'), nil
}
