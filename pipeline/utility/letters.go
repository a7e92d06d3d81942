package utility

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Letters names an alphabet: the labels in letter order, and whether null is
// a letter, which is then the last and has no label.
type Letters struct {
	Label []string
	Null  bool
}

// Len counts the letters, null included.
func (l Letters) Len() int {
	if l.Null {
		return len(l.Label) + 1
	}
	return len(l.Label)
}

// Kind is what the labels of the private column stand for. It orders output
// labels, and says what numeric takes a difference of.
type Kind uint8

// The kinds. Binary columns are Text.
const (
	Text Kind = iota
	Integer
	Date    // YYYY-MM-DD
	Boolean // false, true
)

// kindNames are the kinds as plans name them, by number.
var kindNames = []string{Text: "text", Integer: "integer", Date: "date", Boolean: "boolean"}

func (k Kind) String() string { return kindNames[k] }

// KindNamed is the kind of that name, Text where there is none.
func KindNamed(name string) Kind { return Kind(max(slices.Index(kindNames, name), 0)) }

// A letter is a label or null.
type letter struct {
	label string
	null  bool
}

var null = letter{null: true}

func lettersOf(ls []letter) Letters {
	var out Letters
	for _, l := range ls {
		if l.null {
			out.Null = true
		} else {
			out.Label = append(out.Label, l.label)
		}
	}
	return out
}

func (l letter) String() string {
	if l.null {
		return "null"
	}
	return quote(l.label)
}

// sort puts labels in letter order: by value where all are values of the
// column's kind, else by bytes; null is last.
func (k Kind) sort(ls []letter) {
	var label []string
	for _, l := range ls {
		if !l.null {
			label = append(label, l.label)
		}
	}
	value := make(map[string]uint64, len(label))
	if keys, bad := k.keys(label); bad == nil && k != Text {
		for i, l := range label {
			value[l] = keys[i]
		}
	}
	slices.SortFunc(ls, func(p, q letter) int {
		switch {
		case p.null != q.null:
			return cmp.Compare(btoi(p.null), btoi(q.null))
		case value[p.label] != value[q.label]:
			return cmp.Compare(value[p.label], value[q.label])
		}
		return strings.Compare(p.label, q.label)
	})
}

// keys are integers whose order and differences are those of the labels:
// integers, days, and 0 and 1 for false and true. Bad lists the labels that
// are no such value, nil if all are; then keys mean nothing.
func (k Kind) keys(label []string) (keys []uint64, bad []int) {
	keys = make([]uint64, len(label))
	each := func(parse func(string) (uint64, bool)) (bad []int) {
		for i, l := range label {
			var ok bool
			if keys[i], ok = parse(l); !ok {
				bad = append(bad, i)
			}
		}
		return bad
	}
	switch k {
	case Date:
		return keys, each(day)
	case Boolean:
		return keys, each(func(l string) (uint64, bool) {
			return uint64(len("false") - len(l)), l == "true" || l == "false"
		})
	}
	bad = each(func(l string) (uint64, bool) {
		v, err := strconv.ParseInt(l, 10, 64)
		return shift(v), err == nil
	})
	if bad != nil && each(func(l string) (uint64, bool) {
		v, err := strconv.ParseUint(l, 10, 64)
		return v, err == nil
	}) == nil {
		bad = nil
	}
	return keys, bad
}

// shift keeps order and differences.
func shift(v int64) uint64 { return uint64(v) ^ 1<<63 }

// day is the number of days since some day.
func day(label string) (uint64, bool) {
	d, err := time.Parse(time.DateOnly, label)
	return shift(d.Unix() / 86400), err == nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
