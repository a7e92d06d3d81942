// Package studio leads through one release in a browser of this machine, for those who do
// not use a terminal. Every step writes a job file and does what the command does that the
// page shows: the page is another way to type it.
//
// File guard.go says who may ask, folders.go what is read and written, job.go what is asked
// of the pipeline, task.go how work goes on. The pages are steps: file.go, column.go,
// choose.go, release.go.
package studio

import (
	"context"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/inspect"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A Config is what a studio is started with.
type Config struct {
	Input    string   // file to begin with; "" asks for one
	Folders  []string // Required. All that is read and written lies below these.
	TestSeed string   // "" for secret draws
	Version  string
	// Options are those of a command line that the page shows.
	Options func(ctx context.Context, words []string) (*request.Options, error)
	// Verify proves a release from its files, as tacet verify does: checks that passed, and names of others.
	Verify func(ctx context.Context, report, input, output string) (passed int, failed []string, err error)
	// Started is told the address to open, which lets one browser in, once.
	Started func(address string) error
	// Patience is how long no page may be open before the studio ends.
	Patience time.Duration
}

// A studio is one release on its way. Handlers hold mu; pages show what is exported.
type studio struct {
	Config
	folders *folders
	pages   *template.Template
	pulse   *pulse

	mu     sync.Mutex
	task   *task
	failed map[string]error // by step
	job    job

	Looked *inspect.File
	stamp  os.FileInfo     // of the input when it was looked at
	Values *pipeline.Built // of the column, in no order
	Chosen arrangement
	Built  *pipeline.Built // the values in the order that was chosen; nil until one is
	Search []byte          // the page of the frontier
	Shown  string          // what it shows, as its address has it
	Judged *inspect.Judged // beside the private column; nil where that was not looked at
	Done   *released       // what was published
}

// Serve leads through a release until ctx ends or the page is closed.
func Serve(ctx context.Context, c Config) error {
	f, err := openFolders(c.Folders)
	if err != nil {
		return err
	}
	s := &studio{Config: c, folders: f, pages: newPages(), failed: map[string]error{}, pulse: newPulse(c.Patience)}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("no port of this machine can be opened: %w", err)
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	g := newGuard(listener.Addr().String(), s.routes())
	server := &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 1 << 16,
		ErrorLog: silent, BaseContext: func(net.Listener) context.Context { return ctx }}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if c.Input != "" {
		s.mu.Lock()
		s.open(c.Input, "", "")
		s.mu.Unlock()
	}
	if err = c.Started(g.address()); err == nil {
		select {
		case <-ctx.Done():
		case <-s.pulse.gone.Done():
		case err = <-served:
		}
	}
	end()
	s.stop()
	server.Close()
	return err
}
