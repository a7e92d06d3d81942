package count

import (
	"context"
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// UsePrior replaces the frequencies of the letters, which stay known as the
// sample, by what the user chose.
func UsePrior(ctx context.Context, prior request.Prior, d *Domain, s *Source) (err error) {
	if d.Letters.Len() == 0 {
		return nil
	}
	f := d.law
	switch {
	case prior.Smooth != "":
		d.Of = plan.Smoothed
		if d.Prior, err = smoothed(prior, d.Sample); err != nil {
			return err
		}
	case f != nil:
		if err := covers(ctx, d, s, f); err != nil {
			return err
		}
		d.Of = plan.Declared
		if d.Prior, err = f.Of(d.Letters.Label, d.Letters.Null); err != nil {
			return err
		}
		for x, c := range d.Prior.Counts() {
			if c == 0 && d.Sample.Count(x) > 0 {
				return fault.New(fault.Input, "give the value a probability above 0",
					"%s: the probability of value %d of %d is 0, but records hold it", f.Path, x+1, d.Letters.Len())
			}
		}
	}
	return nil
}

// smoothed adds to the counts of every letter.
func smoothed(asked request.Prior, records mechanism.Prior) (p mechanism.Prior, err error) {
	if p, err = estimate.Smoothed(records, asked.Add, asked.Per); err != nil {
		return p, fault.New(fault.Usage, "give a number of fewer digits", "--smooth %s: %v", asked.Smooth, err)
	}
	return p, nil
}

// covers refuses a prior that lacks letters: by name where they stand in a
// file of the user, else by number and first rows.
func covers(ctx context.Context, d *Domain, s *Source, f *Law) error {
	var named []string
	var unknown []int
	for x, l := range d.Letters.Label {
		switch {
		case f.Chance[l] != nil:
		case d.Declared[l]:
			named = append(named, fmt.Sprintf("%q", l))
		default:
			unknown = append(unknown, x)
		}
	}
	const hint = "give every value a probability, 0 if it cannot occur"
	switch {
	case d.Letters.Null && f.Null == nil:
		return fault.New(fault.Input, "add a line with an empty label and 1 in a third column, null",
			"%s has no probability of null", f.Path)
	case !d.Letters.Null && f.Null != nil:
		return fault.New(fault.Input, "remove the line, or give --null draw",
			"%s has a probability of null, but null is not a value here", f.Path)
	case len(named) > 0:
		return fault.New(fault.Input, hint, "%s lacks %s", f.Path, strings.Join(named[:min(len(named), 5)], ", "))
	case len(unknown) == 0:
		return nil
	}
	what := fmt.Sprintf("%s lacks %s of the data", f.Path, report.Several(len(unknown), "value", "values"))
	if s == nil {
		return fault.New(fault.Input, hint, "%s", what)
	}
	rows, err := firstRows(ctx, s, d.alphabet, unknown)
	if err != nil {
		return err
	}
	return fault.New(fault.Input, hint+"; "+toList, "%s, first in row %s", what, rows)
}
