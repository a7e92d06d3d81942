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
	groups map[string][]string // keys of their entries
}

// common are the functions that every text has: how names stand in sentences, and what claims may
// be about.
var common = template.FuncMap{
	"brisk": Brisk, "name": func(s string) string { return Brisk(Quoted(s)) }, "join": strings.Join,
	"Told": Constant(Told), "Promised": Constant(Promised), "Nothing": Constant(Nothing),
	"KnowsStratum": Constant(KnowsStratum), "MissesStratum": Constant(MissesStratum),
	"SeesCells": Constant(SeesCells), "SeesPresence": Constant(SeesPresence), "LearnsStratum": Constant(LearnsStratum),
	"Declared": Constant(Declared), "Smoothed": Constant(Smoothed), "PlanData": Constant(PlanData),
	"OwnStratum": Constant(OwnStratum), "Valued": Constant(Valued), "WholeData": Constant(WholeData),
}

var lineEnd = regexp.MustCompile(`\s*\n[ \t]+`)

// NewText reads a text whose gaps may call functions, and those that are common. A text that cannot be read is a
// fault of the program, which ends it.
func NewText(text string, functions template.FuncMap) *Text {
	t := &Text{template.New("").Funcs(common).Funcs(functions), map[string][]string{}}
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
			t.groups[group] = append(t.groups[group], place)
			if strings.Contains(key, "{{") {
				key = open + key + end
			}
			t.add(place+" key", key)
			key, words = place, open+words+end
		}
		t.add(key, words)
	}
	return t
}

// add adds words by a key.
func (t *Text) add(key, words string) { template.Must(t.all.New(key).Parse(words)) }

// Each fills in the entries of a group that have words, in their order. A value that lacks what one of
// them is about is a fault of the program.
func (t *Text) Each(group string, of any, do func(key, words string)) {
	for _, place := range t.groups[group] {
		if words := t.Must(place, of); words != "" {
			do(t.Must(place+" key", of), words)
		}
	}
}

// Lines writes the entries of a group that have words, a line each: the key and a colon, and the words
// from the eleventh column. One whose key is - goes on with the entry above it.
func (t *Text) Lines(w io.Writer, group string, of any) error {
	var b strings.Builder
	t.Each(group, of, func(key, words string) {
		fmt.Fprintf(&b, "%-9s %s\n", strings.TrimPrefix(key+":", "-:"), words)
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
