package decide

import (
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// decider says which stratum differs most from all records in what it holds, and so is told
// most of by outputs that keep its shares; "" where there is one stratum.
func (w *problem) decider() string {
	at, most := -1, 1.0
	for i, g := range w.d.Groups {
		for x, c := range g.Prior.Counts() {
			if c == 0 {
				continue
			}
			lift := float64(c) / float64(g.Prior.Total()) * float64(w.d.Prior.Total()) / float64(w.d.Prior.Count(x))
			if lift > most {
				at, most = i, lift
			}
		}
	}
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("; stratum %d of %d, with %s, differs most: a value is %.3g times as common there as in all", at+1,
		len(w.d.Groups), report.Several(int(w.d.Groups[at].Prior.Total()), "record", "records"), most)
}
