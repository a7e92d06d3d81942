package releases

import (
	"cmp"
	"maps"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/composition"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

// errTorn says that two rows of one person and letter had different draws.
var errTorn = fault.New(fault.Internal, "", "rows of one person with the same value were drawn separately")

// PersonFigures is what one release says of persons with several rows.
type PersonFigures struct {
	Persons int64 // with a row under the promise
	Several int64 // with several rows
	Mixed   int64 // with several letters
	Rows    int   // that one person has at most
	// Factor is the largest that the rows of a person with several letters
	// have together (composition.Person), 1 where there is none.
	Factor *big.Rat
	Bound  bool // it may be less
}

// figuresOf goes through all persons, of each row of whom letter and draw were noted, and calls once
// with each person's letters and draws. It fails with errTorn.
func figuresOf(persons *ledger.Notes, prior mechanism.Prior, m *mechanism.Mechanism,
	once func(x, y uint32)) (PersonFigures, error) {
	f := PersonFigures{Factor: big.NewRat(1, 1)}
	shown := map[string]map[int]int{} // by the outputs of the rows, in order
	for _, rows := range persons.Records() {
		if err := f.person(rows, shown, once); err != nil {
			return f, err
		}
	}
	f.joint(prior, m, shown)
	return f, nil
}

// person counts one person, whose rows are sorted by letter.
func (f *PersonFigures) person(rows []ledger.Note, shown map[string]map[int]int, once func(x, y uint32)) error {
	f.Persons++
	if len(rows) > 1 {
		f.Several++
	}
	f.Rows = max(f.Rows, len(rows))
	letters := 0
	for i, r := range rows {
		switch {
		case i == 0 || rows[i-1].A != r.A:
			letters++
			once(r.A, r.B)
		case rows[i-1].B != r.B:
			return errTorn
		}
	}
	if letters < 2 {
		return nil
	}
	f.Mixed++
	outputs := make([]uint32, len(rows))
	for i, r := range rows {
		outputs[i] = r.B
	}
	slices.Sort(outputs)
	var key []byte
	for _, y := range outputs {
		key = append(key, byte(y>>8), byte(y))
	}
	if shown[string(key)] == nil {
		count := map[int]int{}
		for _, y := range outputs {
			count[int(y)]++
		}
		shown[string(key)] = count
	}
	return nil
}

// joint finds the largest factor, that of the fewest rows first, so that as many
// as possible are exact.
func (f *PersonFigures) joint(prior mechanism.Prior, m *mechanism.Mechanism, shown map[string]map[int]int) {
	steps := composition.Steps
	for _, key := range slices.SortedFunc(maps.Keys(shown), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}) {
		a := composition.Person(prior, m, shown[key], &steps)
		if a.Factor != nil && a.Factor.Cmp(f.Factor) > 0 {
			f.Factor, f.Bound = a.Factor, a.Bound
		}
	}
}
