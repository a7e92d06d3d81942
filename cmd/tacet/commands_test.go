package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/request"
)

// TestCommandsPage holds docs/commands.md to the commands and options there are;
// with TACET_UPDATE=1 it writes them.
func TestCommandsPage(t *testing.T) {
	const path, begin, end = "../../docs/commands.md", "<!-- generated -->\n", "<!-- end -->"
	page := readFile(t, path)
	before, rest, ok := strings.Cut(string(page), begin)
	got, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("the page has no marks")
	}
	want := commandsPage()
	if os.Getenv("TACET_UPDATE") == "1" {
		must(t, os.WriteFile(path, []byte(before+begin+want+end+after), 0o666))
		got = want
	}
	if got != want {
		t.Errorf("%s is not that of the options; TACET_UPDATE=1 go test -run TestCommandsPage ./cmd/tacet writes it", path)
	}
}

// TestOptions holds every option to what its readers need.
func TestOptions(t *testing.T) {
	names := map[string]bool{}
	for _, o := range request.Table {
		if names[o.Name] {
			t.Errorf("--%s appears twice", o.Name)
		}
		names[o.Name] = true
		if o.Usage == "" || o.In == "" {
			t.Errorf("--%s says not what it is, or where", o.Name)
		}
		if o.Group == request.Ungrouped {
			t.Errorf("--%s is in no group", o.Name)
		}
		if o.Kind != request.Switch && o.Default == "" && o.Choices == nil && o.Example == "" {
			t.Errorf("--%s has no example", o.Name)
		}
		for _, text := range []string{o.Example, o.Default} {
			if _, wrong := o.Parse(text); text != "" && wrong != nil {
				t.Errorf("--%s does not take its own %q", o.Name, text)
			}
		}
		if o.Or != "" && request.Find(o.Or) == nil {
			t.Errorf("--%s has no alternative --%s", o.Name, o.Or)
		}
	}
}

// TestActions: every action has the words of its command, and a command without one leads to others.
func TestActions(t *testing.T) {
	told := 0
	for _, c := range commands() {
		for _, path := range append([]string{c.Name}, namesBelow(c)...) {
			if actions[path] != nil {
				told++
			} else if len(c.Subcommands) == 0 {
				t.Errorf("tacet %s does nothing", path)
			}
		}
	}
	if told != len(actions) {
		t.Errorf("%d of %d actions have words", told, len(actions))
	}
}

func namesBelow(c *cli.Command) (out []string) {
	for _, sub := range c.Subcommands {
		out = append(out, c.Name+" "+sub.Name)
	}
	return out
}

// together are the commands that many options go with, by the words of docs/commands.md.
var together = strings.NewReplacer(
	"run, estimate, design, apply, finish, frontier, simulate, order, recover", "*all*",
	"run, estimate, design, frontier, simulate, order", "*counting*",
	"run, design, frontier, simulate", "*choosing*",
	"run, design, simulate", "*planning*",
	"run, apply, finish", "*releasing*",
	"ledger, ledger list, ledger show, ledger verify, ledger export, ledger void", "ledger",
)

