package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"fmt"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/records"
)

// A receipt is what a shard found of files that it drew and checked together. Only who has
// the run key can write one, or read it.
type receipt struct {
	Shape string // of all files
	Files []wrote
	Sum   records.Sum
}

// wrote is one file.
type wrote struct {
	Path    string
	Units   []int64
	In, Out kept
	Letter  int32 // of the plan, that more than half of the rows have,
	Most    int64 // and these rows; 0 where there is none
}

// kept is a file as it stood when it was read or written.
type kept struct {
	SHA256, Mark string // "" where none was computed
	Bytes        int64
}

const (
	// receiptName begins the names of receipts.
	receiptName = ".receipt-"
	// filesAtOnce are drawn, checked and put in place together, unless they have more than
	// bytesAtOnce: memory does not depend on how many a shard has, and little is done again
	// after a crash.
	filesAtOnce = 64
	bytesAtOnce = 256 << 20
	// mostRedrawn is how many receipts finish draws again, of all at most a quarter.
	mostRedrawn = 20
)

// batches are files that are drawn together.
func batches(files []dataset.Member) (all [][]dataset.Member) {
	size := int64(bytesAtOnce)
	for _, m := range files {
		last := len(all) - 1
		if size += m.Size; last < 0 || size > bytesAtOnce || len(all[last]) == filesAtOnce {
			all, size, last = append(all, nil), m.Size, last+1
		}
		all[last] = append(all[last], m)
	}
	return all
}

// fill says what was drawn and checked of a column.
func (r *receipt) fill(p *part, sums []string, out []kept) {
	f, most := p.Source.File, p.Source.MostInFiles()
	if most == nil { // there is one file
		most = make([]dataset.Most, 1)
		for x, n := range p.Source.CountsOf(p.Alphabets.In) {
			if v := p.Alphabets.In.Values(); x < len(v) && 2*n > f.Rows(0) {
				most[0] = dataset.Most{Value: v[x], Count: n}
			}
		}
	}
	var values []table.Value
	for _, m := range most {
		values = append(values, m.Value)
	}
	letter := table.NewAlphabet(p.Alphabets.In.Type(), values, false).Over(p.Alphabets.In)
	r.Shape, r.Sum = f.Shape(), p.Tally.Sum()
	for i := range r.Files {
		w := &r.Files[i]
		w.Units, w.Letter, w.Most = f.UnitsOf(i), letter[i], most[i].Count
		w.In.SHA256, w.In.Bytes, w.Out = sums[i], f.BytesOf(i), out[i]
	}
}

// name is that of the receipt of some files.
func (r *receipt) name() string {
	h := sha256.New()
	for _, w := range r.Files {
		fmt.Fprintf(h, "%d:%s", len(w.Path), w.Path)
	}
	return fmt.Sprintf("%s%x", receiptName, h.Sum(nil)[:16])
}

// encode is the receipt as it is sealed.
func (r *receipt) encode() []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(r); err != nil {
		panic("pipeline: " + err.Error()) // a buffer takes all, and the types can be written
	}
	return b.Bytes()
}

// put writes a receipt.
func (s *sharding) put(ctx context.Context, r *receipt) error {
	at := below(s.o.Waiting, r.name())
	sealed := s.seal.Seal(nil, nil, r.encode(), []byte(r.name()))
	if store.Is(at) {
		return store.Put(ctx, store.Target{URL: at}, bytes.NewReader(sealed))
	}
	return publish.Put(publish.Target{Path: at, Overwrite: true, Private: true}, sealed)
}

// take reads the receipt of a name.
func (s *sharding) take(m dataset.Member) (*receipt, error) {
	f, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sealed := make([]byte, f.Size())
	if _, err := f.ReadAt(sealed, 0); err != nil {
		return nil, err
	}
	r := &receipt{}
	text, err := s.seal.Open(nil, nil, sealed, []byte(m.Rel))
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(text)).Decode(r)
	}
	if err != nil || r.name() != m.Rel {
		return nil, s.again("%s is not what a shard of this run wrote", m.Rel)
	}
	return r, nil
}

// again is a fault that another run of the shards mends.
func (s *sharding) again(format string, args ...any) error {
	return fault.New(fault.Input, "the input has changed since, or a file is damaged: remove "+store.Plain(s.o.Waiting)+
		", and run the shards again", "what the shards wrote is not what this plan, run key and input give: "+format, args...)
}
