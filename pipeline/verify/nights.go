package verify

import (
	"context"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/releases"
)

// checkNights holds the release to the ones before. Where the draws were made again, the
// test of the draws is of these.
func (c *column) checkNights(ctx context.Context) error {
	again, err := releases.Check(ctx, &releases.Release{Release: c.release, Facts: c.Facts, Result: &c.Result,
		Path: c.q.Report, Report: c.reportData, Ledger: c.q.Ledger, History: c.q.History, Key: c.q.Key})
	if err != nil || again == nil {
		return err
	}
	c.Checks = slices.DeleteFunc(c.Checks, func(k kernel.Check) bool { return k.Name == "fit" })
	f := kernel.FitPairs(again, c.Groups)
	c.Add("fit", f.Accepted(), "the draws made again %s the plan: G = %.1f over %d rows, %d degrees of freedom (false alarm "+
		"rate %g)", either(f.Accepted(), "fit", "do not fit"), 2*f.Sum, f.Rows, f.Freedom, kernel.Alarm)
	return nil
}
