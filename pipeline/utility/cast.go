package utility

import (
	"cmp"
	"slices"
)

// A place says where in a file a label stands.
type place struct{ line, column int }

// A list is labels and where they stand.
type list struct {
	label []string
	at    []place
}

func (l *list) add(label string, at place) { l.label, l.at = append(l.label, label), append(l.at, at) }

// named turns the labels of a list in which every letter stands once into
// letters. An empty label is null where null is a letter and the empty string
// is not; it is the empty string where null is no letter; where both are
// letters the first empty label is the empty string and the second is null.
func (b *builder) named(s *sheet, list list) []letter {
	out := make([]letter, len(list.label))
	where := make(map[letter]int, len(out))
	both := b.in.Letters.Null && b.emptyIsLetter()
	empty := -1
	for i, l := range list.label {
		out[i] = letter{label: l}
		if l == "" && b.in.Letters.Null {
			_, again := where[out[i]]
			if !both || again {
				out[i] = null
			}
			empty = i
		}
		if j, repeated := where[out[i]]; repeated {
			first := list.at[j]
			s.failAt(list.at[i], "leave one of them", "%s appears twice, first in line %d column %d", out[i], first.line,
				first.column)
		}
		where[out[i]] = i
	}
	if _, given := where[null]; both && empty >= 0 && !given {
		b.ambiguous(s, list.at[empty])
	}
	return out
}

// places is named as an index.
func (b *builder) places(s *sheet, list list) map[letter]int {
	index := make(map[letter]int, len(list.label))
	for i, l := range b.named(s, list) {
		index[l] = i
	}
	return index
}

// loose is named for lists in which a letter may stand often; there an empty
// label cannot tell null from the empty string by its place.
func (b *builder) loose(s *sheet, label string, at place) letter {
	if label != "" || !b.in.Letters.Null {
		return letter{label: label}
	}
	if b.emptyIsLetter() {
		b.ambiguous(s, at)
	}
	return null
}

// publishable refuses an output with an empty label that means nothing.
func (b *builder) publishable(s *sheet, l letter, at place) {
	if l == (letter{}) && !b.emptyIsLetter() {
		s.failAt(at, "name the output; with --null draw an empty label is null",
			"an output label is empty, and the data have neither nulls nor empty strings")
	}
}

func (b *builder) ambiguous(s *sheet, at place) {
	s.failAt(at, "use matrix:, where the first empty label is the empty string and the second is null",
		"this empty label is ambiguous: the data have both nulls and empty strings")
}

func (b *builder) emptyIsLetter() bool { return slices.Contains(b.in.Letters.Label, "") }

// A cast is the letters that an order is about to be made for: its rows, its
// outputs, and what the spec knows under each of them.
type cast struct {
	rows, outputs []letter
	namesNull     bool
	extra         int
}

// assign finds the rows and outputs of a spec that says something about the
// letters in known. Inner says what else an output may be; it may be nil.
func (b *builder) assign(known map[letter]int, inner map[string]bool) *cast {
	_, named := known[null]
	c := &cast{namesNull: named && b.in.Letters.Null}
	c.rows = b.rows(c.namesNull)
	b.cover(known, c.rows, "have no place in the order")
	c.outputs = b.outputs(c.namesNull)
	used := make(map[letter]bool, len(c.rows))
	for _, l := range c.rows {
		used[l] = true
	}
	for _, l := range c.outputs {
		if _, ok := known[l]; !ok && !inner[l.label] {
			fail(errorf("add it to the order, or remove it from --labels",
				"%s: the output label %s has no place in the order", b.form, l))
		}
		used[l] = true
	}
	for l := range known {
		if !used[l] {
			c.extra++
		}
	}
	return c
}

// cover wants every row among the letters that the spec itself names; what is true
// of those that are not.
func (b *builder) cover(known map[letter]int, rows []letter, what string) {
	b.known = known
	var lost []int
	for x, l := range rows {
		if _, ok := known[l]; !ok {
			lost = append(lost, x)
		}
	}
	if lost != nil {
		fail(b.missing(lost, what, cmp.Or(b.hint, labelHint)))
	}
}

const labelHint = "add them to the order; labels are compared as text: integers in plain decimal, dates as " +
	"YYYY-MM-DD, false and true"

// rows are the input letters that the spec itself must cover.
func (b *builder) rows(withNull bool) []letter {
	rows := make([]letter, 0, b.in.Letters.Len())
	for _, l := range b.in.Letters.Label {
		rows = append(rows, letter{label: l})
	}
	if withNull {
		rows = append(rows, null)
	}
	return rows
}

// outputs are the letters of --labels in letter order, the rows where there are none.
// An empty label is null where null is a letter and the empty string is not; null is
// left to the null rule unless the spec covers it.
func (b *builder) outputs(withNull bool) []letter {
	if b.in.Outputs == nil {
		return b.rows(withNull)
	}
	var out []letter
	hasNull, seen := false, map[string]bool{}
	for _, l := range b.in.Outputs {
		if seen[l] {
			fail(errorf("leave one of them", "labels: %s appears twice", quote(l)))
		}
		seen[l] = true
		switch {
		case l != "" || b.emptyIsLetter():
			out = append(out, letter{label: l})
		case !b.in.Letters.Null:
			fail(errorf("remove the empty line from --labels",
				"labels: a label is empty, and the data have neither nulls nor empty strings"))
		default:
			hasNull = true
		}
	}
	b.in.Kind.sort(out)
	if hasNull && withNull {
		out = append(out, null)
	}
	return out
}
