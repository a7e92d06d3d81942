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
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// errTorn says that two rows of one person and letter had different draws.
var errTorn = fault.New(fault.Internal, "", "rows of one person with the same value were drawn separately")

// personsOf goes through all persons, of each row of whom letter and draw were noted, and calls once
// with each person's letters and draws. It says what one release says of those with several rows, and
// fails with errTorn.
func personsOf(persons *ledger.Notes, prior mechanism.Prior, m *mechanism.Mechanism,
	once func(x, y uint16)) (*report.Persons, error) {
	f, shown := &report.Persons{}, map[string][]uint16{} // by the outputs of the rows, in order
	for _, rows := range persons.Records() {
		f.Persons++
		if len(rows) > 1 {
			f.Several++
		}
		f.Most = max(f.Most, len(rows))
		letters, outputs := 0, make([]uint16, len(rows))
		for i, r := range rows { // sorted by letter
			switch outputs[i] = r.B; {
			case i == 0 || rows[i-1].A != r.A:
				letters++
				once(r.A, r.B)
			case rows[i-1].B != r.B:
				return nil, errTorn
			}
		}
		if letters < 2 {
			continue
		}
		f.Mixed++
		slices.Sort(outputs)
		var key []byte
		for _, y := range outputs {
			key = append(key, byte(y>>8), byte(y))
		}
		shown[string(key)] = outputs
	}
	most, steps := composition.Account{Factor: big.NewRat(1, 1)}, composition.Steps
	for _, outputs := range slices.SortedFunc(maps.Values(shown), func(a, b []uint16) int { // that more are exact
		return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b))
	}) {
		rows := map[int]int{}
		for _, y := range outputs {
			rows[int(y)]++
		}
		if a := composition.Person(prior, m, rows, &steps); a.Factor != nil && a.Factor.Cmp(most.Factor) > 0 {
			most = a
		}
	}
	f.Factor, f.Nats, f.Bound = most.Factor.RatString(), new(mechanism.Nats(most.Factor)), &most.Bound
	return f, nil
}
