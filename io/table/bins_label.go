package table

import (
	"cmp"
	"fmt"
	"math/big"
	"sort"
	"strings"
	"time"
)

// Label is what is published for a bin. Integers and days are named from the first
// to the last of the bin, both included: 10-19, -20 to -11, 2020-01-01 to 2020-01-31.
// Where there are fractions the lower end belongs to the bin and the upper does not:
// [10, 20). Open bins are <10 and >=50, and units of the calendar 2020s, 2020, 2020-Q1,
// 2020-01, 2020-W05, 2020-01-31, 2020-01-31T06.
func (b *Bins) Label(id int64) string {
	label := b.label(id)
	b.places.Store(label, id)
	return label
}

func (b *Bins) label(id int64) string {
	from, to := b.ends(id)
	switch {
	case b.unit != nil:
		return b.unit.label(b.unit.from(id))
	case from == nil:
		return "<" + b.text(to)
	case to == nil:
		return ">=" + b.text(from)
	}
	one := big.NewRat(1, 1)
	if b.Of == "date" {
		one = wholeDay
	} else if b.Of != "integer" {
		return fmt.Sprintf("[%s, %s)", b.text(from), b.text(to))
	}
	last := new(big.Rat).Sub(to, one)
	switch {
	case from.Cmp(last) == 0:
		return b.text(from)
	case b.Of == "date" || from.Sign() < 0:
		return b.text(from) + " to " + b.text(last)
	}
	return b.text(from) + "-" + b.text(last)
}

// text is how the end of a bin is written.
func (b *Bins) text(v *big.Rat) string {
	if b.Of == "date" || b.Of == "timestamp" {
		return stamp(v)
	}
	return plain(v)
}

// Place is the number of the bin that is called so; ok is false where none is.
func (b *Bins) Place(label string) (id int64, ok bool) {
	if id, ok := b.places.Load(label); ok {
		return id.(int64), true
	}
	id, ok = b.find(label)
	if ok = ok && b.label(id) == label; ok {
		b.places.Store(label, id)
	}
	return id, ok
}

// find is the bin of a label that is one. Those of edges are known.
func (b *Bins) find(label string) (id int64, ok bool) {
	switch {
	case b.edge != nil:
		return 0, false
	case b.unit != nil:
		first := b.unit.of(time.Unix(firstDay*86400, 0).UTC())
		n := b.unit.of(time.Unix(lastDay*86400+86399, 0).UTC()) - first + 1
		return first + int64(sort.Search(int(n), func(k int) bool { return b.label(first+int64(k)) >= label })), true
	}
	from := strings.TrimPrefix(label, "[")
	for _, between := range []string{", ", " to "} {
		from, _, _ = strings.Cut(from, between)
	}
	if b.Of == "integer" && !strings.HasPrefix(from, "-") {
		from, _, _ = strings.Cut(from, "-")
	}
	v, _, _, err := parseTime(from)
	if dated := b.Of == "date" || b.Of == "timestamp"; dated && err != nil || !dated && !plainNumber().MatchString(from) {
		return 0, false
	} else if !dated {
		v, _ = new(big.Rat).SetString(from)
	}
	id, out := b.place(v)
	return id, out == Inside
}

// compare orders labels by their bins; what is no label comes last, by its bytes.
func (b *Bins) compare(one, other string) int {
	i, isOne := b.Place(one)
	j, isOther := b.Place(other)
	switch {
	case isOne && isOther:
		return cmp.Compare(i, j)
	case isOne:
		return -1
	case isOther:
		return 1
	}
	return strings.Compare(one, other)
}
