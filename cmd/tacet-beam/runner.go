package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
)

// spread runs the steps of the shards on the runner. Beam panics where its context ends,
// so that it gets none that does: what it runs here goes with this process, and steps
// elsewhere fail once their folder is gone.
func (j *Job) spread(ctx context.Context) error {
	if *runner == "prism" {
		if err := startPrism(ctx); err != nil {
			return err
		}
	}
	ended := make(chan error, 1)
	go func() {
		defer func() { // Beam panics, too, where it starts after its folder is gone
			if e := recover(); e != nil && ctx.Err() == nil {
				panic(e)
			}
		}()
		_, err := universal.Execute(context.WithoutCancel(ctx), j.pipeline())
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// startPrism starts a job server in this process, whose workers are of this process, too.
func startPrism(ctx context.Context) error {
	if _, err := prism.CreateJobServer(context.WithoutCancel(ctx), prism.Options{}); err != nil {
		return err
	}
	port, err := keepLocal()
	if err != nil {
		return &failure{Code: environment, What: "the job server of Prism cannot be kept to this machine: " + err.Error(),
			Hint: "run it in a network namespace, or give -runner universal"}
	}
	*jobopts.Endpoint = "localhost:" + strconv.Itoa(port)
	*jobopts.EnvironmentType = "loopback"
	return nil
}

// keepLocal binds a socket of this process that listens on all interfaces to the
// loopback device, and gives its port. Prism listens on all, and takes jobs of anyone.
func keepLocal() (port int, err error) {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0, err
	}
	for _, e := range open {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			return 0, err
		}
		at, ok := listens(fd)
		if !ok {
			continue
		}
		if err := syscall.SetsockoptString(fd, syscall.SOL_SOCKET, syscall.SO_BINDTODEVICE, "lo"); err != nil {
			return 0, err
		}
		port = at
	}
	if port == 0 {
		return 0, errors.New("its socket is not found")
	}
	return port, nil
}

// listens reports whether a descriptor is a socket that listens on all interfaces.
func listens(fd int) (port int, ok bool) {
	if on, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN); err != nil || on == 0 {
		return 0, false
	}
	at, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, false
	}
	switch a := at.(type) {
	case *syscall.SockaddrInet4:
		return a.Port, a.Addr == [4]byte{}
	case *syscall.SockaddrInet6:
		return a.Port, a.Addr == [16]byte{}
	}
	return 0, false
}
