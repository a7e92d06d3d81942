package neighbours

import (
	"fmt"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/pipeline/count"
)

// fileAlarm is the chance that files are refused which make no value likelier than
// epsilon allows.
const fileAlarm = 1e-6

// InFiles judges by all rows whether the file that a row is in gives its value away:
// most rows of a file have one value, which is then likelier than an output of epsilon
// may make it. The sample may hold no row of a small file.
func InFiles(s *count.Source, factor float64, allowed bool) []Finding {
	most, index := s.MostInFiles(), s.Alphabet.Index()
	if len(most) < 2 {
		return nil
	}
	count, all := s.CountsOf(s.Alphabet), int64(0)
	for _, n := range count {
		all += n
	}
	level := fileAlarm / float64(len(most)) / float64(max(1, len(count)))
	var telling []string
	for i, m := range most {
		if m.Count == 0 {
			continue
		}
		at := estimate.AtLeast(m.Count, m.Rows, level)
		if at > min(1, factor*float64(count[index[m.Value]])/float64(all)) {
			telling = append(telling, s.File.Members[i].Rel)
		}
	}
	if len(telling) == 0 {
		return nil
	}
	what := fmt.Sprintf("more than half of the rows of %q hold one value, which is likelier there than epsilon allows",
		telling[0])
	if more := len(telling) - 1; more > 0 {
		what += fmt.Sprintf(" (and so in %d more of %d files)", more, len(most))
	}
	return []Finding{{Refused: !allowed, Allowed: allowed, What: what}}
}
