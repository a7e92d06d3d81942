package request

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// Rooms are what --headroom says: the headroom of epsilon, and with a comma the room below the
// limit of the shift.
func Rooms(headroom string) (epsilon, shift string) {
	epsilon, shift, _ = strings.Cut(headroom, ",")
	return strings.TrimSpace(epsilon), strings.TrimSpace(shift)
}

// ParseHeadroom reads the headroom of epsilon; 0 for none.
func (o *Options) ParseHeadroom() (*big.Rat, error) {
	text, _ := Rooms(o.Headroom)
	if text == "" {
		return new(big.Rat), nil
	}
	h, ok := share(text)
	if !ok {
		return nil, fault.New(fault.Usage, "give a share such as 10% or 0.1", "--headroom %q is not a share", text)
	}
	return h, nil
}

// share reads "10%", a decimal or a fraction.
func share(text string) (*big.Rat, bool) {
	text, percent := strings.CutSuffix(text, "%")
	v, ok := new(big.Rat), len(text) <= 20 && strings.Trim(text, "0123456789./") == ""
	if ok {
		_, ok = v.SetString(text)
	}
	if ok && percent {
		v.Quo(v, big.NewRat(100, 1))
	}
	return v, ok
}

// checkShares finds contradictions that need no file.
func (o *Options) checkShares() []*fault.Fault {
	_, room := Rooms(o.Headroom)
	limit, err := o.ParseMaxShift()
	if err == nil {
		_, err = o.ParseRoom(limit)
	}
	return append(fault.And(nil, err), found([]conflict{{room != "" && o.Limit() == "",
		"leave that out, or give --max-shift", "--headroom leaves room below --max-shift, and that is none"},
		{o.Prefer == Kept && o.Limit() == "" && o.Plan == "", "give --max-shift, which may be 100%",
			"--prefer values needs a limit of the shift"},
		{o.Prefer == Kept && o.Strata+o.Prior+o.Smooth+o.Other != "",
			"leave one of them out", "--prefer values is for the shares of all records: it does not go with --strata, " +
				"--prior, --smooth or --other"},
		{o.Prefer == Recovered && (o.Strata != "" || o.Other != "" ||
			!slices.Contains([]string{"", "auto"}, o.Design) || o.Limit() != "" && !o.left("max-shift")),
			"leave one of them out", "--prefer recovery is a design of its own for all records: it does not go with " +
				"--design, --max-shift, --strata or --other"}})...)
}

// checkLimited finds what a frontier does not look for: what floors cost within a limit is
// proven for the shares of the records alone.
func (o *Options) checkLimited() []*fault.Fault {
	limited := o.Limit() != "" && !o.left("max-shift") || o.Prefer == Shares
	return found([]conflict{{limited && (o.Prior != "" || o.Smooth != ""),
		"leave one of them out, or give both to tacet design", "--max-shift and --prefer shares do not go with --prior or " +
			"--smooth in a frontier: what floors cost within a limit is proven for the shares of the records alone"},
		{o.Prefer == Recovered, "leave it out; tacet simulate shows what estimates are worth",
			"a frontier does not know --prefer recovery"},
		{o.Prefer == Kept, "leave it out, or give it to tacet design", "a frontier does not know --prefer values"}})
}

// leastDelta is the smallest chance of failure that is worked with.
const leastDelta = 1e-30

// checkConfidence refuses what is no chance to fail.
func (o *Options) checkConfidence() error {
	delta, err := strconv.ParseFloat(o.Confidence, 64)
	if o.Confidence != "" && (err != nil || !(delta >= leastDelta && delta < 1)) {
		return fault.New(fault.Usage, "give the probability that the bound may fail, such as 1e-6",
			"--confidence %q is not a number from 1e-30 to below 1", o.Confidence)
	}
	return nil
}

// Unchanged is the value of Options.Prefer that counts records which keep
// their letter, Shares the one that makes the shift least, Kept the one that has every value
// with records published with at least half of its share, and Recovered the one that has
// estimates of shares as sure as possible.
const (
	Unchanged = "unchanged"
	Shares    = "shares"
	Kept      = "values"
	Recovered = "recovery"
)
