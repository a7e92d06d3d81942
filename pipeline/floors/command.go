package floors

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// askFor rounds nats up to hundredths: the epsilon that is asked for may be
// published, and an exact one encodes counts.
func askFor(nats float64) string {
	up := math.Ceil(nats*100) / 100
	if up < nats {
		up += .01
	}
	return strconv.FormatFloat(up+0, 'f', -1, 64)
}

// follower is the command that follows: a release, or a plan where only counts are known.
func (v *survey) follower() string {
	if v.o.Input != "" {
		return "run"
	}
	return "design"
}

// own are the options whose values a place gives, or that are of the search alone.
var own = []string{"epsilon", "max-factor", "floor-rank", "floor-value", "floor-by", "max-shift", "threads",
	"log-format", "overwrite", "config"}

// command is what makes the design of a place from all that the frontier was made of. What stands
// in the job file is left to that.
func (v *survey) command(q *place, epsilon string) string {
	o, then, asked := v.o, v.o.Next(), v.next(q, epsilon)
	lines := []string{"tacet " + v.follower()}
	if asked.FloorRank == nil && asked.FloorValue == nil { // an empty variable takes away that of a job file
		if then.FloorRank != nil {
			lines[0] = "TACET_FLOOR_RANK= " + lines[0]
		}
		if then.FloorValue != nil {
			lines[0] = "TACET_FLOOR_VALUE= " + lines[0]
		}
	}
	add := func(flag, value string) { lines = append(lines, "--"+flag+" "+report.Shell(value)) }
	origin := map[string]string{}
	for _, s := range o.Settings {
		if origin[s.Name] = s.Origin; s.Name == "config" && s.Value != "" {
			add("config", s.Value)
		}
	}
	if o.Input == "" && then.Column == "" {
		add("column", "NAME OF THE COLUMN") // which counts do not tell, and apply looks for
	}
	taken := request.For(v.follower())
	for _, t := range request.For("frontier") {
		text, given := t.Text(o)
		if !given || origin[t.Name] == "config" || slices.Contains(own, t.Name) || !slices.Contains(taken, t) {
			continue
		}
		if t.Kind == request.Switch {
			lines = append(lines, "--"+t.Name)
		} else {
			add(t.Name, text)
		}
	}
	add("max-shift", cmp.Or(asked.MaxShift, request.NoLimit))
	add("epsilon", asked.Epsilon)
	if asked.FloorRank != nil {
		add("floor-rank", strconv.Itoa(*asked.FloorRank))
	}
	if asked.FloorValue != nil {
		add("floor-value", strconv.FormatFloat(*asked.FloorValue, 'g', -1, 64))
	}
	if o.Input == "" {
		if then.WritePlan == "" {
			add("write-plan", "plan.json")
		}
		return strings.Join(lines, " \\\n  ")
	}
	file := store.Name(o.Input)
	if then.Output == "" {
		add("output", strings.TrimSuffix(file, filepath.Ext(file))+".private"+filepath.Ext(file))
	}
	if then.Report == "" {
		add("report", "report")
	}
	return strings.Join(lines, " \\\n  ")
}

// unjudged says what the search did not look at, and the command does.
func (v *survey) unjudged() (out []string) {
	if v.o.Then == nil {
		return nil
	}
	for _, t := range request.For(v.follower()) {
		_, given := t.Text(v.o.Then)
		if reason := later[t.Name]; given && reason != "" {
			out = append(out, fmt.Sprintf("--%s: %s", t.Name, reason))
		}
	}
	slices.SortStableFunc(out, cmp.Compare)
	return out
}

// later are options of the next command that may change what it reaches, or refuse it.
var later = map[string]string{
	"joint-epsilon": "it is refused where all private columns together would tell more",
	"ledger":        "earlier releases of the same records count, too",
	"total-epsilon": "earlier releases of the same records count, too",
	"record-id":     "records that were released before keep their outputs",
	"person":        "rows of a person share draws, and may tell more together",
	"confidence":    "the bound for the population is computed by the command",
}
