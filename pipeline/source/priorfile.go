package source

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/figure"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// A Law is a law over letters that the user declares.
type Law struct {
	path   string
	label  []string
	chance map[string]*big.Rat
	null   *big.Rat // of the null letter; nil where the file has none
}

// readPrior reads label,probability; its labels may be named in messages.
func readPrior(path string) (*Law, error) {
	const hint = "give a CSV file with the header label,probability; probabilities are decimals or fractions p/q"
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.New(fault.Input, "check the path given to --prior", "%s cannot be read: %v", path, PathCause(err))
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	header, err := r.Read()
	if h := strings.Join(header, ","); err != nil || h != "label,probability" && h != "label,probability,null" {
		return nil, fault.New(fault.Input, hint, "%s does not start with the header label,probability", path)
	}
	f := &Law{path: path, chance: map[string]*big.Rat{}}
	total := new(big.Rat)
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fault.New(fault.Input, hint, "%s: %v", path, err)
		}
		line, _ := r.FieldPos(0)
		v, ok := figure.Number(record[1])
		if !ok {
			return nil, fault.New(fault.Input, hint, "%s: line %d: the probability of %q is no decimal and no fraction", path, line, record[0])
		}
		total.Add(total, v)
		switch null := len(record) == 3 && record[2] == "1"; {
		case null && f.null == nil:
			f.null = v
		case null || f.chance[record[0]] != nil:
			return nil, fault.New(fault.Input, "add the probabilities up", "%s: line %d repeats the label %q", path, line, record[0])
		default:
			f.label, f.chance[record[0]] = append(f.label, record[0]), v
		}
	}
	if total.Cmp(big.NewRat(1, 1)) != 0 {
		return nil, fault.New(fault.Input, "correct them; fractions such as 1/3 are exact", "%s: the probabilities sum to %s, not to 1", path, shortRat(total))
	}
	return f, nil
}

// shortRat is a fraction as it is where that is short, else its decimals.
func shortRat(r *big.Rat) string {
	if s := r.RatString(); len(s) <= 24 {
		v, _ := r.Float64()
		return fmt.Sprintf("%s (%.12g)", s, v)
	}
	return "about " + r.FloatString(12)
}

// of is the law over these letters, null last, as whole numbers over their
// common denominator.
func (f *Law) of(label []string, null bool) (mechanism.Prior, error) {
	chance := make([]*big.Rat, 0, len(label)+1)
	for _, l := range label {
		chance = append(chance, f.chance[l])
	}
	if null {
		chance = append(chance, f.null)
	}
	common := big.NewInt(1)
	for _, v := range chance {
		d := v.Denom()
		common.Mul(common, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, common, d)))
		if common.BitLen() > 62 {
			return mechanism.Prior{}, fault.New(fault.Input, "use fewer digits", "%s: the probabilities have no common denominator below 2^62", f.path)
		}
	}
	count := make([]int64, len(chance))
	for x, v := range chance {
		count[x] = new(big.Int).Mul(v.Num(), new(big.Int).Quo(common, v.Denom())).Int64()
	}
	return mechanism.NewPrior(count)
}

// UsePrior replaces the frequencies of the letters, which stay known as the
// sample, by what the user chose.
func UsePrior(ctx context.Context, o *options.Options, d *Domain, s *Source) (err error) {
	d.Sample = d.Prior
	if d.Letters.Len() == 0 {
		return nil
	}
	if o.Prior != "" && d.law == nil { // the letters are those of a counts file
		if d.law, err = readPrior(o.Prior); err != nil {
			return err
		}
	}
	f := d.law
	switch {
	case o.Smooth != "":
		add, per, err := o.ParseSmooth()
		if err != nil {
			return err
		}
		counts, err := estimate.CountsOf(d.Prior.Counts())
		if err != nil {
			return err
		}
		d.Of = plan.Smoothed
		if d.Prior, err = estimate.Smoothed(counts, add, per); err != nil {
			return fault.New(fault.Usage, "give a number of fewer digits", "--smooth %s: %v", o.Smooth, err)
		}
	case f != nil:
		if err := covers(ctx, o, d, s, f); err != nil {
			return err
		}
		d.Of = plan.Declared
		if d.Prior, err = f.of(d.Letters.Label, d.Letters.Null); err != nil {
			return err
		}
		for x, c := range d.Prior.Counts() {
			if c == 0 && d.Sample.Count(x) > 0 {
				return fault.New(fault.Input, "give it a probability", "%s: the probability of letter %d of %d is 0, and records hold it", f.path, x+1, d.Letters.Len())
			}
		}
	}
	return nil
}

// covers refuses a prior that lacks letters: by name where they stand in a
// file of the user, else by number and first rows.
func covers(ctx context.Context, o *options.Options, d *Domain, s *Source, f *Law) error {
	var named []string
	var unknown []int
	for x, l := range d.Letters.Label {
		switch {
		case f.chance[l] != nil:
		case d.Declared[l]:
			named = append(named, fmt.Sprintf("%q", l))
		default:
			unknown = append(unknown, x)
		}
	}
	const hint = "give every letter a probability, 0 where it cannot occur"
	switch {
	case d.Letters.Null && f.null == nil:
		return fault.New(fault.Input, "add a line with an empty label and 1 in a third column, null", "%s lacks the null letter", f.path)
	case !d.Letters.Null && f.null != nil:
		return fault.New(fault.Input, "leave it out, or give --null letter", "%s names the null letter, which is no letter here", f.path)
	case len(named) > 0:
		return fault.New(fault.Input, hint, "%s lacks %s", f.path, strings.Join(named[:min(len(named), 5)], ", "))
	case len(unknown) == 0:
		for _, l := range f.label {
			if !slices.Contains(d.Letters.Label, l) {
				return fault.New(fault.Input, "add it with the count 0", "%s names %q, which the counts file lacks", f.path, l)
			}
		}
		return nil
	}
	what := fmt.Sprintf("%s lacks %s of the data", f.path, figure.Several(len(unknown), "letter", "letters"))
	if s == nil {
		return fault.New(fault.Input, hint, "%s", what)
	}
	rows, err := firstRows(ctx, s, d.alphabet, unknown)
	if err != nil {
		return err
	}
	return errors.Join(fault.New(fault.Input, hint+"; --list-unknown names them in a private file", "%s, first in row %s", what, rows), listUnknown(o, d.Letters.Label, unknown))
}
