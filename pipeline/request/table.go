package request

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism/design"
)

// optionText are the options. A line that begins with -- is one: its name, and its traits with blanks
// between them. A trait is its kind or its group, often, planned or once, or as KEY=VALUE in, need, or, each,
// default, choices, example or field: the fields of Option. Lines below it that blanks begin are its usage,
// but for those that "hint:", "example:" and "also:", more traits, begin. A line NAME = A,B says what NAME
// stands for in a list. Below a line [COMMAND, ...] are options of these alone; the trait need is then theirs,
// and an option above is that of the first part.
//
//go:embed options.txt
var optionText string

// Table is every option of the commands that read or release data; others are those of every other command.
var Table, others = read(optionText)

// Own are the options of a command that neither reads nor releases data.
func Own(command string) []*Option { return others[command] }

// read panics where the text has what stands for nothing.
func read(text string) (table []*Option, others map[string][]*Option) {
	lists := map[string][]string{"kinds": design.Kinds()}
	others = map[string][]*Option{}
	var of []string // commands whose own options follow
	var o *Option
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case line[0] == '[':
			of = strings.Split(strings.Trim(line, "[]\n"), ", ")
		case words[0] == "hint:":
			o.Hint = strings.Join(words[1:], " ")
		case words[0] == "example:":
			o.Example = strings.Join(words[1:], " ")
		case words[0] == "also:":
			o.take(words[1:], lists, of)
		case line[0] == ' ':
			o.Usage = strings.TrimSpace(o.Usage + " " + strings.Join(words, " "))
		case !strings.HasPrefix(words[0], "--"):
			lists[words[0]] = listOf(words[2], lists)
		default:
			name := strings.TrimPrefix(words[0], "--")
			if o = (&Option{Name: name}); words[len(words)-1] == "above" {
				o = table[slices.IndexFunc(table, func(t *Option) bool { return t.Name == name })]
			} else {
				o.take(words[1:], lists, of)
			}
			if of == nil {
				table = append(table, o)
			}
			for _, command := range of {
				others[command] = append(others[command], o)
			}
		}
	}
	return table, others
}

// listOf is a list with commas, in which names of others stand for what these hold.
func listOf(text string, lists map[string][]string) (out []string) {
	for word := range strings.SplitSeq(text, ",") {
		if list, ok := lists[word]; ok {
			out = append(out, list...)
		} else {
			out = append(out, word)
		}
	}
	return out
}

// take gives an option its traits.
func (t *Option) take(traits []string, lists map[string][]string, of []string) {
	texts := map[string]*string{"or": &t.Or, "default": &t.Default, "example": &t.Example, "field": &t.Field}
	commands := map[string]*string{"in": &t.In, "need": &t.Need, "each": &t.Each}
	switches := map[string]*bool{"often": &t.Often, "planned": &t.Planned, "once": &t.Once}
	for _, trait := range traits {
		key, value, valued := strings.Cut(trait, "=")
		switch {
		case key == "choices":
			t.Choices = listOf(value, lists)
		case key == "need" && !valued:
			for _, path := range of {
				t.Need += " " + path[strings.LastIndex(path, " ")+1:]
			}
		case commands[key] != nil:
			*commands[key] = strings.Join(listOf(value, lists), " ")
		case texts[key] != nil:
			*texts[key] = value
		case switches[key] != nil:
			*switches[key] = true
		case slices.Contains(kindNames, key):
			t.Kind = Kind(slices.Index(kindNames, key))
		default:
			t.Group = Group(slices.Index(groupNames, strings.ReplaceAll(key, "-", " ")))
			_ = groupNames[t.Group] // there is such a group
		}
	}
	if explain := explained[t.Name]; explain != nil && t.Need != "" {
		t.Explain = explain()
	}
}

// explained are the options whose hint takes more lines.
var explained = map[string]func() []string{"utility": orders, "epsilon": factors}
