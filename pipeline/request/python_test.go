package request

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The keyword arguments of the functions of the Python package.
const pythonFile = "../../python/src/tacet/_options.py"

// inPython are the functions that take options, by their command.
var inPython = []struct{ command, function string }{{"run", "privatize"}, {"frontier", "frontier"},
	{"simulate", "simulate"}, {"recover", "recover"}}

// Frames are no files, and results are returned: the functions give these options themselves.
var notInPython = map[string]bool{"config": true, "input": true, "output": true, "report": true, "overwrite": true,
	"log-format": true, "format": true, "html": true, "counts": true, "csv-delimiter": true,
	"csv-header": true, "keep-metadata": true, "mechanism": true}

// A flag in running text.
var flagName = regexp.MustCompile(`--([a-z]+(?:-[a-z]+)*)`)

// inWords is a text about flags as one about arguments.
func inWords(text string) string {
	return flagName.ReplaceAllStringFunc(text, func(s string) string { return pythonName(s[2:]) + "=" })
}

func pythonName(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// pythonType is the type of an argument; several is whether it may be given once for each
// private column, or for each design that is simulated.
func pythonType(o *Option, command string) string {
	t := "str"
	switch {
	case o.Kind == Switch:
		return "bool"
	case o.Kind == Whole || o.Kind == Seed:
		t = "int"
	case o.Kind == Number:
		t = "float"
	case o.Kind == Bound:
		t = "Bound"
	case o.Kind == Names:
		return "str | Sequence[str]"
	case o.Choices != nil:
		t = pythonChoice(o.Name)
	case takesFile(o):
		t = "File"
	}
	if slices.Contains(strings.Fields(o.Each), command) || o.Kind == Bound && command == "simulate" {
		t += " | Sequence[" + t + "]"
	}
	return t
}

// pythonChoice is the name of the type of what an option may be.
func pythonChoice(flag string) string {
	var b strings.Builder
	for _, word := range strings.Split(flag, "-") {
		b.WriteString(capital(word))
	}
	return b.String()
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

func takesFile(o *Option) bool {
	return o.Kind == Secret || strings.Contains(o.Usage, "`FILE`") || strings.Contains(o.Usage, "`SPEC`")
}

// pythonOptions is the module that the package has of the table.
func pythonOptions() []byte {
	var b bytes.Buffer
	b.WriteString(`# Written by TACET_UPDATE=1 go test -run TestPython ./pipeline/request: do not edit.
"""Keyword arguments, from the table of the flags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from ._orders import Bound, File

`)
	usage := map[string]*Option{}
	for _, f := range inPython {
		for _, o := range For(f.command) {
			if name := pythonName(o.Name); !notInPython[o.Name] && usage[name] == nil {
				if usage[name] = o; o.Choices != nil && o.Kind == Text {
					fmt.Fprintf(&b, "%s = Literal[\"%s\"]\n", pythonChoice(o.Name), strings.Join(o.Choices, `", "`))
				}
			}
		}
	}
	for _, f := range inPython {
		fmt.Fprintf(&b, "\n\nclass %s(TypedDict, total=False):\n    \"\"\"Keyword arguments of tacet.%s.\"\"\"\n\n",
			capital(f.function), f.function)
		for _, o := range For(f.command) {
			if !notInPython[o.Name] {
				fmt.Fprintf(&b, "    %s: %s\n", pythonName(o.Name), pythonType(o, f.command))
			}
		}
	}
	b.WriteString("\n\n# Lists of names.\nNAMES = frozenset(\n    {\n")
	for _, name := range slices.Sorted(maps.Keys(usage)) {
		if usage[name].Kind == Names {
			fmt.Fprintf(&b, "        %q,\n", name)
		}
	}
	b.WriteString("    }\n)\n")
	b.WriteString("\n# What each says, on one line.\nUSAGE: dict[str, str] = {\n")
	for _, name := range slices.Sorted(maps.Keys(usage)) {
		text := inWords(strings.ReplaceAll(usage[name].Usage, "`", ""))
		if d := usage[name].Default; d != "" && usage[name].Kind != Switch {
			text += " (default " + d + ")"
		}
		fmt.Fprintf(&b, "    %q: ", name)
		for i, line := range wrapped(text, 92) {
			if i > 0 {
				b.WriteString("\n    ")
			}
			fmt.Fprintf(&b, "%q", line)
		}
		b.WriteString(",\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// wrapped is a text in lines of at most so many bytes, blanks at their ends.
func wrapped(text string, wide int) (out []string) {
	for _, word := range strings.SplitAfter(text, " ") {
		if n := len(out) - 1; n >= 0 && len(out[n])+len(word) <= wide {
			out[n] += word
		} else {
			out = append(out, word)
		}
	}
	return out
}

// TestPython holds the arguments of the Python package to the options there are; with
// TACET_UPDATE=1 it writes them.
func TestPython(t *testing.T) {
	want := pythonOptions()
	if os.Getenv("TACET_UPDATE") == "1" {
		if err := os.WriteFile(pythonFile, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(pythonFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not that of the options; TACET_UPDATE=1 go test -run TestPython ./pipeline/request writes it",
			pythonFile)
	}
	for name := range notInPython {
		if Find(name) == nil {
			t.Errorf("--%s is left out of the arguments, and is no option", name)
		}
	}
}
