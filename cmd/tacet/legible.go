package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A legible writer shows what a terminal would act on as escapes, as names of
// columns and files may hold it. Ends of lines and tabs stay.
type legible struct{ to io.Writer }

func (w legible) Write(b []byte) (int, error) {
	var out strings.Builder
	for rest := string(b); rest != ""; {
		n := strings.IndexAny(rest, "\n\t")
		if n < 0 {
			out.WriteString(report.Clean(rest))
			break
		}
		out.WriteString(report.Clean(rest[:n]))
		out.WriteByte(rest[n])
		rest = rest[n+1:]
	}
	if _, err := io.WriteString(w.to, out.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// An output is standard output. It keeps the first failure to write to it, since most of
// what prints does not look.
type output struct {
	to     io.Writer
	failed error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err == nil {
		return n, nil
	}
	if o.failed == nil {
		o.failed = &publish.SystemError{Op: "writing", Path: "standard output", Err: err}
	}
	return n, o.failed
}

// closed reports whether err is that nobody reads standard output any longer.
func (o *output) closed(err error) bool {
	return o.failed != nil && errors.Is(err, o.failed) && errors.Is(err, syscall.EPIPE)
}

// people is standard output for text that is written for people, and no
// document; nothing of it is shown with --log-format errors.
func people(c *cli.Context) io.Writer {
	if uiOf(c).quiet {
		return io.Discard
	}
	return legible{c.App.Writer}
}

// shown is standard output; where it is a terminal, documents are shown too.
func shown(to *os.File) io.Writer {
	if term.IsTerminal(int(to.Fd())) {
		return legible{to}
	}
	return to
}

// oneLine is a message as people and logs get it.
func oneLine(s string) string { return report.Clean(strings.Join(strings.Fields(s), " ")) }

// found prints what a command found as --format says: for people, as JSON, or as rows of CSV, which
// the first of them gives their length.
func found[T any](find job[T], text func(io.Writer, T) error, rows func(T) [][]string) func(*cli.Context,
	pipeline.Options) error {
	return func(c *cli.Context, o pipeline.Options) error {
		v, err := find(c.Context, o)
		if err != nil {
			return err
		}
		uiOf(c).finish()
		switch o.Format {
		case "json":
			e := json.NewEncoder(c.App.Writer)
			e.SetIndent("", "  ")
			return e.Encode(v)
		case "csv":
			all := rows(v)
			for i, row := range all {
				all[i] = append(row, make([]string, len(all[0])-len(row))...)
			}
			return csv.NewWriter(c.App.Writer).WriteAll(all)
		}
		return text(legible{c.App.Writer}, v)
	}
}
