package main

import (
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A sorter takes from a command line what its command cannot take, so that all that is
// wrong is told of at once.
type sorter struct {
	path     []string // of the command: tacet and the words that name it
	commands []*cli.Command
	flags    []cli.Flag
	faults   []*fault.Fault
	named    bool // a word was taken for a file
}

// sorted are the arguments that the command can take, and what is wrong with the
// others. Whoever asks for help gets it. An unknown command is the only fault: nothing
// says which flags it would have.
func sorted(app *cli.App, args []string) ([]string, []*fault.Fault) {
	s := &sorter{path: args[:1:1], commands: app.Commands, flags: app.Flags}
	s.path[0] = app.Name
	switch {
	case len(args) > 1 && args[1] == "help":
		args = slices.Concat(args[:1], args[2:], []string{"--help"})
	case len(args) == 2 && args[1] == "-v":
		args = []string{args[0], "--version"}
	}
	out := args[:1:1]
	for rest := args[1:]; len(rest) > 0; {
		took, keep := 1, rest[:1]
		switch word := rest[0]; {
		case strings.HasPrefix(word, "-") && len(word) > 1:
			if slices.Contains([]string{"-h", "-help", "--help"}, word) {
				if len(rest) > 1 && rest[1] == everything {
					s.explain()
				}
				return append(out, word), nil
			}
			took, keep = s.flag(rest, args)
		case len(s.commands) > 0:
			if !s.command(word) {
				return nil, s.faults
			}
		default:
			keep = s.stray(word, args)
		}
		out, rest = append(out, keep...), rest[took:]
	}
	return out, s.faults
}

func (s *sorter) wrong(hint, format string, args ...any) {
	s.faults = append(s.faults, fault.New(fault.Usage, hint, format, args...))
}

// help is where flags are listed.
func (s *sorter) help() string { return strings.Join(s.path, " ") + " --help lists the flags" }

// explain has help show every flag of the command.
func (s *sorter) explain() {
	for _, f := range s.flags {
		if p, ok := f.(*parsedFlag); ok {
			p.brief = false
		}
	}
}

// command goes down to a command, if there is one of that name.
func (s *sorter) command(name string) bool {
	var names []string
	for _, c := range s.commands {
		if c.Name == name {
			s.path, s.commands, s.flags = append(s.path, name), c.Subcommands, c.Flags
			return true
		}
		names = append(names, c.Name)
	}
	all := strings.Join(s.path, " ")
	hint := "the commands are " + strings.Join(names, ", ") + "; " + all + " --help says what they do"
	if instead := request.Gone(all + " " + name); instead != "" {
		hint = instead
	} else if near := request.Meant(name, names); near != "" {
		hint = "did you mean " + all + " " + near + "? " + hint
	}
	s.faults = nil
	s.wrong(hint, "there is no command %q", name)
	return false
}

// flag looks at the flag that begins rest: how many words are its, and which may stay.
// Those of a misspelt one stay for the one that is meant, which then is not missing, too.
func (s *sorter) flag(rest, args []string) (took int, keep []string) {
	name, value, inline := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(rest[0], "-"), "-"), "=")
	var next []string // the word that may be its value
	if !inline && len(rest) > 1 {
		next = rest[1:2]
	}
	f := s.find(name)
	if f == nil {
		hint, near := s.meant(name)
		s.wrong(hint, "%s has no flag --%s", strings.Join(s.path, " "), name)
		p, ok := s.find(near).(*parsedFlag)
		f = p
		switch {
		case !ok && next != nil && !strings.HasPrefix(next[0], "-") && len(s.commands) == 0:
			return 2, nil
		case !ok || slices.Contains(args, "--"+near):
			return 1, nil
		}
		name = near
	}
	word := []string{"--" + name}
	if inline {
		word[0] += "=" + value
	}
	p, ok := f.(*parsedFlag)
	switch {
	case inline || !ok || !p.TakesValue():
		return 1, word
	case next == nil || strings.HasPrefix(next[0], "--") && s.find(next[0][2:]) != nil:
		hint := s.help()
		if p.Example != "" {
			hint = "give one, such as --" + name + " " + p.Example
		}
		s.wrong(hint, "--%s has no value after it", name)
		s.faults[len(s.faults)-1].Option = name
		return 1, nil
	}
	return 2, append(word, next[0])
}

// stray looks at a word that belongs to no flag. A file is taken for the input, so that
// this is not missing, too.
func (s *sorter) stray(word string, args []string) (keep []string) {
	hint := s.help()
	_, err := os.Stat(word)
	given := slices.ContainsFunc(args, func(a string) bool { return a == "--input" || strings.HasPrefix(a, "--input=") })
	if len(s.path) > 1 && s.path[1] == "studio" && !given && !s.named {
		s.named = true
		return []string{"--input", word} // of somebody who does not type flags
	}
	if err == nil && s.find("input") != nil && !given {
		hint, keep = "did you mean --input "+report.Shell(word)+"?", []string{"--input", word}
	}
	s.wrong(hint, "unexpected argument %q: every argument belongs to a flag", word)
	return keep
}

func (s *sorter) find(name string) cli.Flag {
	at := slices.IndexFunc(s.flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if at < 0 {
		return nil
	}
	return s.flags[at]
}

// meant is what somebody may have meant by a flag that the command does not have, or
// else the help; near is the name of a flag that is like it, "" for none.
func (s *sorter) meant(flag string) (hint, near string) {
	var names []string
	for _, f := range s.flags {
		names = append(names, f.Names()[0])
	}
	command := s.path[len(s.path)-1]
	if slices.Contains(names, "write-"+flag) {
		return "name the file to write with --write-" + flag, ""
	}
	if instead := request.Gone(flag); instead != "" {
		return instead, ""
	}
	if t := request.Find(flag); t != nil {
		takers := strings.Fields(t.In)
		if command == "apply" && slices.Contains(takers, "design") {
			return "leave it out: the plan fixes what --" + flag + " says", ""
		}
		return "leave it out: it is for tacet " + strings.Join(takers, ", tacet ") + "; " + s.help(), ""
	}
	if near = request.Meant(flag, names); near != "" {
		return "did you mean --" + near + "? " + s.help(), near
	}
	return s.help(), ""
}
