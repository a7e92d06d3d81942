package report

import (
	"strconv"
	"strings"
	"unicode"
)

// Clean shows control characters, marks that turn the direction of text and
// bytes that are no text as escapes, in one line.
func Clean(s string) string { return clean(s) }

func clean(s string) string {
	if plain(s) || strings.IndexFunc(s, strange) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if !strange(r) {
			b.WriteRune(r)
			continue
		}
		if r == unicode.ReplacementChar {
			// A byte that is no text, or the character itself.
			q := strconv.Quote(s[i:min(len(s), i+1)])
			if strings.HasPrefix(s[i:], "\uFFFD") {
				q = `"\ufffd"`
			}
			b.WriteString(q[1 : len(q)-1])
			continue
		}
		q := strconv.QuoteToASCII(string(r))
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// plain reports whether a text is of ASCII that prints, as nearly all is.
func plain(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// strange reports what does not print, or prints over its neighbours.
func strange(r rune) bool {
	return r == unicode.ReplacementChar || r != ' ' && !unicode.IsPrint(r)
}

// cut shortens to so many characters.
func cut(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-3]) + "..."
	}
	return s
}
