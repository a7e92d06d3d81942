package browser

import (
	"fmt"
	"os"
)

// Axe is where `make axe` puts the accessibility checker. It is fetched at a
// pinned version and not kept here: it is half a megabyte of another project's
// generated code, under a licence of its own (MPL-2.0).
const Axe = "../../out/axe/axe.min.js"

// A Violation is what the checker found against a rule.
type Violation struct {
	Rule  string   `json:"rule"`
	Help  string   `json:"help"`
	Where []string `json:"where"`
}

// Violations runs every rule of the checker, best practices among them, on
// the page.
func (t *Tab) Violations() ([]Violation, error) {
	source, err := os.ReadFile(Axe)
	if err != nil {
		return nil, fmt.Errorf("the accessibility checker is fetched by make axe: %w", err)
	}
	var found []Violation
	err = t.Script(string(source)+`
;axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => ({rule: v.id, help: v.help, `+
		`where: v.nodes.map(n => n.html.slice(0, 200) + " " + n.failureSummary)})))`, &found)
	return found, err
}
