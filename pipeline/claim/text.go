package claim

import (
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/template"
)

// A Text is sentences that stand as words beside the code that has their figures: those of claims, the
// warnings of a report, its sections. So they are read, and changed, as words.
//
// It is paragraphs. One begins at a line that no blank begins, with a key and a colon; lines
// below it that blanks begin go on with it, and a line's end, with the blanks around it, is one
// blank. Its words are a template of text/template, and may fill in another paragraph by its key, as
// in {{template "scope" .}}.
//
// A line "# NAME" begins a group. Its paragraphs are entries in their order: a key may stand there
// twice and have gaps, too. A line "## ACTION", such as if or with, puts the entries below it into
// that action.
type Text struct {
	all    *template.Template
	groups map[string][]entry
}

// An entry is a paragraph of a group: the names of the templates of its key and its words.
type entry struct{ key, words string }

var lineEnd = regexp.MustCompile(`\s*\n[ \t]+`)

// NewText reads a text whose gaps may call functions. A text that cannot be read is a fault of the
// program, which ends it.
func NewText(text string, functions template.FuncMap) *Text {
	t := &Text{all: template.New("").Funcs(functions), groups: map[string][]entry{}}
	group, open, end := "", "", ""
	for p := range strings.Lines(lineEnd.ReplaceAllLiteralString(text, " ")) {
		p = strings.TrimSpace(p)
		if p == "" {
			continue
		}
		if action, ok := strings.CutPrefix(p, "## "); ok {
			open, end = "{{"+action+"}}", "{{end}}"
			continue
		}
		if name, ok := strings.CutPrefix(p, "# "); ok {
			group, open, end = name, "", ""
			continue
		}
		key, words, ok := strings.Cut(p, ": ")
		if !ok || group == "" && t.has(key) {
			panic("claim: no key, or one that is there twice: " + p)
		}
		if group != "" {
			place := group + " " + strconv.Itoa(len(t.groups[group]))
			e := entry{place + " key", place}
			t.groups[group] = append(t.groups[group], e)
			template.Must(t.all.New(e.key).Parse(open + key + end))
			key, words = e.words, open+words+end
		}
		template.Must(t.all.New(key).Parse(words))
	}
	return t
}

// Each fills in the entries of a group, in their order. A value that lacks what one of them is about
// is a fault of the program.
func (t *Text) Each(group string, of any, do func(key, words string)) {
	for _, e := range t.groups[group] {
		do(t.Must(e.key, of), t.Must(e.words, of))
	}
}

// Lines writes the entries of a group that have words, a line each: the key and a colon, and the words
// from the eleventh column. One whose key is - goes on with the entry above it.
func (t *Text) Lines(w io.Writer, group string, of any) error {
	var b strings.Builder
	t.Each(group, of, func(key, words string) {
		if words != "" {
			fmt.Fprintf(&b, "%-9s %s\n", strings.TrimPrefix(key+":", "-:"), words)
		}
	})
	_, err := io.WriteString(w, b.String())
	return err
}

// has reports whether there is a paragraph of a key.
func (t *Text) has(key string) bool { return t.all.Lookup(key) != nil }

// Say fills a paragraph in. It fails where the value lacks what the words are about.
func (t *Text) Say(key string, of any) (string, error) {
	var b strings.Builder
	err := t.all.ExecuteTemplate(&b, key, of)
	return b.String(), err
}

// Must is Say for a value that has what the words are about: else it is a fault of the program.
func (t *Text) Must(key string, of any) string {
	words, err := t.Say(key, of)
	if err != nil {
		panic(err)
	}
	return words
}

// Int is an integer of any type, and what a pointer to one points to; 0 where it points nowhere.
func Int(n any) int64 { return reflect.ValueOf(Of(n)).Int() }

// Of is what a pointer points to, zero where it points nowhere; anything else is itself.
func Of(p any) any {
	v := reflect.ValueOf(p)
	switch {
	case v.Kind() != reflect.Pointer:
		return p
	case v.IsNil():
		return reflect.Zero(v.Type().Elem()).Interface()
	}
	return v.Elem().Interface()
}

// Constant is a function of a template that gives a value: so a name that is none ends the program
// when the text is read, and no comparison is with a word that nothing is.
func Constant[T any](v T) func() T { return func() T { return v } }
