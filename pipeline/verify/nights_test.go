package verify

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
	"github.com/tacet-privacy/tacet/pipeline/verify/releases"
)

// A course is several nights of one file; the last one is checked.
type course struct {
	nights int
	rotate int // night with a new key; 0 for none
	change int // night with a new design; 0 for none
	target string
	repeat pipeline.Repeat
	nulls  bool   // values come and go, and nulls stay
	sign   string // file of the key that signs; "" signs nothing
}

var courses = map[string]course{
	"publish": {nights: 3, rotate: 3},
	"hold":    {nights: 3, rotate: 3, repeat: pipeline.Repeat{OnChange: "hold"}},
	"repeat": {nights: 4, rotate: 3, repeat: pipeline.Repeat{OnChange: "publish", TotalEpsilon: "0.9",
		OverBudget: "repeat"}},
	"suppress": {nights: 4, change: 3, target: "0.6", repeat: pipeline.Repeat{OnChange: "publish", TotalEpsilon: "0.95",
		OverBudget: "suppress", KeepEarlier: true}},
	"hide": {nights: 4, rotate: 3, repeat: pipeline.Repeat{OnChange: "publish", TotalEpsilon: "0.9",
		OverBudget: "suppress", KeepEarlier: true}},
	"persons": {nights: 3, repeat: pipeline.Repeat{OnChange: "publish", Person: "p"}},
	"fresh":   {nights: 2},
	"nulls":   {nights: 3, rotate: 3, nulls: true},
	"absent":  {nights: 3, nulls: true, repeat: pipeline.Repeat{OnChange: "hold"}},
}

// A nightly release with what shows the nights before.
type nightly struct {
	*release
	ledger, export, key, history string
}

// run makes all nights.
func (c course) run(t *testing.T, fresh bool) *nightly {
	t.Helper()
	n := &nightly{release: &release{dir: t.TempDir()}}
	n.ledger, n.key = filepath.Join(n.dir, "ledger"), filepath.Join(n.dir, "key")
	k, err := key.New(key.Draw, "2026-01-31T12:00:00Z")
	must(t, err)
	must(t, key.Write(n.key, k))
	r := rand.New(rand.NewPCG(9, 9))
	letters := []string{"a", "a", "a", "b", "b", "c", "c", "d", "e", "f"}
	if c.nulls {
		letters = append(letters, "", "")
	}
	letter, next := make([]string, 2000), len(letters)
	id := make([]int, len(letter))
	for i := range letter {
		letter[i], id[i] = letters[r.IntN(len(letters))], i
	}
	next = len(id)
	for night := 1; night <= c.nights; night++ {
		n.input, n.output = filepath.Join(n.dir, fmt.Sprint("in", night)), filepath.Join(n.dir, fmt.Sprint("out", night))
		writeRecords(t, n.input, id, letter)
		if night == c.rotate {
			_, _, _, err := key.Rotate(n.key, "2026-02-01T00:00:00Z")
			must(t, err)
		}
		o := pipeline.Options{Input: n.input, Column: "c", Utility: "ordered:a,b,c,d,e,f", Epsilon: "0.8", Headroom: "30%",
			Audit:  "off",
			Output: n.output, Report: filepath.Join(n.dir, "report"), Overwrite: true, Repeat: c.repeat, Sign: c.sign}
		o.Ledger, o.Dataset = n.ledger, "visits"
		if c.nulls {
			o.Null = "public"
		}
		if !fresh {
			o.Settings = []report.Setting{{Name: "record-id", Value: "id,k", Origin: "flag"},
				{Name: "person", Value: c.repeat.Person, Origin: "flag"}}
			o.RecordID, o.KeyFile = []string{"id", "k"}, n.key
		} else {
			o.Independent = night > 1
		}
		if c.change > 0 && night >= c.change {
			o.Epsilon, o.Redesign = c.target, night == c.change
		}
		_, err := pipeline.Run(context.Background(), o)
		must(t, err)
		for i := range letter {
			if r.IntN(30) == 0 {
				letter[i] = letters[r.IntN(len(letters))]
			}
			if r.IntN(100) == 0 {
				id[i] = next
				next++
			}
		}
		r.Shuffle(len(id), func(i, j int) { id[i], id[j], letter[i], letter[j] = id[j], id[i], letter[j], letter[i] })
	}
	n.load(t)
	if files, _ := filepath.Glob(n.ledger + ".history/*/*.history"); len(files) == 1 {
		n.history = files[0]
	} else if !fresh {
		t.Fatalf("%d record histories", len(files))
	}
	l, err := ledger.Open(context.Background(), n.ledger, ledger.Options{ReadOnly: true})
	must(t, err)
	defer l.Close()
	var b bytes.Buffer
	must(t, l.Export(context.Background(), &b))
	n.export = b.String()
	return n
}

// writeRecords writes records with an id of two parts, a person and a letter.
func writeRecords(t *testing.T, path string, id []int, letter []string) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "k", Type: arrow.FixedWidthTypes.Date32}, {Name: "p", Type: arrow.PrimitiveTypes.Uint32}}, nil)
	f, err := os.Create(path)
	must(t, err)
	w, err := pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(700)),
		pqarrow.DefaultWriterProps())
	must(t, err)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range id {
		if letter[i] == "" {
			b.Field(0).AppendNull()
		} else {
			b.Field(0).(*array.StringBuilder).Append(letter[i])
		}
		b.Field(1).(*array.Int64Builder).Append(int64(id[i]))
		b.Field(2).(*array.Date32Builder).Append(arrow.Date32(id[i]%9 - 4))
		b.Field(3).(*array.Uint32Builder).Append(uint32(id[i]/3) + 1<<31)
	}
	must(t, w.Write(b.NewRecordBatch()))
	must(t, w.Close())
}

