package verify_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// A course is several nights of one file; the last one is checked.
type course struct {
	nights int
	rotate int // night with a new key; 0 for none
	repeat pipeline.Repeat
	nulls  bool   // values come and go, and nulls stay
	sign   string // file of the key that signs; "" signs nothing
}

var courses = map[string]course{
	"draw":    {nights: 3, rotate: 3},
	"hold":    {nights: 3, rotate: 3, repeat: pipeline.Repeat{OnChange: "hold"}},
	"total":   {nights: 4, rotate: 3, repeat: pipeline.Repeat{TotalEpsilon: "0.9"}},
	"persons": {nights: 3, repeat: pipeline.Repeat{OnChange: "draw", Person: "p"}},
	"fresh":   {nights: 1},
	"nulls":   {nights: 3, rotate: 3, nulls: true},
	"both":    {nights: 4, rotate: 3, nulls: true, repeat: pipeline.Repeat{TotalEpsilon: "0.9"}},
	"absent":  {nights: 3, nulls: true, repeat: pipeline.Repeat{OnChange: "hold"}},
}

// run makes all nights.
func (c course) run(t *testing.T, fresh bool) *release {
	t.Helper()
	n := &release{dir: t.TempDir()}
	n.ledger, n.drawKey = filepath.Join(n.dir, "ledger"), filepath.Join(n.dir, "key")
	k, err := key.New(key.Draw, "2026-01-31T12:00:00Z")
	must(t, err)
	must(t, key.Write(n.drawKey, k))
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
			_, _, _, err := key.Rotate(n.drawKey, "2026-02-01T00:00:00Z")
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
			o.RecordID, o.KeyFile = []string{"id", "k"}, n.drawKey
		}
		_, err := pipeline.Run(t.Context(), o)
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
	if fresh {
		n.drawKey = ""
	}
	l, err := ledger.Open(t.Context(), n.ledger, ledger.Options{ReadOnly: true})
	must(t, err)
	defer l.Close()
	var b bytes.Buffer
	must(t, l.Export(t.Context(), &b))
	n.export = b.String()
	return n
}

// writeRecords writes records with an id of two parts, a person and a letter.
func writeRecords(t *testing.T, path string, id []int, letter []string) {
	fields := []arrow.Field{{Name: "c", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "k", Type: arrow.FixedWidthTypes.Date32},
		{Name: "p", Type: arrow.PrimitiveTypes.Uint32}}
	writeTable(t, path, false, fields, len(id), 700, func(row int) []string {
		i := id[row]
		return []string{letter[row], strconv.Itoa(i), arrow.Date32(i%9 - 4).FormattedString(), strconv.Itoa(i/3 + 1<<31)}
	})
}

// forge replaces text in the first event that holds it, and makes the chain
// and the report's head fit.
func (n *release) forge(t *testing.T, old, text string) {
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
		head = hexSum([]byte(body))
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

// rewrite writes the record history anew, and makes the ledger name it.
func (n *release) rewrite(t *testing.T, change func(name recordName, list []showing) []showing) {
	t.Helper()
	const magic = "tacet.history/1\n"
	whole := []byte(mustRead(t, n.history))
	held := whole[len(magic) : len(whole)-len(magic)-4]
	end := len(held) - int(binary.LittleEndian.Uint32(whole[len(magic)+len(held):]))
	var body []byte
	entries := 0
	for rest := held[:end]; len(rest) > 0; {
		name, length := recordName(rest[:16]), int(binary.LittleEndian.Uint16(rest[16:]))
		rest = rest[18:]
		var list []showing
		for range length {
			var e showing
			for i, to := range []*uint16{&e.Channel, &e.Output, &e.First, &e.Last} {
				*to = binary.LittleEndian.Uint16(rest[2*i:])
			}
			list, rest = append(list, e), rest[8:]
		}
		list = change(name, list)
		body = binary.LittleEndian.AppendUint16(append(body, name[:]...), uint16(len(list)))
		for _, e := range list {
			for _, v := range []uint16{e.Channel, e.Output, e.First, e.Last} {
				body = binary.LittleEndian.AppendUint16(body, v)
			}
			entries++
		}
	}
	meta := entriesTold.ReplaceAll(held[end:], fmt.Appendf(nil, `"entries":%d`, entries))
	was := hexSum(whole)
	data := slices.Concat([]byte(magic), body, meta, binary.LittleEndian.AppendUint32(nil, uint32(len(meta))),
		[]byte(magic))
	must(t, os.WriteFile(n.history, data, 0o600))
	named := n.export[strings.Index(n.export, `"sha256":"`+was):]
	named = named[:strings.Index(named, "}")]
	as := strings.Replace(named, was, hexSum(data), 1)
	n.forge(t, named, as[:strings.Index(as, `"entries":`)]+fmt.Sprintf(`"entries":%d`, entries))
}

// entriesTold is the number of entries that a record history tells.
var entriesTold = regexp.MustCompile(`"entries":\d+`)

// A recordName is the keyed name of a record, and a showing one output of it: through
// which channel, and in which nights first and last. Output 0xffff is null.
type (
	recordName [16]byte
	showing    struct{ Channel, Output, First, Last uint16 }
)

func (n *release) series() map[string]any { return at(at(at(n.report, "stated"), "history"), "series") }

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
				got, err := verify.Run(t.Context(), q)
				must(t, err)
				skipped := 0
				for _, k := range got.Checks {
					if o := k.Outcome.String(); o == "FAILED" || o == "not checked" && k.Name != "pinned plan" {
						t.Errorf("%s: %v: %s", k.Name, k.Outcome, k.Detail)
					} else if o == "not checked" {
						skipped++
					}
				}
				if len(got.Checks)-skipped < 45 && name != "fresh" {
					t.Errorf("only %d checks were made", len(got.Checks)-skipped)
				}
			}
		})
	}
}
