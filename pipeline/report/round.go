package report

import "github.com/tacet-privacy/tacet/pipeline/claim"

// NotPrivate stamps reports of runs whose draws can be repeated.
const NotPrivate = "NOT A PRIVATE RELEASE"

// RoundUp shows v rounded up to so many decimals, so that a bound stays one.
var RoundUp = claim.RoundUp
