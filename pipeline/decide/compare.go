package decide

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// What other limits of the shift give is looked for so long at the most, for orders of no more
// values than this.
const (
	comparing      = 3 * time.Second
	comparedValues = 256
)

// compared are the limits that are looked at, in percent, -1 for none; the ends first.
var compared = []int64{0, -1, 2, 5, 1}

// Compare is what other limits of the shift give in place of that of a plan: what is not ready
// in time is left out. Nothing of it is for a file.
func Compare(ctx context.Context, asked *request.Decision, d *count.Domain, p *plan.Plan) []report.Compared {
	if n := max(p.Inputs.Len(), p.Outputs.Len()); asked.Goal.Recover || n < 2 || n > comparedValues ||
		p.Records().Total() == 0 {
		return nil
	}
	type row struct {
		limit *big.Rat // nil for none
		report.Compared
	}
	rows := []row{{p.Limit(), comparedOf(p.MaxShift(), p)}}
	rows[0].Chosen = true
	ctx, cancel := context.WithTimeout(ctx, comparing)
	defer cancel()
	for _, percent := range compared {
		if percent < 0 && asked.Goal.Keep { // which needs a limit
			continue
		}
		other, limit := *asked.At(p.Epsilon), (*big.Rat)(nil)
		other.MaxShift, other.Usual = "", request.Usual{}
		if percent >= 0 {
			limit, other.MaxShift = big.NewRat(percent, 100), fmt.Sprintf("%d%%", percent)
		}
		if other.Goal.MaxShift = limit; asked.Room != nil && percent > 0 { // the same part of it
			other.Room = new(big.Rat).Quo(asked.Room, asked.Limit())
			other.Room.Mul(other.Room, limit)
			other.Goal.MaxShift = new(big.Rat).Sub(limit, other.Room)
		} else {
			other.Room = nil
		}
		if slices.ContainsFunc(rows, func(r row) bool {
			return (r.limit == nil) == (limit == nil) && (limit == nil || r.limit.Cmp(limit) == 0)
		}) {
			continue
		}
		q, err := Plan(ctx, &other, d)
		if ctx.Err() != nil {
			break
		}
		if err == nil && !q.Stopped {
			rows = append(rows, row{limit, comparedOf(other.MaxShift, q)})
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		switch {
		case a.limit == nil:
			return -1
		case b.limit == nil:
			return 1
		}
		return b.limit.Cmp(a.limit)
	})
	var out []report.Compared
	for _, r := range rows {
		out = append(out, r.Compared)
	}
	return out
}

// comparedOf is a row of a plan within a limit.
func comparedOf(limit string, p *plan.Plan) report.Compared {
	if limit == "" {
		limit = request.NoLimit
	}
	floor := report.Floor{Level: report.LevelOf(p.Level()), Rank: p.Rank, Of: p.Outputs.Len()}
	return report.Compared{Limit: limit, Floor: floor.Place() + " (" + p.Words + ")",
		Mean: report.Mean(p.Expected, p.Spec.Unit),
		Used: p.Counted().Used, Of: p.Outputs.Len()}
}
