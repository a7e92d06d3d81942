package pipeline

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// A priorFile is a law over letters that the user declares.
type priorFile struct {
	path   string
	label  []string
	chance map[string]*big.Rat
	null   *big.Rat // of the null letter; nil where the file has none
}

// checkPrior finds contradictions that need no file.
func (o *Options) checkPrior() error {
	switch {
	case o.Prior != "" && o.Smooth != "":
		return fault.New(fault.Usage, "give one of them", "--prior and --smooth are both given")
	case o.Prior != "" && o.Robust:
		return fault.New(fault.Usage, "leave one of them out", "--robust designs from the records of the file, and --prior declares what to design from")
	case o.Smooth != "":
		_, _, err := o.pseudoCount()
		return err
	}
	return nil
}

// pseudoCount reads --smooth as add/per.
func (o *Options) pseudoCount() (add, per int64, err error) {
	r, ok := exactNumber(o.Smooth)
	if !ok || r.Sign() == 0 || !r.Num().IsInt64() || !r.Denom().IsInt64() {
		return 0, 0, fault.New(fault.Usage, "give how many records to add to every letter, such as 0.5 or 1/2", "--smooth %q is no number above 0", o.Smooth)
	}
	return r.Num().Int64(), r.Denom().Int64(), nil
}

var (
	decimalNumber  = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$`)
	fractionNumber = regexp.MustCompile(`^\d+/\d*[1-9]\d*$`)
)

// exactNumber reads a decimal or a fraction p/q, not negative, exactly.
func exactNumber(s string) (*big.Rat, bool) {
	if len(s) > 250 || !decimalNumber.MatchString(s) && !fractionNumber.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// readPrior reads label,probability; its labels may be named in messages.
func readPrior(path string) (*priorFile, error) {
	const hint = "give a CSV file with the header label,probability; probabilities are decimals or fractions p/q"
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.New(fault.Input, "check the path given to --prior", "%s cannot be read: %v", path, pathCause(err))
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	header, err := r.Read()
	if h := strings.Join(header, ","); err != nil || h != "label,probability" && h != "label,probability,null" {
		return nil, fault.New(fault.Input, hint, "%s does not start with the header label,probability", path)
	}
	f := &priorFile{path: path, chance: map[string]*big.Rat{}}
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
		v, ok := exactNumber(record[1])
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
	if total.Cmp(one()) != 0 {
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
func (f *priorFile) of(label []string, null bool) (mechanism.Prior, error) {
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

// usePrior replaces the frequencies of the letters, which stay known as the
// sample, by what the user chose.
func (o *Options) usePrior(ctx context.Context, d *domain, s *source) (err error) {
	d.sample = d.prior
	if d.letters.Len() == 0 {
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
		add, per, err := o.pseudoCount()
		if err != nil {
			return err
		}
		counts, err := estimate.CountsOf(d.prior.Counts())
		if err != nil {
			return err
		}
		d.of = plan.Smoothed
		if d.prior, err = estimate.Smoothed(counts, add, per); err != nil {
			return fault.New(fault.Usage, "give a number of fewer digits", "--smooth %s: %v", o.Smooth, err)
		}
	case f != nil:
		if err := o.covers(ctx, d, s, f); err != nil {
			return err
		}
		d.of = plan.Declared
		if d.prior, err = f.of(d.letters.Label, d.letters.Null); err != nil {
			return err
		}
		for x, c := range d.prior.Counts() {
			if c == 0 && d.sample.Count(x) > 0 {
				return fault.New(fault.Input, "give it a probability", "%s: the probability of letter %d of %d is 0, and records hold it", f.path, x+1, d.letters.Len())
			}
		}
	}
	return nil
}

// covers refuses a prior that lacks letters: by name where they stand in a
// file of the user, else by number and first rows.
func (o *Options) covers(ctx context.Context, d *domain, s *source, f *priorFile) error {
	var named []string
	var unknown []int
	for x, l := range d.letters.Label {
		switch {
		case f.chance[l] != nil:
		case d.declared[l]:
			named = append(named, fmt.Sprintf("%q", l))
		default:
			unknown = append(unknown, x)
		}
	}
	const hint = "give every letter a probability, 0 where it cannot occur"
	switch {
	case d.letters.Null && f.null == nil:
		return fault.New(fault.Input, "add a line with an empty label and 1 in a third column, null", "%s lacks the null letter", f.path)
	case !d.letters.Null && f.null != nil:
		return fault.New(fault.Input, "leave it out, or give --null letter", "%s names the null letter, which is no letter here", f.path)
	case len(named) > 0:
		return fault.New(fault.Input, hint, "%s lacks %s", f.path, strings.Join(named[:min(len(named), 5)], ", "))
	case len(unknown) == 0:
		for _, l := range f.label {
			if !slices.Contains(d.letters.Label, l) {
				return fault.New(fault.Input, "add it with the count 0", "%s names %q, which the counts file lacks", f.path, l)
			}
		}
		return nil
	}
	what := fmt.Sprintf("%s lacks %s of the data", f.path, several(len(unknown), "letter", "letters"))
	if s == nil {
		return fault.New(fault.Input, hint, "%s", what)
	}
	rows, err := firstRows(ctx, s, d.alphabet, unknown)
	if err != nil {
		return err
	}
	return errors.Join(fault.New(fault.Input, hint+"; --list-unknown names them in a private file", "%s, first in row %s", what, rows), o.listUnknown(d.letters.Label, unknown))
}
