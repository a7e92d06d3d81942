package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/rpc"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
)

// Memory is a store for tests. Its replies are those of tacet-cloud.
type Memory struct {
	mu      sync.Mutex
	objects map[string][]byte
	uploads map[int64]*bytes.Buffer
	targets map[int64]Target
	aborted int
	fail    atomic.Int64 // how many reads more are broken
	reads   atomic.Int64
	hold    chan struct{} // reads wait for its end, where it is not nil
}

// Said is an outcome.
type Said struct{ Kind, Code string }

func (m *Memory) Stat(url string, reply *struct {
	Outcome Said
	Size    int64
	Tag     string
}) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.objects[url]
	if !ok {
		reply.Outcome.Kind = "missing"
	}
	reply.Size, reply.Tag = int64(len(data)), "tag"
	return nil
}

func (m *Memory) Read(asked struct {
	URL            string
	Offset, Length int64
}, reply *struct {
	Outcome Said
	Bytes   []byte
}) error {
	m.reads.Add(1)
	if m.hold != nil {
		<-m.hold
	}
	if m.fail.Add(-1) >= 0 {
		reply.Outcome = Said{"broken", "SlowDown"}
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	reply.Bytes = m.objects[asked.URL][asked.Offset : asked.Offset+asked.Length]
	return nil
}

func (m *Memory) Begin(to Target, reply *struct {
	Outcome Said
	ID      int64
}) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	reply.ID = int64(len(m.uploads) + 1)
	m.uploads[reply.ID], m.targets[reply.ID] = &bytes.Buffer{}, to
	return nil
}

func (m *Memory) Write(p struct {
	ID    int64
	Bytes []byte
}, _ *Said) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uploads[p.ID].Write(p.Bytes)
	return nil
}

func (m *Memory) Commit(id int64, reply *Said) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	to := m.targets[id]
	if _, stands := m.objects[to.URL]; stands && to.Create {
		*reply = Said{"exists", "PreconditionFailed"}
		return nil
	}
	m.objects[to.URL] = m.uploads[id].Bytes()
	return nil
}

func (m *Memory) Abort(int64, *Said) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.aborted++
	return nil
}

// inMemory has the helper talk to a store of memory.
func inMemory(t *testing.T) *Memory {
	t.Helper()
	m := &Memory{objects: map[string][]byte{}, uploads: map[int64]*bytes.Buffer{}, targets: map[int64]Target{}}
	server := rpc.NewServer()
	if err := server.RegisterName("Store", m); err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go server.ServeConn(struct {
		io.Reader
		io.WriteCloser
	}{in, out})
	own, client := helper, rpc.NewClient(&pipes{fromServer, toServer})
	helper = func() (*rpc.Client, error) { return client, nil }
	t.Cleanup(func() {
		helper = own
		client.Close()
	})
	return m
}

func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// Ranges are read right in any order, by many at once, and blocks are kept.
func TestReadAt(t *testing.T) {
	m := inMemory(t)
	data := noise(5*block + 123)
	m.objects["s3://b/k"] = data
	o, err := Open(t.Context(), "s3://b/k")
	if err != nil || o.Size() != int64(len(data)) {
		t.Fatal(o.Size(), err)
	}
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(g)))
			for range 50 {
				off := r.IntN(len(data))
				b := make([]byte, r.IntN(2*block))
				n, err := o.ReadAt(b, int64(off))
				want := data[off:min(off+len(b), len(data))]
				if !bytes.Equal(b[:n], want) || (n < len(b)) != errors.Is(err, io.EOF) || n == len(b) && err != nil {
					t.Errorf("%d bytes at %d: %d, %v", len(b), off, n, err)
				}
			}
		})
	}
	wait.Wait()
	if n := m.reads.Load(); n != 6 {
		t.Errorf("an object of six blocks was read %d times", n)
	}
	if o.Close() != nil || len(o.blocks.of) != 0 || o.blocks.recent.Len() != 0 || o.blocks.bytes != 0 {
		t.Error("blocks are left after the object was closed")
	}
}

// No more than the blocks kept stay in memory.
func TestKept(t *testing.T) {
	m := inMemory(t)
	m.objects["s3://b/k"] = make([]byte, (most+4)*block)
	o, err := Open(t.Context(), "s3://b/k")
	if err != nil {
		t.Fatal(err)
	}
	for at := range int64(most + 4) {
		if _, err := o.ReadAt(make([]byte, 10), at*block); err != nil {
			t.Fatal(err)
		}
		s := &o.blocks
		if s.mu.Lock(); len(s.of) > most || s.recent.Len() != len(s.of) || s.bytes != int64(len(s.of))*block {
			t.Errorf("%d blocks are kept", len(s.of))
		}
		s.mu.Unlock()
	}
}

