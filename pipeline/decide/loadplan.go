package decide

import (
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// LoadPlan reads plan.json and the order.csv beside it; what it claims is
// computed again.
func LoadPlan(path string) (*plan.Plan, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Unreadable("--plan", path, err)
	}
	p, err := plan.Decode(data, func(name string) ([]byte, error) {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			return nil, fault.PathCause(err)
		}
		return data, nil
	})
	if err != nil {
		return nil, &fault.Fault{Class: fault.Input, What: path + ": " + err.Error(),
			Hint: "make a new plan with tacet design, or give another plan.json", Err: err}
	}
	return p, nil
}
