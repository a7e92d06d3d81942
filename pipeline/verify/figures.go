package verify

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/figures"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/population"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
)

// checkFigures recomputes the report's figures that nothing else has.
func checkFigures(v *subject.View, f *pair.Files) {
	figures.CheckPinned(v, f)
	figures.CheckRecords(v, f)
	figures.CheckNulls(v, f)
	figures.CheckPrior(v)
	figures.CheckOwn(v, f)
	figures.CheckOther(v)
	population.CheckPopulation(v, f)
	figures.CheckBeliefs(v)
	figures.CheckAnalysts(v)
	figures.CheckShares(v)
	figures.CheckUtility(v, f)
	figures.CheckMap(v)
	figures.CheckStamp(v)
	figures.CheckSeries(v)
}
