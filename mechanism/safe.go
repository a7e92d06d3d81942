package mechanism

import "fmt"

// A NoOutputError says that a floor, or the order itself, leaves an input
// letter without any output.
type NoOutputError struct {
	Letter int   // the first such letter
	Floor  Floor // what was asked for
}

func (e *NoOutputError) Error() string {
	return fmt.Sprintf("mechanism: letter %d has no allowed output (%v)", e.Letter, e.Floor)
}

// Safe is the utility-safe mechanism M*(h) [SO, Theorem 1]: uniform on B_x,
// the outputs that f allows for x. Where all B_x are equally large its factor
// is 1 / min P(S_y), the least for this support under the worst prior; on
// rows of unequal size the theorem does not speak and Leakage says what it
// is. It fails with *NoOutputError.
func Safe(p Prior, o Order, f Floor) (*Mechanism, error) {
	if p.Letters() != o.Inputs() {
		panic("mechanism: prior and order differ in letters")
	}
	return Uniform(SupportOf(o, f), f)
}

// Uniform is uniform on what s allows each letter; f is what a failure, a
// *NoOutputError, says was asked for.
func Uniform(s *Support, f Floor) (*Mechanism, error) {
	if x := s.Empty(); x >= 0 {
		return nil, &NoOutputError{x, f}
	}
	row := make([]Row, s.Inputs())
	for x := range row {
		row[x] = UniformRow(s.AppendRow(make([]uint16, 0, s.Size(x)), x))
	}
	return New(s.Outputs(), row)
}
