// Package prose keeps sentences as text beside the code that has their figures: what a release
// promises, what a reader is warned of, what the report's sections say. So words are read, and
// changed, as words.
//
// A text is paragraphs with an empty line between them. Each is a key, a colon and a template of
// text/template, in which a line's end, with the blanks around it, is one blank. A paragraph may fill
// in another one by its key, as in {{template "scope" .}}.
package prose

import (
	"regexp"
	"strings"
	"text/template"
)

// A Text is paragraphs by their keys.
type Text struct {
	Keys []string // in the order of the text
	all  *template.Template
}

var (
	between = regexp.MustCompile(`\n(?:[ \t]*\n)+`)
	lineEnd = regexp.MustCompile(`[ \t]*\n[ \t]*`)
)

// New reads a text whose gaps may call functions. A text that cannot be read is a fault of the
// program, which ends it.
func New(text string, functions template.FuncMap) *Text {
	t := &Text{all: template.New("").Funcs(functions)}
	for _, p := range between.Split(strings.TrimSpace(text), -1) {
		key, words, ok := strings.Cut(p, ": ")
		if !ok || t.all.Lookup(key) != nil {
			panic("prose: no key, or one that is there twice: " + p)
		}
		t.Keys = append(t.Keys, key)
		template.Must(t.all.New(key).Parse(lineEnd.ReplaceAllLiteralString(words, " ")))
	}
	return t
}

// Has reports whether there is a paragraph of a key.
func (t *Text) Has(key string) bool { return t.all.Lookup(key) != nil }

// Say fills a paragraph in. It fails where the value lacks what the words are about.
func (t *Text) Say(key string, of any) (string, error) {
	var b strings.Builder
	err := t.all.ExecuteTemplate(&b, key, of)
	return b.String(), err
}

// Constant is a function of a template that gives a value: so a name that is none ends the program
// when the text is read, and no comparison is with a word that nothing is.
func Constant[T any](v T) func() T { return func() T { return v } }