// commandsPage is a list of the commands, and one of the options of each group.
func commandsPage() string {
	var all []*cli.Command
	for _, c := range commands() {
		all = append(all, c)
		for _, sub := range c.Subcommands {
			if sub.Name = c.Name + " " + sub.Name; c.Name != "completion" {
				all = append(all, sub)
			}
		}
	}
	var b strings.Builder
	type row struct {
		option *request.Option
		in     []string
	}
	var rows []*row
	for _, c := range all {
		fmt.Fprintf(&b, "- `tacet %s`: %s\n", c.Name, c.Usage)
		for _, f := range c.Flags {
			o := f.(*parsedFlag).Option
			i := slices.IndexFunc(rows, func(r *row) bool { return r.option.Name == o.Name && r.option.Usage == o.Usage })
			if i < 0 {
				i, rows = len(rows), append(rows, &row{option: o})
			}
			rows[i].in = append(rows[i].in, c.Name)
		}
	}
	slices.SortStableFunc(rows, func(a, b *row) int {
		group := func(r *row) int { // options of the commands that have few come last
			return (int(r.option.Group) + int(request.Advanced)) % (int(request.Advanced) + 1)
		}
		return group(a) - group(b)
	})
	for i, r := range rows {
		o := r.option
		if i == 0 || rows[i-1].option.Group != o.Group {
			fmt.Fprintf(&b, "\n### %s\n\n", cmp.Or(o.Group.String(), "commands that release nothing"))
		}
		value, usage := "", o.Usage
		if parts := strings.Split(usage, "`"); len(parts) == 3 {
			value, usage = " "+parts[1], strings.Join(parts, "")
		}
		unnamed := func(choice string) bool { return !strings.Contains(usage, choice) }
		if slices.ContainsFunc(o.Choices, unnamed) {
			usage += ": `" + strings.Join(o.Choices, "`, `") + "`"
		}
		if o.Default != "" && o.Default != "0" {
			usage += "; default `" + o.Default + "`"
		}
		in := together.Replace(strings.Join(r.in, ", "))
		if o.Each != "" {
			in += "; *each*"
		}
		fmt.Fprintf(&b, "- `--%s%s` (%s): %s\n", o.Name, value, in, usage)
	}
	return b.String()
}

// helpOf is what a command line of help prints.
func helpOf(t *testing.T, args ...string) string {
	t.Helper()
	var out, wrong bytes.Buffer
	if code := run(append([]string{"tacet"}, args...), &out, &wrong); code != 0 {
		t.Fatalf("exit code %d: %s", code, wrong.String())
	}
	return out.String()
}

// TestHelp holds the help of every command that has many options to their groups: the
// short one names every option and explains a dozen, the long one and the manual page explain
// all.
func TestHelp(t *testing.T) {
	manual := helpOf(t, "man")
	for _, name := range []string{"run", "design", "frontier", "simulate", "apply", "finish",
		"estimate", "order", "recover"} {
		short, long := helpOf(t, name, "--help"), helpOf(t, name, "--help", "all")
		all := request.For(name)
		explained := 0
		for _, o := range all {
			line := "\n   --" + o.Name
			if strings.Contains(short, line) {
				explained++
			}
			if !strings.Contains(short, "--"+o.Name) || !strings.Contains(long, line) {
				t.Errorf("tacet %s --help does not tell of --%s", name, o.Name)
			}
			if group := "\n" + strings.ToUpper(o.Group.String()) + ":\n"; !strings.Contains(long, group) {
				t.Errorf("tacet %s --help all has no group %q", name, o.Group)
			}
			if !strings.Contains(manual, `\fB--`+o.Name+`\fP`) {
				t.Errorf("the manual page does not tell of --%s", o.Name)
			}
		}
		if len(all) > few && explained > 16 {
			t.Errorf("tacet %s --help explains %d options", name, explained)
		}
	}
	if n := len(request.For("run")); n > 61 {
		t.Errorf("tacet run has %d options, more than anybody reads", n)
	}
}

// TestExamples holds the examples of help to the flags there are.
func TestExamples(t *testing.T) {
	shown := 0
	for _, c := range commands() {
		_, lines, _ := strings.Cut(c.UsageText, "for example:\n")
		for line := range strings.Lines(strings.ReplaceAll(lines, "\\\n", "")) {
			words := strings.Fields(line)
			if i := slices.Index(words, "<"); i >= 0 {
				words = words[:i]
			}
			s := &sorter{path: words[:1:1], commands: commands()}
			s.command(words[1])
			for rest := words[2:]; len(rest) > 0; {
				took, _ := s.flag(rest, words)
				rest = rest[took:]
			}
			for _, f := range s.faults {
				t.Errorf("%s: %s", line, f.What)
			}
			shown++
		}
	}
	if shown != 10 {
		t.Errorf("there are %d examples", shown)
	}
}
