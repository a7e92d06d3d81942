package pipeline

import (
	"context"
	"math/big"
	"path/filepath"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// letters finds the domain of a design: from the input, or from counts that
// were taken before. The source is nil for counts; the caller closes it.
func (o *Options) letters(ctx context.Context) (*source, *domain, error) {
	switch {
	case o.Input != "" && o.Counts != "":
		return nil, nil, faultf(Usage, "give one of them", "--input and --counts are both given")
	case o.Counts != "":
		d, err := countedDomain(o.Counts)
		return nil, d, err
	}
	s, err := openSource(o, o.Column)
	if err != nil {
		return nil, nil, err
	}
	if err := s.scan(ctx, o); err != nil {
		s.close()
		return nil, nil, err
	}
	d, err := newDomain(o, s)
	if err != nil {
		s.close()
	}
	return s, d, err
}

// beside names a file in the folder of another.
func beside(path, name string) string { return filepath.Join(filepath.Dir(path), name) }

func one() *big.Rat { return big.NewRat(1, 1) }

// factorUp shows a factor so that it can be given to --max-factor: exactly
// where it is short, else rounded up to a millionth.
func factorUp(f *big.Rat) string {
	if s := f.RatString(); len(s) <= 24 {
		return s
	}
	const unit = 1_000_000
	n := new(big.Int).Mul(f.Num(), big.NewInt(unit))
	n.Add(n.Quo(n, f.Denom()), big.NewInt(1))
	return new(big.Rat).SetFrac(n, big.NewInt(unit)).RatString()
}

// nats shows the log of a factor, rounded up to four decimals.
func nats(factor *big.Rat) string {
	return report.RoundUp(mechanism.Nats(factor), 4)
}
