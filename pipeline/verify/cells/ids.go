package cells

import (
	"strconv"
	"time"
)

// NewTexts reads a column of ids: each letter is the place of the cell's text
// in texts, which grows. It belongs to one unit, and is for types that may be
// private columns.
func NewTexts(t Type, texts *[]string) *Letters {
	return &Letters{Type: t, null: Null, texts: texts}
}

func (l *Letters) take(text string) int32 {
	*l.texts = append(*l.texts, text)
	return int32(len(*l.texts) - 1)
}

// textOf is the text of bytes: docs/draws.md, "The id".
func (t Type) textOf(b []byte) string {
	if t.Kind == Text {
		return string(b)
	}
	return labelOf(string(b))
}

func (t Type) numberText(v int64) string {
	switch {
	case t.Kind == Boolean:
		return strconv.FormatBool(v != 0)
	case t.Kind == Date:
		return time.Unix(v*86400, 0).UTC().Format(time.DateOnly)
	case t.Unsigned:
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}
