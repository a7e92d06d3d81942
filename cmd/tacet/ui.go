package main

// The rules of this interface:
//
//   - Results go to standard output, everything for people to standard error.
//   - A message is one line: what went wrong and where, in lower case, then
//     "hint:" and what to do. No cell value, no Go types, no traces. Several
//     things that are wrong are several lines; what explains a hint stands below
//     it, indented.
//   - The exit code says whose turn it is; see exitCodes.
//   - Progress is drawn on a terminal only; elsewhere it is a line every 10 s.

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// A ui prints for people and remembers the progress that is shown.
type ui struct {
	app       *cli.App
	out, err  io.Writer
	quiet     bool // only errors
	progress  *progress
	log       *slog.Logger   // nil for text
	published bool           // the release is in place
	streams   bool           // a stream goes to standard output
	unsorted  []*fault.Fault // what no flag of the command takes
}

func (u *ui) say(format string, args ...any) {
	line := oneLine(fmt.Sprintf(format, args...))
	if u.log != nil {
		u.log.Warn(line)
		return
	}
	fmt.Fprintln(u.err, "tacet: "+line)
}

// fail prints the error, what is wrong line by line and what explains it below, and
// returns the exit code.
func (u *ui) fail(err error) int {
	f := fault.As(err)
	var more []string
	for _, one := range f.Each() {
		if u.log != nil {
			u.log.Error(oneLine(one.What), "exit_code", int(f.Class), "code", one.Code(), "retry", one.Code().Retry(),
				"hint", oneLine(one.Hint))
			continue
		}
		line := one.What
		if one.Hint != "" {
			line += "; hint: " + one.Hint
		}
		u.say("%s", line)
		more = append(more, one.More...)
	}
	for _, line := range more {
		fmt.Fprintln(legible{u.err}, "  "+line)
	}
	return int(f.Class)
}

// interrupted says so and returns the exit code of the signal.
func (u *ui) interrupted(signal int) int {
	line := "interrupted; " + u.nothing()
	if u.log != nil {
		u.log.Error(line, "exit_code", 128+signal, "code", fault.InterruptedCode, "retry", true)
	} else {
		u.say("%s", line)
	}
	return 128 + signal
}

// nothing says what became of the output of a run that failed.
func (u *ui) nothing() string {
	if u.streams {
		return "the output is cut off and must not be used"
	}
	return "nothing was published"
}

// finish ends the progress display.
func (u *ui) finish() {
	if u.progress != nil {
		u.progress.stop()
		u.progress = nil
	}
}

// untilSignal is a context that ends at an interrupt, a termination, a quit, an abort or, unless
// that is ignored as under nohup, when the terminal goes away, and a function
// that tells which signal came, 0 for none. After rest, signals do what they did before.
func untilSignal() (_ context.Context, signalled func() int, rest func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var got atomic.Int32
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGABRT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(ch, syscall.SIGHUP)
	}
	go func() {
		if s, ok := (<-ch).(syscall.Signal); ok {
			got.Store(int32(s))
			cancel()
			signal.Stop(ch) // a second one ends the process at once
		}
	}()
	rest = func() {
		signal.Stop(ch)
		close(ch)
		cancel()
	}
	return ctx, func() int { return int(got.Load()) }, rest
}

func usagef(hint, format string, args ...any) error {
	return &fault.Fault{Class: fault.Usage, What: fmt.Sprintf(format, args...), Hint: hint}
}

// internalError is a panic, before or after the release.
func (u *ui) internalError() error {
	if u.published {
		return afterRelease(nil)
	}
	return &fault.Fault{Class: fault.Internal, What: "internal error; " + u.nothing(),
		Hint: "please report what you did, without the data"}
}

// afterRelease is a failure once everything is in place.
func afterRelease(err error) error {
	return &fault.Fault{Class: fault.Published, What: "the release is published and complete, but a later step failed",
		Hint: "do not run again: a second draw would leak more; the release is in the output and the report folder",
		Err:  err}
}

func uiOf(c *cli.Context) *ui { return c.App.Metadata["ui"].(*ui) }
