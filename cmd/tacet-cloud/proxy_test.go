package main

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// A proxy stands before a server and breaks what passes.
type proxy struct {
	address string
	cut     atomic.Int64 // how many answers more are cut
	after   atomic.Int64 // bytes that pass of an answer that is cut
	refuse  atomic.Int64 // how many connections more are answered with 503
	most    atomic.Int64 // bytes of questions that pass before the rest is held; 0 for all
	asked   atomic.Int64 // bytes of questions so far
	delay   atomic.Int64 // nanoseconds before every piece of an answer

	held, free chan struct{} // closed once a question is held, and by release
}

func startProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &proxy{address: l.Addr().String(), held: make(chan struct{}), free: make(chan struct{})}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(c, to)
		}
	}()
	return p
}

func (p *proxy) pass(client net.Conn, to string) {
	defer client.Close()
	if p.refuse.Add(-1) >= 0 {
		_, _ = client.Read(make([]byte, 1<<16))
		_, _ = io.WriteString(client, "HTTP/1.1 503 Slow Down\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		// What is left unread at the end would reset the connection before the answer is read.
		if c, ok := client.(*net.TCPConn); ok {
			_ = c.CloseWrite()
		}
		_ = client.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = io.Copy(io.Discard, client)
		return
	}
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.CopyBuffer(heldWriter{server, p}, client, make([]byte, 64<<10))
		server.Close()
	}()
	var passed int64
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		time.Sleep(time.Duration(p.delay.Load()))
		if passed += int64(n); passed > p.after.Load() && p.after.Load() > 0 && p.cut.Add(-1) >= 0 {
			return
		}
		if _, failed := client.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}

// hold waits until as many bytes of questions passed as may, and one more piece is there.
func (p *proxy) hold(t *testing.T) {
	t.Helper()
	select {
	case <-p.held:
	case <-time.After(3 * time.Minute):
		t.Fatalf("control: %d bytes were asked with, and %d are wanted", p.asked.Load(), p.most.Load())
	}
}

// release lets pass what is held, piece by piece: who asks notices a signal before it is through. Where
// connections are refused, those that are held are cut, too.
func (p *proxy) release() { close(p.free) }

// A heldWriter writes what may pass.
type heldWriter struct {
	io.Writer
	p *proxy
}

func (w heldWriter) Write(data []byte) (int, error) {
	if asked, most := w.p.asked.Add(int64(len(data))), w.p.most.Load(); most > 0 && asked > most {
		if asked-int64(len(data)) <= most {
			close(w.p.held)
		}
		<-w.p.free
		time.Sleep(5 * time.Millisecond)
		if w.p.refuse.Load() > 0 {
			return 0, io.ErrClosedPipe
		}
	}
	return w.Writer.Write(data)
}
