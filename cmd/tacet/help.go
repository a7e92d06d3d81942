package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// everything after --help asks for all flags of a command.
const everything = "all"

// groupedHelp is the help of a command whose flags are in groups.
const groupedHelp = `NAME:
   {{template "helpNameTemplate" .}}

USAGE:
   {{template "usageTemplate" .}}

DESCRIPTION:
   {{wrap (about .) 3}}
{{range groups .}}{{if .Shown}}
{{upper .Name}}:{{range .Shown}}
   {{.}}{{end}}
{{end}}{{end}}{{rest .}}`

// A flagGroup is the flags of a command that are about one thing.
type flagGroup struct {
	Name             string // "" of those in no group
	All, Shown, Left []*parsedFlag
}

// groupsOf are the flags of a command by group, in order: those that help shows, and those it leaves out.
func groupsOf(c *cli.Command) (out []flagGroup, left bool) {
	for _, f := range c.Flags {
		p, ok := f.(*parsedFlag)
		if !ok { // --help
			continue
		}
		if name := p.Group.String(); len(out) == 0 || out[len(out)-1].Name != name {
			out = append(out, flagGroup{Name: name})
		}
		g := &out[len(out)-1]
		if g.All = append(g.All, p); p.IsVisible() {
			g.Shown = append(g.Shown, p)
		} else {
			g.Left, left = append(g.Left, p), true
		}
	}
	return out, left
}

// inGroups reports whether the flags of a command are.
func inGroups(c *cli.Command) bool {
	g, _ := groupsOf(c)
	return len(g) > 0 && g[0].Name != ""
}

// printHelp prints the help of a command; data is that command, or the program.
func printHelp(w io.Writer, template string, data any) {
	c, ok := data.(*cli.Command)
	if !ok || !inGroups(c) {
		cli.HelpPrinterCustom(w, template, data, nil)
		return
	}
	cli.HelpPrinterCustom(w, groupedHelp, c, map[string]any{
		"upper":  strings.ToUpper,
		"groups": func(c *cli.Command) []flagGroup { all, _ := groupsOf(c); return all },
		"about": func(c *cli.Command) (about string) {
			if about = c.Description; remaining(c) != "" {
				about, _, _ = strings.Cut(about, "\n\n"+exitCodes)
			}
			return about
		},
		"rest": remaining,
	})
}

// remaining names the flags that the help of a command leaves out, by group, and says how to
// see them.
func remaining(c *cli.Command) string {
	groups, left := groupsOf(c)
	if !left {
		return ""
	}
	const wide, indent = 110, 21
	var b strings.Builder
	fmt.Fprintf(&b, "\nMORE OPTIONS, which tacet %s --help %s explains, with the exit codes:\n", c.Name, everything)
	for _, g := range groups {
		if g.Left == nil {
			continue
		}
		line := fmt.Sprintf("   %-*s", indent-3, g.Name)
		for i, f := range g.Left {
			word := " --" + f.Name
			if i < len(g.Left)-1 {
				word += ","
			}
			if len(line)+len(word) > wide {
				b.WriteString(line + "\n")
				line = strings.Repeat(" ", indent)
			}
			line += word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

var _ = does("man", printManual)

// printManual prints the manual page. Groups of flags stand below their command as its commands do.
func printManual(c *cli.Context) error {
	a := uiOf(c).app
	all := slices.Clone(a.Commands)
	for i, c := range all {
		if !inGroups(c) {
			continue
		}
		all[i] = &cli.Command{Name: c.Name, Usage: c.Usage, UsageText: c.UsageText}
		groups, _ := groupsOf(c)
		for _, g := range groups {
			under := &cli.Command{Name: g.Name}
			for _, f := range g.All {
				under.Flags = append(under.Flags, &parsedFlag{Option: f.Option})
			}
			all[i].Subcommands = append(all[i].Subcommands, under)
		}
	}
	a.Commands = all
	page, err := a.ToManWithSection(1)
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.App.Writer, page)
	return err
}
