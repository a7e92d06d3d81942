package count

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Nameable reports which letters stand in the user's files, and so may be named: in
// --domain, or in a utility spec that lists its letters. Null is not among them.
func (d *Domain) Nameable(order request.Order) func(x int) bool {
	inSpec := d.inSpec(order)
	return func(x int) bool {
		return x < len(d.Letters.Label) && (inSpec(x) || d.Declared[d.Letters.Label[x]])
	}
}

// listed are the names of those of the letters that may be named.
func (d *Domain) listed(order request.Order, letters []int) (names []string) {
	may := d.Nameable(order)
	for _, x := range letters {
		if may(x) {
			names = append(names, d.Letters.Label[x])
		}
	}
	return names
}

// inSpec reports which letters the utility spec lists.
func (d *Domain) inSpec(order request.Order) func(x int) bool {
	none := func(int) bool { return false }
	if order.Spec == "" {
		return none
	}
	in, err := d.Ordered(order)
	if err != nil {
		return none
	}
	lists, err := utility.Lists(order.Spec, in)
	var missing *utility.MissingError
	switch {
	case errors.As(err, &missing):
		return func(x int) bool { return !slices.Contains(missing.Letters, x) }
	case err != nil || !lists:
		return none
	}
	return func(int) bool { return true }
}

// amongNew names letters where that is allowed.
func (d *Domain) amongNew(order request.Order, letters []int) string {
	names := d.listed(order, letters)
	if len(names) == 0 {
		return ""
	}
	quoted := []string{}
	for _, n := range names[:min(len(names), ShownRows)] {
		quoted = append(quoted, fmt.Sprintf("%q", n))
	}
	text := ": "
	if len(quoted) < len(letters) {
		text = ", among them "
	}
	return text + strings.Join(quoted, ", ")
}

// held counts the records of letters.
func (d *Domain) held(letters []int) (n int64) {
	for _, x := range letters {
		n += d.Prior.Count(x)
	}
	return n
}
