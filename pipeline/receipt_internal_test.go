package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
)

// A shardedSet is six files and an empty one, drawn in as many shards as asked, with what a test alters.
type shardedSet struct {
	t       *testing.T
	o       Options
	dir     string
	waiting string
}

func newShardedSet(t *testing.T, shards int, change ...func(*Options)) *shardedSet {
	t.Helper()
	s := &shardedSet{t: t, dir: t.TempDir()}
	for i := range 6 {
		var rows bytes.Buffer
		fmt.Fprintf(&rows, ",n%d\n", i) // a null
		for j := range 40 {
			fmt.Fprintf(&rows, "%c,n%d\n", 'A'+(j*j+i)%3, 10*i+j)
		}
		s.write(fmt.Sprintf("in/%d.csv", i), []byte("c,n\n"+rows.String()))
	}
	s.write("in/none.csv", []byte("c,n\n"))
	s.o = Options{Input: s.path("in"), Header: "yes", Column: "c", Utility: "ordered:A,B,C", MaxFactor: "2", Audit: "off",
		Null: "public", WritePlan: s.path("plan.json")}
	if _, _, err := Design(t.Context(), s.o); err != nil {
		t.Fatal(err)
	}
	s.o = Options{Input: s.path("in"), Header: "yes", Plan: s.path("plan.json"), Output: s.path("out"),
		Report: s.path("report"), Audit: "off"}
	s.o.RunKey, s.o.RunID = s.path("run.key"), "one"
	s.newKey(s.o.RunKey)
	for _, c := range change {
		c(&s.o)
	}
	s.draw(s.o, shards)
	w, err := newSharding(t.Context(), asked{&s.o, "finish"})
	must(t, err)
	s.waiting = w.o.Waiting
	return s
}

func (s *shardedSet) path(name string) string { return filepath.Join(s.dir, name) }

func (s *shardedSet) newKey(path string) {
	k, err := key.New(key.Run, "2026-01-01T00:00:00Z")
	if err == nil {
		err = key.Write(path, k)
	}
	s.must(err)
}

