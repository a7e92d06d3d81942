package report

import (
	"fmt"
	"io"
)

// Compared is what a limit of the shift gives: it is printed, and stands in no file.
type Compared struct {
	Limit    string // as it is asked for, or "none"
	Chosen   bool   // it is that of the plan
	Floor    string
	Mean     string // replacement
	Used, Of int    // outputs that occur, and all
}

// WriteCompared prints what limits of the shift give, one a line, and marks the one that was
// taken; of one alone there is nothing to say.
func WriteCompared(w io.Writer, rows []Compared) error {
	if len(rows) < 2 {
		return nil
	}
	const line = "%-9s %s%-6s  %-44s %-30s %s\n"
	_, err := fmt.Fprintf(w, line, "limits:", "  ", "shift", "floor, 1 being the worst", "mean replacement",
		"values in use")
	for _, r := range rows {
		mark := "  "
		if r.Chosen {
			mark = "* "
		}
		_, err = fmt.Fprintf(w, line, "", mark, r.Limit, r.Floor, r.Mean, fmt.Sprintf("%d of %d", r.Used, r.Of))
	}
	return err
}
