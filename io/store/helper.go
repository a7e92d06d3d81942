package store

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Program is the one that knows the clouds.
const Program = "tacet-cloud"

// A Helper is the running program.
type Helper struct {
	calls *rpc.Client
	end   func() error
	kept  shelf
}

// helper is started once in the life of this program, when the first address is met.
var helper = sync.OnceValues(start)

// start runs the program: the one beside this one, or else the one on the path.
func start() (*Helper, error) {
	name := Program
	if own, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(own), Program); executable(beside) {
			name = beside
		}
	}
	if path := os.Getenv("TACET_CLOUD"); path != "" {
		name = path
	}
	cmd := exec.Command(name, "serve")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, &Error{Kind: NoProgram}
	}
	h := Connect(out, in)
	h.end = func() error { return errors.Join(h.calls.Close(), cmd.Wait()) }
	return h, nil
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// Connect talks to a program that was started elsewhere.
func Connect(in io.ReadCloser, out io.WriteCloser) *Helper {
	return &Helper{calls: rpc.NewClient(&pipes{in, out})}
}

// Close ends the program, which withdraws what was not committed.
func (h *Helper) Close() error {
	if h.end == nil {
		return h.calls.Close()
	}
	return h.end()
}

// call waits for an answer, or for the end of ctx.
func (h *Helper) call(ctx context.Context, method, url string, asked, reply any) error {
	c := h.calls.Go("Store."+method, asked, reply, make(chan *rpc.Call, 1))
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.Done:
	}
	var refused rpc.ServerError
	switch {
	case errors.As(c.Error, &refused):
		return &Error{Kind: Broken, URL: url, Code: Program + " is of another version"}
	case c.Error != nil:
		return &Error{Kind: Broken, URL: url, Code: Program + " ended"}
	}
	return nil
}

// pipes are a connection to a child.
type pipes struct {
	io.ReadCloser
	out io.WriteCloser
}

func (p *pipes) Write(b []byte) (int, error) { return p.out.Write(b) }

// Close ends what the child reads first: it answers until then.
func (p *pipes) Close() error {
	return errors.Join(p.out.Close(), p.ReadCloser.Close())
}

// An outcome is what became of a call.
type outcome struct{ Kind, Code string }

func (o outcome) error(url string) error {
	if o.Kind == "" {
		return nil
	}
	return &Error{Kind: cmp.Or(Kind(o.Kind), Broken), Code: o.Code, URL: url}
}
