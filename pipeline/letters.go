package pipeline

import (
	"math/big"
	"path/filepath"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

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
