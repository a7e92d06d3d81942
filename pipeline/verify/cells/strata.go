package cells

import "io"

// OpenBeside opens a file for a column that is published beside the private
// one: it may be a timestamp, too.
func OpenBeside(in io.ReaderAt, size int64, column string) (File, error) {
	return open(in, size, column)
}

// NewParts are letters that stand for parts of a date or timestamp: part is
// given the day since 1970-01-01 and the second of the day.
func NewParts(t Type, null int32, part func(day, second int64) int32) *Letters {
	return &Letters{Type: t, null: null, part: func(v int64) int32 {
		if t.Kind == Date {
			return part(v, 0)
		}
		seconds := down(v, t.Ticks)
		day := down(seconds, 86400)
		return part(day, seconds-day*86400)
	}}
}

// NewStrata are letters that stand for the places of labels in groups; every
// other value is the letter rest.
func NewStrata(t Type, groups [][]Label, rest int32) (*Letters, error) {
	l := &Letters{Type: t, null: rest, rest: rest + 1, text: map[string]int32{}, number: map[int64]int32{}}
	for g, labels := range groups {
		for _, label := range labels {
			if label.Null {
				l.null = int32(g)
				continue
			}
			k, ok := t.Key(label.Text)
			switch {
			case !ok || t.Kind == Timestamp:
				return nil, errorf("a stratum is no value of the column's type")
			case t.Kind <= Binary:
				l.text[k.Bytes] = int32(g)
			default:
				l.number[k.Number] = int32(g)
			}
		}
	}
	return l, nil
}

// other is the letter of a value that is none.
func (l *Letters) other() int32 {
	if l.rest > 0 {
		return l.rest - 1
	}
	return Stranger
}

// down is n/m rounded down.
func down(n, m int64) int64 {
	q := n / m
	if n%m < 0 {
		q--
	}
	return q
}
