package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A gateway is a server of S3 over a folder, with one bucket named bucket.
type gateway struct {
	dir     string // of the objects
	address string // host and port
}

// startGateway starts versitygw, named by TACET_VERSITYGW or on the path. Where
// TACET_S3 is "required", a missing program is a failure.
func startGateway(t *testing.T) *gateway {
	t.Helper()
	program := os.Getenv("TACET_VERSITYGW")
	if program == "" {
		program = "versitygw"
	}
	program, err := exec.LookPath(program)
	if err != nil {
		if os.Getenv("TACET_S3") == "required" {
			t.Fatal("versitygw is not there, and TACET_S3 requires it")
		}
		t.Skip("versitygw is not there; make s3 builds it")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{dir: t.TempDir(), address: l.Addr().String()}
	l.Close()
	if err := os.Mkdir(filepath.Join(g.dir, "bucket"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "tester",
		"AWS_SECRET_ACCESS_KEY": "secret-of-the-test",
		"AWS_REGION":            "us-east-1", "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null"} {
		t.Setenv(name, value)
	}
	cmd := exec.Command(program, "--port", g.address, "--quiet", "posix", g.dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=tester", "ROOT_SECRET_KEY=secret-of-the-test")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if answer, err := http.Get("http://" + g.address); err == nil {
			answer.Body.Close()
			return g
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("versitygw does not answer")
	return nil
}

// url is the address of an object, asked for at a host.
func (g *gateway) url(host, key string) string {
	return "s3://bucket/" + key + "?endpoint=http://" + host + "&use_path_style=true&region=us-east-1"
}

// path is where the gateway keeps an object.
func (g *gateway) path(key string) string {
	return filepath.Join(g.dir, "bucket", filepath.FromSlash(key))
}