func (s *shardedSet) draw(o Options, shards int) {
	o.Report = ""
	for i := range shards {
		o.Shard = fmt.Sprintf("%d/%d", i+1, shards)
		if _, err := Shard(s.t.Context(), o); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *shardedSet) write(name string, data []byte) {
	s.must(os.MkdirAll(filepath.Dir(s.path(name)), 0o700))
	s.must(os.WriteFile(s.path(name), data, 0o600))
}

func (s *shardedSet) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// receipts are the paths of those that are there.
func (s *shardedSet) receipts() []string {
	found, err := filepath.Glob(filepath.Join(s.waiting, receiptName+"*"))
	s.must(err)
	return found
}

// alter changes the bytes of a file.
func (s *shardedSet) alter(path string, change func([]byte) []byte) {
	data, err := os.ReadFile(path)
	s.must(err)
	s.must(os.WriteFile(path, change(data), 0o600))
}

// swap exchanges two files.
func (s *shardedSet) swap(a, b string) {
	s.must(os.Rename(a, a+".tmp"))
	s.must(os.Rename(b, a))
	s.must(os.Rename(a+".tmp", b))
}

// receive puts the receipts of another run of the same files in the place of these.
func (s *shardedSet) receive(change func(*Options)) {
	o := s.o
	o.Output = s.path("other")
	change(&o)
	s.draw(o, 2)
	found, err := filepath.Glob(filepath.Join(o.Output, ".tacet-shards-*", receiptName+"*"))
	s.must(err)
	if len(found) != 2 {
		s.t.Fatalf("control: %d receipts of the other run", len(found))
	}
	for _, path := range found {
		data, err := os.ReadFile(path)
		s.must(err)
		s.must(os.WriteFile(filepath.Join(s.waiting, filepath.Base(path)), data, 0o600))
	}
}

// forge seals a receipt anew, as only who has the run key can.
func (s *shardedSet) forge(change func(*receipt)) {
	w, err := newSharding(s.t.Context(), asked{&s.o, "finish"})
	s.must(err)
	at := s.receipts()[0]
	m, err := dataset.Found(s.t.Context(), at, filepath.Base(at))
	s.must(err)
	r, err := w.take(m)
	s.must(err)
	change(r)
	s.must(w.put(s.t.Context(), r))
}

func (s *shardedSet) file(i int) string  { return filepath.Join(s.waiting, fmt.Sprintf("%d.csv", i)) }
func (s *shardedSet) input(i int) string { return s.path(fmt.Sprintf("in/%d.csv", i)) }

// spare is the path of a receipt that nobody wrote.
func (s *shardedSet) spare() string { return filepath.Join(s.waiting, receiptName+"0") }

func noise(b []byte) []byte { return bytes.Repeat([]byte{7}, len(b)) }

func bit(b []byte) []byte { b[len(b)/2] ^= 1; return b }

func cut(b []byte) []byte { return b[:len(b)-5] }

// redrawn changes a letter of the last row but not its length.
func redrawn(data []byte) []byte {
	out := slices.Clone(data)
	at := bytes.LastIndexByte(bytes.TrimRight(out, "\n"), '\n') + 1
	out[at] = 'A' + (out[at]-'A'+1)%3
	return out
}

// A receipt that is forged, exchanged, missing, repeated or stale is refused, and so is what
// is not as its receipt says, before anything is put in place.
func TestReceiptsRefused(t *testing.T) {
	for name, alter := range map[string]func(*shardedSet){
		"noise for a receipt": func(s *shardedSet) {
			s.alter(s.receipts()[0], noise)
		},
		"a bit of a receipt":           func(s *shardedSet) { s.alter(s.receipts()[0], bit) },
		"the end of a receipt":         func(s *shardedSet) { s.alter(s.receipts()[1], cut) },
		"an empty receipt":             func(s *shardedSet) { s.alter(s.receipts()[1], func([]byte) []byte { return nil }) },
		"a receipt under another name": func(s *shardedSet) { s.must(os.Rename(s.receipts()[0], s.spare())) },
		"two receipts exchanged":       func(s *shardedSet) { s.swap(s.receipts()[0], s.receipts()[1]) },
		"a receipt twice":              func(s *shardedSet) { s.must(os.Link(s.receipts()[0], s.spare())) },
		"receipts of another key": func(s *shardedSet) {
			s.receive(func(o *Options) { o.RunKey = s.path("other.key"); s.newKey(o.RunKey) })
		},
		"receipts of another run":   func(s *shardedSet) { s.receive(func(o *Options) { o.RunID = "two" }) },
		"receipts of other columns": func(s *shardedSet) { s.receive(func(o *Options) { o.Drop = []string{"n"} }) },
		"no receipt of some files":  func(s *shardedSet) { s.must(os.Remove(s.receipts()[1])) },
		"no receipt at all": func(s *shardedSet) {
			s.must(errors.Join(os.Remove(s.receipts()[1]), os.Remove(s.receipts()[0])))
		},
		"two receipts of one file": func(s *shardedSet) { s.forge(func(r *receipt) { r.Files = r.Files[:1] }) },
		"a receipt of a file that is not": func(s *shardedSet) {
			s.forge(func(r *receipt) { r.Files = r.Files[:1]; r.Files[0].Path = "9.csv" })
			s.must(os.Link(s.file(0), s.file(9)))
		},
		"an input that changed since": func(s *shardedSet) { s.alter(s.input(2), redrawn) },
		"two inputs exchanged":        func(s *shardedSet) { s.swap(s.input(1), s.input(4)) },
		"an input that came since":    func(s *shardedSet) { s.write("in/7.csv", []byte("c,n\nA,1\n")) },
		"an input that went since":    func(s *shardedSet) { s.must(os.Remove(s.input(5))) },
		"an output that changed":      func(s *shardedSet) { s.alter(s.file(3), redrawn) },
		"an output that changed, with its time": func(s *shardedSet) {
			st, err := os.Stat(s.file(3))
			s.must(err)
			s.alter(s.file(3), redrawn)
			s.must(os.Chtimes(s.file(3), time.Time{}, st.ModTime()))
		},
		"an output cut short": func(s *shardedSet) { s.alter(s.file(0), cut) },
		"an input for an output": func(s *shardedSet) {
			data, err := os.ReadFile(s.input(0))
			s.must(err)
			s.must(os.WriteFile(s.file(0), data, 0o600))
		},
		"two outputs exchanged":         func(s *shardedSet) { s.swap(s.file(2), s.file(4)) },
		"an output that went":           func(s *shardedSet) { s.must(os.Remove(s.file(1))) },
		"an output of another run, too": func(s *shardedSet) { s.must(os.WriteFile(s.file(8), []byte("c,n\nA,1\n"), 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShardedSet(t, 2)
			alter(s)
			s.refused()
		})
	}
}

// What a shard tells wrongly of files that it drew is found where they are drawn again: a
// quarter of the receipts, and always the only one.
func TestReceiptsThatLie(t *testing.T) {
	for name, lie := range map[string]func(*receipt){
		"a row more":             func(r *receipt) { r.Sum.Rows++ },
		"a count":                func(r *receipt) { r.Sum.Groups[0].Cells[0].N++; r.Sum.Groups[0].Cells[1].N-- },
		"a pair":                 func(r *receipt) { r.Sum.Groups[0].Cells[0].Y = 2 },
		"the rows of a file":     func(r *receipt) { r.Files[0].Units[0]++; r.Files[1].Units[0]-- },
		"a commonest value":      func(r *receipt) { r.Files[0].Letter, r.Files[0].Most = 1, 30 },
		"the hash of an input":   func(r *receipt) { r.Files[0].In.SHA256 = r.Files[1].In.SHA256 },
		"the bytes of an output": func(r *receipt) { r.Files[0].Out.Bytes++ },
		"the schema":             func(r *receipt) { r.Shape += "x" },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShardedSet(t, 1)
			s.forge(lie)
			s.refused()
		})
	}
}

// refused holds that Finish refuses, and puts nothing in place.
func (s *shardedSet) refused() {
	s.t.Helper()
	_, err := Finish(context.Background(), s.o)
	if f := fault.As(err); err == nil || f.Class != fault.Input {
		s.t.Fatalf("accepted: %v", err)
	}
	for _, name := range []string{"report/release.json", "out/0.csv", "out/3.csv"} {
		if _, err := os.Stat(s.path(name)); err == nil {
			s.t.Errorf("%s is there", name)
		}
	}
}

// What nothing altered is finished; times that differ, as those of a copy, cost a reading
// alone.
func TestReceiptsAccepted(t *testing.T) {
	s := newShardedSet(t, 2)
	s.must(os.Chtimes(s.file(1), time.Time{}, time.Unix(1, 0)))
	s.must(os.Chtimes(s.input(2), time.Time{}, time.Unix(1, 0)))
	reports, err := Finish(context.Background(), s.o)
	must(t, err)
	if r := reports[0]; r.Nulls == nil || r.Nulls.Count != 6 || r.Output.Rows != 246 || r.Output.Files != 7 {
		t.Errorf("%+v of %+v", r.Nulls, r.Output)
	}
}
