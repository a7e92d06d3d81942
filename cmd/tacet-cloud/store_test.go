package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/rpc"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// A peer calls a store as tacet does, through pipes.
type peer struct {
	t     *testing.T
	calls *rpc.Client
	gone  io.Closer     // of what the store reads
	ended chan struct{} // when serve has returned
}

func newPeer(t *testing.T) *peer {
	t.Helper()
	in, toStore := io.Pipe()
	fromStore, out := io.Pipe()
	p := &peer{t: t, calls: rpc.NewClient(struct {
		io.Reader
		io.Writer
		io.Closer
	}{fromStore, toStore, toStore}), gone: toStore, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		if err := serve(in, out); err != nil {
			t.Error(err)
		}
		out.Close()
	}()
	t.Cleanup(func() {
		p.calls.Close()
		<-p.ended
	})
	return p
}

// answer has the fields of every reply; those that a reply does not have stay empty.
type answer struct {
	Outcome    Outcome
	Kind, Code string
	Size       int64
	Tag        string
	Entries    []Entry
	Bytes      []byte
	ID         int64
}

func (p *peer) call(method string, asked any) answer {
	p.t.Helper()
	var a answer
	if err := p.calls.Call("Store."+method, asked, &a); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
	if a.Outcome.Kind == "" {
		a.Outcome = Outcome{a.Kind, a.Code}
	}
	return a
}

// done calls what must succeed.
func (p *peer) done(method string, asked any) answer {
	p.t.Helper()
	a := p.call(method, asked)
	if a.Outcome.Kind != "" {
		p.t.Fatalf("%s: %+v", method, a.Outcome)
	}
	return a
}

// put writes an object, and tells how that ended.
func (p *peer) put(url string, create bool, data []byte) Outcome {
	id := p.done("Begin", Target{url, create}).ID
	for ; len(data) > 0; data = data[min(len(data), 4<<20):] {
		if o := p.call("Write", Piece{id, data[:min(len(data), 4<<20)]}).Outcome; o.Kind != "" {
			return o
		}
	}
	return p.call("Commit", id).Outcome
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}

// What is written is what is read, whole and by ranges, and listed.
func TestObjects(t *testing.T) {
	g, p := startGateway(t), newPeer(t)
	data := noise(40<<20 + 17)
	if o := p.put(g.url(g.address, "dir/one.bin"), true, data); o.Kind != "" {
		t.Fatal(o)
	}
	if o := p.put(g.url(g.address, "dir/none.bin"), true, nil); o.Kind != "" {
		t.Fatal(o)
	}
	url := g.url(g.address, "dir/one.bin")
	one := p.done("Stat", url)
	if one.Size != int64(len(data)) || one.Tag == "" {
		t.Errorf("stat tells %d bytes, tag %q", one.Size, one.Tag)
	}
	for _, r := range []Range{{url, 0, 1, ""}, {url, 16<<20 - 5, 4 << 20, one.Tag}, {url, one.Size - 3, 3, one.Tag},
		{url, one.Size - 3, 100, ""}} {
		got := p.done("Read", r).Bytes
		if want := data[r.Offset:min(r.Offset+r.Length, one.Size)]; !bytes.Equal(got, want) {
			t.Errorf("read of %d at %d gives %d bytes, or others", r.Length, r.Offset, len(got))
		}
	}
	list := p.done("List", g.url(g.address, "dir/")).Entries
	if len(list) != 2 || list[0] != (Entry{"dir/none.bin", 0, list[0].Tag}) ||
		list[1] != (Entry{"dir/one.bin", one.Size, one.Tag}) || one.Tag == "" {
		t.Errorf("list tells %v", list)
	}
	if o := p.put(url, false, data[:5]); o.Kind != "" {
		t.Fatal(o)
	}
	if again := p.done("Stat", url); again.Tag == one.Tag || again.Size != 5 {
		t.Errorf("an object that was replaced keeps its tag %q, or size %d", again.Tag, again.Size)
	}
}

// What cannot be done is told by its kind, and never in the store's own text.
func TestOutcomes(t *testing.T) {
	g, p := startGateway(t), newPeer(t)
	other := strings.Replace(g.url(g.address, "x"), "s3://bucket", "s3://nobucket", 1)
	for _, c := range []struct{ method, url, kind string }{
		{"Stat", g.url(g.address, "nothing"), missing}, {"Stat", other, missing}, {"List", other, missing},
		{"Stat", "s3:///nothing", address}, {"Stat", "ftp://bucket/x", address},
	} {
		if got := p.call(c.method, c.url).Outcome; got.Kind != c.kind {
			t.Errorf("%s %s: %+v, want %s", c.method, c.url, got, c.kind)
		}
	}
	if got := p.call("Read", Range{URL: g.url(g.address, "nothing"), Offset: 0, Length: 10}).Outcome; got.Kind != missing {
		t.Errorf("read of nothing: %+v", got)
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "another secret")
	if got := newPeer(t).call("Stat", g.url(g.address, "x")).Outcome; got.Kind != denied {
		t.Errorf("with a wrong key: %+v", got)
	}
}

