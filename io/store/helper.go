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

// helper talks to the running program, which is started once in the life of this one, when
// the first address is met, and ends with it: it withdraws what was not committed.
var helper = sync.OnceValues(start)

// start runs the program: the one beside this one, or else the one on the path.
func start() (*rpc.Client, error) {
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
	return rpc.NewClient(&pipes{out, in}), nil
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// call waits for an answer, or for the end of ctx; plain is the address for people.
func call(ctx context.Context, method, plain string, asked, reply any) error {
	h, err := helper()
	if err != nil {
		return err
	}
	c := h.Go("Store."+method, asked, reply, make(chan *rpc.Call, 1))
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.Done:
	}
	var refused rpc.ServerError
	switch {
	case errors.As(c.Error, &refused):
		return &Error{Kind: Broken, URL: plain, Code: Program + " is of another version"}
	case c.Error != nil:
		return &Error{Kind: Broken, URL: plain, Code: Program + " ended"}
	}
	return nil
}

// done calls what has nothing to tell but whether it was done.
func done(ctx context.Context, method, plain string, asked any) error {
	var reply outcome
	if err := call(ctx, method, plain, asked, &reply); err != nil {
		return err
	}
	return reply.error(plain)
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
