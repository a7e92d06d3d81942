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
	brake   atomic.Int64 // nanoseconds before every piece of a question
	delay   atomic.Int64 // nanoseconds before every piece of an answer
}

func startProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &proxy{address: l.Addr().String()}
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
		_, _ = io.CopyBuffer(braked{server, p}, client, make([]byte, 64<<10))
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

// A braked writer writes slowly.
type braked struct {
	io.Writer
	p *proxy
}

func (b braked) Write(data []byte) (int, error) {
	time.Sleep(time.Duration(b.p.brake.Load()))
	return b.Writer.Write(data)
}