// Of many that write at once, small or in parts, one wins, and the rest are told.
func TestCreateOnly(t *testing.T) {
	g := startGateway(t)
	for _, size := range []int{1000, partSize + 1000} {
		key := map[bool]string{true: "small", false: "large"}[size == 1000]
		var wait sync.WaitGroup
		outcomes := make([]Outcome, 16)
		for i := range outcomes {
			p := newPeer(t)
			wait.Go(func() { outcomes[i] = p.put(g.url(g.address, key), true, bytes.Repeat([]byte{byte(i)}, size)) })
		}
		wait.Wait()
		winner, won := -1, 0
		for i, o := range outcomes {
			switch o.Kind {
			case "":
				winner, won = i, won+1
			case exists:
			default:
				t.Errorf("%s: writer %d: %+v", key, i, o)
			}
		}
		got, err := os.ReadFile(g.path(key))
		if err != nil || won != 1 || !bytes.Equal(got, bytes.Repeat([]byte{byte(winner)}, size)) {
			t.Errorf("%s: %d writers won; what stands there is not that of %d (%v)", key, won, winner, err)
		}
	}
}

// Nothing stands there, and nothing is left in the store, when an upload is aborted
// or when tacet ends in the middle of one.
func TestAbandoned(t *testing.T) {
	g := startGateway(t)
	for name, end := range map[string]func(p *peer, id int64){
		"aborted": func(p *peer, id int64) { p.done("Abort", id) },
		"ended": func(p *peer, _ int64) {
			p.gone.Close()
			<-p.ended
		},
	} {
		p := newPeer(t)
		id := p.done("Begin", Target{g.url(g.address, name), true}).ID
		for range 10 {
			p.done("Write", Piece{id, noise(4 << 20)})
		}
		began := time.Now()
		for len(uploads(t, g)) == 0 && time.Since(began) < 10*time.Second {
			time.Sleep(10 * time.Millisecond)
		}
		if len(uploads(t, g)) == 0 {
			t.Fatalf("%s: no part went up, so nothing is tested", name)
		}
		end(p, id)
		if _, err := os.Stat(g.path(name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something stands there (%v)", name, err)
		}
		if left := uploads(t, g); len(left) > 0 {
			t.Errorf("%s: uploads are left: %v", name, left)
		}
	}
}

// uploads are those that have parts in the store and no object.
func uploads(t *testing.T, g *gateway) (keys []string) {
	t.Helper()
	at, err := newStore(t.Context()).at(g.url(g.address, "x"))
	var client *s3.Client
	if err != nil || !at.bucket.As(&client) {
		t.Fatal("no client", err)
	}
	list, err := client.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: aws.String("bucket")})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range list.Uploads {
		keys = append(keys, aws.ToString(u.Key))
	}
	return keys
}

// An answer that is cut, slow or refused for a while is asked for again, and what
// arrives in the end is right.
func TestFaults(t *testing.T) {
	g := startGateway(t)
	data := noise(9 << 20)
	if err := os.WriteFile(g.path("data"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, set := range map[string]func(*proxy){
		"cut":     func(p *proxy) { p.after.Store(1 << 20); p.cut.Store(3) },
		"refused": func(p *proxy) { p.refuse.Store(2) },
		"slow":    func(p *proxy) { p.delay.Store(int64(5 * time.Millisecond)) },
	} {
		between, p := startProxy(t, g.address), newPeer(t)
		set(between)
		url := g.url(between.address, "data")
		var got []byte
		for off := int64(0); off < int64(len(data)); off += 4 << 20 {
			got = append(got, p.done("Read", Range{URL: url, Offset: off, Length: 4 << 20}).Bytes...)
		}
		if sha256.Sum256(got) != sha256.Sum256(data) {
			t.Errorf("%s: other bytes arrive", name)
		}
		if o := p.put(g.url(between.address, "out-"+name), true, data); o.Kind != "" {
			t.Errorf("%s: writing: %+v", name, o)
		}
		if written, err := os.ReadFile(g.path("out-" + name)); err != nil || !bytes.Equal(written, data) {
			t.Errorf("%s: other bytes were written (%v)", name, err)
		}
	}
	between, p := startProxy(t, g.address), newPeer(t)
	between.after.Store(100) // of a list, which is shorter than a range
	between.cut.Store(3)
	if list := p.done("List", g.url(between.address, "da")).Entries; len(list) != 1 {
		t.Errorf("a list that is cut: %v", list)
	}
	between.after.Store(1 << 10)
	between.cut.Store(1 << 40)
	if o := p.call("Read", Range{URL: g.url(between.address, "data"), Length: 4 << 20}).Outcome; o.Kind != broken {
		t.Errorf("a store that never answers whole: %+v", o)
	}
	if left, _ := filepath.Glob(g.path(".*")); len(left) > 0 {
		t.Logf("the gateway keeps %v", left)
	}
}
