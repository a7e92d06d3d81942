package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A teller passes questions on to a store, counts them, and spoils some.
type teller struct {
	*httptest.Server
	asked, spoilt atomic.Int64
	each          int64 // every so many-th is spoilt; 0 for none
}

func startTeller(t *testing.T, g *gateway, each int64) *teller {
	to := &url.URL{Scheme: "http", Host: g.address}
	behind := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // which is signed
	}}
	through := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, _ := strings.CutPrefix(r.URL.Path, "/bucket/")
		_, err := os.Stat(g.path(key))
		if r.Header.Get("X-Amz-Copy-Source") != "" && r.Header.Get("If-None-Match") == "*" && err == nil {
			w.WriteHeader(http.StatusPreconditionFailed) // as S3 has it; the gateway copies nevertheless
			_, _ = io.WriteString(w, "<Error><Code>PreconditionFailed</Code></Error>")
			return
		}
		behind.ServeHTTP(w, r)
	})
	p := &teller{each: each}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := p.asked.Add(1); p.each == 0 || n%p.each != 0 {
			through.ServeHTTP(w, r)
			return
		}
		switch p.spoilt.Add(1) % 5 {
		case 0:
			http.Error(w, "", http.StatusInternalServerError)
		case 1:
			http.Error(w, "", http.StatusServiceUnavailable)
		case 2:
			time.Sleep(50 * time.Millisecond)
			through.ServeHTTP(w, r)
		case 3: // the answer is lost
			through.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		default: // the answer is cut
			answer := httptest.NewRecorder()
			through.ServeHTTP(answer, r)
			for name, values := range answer.Header() {
				w.Header()[name] = values
			}
			w.Header().Set("Content-Length", strconv.Itoa(max(answer.Body.Len(), 1)))
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
			panic(http.ErrAbortHandler)
		}
	}))
	p.Config.ErrorLog = nil
	t.Cleanup(p.Close)
	return p
}

// at is an address behind the teller.
func (p *teller) at(g *gateway, key string) string {
	return g.url(strings.TrimPrefix(p.URL, "http://"), key)
}

// small writes n files of 100 rows, and puts them into the store: one that is written behind its back has no tag.
func small(t *testing.T, g *gateway, n int, folder string) {
	t.Helper()
	p := newPeer(t)
	for i := range n {
		var rows bytes.Buffer
		r := rand.New(rand.NewPCG(1, uint64(i)))
		rows.WriteString("letter,n\n")
		for j := range 100 {
			fmt.Fprintf(&rows, "%c,%d\n", 'A'+r.IntN(5), j%17)
		}
		rel := fmt.Sprintf("dt=%d/%d.csv", i%3, i)
		path := filepath.Join(folder, "in", filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, path, rows.Bytes())
		if o := p.put(g.url(g.address, "in/"+rel), true, rows.Bytes()); o.Kind != "" {
			t.Fatal(o)
		}
	}
}

// Many small objects are counted, drawn, finished and verified by few questions each; and
// where many of these are refused, late, lost or cut, the bytes are the same.
func TestRequests(t *testing.T) {
	g, p := startGateway(t), newTacet(t)
	t.Setenv("TMPDIR", t.TempDir())
	n := 100
	if most, err := strconv.Atoi(os.Getenv("TACET_OBJECTS")); err == nil {
		n = most
	}
	small(t, g, n, p.dir)
	p.done("key", "new", "--type", "run", "--output", "run.key")
	p.done("design", "--input", "in", "--column", "letter", "--utility", "ordered:A,B,C,D,E", "--max-factor", "3",
		"--write-plan", "plan.json")
	step := func(command, in, out string, more ...string) []string {
		return append([]string{command, "--input", in, "--output", out, "--plan", "plan.json", "--run-key", "run.key",
			"--run-id", "1"}, more...)
	}
	p.done(step("apply", "in", "local", "--report", "local.report")...)
	want := below(t, filepath.Join(p.dir, "local"))
	for name, each := range map[string]int64{"sound": 0, "failing": 11} {
		t.Run(name, func(t *testing.T) {
			through := startTeller(t, g, each)
			in, out, report := through.at(g, "in/"), through.at(g, name+"/"), name+".report"
			for _, c := range []struct {
				most float64 // questions for an object
				args []string
			}{
				{3, []string{"estimate", "--input", in, "--column", "letter", "--write-counts", name + ".csv"}},
				{6, step("apply", in, out, "--shard", "1/1")},
				{2 + 64/float64(n), step("finish", in, out, "--report", report)}, // and those that are drawn again
				{2, []string{"verify", "--report", report, "--input", in, "--output", out}},
			} {
				before, began, run := through.asked.Load(), time.Now(), p.command(c.args...)
				if said, err := run.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, said)
				}
				asked := float64(through.asked.Load()-before) / float64(n)
				t.Logf("%s: %.2f for an object, %v, of a processor %v", c.args[0], asked, time.Since(began).Round(time.Millisecond),
					run.ProcessState.UserTime()+run.ProcessState.SystemTime())
				if each == 0 && asked > c.most+.3 {
					t.Errorf("%s: %.2f questions for an object, want at most %v", c.args[0], asked, c.most)
				}
			}
			t.Logf("%d of %d answers were spoilt", through.spoilt.Load(), through.asked.Load())
			if spoilt := through.spoilt.Load(); each > 0 && spoilt < int64(n)*7/10 {
				t.Errorf("control: %d answers were spoilt for %d objects", spoilt, n)
			}
			same(t, name, below(t, g.path(name)), want)
		})
	}
}
