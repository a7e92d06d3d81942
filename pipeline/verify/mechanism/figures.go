package mechanism

import (
	"fmt"
	"math/big"
	"reflect"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// Figures are the expected values of an object of a report, by JSON key. A
// *big.Rat stands for its text or, where the report has a number, for its
// logarithm rounded up. A Rounded is expected but for the last bits, and all else
// as it is. A key that is not there must not be claimed.
type Figures map[string]any

// A Rounded is a float and the size of what was summed, 0 for its own.
type Rounded struct{ value, size float64 }

// Diff compares an object that is claimed with what is expected.
func Diff(w *document.Faults, of string, claim any, want Figures) {
	c := reflect.Indirect(reflect.ValueOf(claim))
	if !c.IsValid() {
		w.Addf("%s is missing", of)
		return
	}
	for i := range c.NumField() {
		key := c.Type().Field(i).Tag.Get("json")
		w.Match(agrees(c.Field(i), want[key]), fmt.Sprintf("%s of %s", key, of))
	}
}

func agrees(claim reflect.Value, want any) bool {
	if claim.Kind() == reflect.Pointer && want != nil {
		if claim.IsNil() {
			return false
		}
		claim = claim.Elem()
	}
	switch e := want.(type) {
	case nil:
		return claim.IsZero()
	case Rounded:
		return exact.Near(claim.Float(), e.value, e.size)
	case *big.Rat:
		if claim.Kind() == reflect.String {
			return claim.String() == e.RatString()
		}
		return exact.Nats(claim.Float(), e)
	}
	return reflect.DeepEqual(claim.Interface(), want)
}
