// Command tacet-cloud reads and writes the objects of s3://, gs:// and azblob://
// for tacet, which starts it where such an address is given. The two talk through
// pipes by net/rpc; package io/store of the main module is the other end. It is a
// module of its own, since the clouds' libraries are ten times tacet's own.
package main

import (
	"context"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long uploads may take to be withdrawn once tacet is gone.
const patience = 20 * time.Second

func main() {
	if len(os.Args) != 2 || os.Args[1] != "serve" {
		fmt.Fprintln(os.Stderr, "tacet-cloud: tacet starts this program by itself for addresses such as "+
			"s3://bucket/file.parquet; it has no other use")
		os.Exit(2)
	}
	// Ctrl-C reaches both programs. The end of this one is that of its input, so
	// that tacet has the time to withdraw what it began; an answer that nobody reads
	// any more must not end it either.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	if err := serve(os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
}

// serve answers until its input ends. What is half uploaded then is withdrawn.
func serve(in io.Reader, out io.Writer) error {
	store := newStore(context.Background())
	server := rpc.NewServer()
	if err := server.RegisterName("Store", store); err != nil {
		return err
	}
	server.ServeConn(pipes{in, out})
	ended := make(chan struct{})
	go func() {
		store.abandon()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
	}
	return nil
}

// pipes are a connection.
type pipes struct {
	io.Reader
	io.Writer
}

func (pipes) Close() error { return nil }
