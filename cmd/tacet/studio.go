package main

import (
	"context"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/studio"
	"github.com/tacet-privacy/tacet/pipeline/verify"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

var _ = does("studio", openStudio)

func openStudio(c *cli.Context) error {
	a := askedOf(c)
	folders := value[[]string](a, "folder")
	if input := a.text("input"); len(folders) == 0 && input != "" {
		folders = []string{filepath.Dir(input)}
	} else if len(folders) == 0 {
		folders = []string{"."}
	}
	opened := ""
	defer func() { os.Remove(opened) }()
	return studio.Serve(c.Context, studio.Config{Input: a.text("input"), Folders: folders,
		TestSeed: a.text("test-seed"), Version: version, Options: typedOptions, Verify: proven,
		Patience: 10 * time.Second,
		Started: func(address string) (err error) {
			fmt.Fprintf(c.App.Writer, "open:     %s\nends:     when the page is closed, or with Ctrl-C\n", address)
			if !value[bool](a, "no-browser") {
				opened = openBrowser(address)
			}
			return nil
		}})
}

// typedOptions are the options of a command line, as it is typed.
func typedOptions(ctx context.Context, words []string) (*pipeline.Options, error) {
	var flags []*parsedFlag
	set := flag.NewFlagSet(words[0], flag.ContinueOnError)
	for _, f := range flagsFor(words[0]) {
		f.Apply(set)
		flags = append(flags, f.(*parsedFlag))
	}
	if err := set.Parse(words[1:]); err != nil {
		return nil, err
	}
	a, err := askFor(words[0], flags)
	if err == nil {
		err = a.check(ctx, nil)
	}
	if err != nil {
		return nil, err
	}
	o := a.complete()
	if words[0] == "frontier" {
		o.Then, err = following(a, &o)
	}
	return &o, err
}

// proven is what tacet verify says of a release, whatever was decided of it.
func proven(ctx context.Context, report, input, output string) (passed int, failed []string, err error) {
	r, err := verify.Run(ctx, verify.Request{Report: report, Input: input, Output: output, Version: version})
	if err != nil {
		return 0, nil, unreadable(err)
	}
	for _, c := range r.Checks {
		if c.Outcome == kernel.Passed {
			passed++
		}
	}
	return passed, undecided(r), nil
}

// openBrowser opens an address by a file that its owner alone may read, since others see
// the words of commands. It returns the file, "" where nothing was opened.
func openBrowser(address string) string {
	f, err := os.CreateTemp("", "tacet-studio-*.html")
	if err != nil {
		return ""
	}
	defer f.Close()
	fmt.Fprintf(f, `<!DOCTYPE html><meta http-equiv="refresh" content="0; url=%[1]s"><a href="%[1]s">Open the studio</a>`,
		html.EscapeString(address))
	program := map[string]string{"darwin": "open"}[runtime.GOOS]
	if program == "" {
		program = "xdg-open"
	}
	open := exec.Command(program, f.Name())
	if open.Start() != nil {
		os.Remove(f.Name())
		return ""
	}
	go open.Wait()
	return f.Name()
}
