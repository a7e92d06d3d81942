package report

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Label names a letter. Null is a letter without a text.
type Label struct {
	Text string
	Null bool
}

// NullLabel is the letter null.
var NullLabel = Label{Null: true}

// Labels are the letters with these texts, null last where it is a letter.
func Labels(text []string, null bool) []Label {
	l := make([]Label, 0, len(text)+1)
	for _, t := range text {
		l = append(l, Label{Text: t})
	}
	if null {
		l = append(l, NullLabel)
	}
	return l
}

// String is the label as people read it.
func (l Label) String() string {
	if l.Null {
		return "(null)"
	}
	return l.Text
}

// MarshalJSON writes null as null.
func (l Label) MarshalJSON() ([]byte, error) {
	if l.Null {
		return []byte("null"), nil
	}
	return json.Marshal(l.Text)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Label) UnmarshalJSON(data []byte) error {
	*l = Label{Null: string(data) == "null"}
	if l.Null {
		return nil
	}
	return json.Unmarshal(data, &l.Text)
}

// Clean shows control characters, marks that turn the direction of text and
// bytes that are no text as escapes, in one line.
func Clean(s string) string {
	if strings.IndexFunc(s, strange) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if !strange(r) {
			b.WriteRune(r)
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:]) // 1 of a byte that is no text
		q := strconv.QuoteToASCII(s[i : i+size])
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
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

// listed is the first name of a list, between double quotes or without, and what ends it.
var listed = regexp.MustCompile(`(?s)^ *(?:"((?:[^"]|"")*)"|([^ ",][^,]*)?)(,|$)`)

// Names reads a list of names between commas; spaces before a name are none of it. A
// name with a comma, or one that begins with a space, stands in double quotes, and a
// double quote within these twice, as in CSV; ok is false where a quoted name does not
// end before a comma or the list does.
func Names(list string) (names []string, ok bool) {
	for more := strings.Trim(list, " ") != ""; more; {
		part := listed.FindStringSubmatch(list)
		if part == nil {
			return nil, false
		}
		names = append(names, strings.ReplaceAll(part[1], `""`, `"`)+part[2])
		list, more = list[len(part[0]):], part[3] == ","
	}
	return names, true
}

// And joins words: "a", "a and b", "a, b and c".
func And(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// NameList is the list that Names reads these from.
func NameList(names []string) string {
	words := make([]string, len(names))
	for i, n := range names {
		if words[i] = n; strings.Contains(n, ",") || strings.HasPrefix(n, `"`) || strings.HasPrefix(n, " ") {
			words[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
	}
	return strings.Join(words, ",")
}

// Shell is a word of a shell's command line, quoted where it needs that. What has no
// sign of its own is written as bytes in octal, which the shells of POSIX 2024 read.
func Shell(word string) string {
	plain := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("-_./:,@%+=", r)
	}
	switch {
	case word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }):
		return word
	case utf8.ValidString(word) && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for _, c := range []byte(word) {
		if r := rune(c); plain(r) || r == ' ' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return "$'" + b.String() + "'"
}
