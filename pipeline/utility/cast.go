package utility

import "slices"

// A place says where in a file a label stands.
type place struct{ line, column int }

// named turns the labels of a list in which every letter stands once into
// letters. An empty label is null where null is a letter and the empty string
// is not; it is the empty string where null is no letter; where both are
// letters the first empty label is the empty string and the second is null.
func (b *builder) named(s *sheet, label []string, at []place) ([]letter, error) {
	out := make([]letter, len(label))
	where := make(map[letter]int, len(label))
	both := b.in.Letters.Null && b.emptyIsLetter()
	empty := -1
	for i, l := range label {
		out[i] = letter{label: l}
		if l == "" && b.in.Letters.Null {
			_, again := where[out[i]]
			if !both || again {
				out[i] = null
			}
			empty = i
		}
		if j, repeated := where[out[i]]; repeated {
			return nil, s.errorAt(at[i], "leave one of them", "%s appears twice, first in line %d column %d", out[i],
				at[j].line,
				at[j].column)
		}
		where[out[i]] = i
	}
	if _, given := where[null]; both && empty >= 0 && !given {
		return nil, b.ambiguous(s, at[empty])
	}
	return out, nil
}

// loose is named for lists in which a letter may stand often; there an empty
// label cannot tell null from the empty string by its place.
func (b *builder) loose(s *sheet, label string, at place) (letter, error) {
	switch {
	case label != "" || !b.in.Letters.Null:
		return letter{label: label}, nil
	case b.emptyIsLetter():
		return letter{}, b.ambiguous(s, at)
	}
	return null, nil
}

// publishable refuses an output with an empty label that means nothing.
func (b *builder) publishable(s *sheet, l letter, at place) error {
	if l == (letter{}) && !b.emptyIsLetter() {
		return s.errorAt(at, "name the output; with --null letter an empty label is null",
			"an output label is empty, and the data have neither nulls nor empty strings")
	}
	return nil
}

// places is the index of a list of letters.
func places(ls []letter) map[letter]int {
	index := make(map[letter]int, len(ls))
	for i, l := range ls {
		index[l] = i
	}
	return index
}

func (b *builder) ambiguous(s *sheet, at place) error {
	return s.errorAt(at, "use matrix:, where the first empty label is the empty string and the second is null",
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
func (b *builder) assign(known map[letter]int, inner map[string]bool) (*cast, error) {
	b.known = known
	_, named := known[null]
	c := &cast{namesNull: named && b.in.Letters.Null}
	c.rows = b.rows(c.namesNull)
	var lost []int
	for x, l := range c.rows {
		if _, ok := known[l]; !ok {
			lost = append(lost, x)
		}
	}
	if lost != nil {
		return nil, b.missing(lost, "have no place in the order", labelHint)
	}
	used := make(map[letter]bool, len(c.rows))
	for _, l := range c.rows {
		used[l] = true
	}
	if b.in.Outputs == nil {
		c.outputs = c.rows
	} else {
		var err error
		if c.outputs, err = b.labels(c.namesNull); err != nil {
			return nil, err
		}
		for _, l := range c.outputs {
			if _, ok := known[l]; !ok && !inner[l.label] {
				return nil, errorf("add it to the order, or remove it from --labels",
					"%s: the output label %s has no place in the order", b.form, l)
			}
			used[l] = true
		}
	}
	for l := range known {
		if !used[l] {
			c.extra++
		}
	}
	return c, nil
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

// labels are the letters of --labels in letter order. An empty label is null
// where null is a letter and the empty string is not; null is left to the
// null rule unless the spec covers it.
func (b *builder) labels(withNull bool) ([]letter, error) {
	var out []letter
	hasNull, seen := false, map[string]bool{}
	for _, l := range b.in.Outputs {
		if seen[l] {
			return nil, errorf("leave one of them", "labels: %s appears twice", quote(l))
		}
		seen[l] = true
		switch {
		case l != "" || b.emptyIsLetter():
			out = append(out, letter{label: l})
		case !b.in.Letters.Null:
			return nil, errorf("remove the empty line from --labels",
				"labels: a label is empty, and the data have neither nulls nor empty strings")
		default:
			hasNull = true
		}
	}
	b.in.Kind.sort(out)
	if hasNull && withNull {
		out = append(out, null)
	}
	return out, nil
}
