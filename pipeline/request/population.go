package request

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// ParseHeadroom reads --headroom: "10%", a decimal or a fraction; 0 for none.
func (o *Options) ParseHeadroom() (*big.Rat, error) {
	if o.Headroom == "" {
		return new(big.Rat), nil
	}
	text, percent := strings.CutSuffix(o.Headroom, "%")
	h, ok := new(big.Rat), len(text) <= 20 && strings.Trim(text, "0123456789./") == ""
	if ok {
		_, ok = h.SetString(text)
	}
	if !ok {
		return nil, fault.New(fault.Usage, "give a share such as 10% or 0.1", "--headroom %q is not a share", o.Headroom)
	}
	if percent {
		h.Quo(h, big.NewRat(100, 1))
	}
	return h, nil
}

// leastDelta is the smallest chance of failure that is worked with.
const leastDelta = 1e-30

// ParseConfidence reads --confidence.
func (o *Options) ParseConfidence() (delta float64, err error) {
	delta, err = strconv.ParseFloat(o.Confidence, 64)
	if err != nil || !(delta >= leastDelta && delta < 1) {
		return 0, fault.New(fault.Usage, "give the probability that the bound may fail, such as 1e-6",
			"--confidence %q is not a number from 1e-30 to below 1", o.Confidence)
	}
	return delta, nil
}

// checkPopulation finds contradictions that need no file.
func (o *Options) checkPopulation() []*fault.Fault {
	if o.Confidence == "" {
		return found([]conflict{{o.Robust, "also give the probability that the bound may fail: --confidence 1e-6",
			"--robust needs --confidence"}})
	}
	_, err := o.ParseConfidence()
	return fault.And(nil, err)
}

// Unchanged is the value of Options.Prefer that counts records which keep
// their letter.
const Unchanged = "unchanged"
