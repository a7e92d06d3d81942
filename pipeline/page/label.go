package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible is a label as it can be shown anywhere: control characters, marks
// that turn the direction of text and bytes that are no UTF-8 become
// backslash escapes. An empty label is "(empty)".
func Visible(label string) string {
	if label == "" {
		return "(empty)"
	}
	var b strings.Builder
	for i, r := range label {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(label[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, label[i])
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// shown is Cut for text that may be left out.
func labelled(text string, n int) string {
	if text == "" {
		return ""
	}
	return Cut(text, n)
}

// hidden reports whether a rune has no sign of its own: controls, formats
// (those that turn the direction among them), line and paragraph separators,
// and code points that XML does not allow.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Noncharacter_Code_Point)
}

// Cut is a visible label of at most n runes; what is left out is marked by
// three dots.
func Cut(label string, n int) string {
	// A long label is shortened before it is looked at closely.
	if len(label) > 8*n {
		end := 4 * n
		for end > 0 && !utf8.RuneStart(label[end]) {
			end--
		}
		label = label[:end] + strings.Repeat(".", n)
	}
	r := []rune(Visible(label))
	if len(r) <= n {
		return string(r)
	}
	return strings.TrimRight(string(r[:n-3]), " ") + "..."
}
