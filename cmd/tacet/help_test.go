package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/request"
)

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