// request names everything; the ledger as the export, or itself where there is
// none.
func (n *nightly) request(t *testing.T) document.Request {
	q := n.release.request()
	q.Ledger, q.Key, q.History = filepath.Join(n.dir, "export"), n.key, n.history
	if n.export == "" {
		q.Ledger = n.ledger
		return q
	}
	must(t, os.WriteFile(q.Ledger, []byte(n.export), 0o600))
	return q
}

// copied is the same release in a folder of its own, to alter.
func (n *nightly) copied(t *testing.T) *nightly {
	c := &nightly{release: n.copyTo(t, filepath.Join(t.TempDir(), "copy")), export: n.export}
	c.ledger, c.key = filepath.Join(c.dir, "ledger"), filepath.Join(c.dir, "key")
	must(t, os.Chmod(c.key, 0o600))
	if n.history != "" {
		c.history = filepath.Join(c.dir, strings.TrimPrefix(n.history, n.dir))
	}
	return c
}

// forge replaces text in the first event that holds it, and makes the chain
// and the report's head fit.
func (n *nightly) forge(t *testing.T, old, text string) {
	t.Helper()
	head, found := strings.Repeat("0", 64), false
	moved := map[string]string{}
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(n.export), "\n") {
		at := strings.LastIndex(line, `,"hash":"`)
		body, hash := line[:at]+"}", line[at+9:len(line)-2]
		if !found && strings.Contains(body, old) {
			body, found = strings.Replace(body, old, text, 1), true
		}
		if i := strings.Index(body, `"previous":"`) + 12; i > 12 {
			body = body[:i] + head + body[i+64:]
		}
		head = files.Hex([]byte(body))
		moved[hash] = head
		lines = append(lines, strings.TrimSuffix(body, "}")+`,"hash":"`+head+`"}`)
	}
	if !found {
		t.Fatalf("no event holds %s", old)
	}
	n.export = strings.Join(lines, "\n") + "\n"
	s := n.series()
	s["head"] = moved[s["head"].(string)]
}

func (n *nightly) series() map[string]any { return at(at(n.report, "history"), "series") }

// rewrite writes the record history anew, and makes the ledger name it.
func (n *nightly) rewrite(t *testing.T, change func(name releases.Name, list []releases.Entry) []releases.Entry) {
	t.Helper()
	h, err := releases.ReadHistory(n.history)
	must(t, err)
	var body []byte
	entries := int64(0)
	must(t, h.Each(func(name releases.Name, list []releases.Entry) error {
		list = change(name, list)
		body = append(body, name[:]...)
		body = append(body, byte(len(list)), byte(len(list)>>8))
		for _, e := range list {
			for _, v := range []uint16{e.Channel, e.Output, e.First, e.Last} {
				body = append(body, byte(v), byte(v>>8))
			}
			entries++
		}
		return nil
	}))
	h.Entries = entries
	meta := encoded(t, h.About)
	data := append([]byte("tacet.history/1\n"), body...)
	data = append(data, meta...)
	data = append(data, byte(len(meta)), byte(len(meta)>>8), byte(len(meta)>>16), byte(len(meta)>>24))
	data = append(data, "tacet.history/1\n"...)
	must(t, os.WriteFile(n.history, data, 0o600))
	named := n.export[strings.Index(n.export, `"sha256":"`+h.SHA256):]
	named = named[:strings.Index(named, "}")]
	as := strings.Replace(named, h.SHA256, files.Hex(data), 1)
	n.forge(t, named, as[:strings.Index(as, `"entries":`)]+fmt.Sprintf(`"entries":%d`, entries))
}

// TestNightsPass: every check of an honest series passes, from the ledger and
// from its export, and every figure is recomputed.
func TestNightsPass(t *testing.T) {
	for name, c := range courses {
		t.Run(name, func(t *testing.T) {
			n := c.run(t, name == "fresh")
			q := n.request(t)
			for _, ledger := range []string{n.ledger, q.Ledger} {
				q.Ledger = ledger
				if ledger == n.ledger {
					q.History = ""
				} else {
					q.History = n.history
				}
				if name == "fresh" {
					q.Key = ""
				}
				got, err := Run(context.Background(), q)
				must(t, err)
				skipped := 0
				for _, k := range got.Checks {
					// The plan that a redesign replaced is not given; an
					// export does not hold the plans of nights before.
					if k.Outcome == document.Failed || k.Outcome == document.NotChecked && k.Name != "pinned plan" &&
						!(c.change > 0 && ledger == q.Ledger && ledger != n.ledger) {
						t.Errorf("%s: %v: %s", k.Name, k.Outcome, k.Detail)
					}
					if k.Outcome == document.NotChecked {
						skipped++
					}
				}
				if len(got.Checks)-skipped < 45 && name != "fresh" && c.change == 0 {
					t.Errorf("only %d checks were made", len(got.Checks)-skipped)
				}
			}
		})
	}
}