// A read that failed is told in words, and can be tried again.
func TestReadFails(t *testing.T) {
	m := inMemory(t)
	m.objects["s3://b/k?secret=1"] = noise(100)
	m.fail.Store(1)
	o, err := Open(t.Context(), "s3://b/k?secret=1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = o.ReadAt(make([]byte, 10), 0)
	if want := "s3://b/k: the store did not answer, or broke off (SlowDown)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := o.ReadAt(make([]byte, 10), 0); err != nil {
		t.Errorf("a block that failed once fails for ever: %v", err)
	}
	_, err = Open(t.Context(), "s3://b/none")
	var e *Error
	if !errors.As(err, &e) || e.Kind != Missing {
		t.Errorf("an object that is not there: %v", err)
	}
	for _, kind := range []Kind{Address, Missing, Denied, Exists, Broken, NoProgram} {
		if e := (&Error{Kind: kind, URL: "s3://b/k"}); len(e.Error()) < 20 || len(e.Advice()) < 20 {
			t.Errorf("%s has no words: %q, %q", kind, e.Error(), e.Advice())
		}
	}
}

// A reader that is not wanted any more does not wait for the store.
func TestReadEnds(t *testing.T) {
	m := inMemory(t)
	m.objects["s3://b/k"] = noise(100)
	m.hold = make(chan struct{})
	defer close(m.hold)
	ctx, cancel := context.WithCancel(t.Context())
	o, err := Open(ctx, "s3://b/k")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := o.ReadAt(make([]byte, 10), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

// An object is put whole or not at all, and not over another unless that is asked.
func TestPut(t *testing.T) {
	m := inMemory(t)
	to, data := Target{"s3://b/k", true}, noise(2*block+5)
	if err := Put(t.Context(), to, bytes.NewReader(data)); err != nil || !slices.Equal(m.objects["s3://b/k"], data) {
		t.Fatal(err)
	}
	var e *Error
	if err := Put(t.Context(), to, bytes.NewReader(nil)); !errors.As(err, &e) || e.Kind != Exists {
		t.Errorf("a second object: %v", err)
	}
	if err := Put(t.Context(), Target{"s3://b/k", false}, bytes.NewReader(nil)); err != nil ||
		len(m.objects["s3://b/k"]) > 0 {
		t.Errorf("an object that may be replaced: %v", err)
	}
	other := Target{"s3://b/other", true}
	failed := errors.New("failed")
	broken := io.MultiReader(bytes.NewReader(data), iotest.ErrReader(failed))
	if err := Put(t.Context(), other, broken); !errors.Is(err, failed) || m.aborted != 1 ||
		m.objects["s3://b/other"] != nil {
		t.Errorf("a reader that fails: %v, %d aborted", err, m.aborted)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ending := io.MultiReader(bytes.NewReader(data[:2*block]), iotest.DataErrReader(readerOf(func([]byte) (int, error) {
		cancel()
		return 0, io.EOF
	})))
	if err := Put(ctx, other, ending); !errors.Is(err, context.Canceled) || m.aborted != 2 ||
		m.objects["s3://b/other"] != nil {
		t.Errorf("a run that ends: %v, %d aborted", err, m.aborted)
	}
}

type readerOf func([]byte) (int, error)

func (f readerOf) Read(b []byte) (int, error) { return f(b) }

func TestAddresses(t *testing.T) {
	const with = "s3://bucket/dir?region=x"
	for got, want := range map[string]string{
		Join(with, "a", "b.csv"): "s3://bucket/dir/a/b.csv?region=x", Join("gs://bucket", "a"): "gs://bucket/a",
		Name("s3://bucket/dir/f.parquet?region=x"): "f.parquet",
		Below(with, "a=x%3Ay/b?.csv"):              "s3://bucket/dir/a=x%253Ay/b%3F.csv?region=x",
		Key(Below(with, "x%3Ay")):                  "dir/x%3Ay",
		Name("dir/f.parquet"):                      "f.parquet", Plain("dir/f?.parquet"): "dir/f?.parquet",
		Plain("s3://user:pass@bucket/f?key=secret"): "s3://bucket/f",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for name, want := range map[string]bool{with: true, "azblob://c/x": true, "file.parquet": false, "s3:/x": false,
		"http://x/y": false, "s3": false} {
		if Is(name) != want {
			t.Errorf("Is(%s) is %v", name, !want)
		}
	}
}

// TestLocal: file:// is another word for a path of this machine, and nothing else.
func TestLocal(t *testing.T) {
	for name, want := range map[string]string{"file:///a/b c": "/a/b c", "file:///a%20b/dt=*/": "/a b/dt=*/",
		"file://localhost/a": "/a", "file://host/a": "file://host/a", "file://a": "file://a", "file:///a?b": "file:///a?b",
		"a/b": "a/b", "s3://a/b": "s3://a/b", "file:a": "file:a", "/a%20b": "/a%20b"} {
		if got := Local(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
