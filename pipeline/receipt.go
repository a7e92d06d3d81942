package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/dataset"
	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
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
	SHA256, Mark string
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
func (r *receipt) fill(p *part, sums []string, out []writtenFile) {
	f, letter := p.Source.File, p.Alphabets.In.Index()
	most := p.Source.MostInFiles()
	if most == nil { // there is one file
		most = make([]dataset.Most, 1)
		for x, n := range p.Source.CountsOf(p.Alphabets.In) {
			if v := p.Alphabets.In.Values(); x < len(v) && 2*n > f.Rows(0) {
				most[0] = dataset.Most{Value: v[x], Count: n}
			}
		}
	}
	r.Shape, r.Sum = f.Shape(), p.Tally.Sum()
	for i := range r.Files {
		w := &r.Files[i]
		w.Units, w.Letter, w.Most = f.UnitsOf(i), letter[most[i].Value], most[i].Count
		w.In.SHA256, w.In.Bytes, w.Out.SHA256, w.Out.Bytes = sums[i], f.BytesOf(i), out[i].sum, out[i].bytes
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

// waits is what shards wrote so far.
type waits struct {
	stands   map[string]dataset.Member // every file, in the folder or in place
	receipts []*receipt                // of files all of which stand
	void     []*receipt                // of others
	told     map[string]*wrote         // what these say of them
}

// found is a file of a folder as it stands now.
func (s *sharding) found(ctx context.Context, folder, rel string) (dataset.Member, error) {
	if store.Is(folder) {
		return dataset.Found(ctx, below(folder, rel), rel)
	}
	return dataset.Local(below(folder, rel), rel), nil
}

// waiting looks at what was written of a set. Where files stand in the output and none
// waits, there is a release, to which no shard adds.
func (s *sharding) waiting(ctx context.Context, set *dataset.Set) (*waits, error) {
	w := &waits{told: map[string]*wrote{}}
	var err error
	if w.stands, err = sharded(ctx, s.o.Waiting); err != nil {
		return nil, err
	}
	hidden := len(w.stands) > 0
	var receipts []dataset.Member
	for _, name := range slices.Sorted(maps.Keys(w.stands)) {
		if strings.HasPrefix(name, receiptName) {
			receipts = append(receipts, w.stands[name])
			delete(w.stands, name)
		}
	}
	if err := s.placed(ctx, set, w.stands, hidden); err != nil {
		return nil, err
	}
	all := make([]*receipt, len(receipts))
	err = table.EachUnit(ctx, len(all), filesAtOnce, func(_, i int) (err error) {
		all[i], err = s.take(receipts[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if slices.ContainsFunc(r.Files, func(f wrote) bool { return w.stands[f.Path].Open == nil }) {
			w.void = append(w.void, r)
			continue
		}
		w.receipts = append(w.receipts, r)
		for k := range r.Files {
			f := &r.Files[k]
			if w.told[f.Path] != nil {
				return nil, s.again("two receipts tell of %s", f.Path)
			}
			w.told[f.Path] = f
		}
	}
	return w, nil
}

// placed adds the files of a set that stand in the output, as where Finish was ended.
func (s *sharding) placed(ctx context.Context, set *dataset.Set, stands map[string]dataset.Member, waiting bool) error {
	there := map[string]dataset.Member{}
	if store.Is(s.o.Output) {
		var err error
		if there, err = sharded(ctx, s.o.Output); err != nil {
			return err
		}
	}
	for _, m := range set.Members {
		if stands[m.Rel].Open != nil {
			continue
		}
		path := below(s.o.Output, m.Rel)
		if !store.Is(path) {
			if _, err := os.Lstat(path); err != nil {
				continue
			}
			there[m.Rel] = dataset.Local(path, m.Rel)
		}
		switch {
		case there[m.Rel].Open == nil, s.o.Overwrite && s.Shard != "":
		case !waiting:
			return &publish.TargetError{Path: store.Plain(path), What: "exists", Exists: true,
				Hint: "give another --output; if this is the release of these shards, nothing is left to draw; where tacet " +
					"finish was ended, run it again"}
		default:
			stands[m.Rel] = there[m.Rel]
		}
	}
	return nil
}

// sharded are the files that wait in the hidden folder, by path.
func sharded(ctx context.Context, hidden string) (map[string]dataset.Member, error) {
	there := map[string]dataset.Member{}
	if store.Is(hidden) {
		all, err := store.List(ctx, store.Folder(hidden))
		for _, e := range all {
			rel := strings.TrimPrefix(e.Key, store.Key(store.Folder(hidden)))
			there[rel] = dataset.Listed(ctx, below(hidden, rel), rel, e)
		}
		return there, err
	}
	err := filepath.WalkDir(hidden, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // as where no shard wrote, or all files are in place
			return nil
		case err != nil:
			return fault.Unreadable("--output", hidden, err)
		case e.IsDir() && strings.HasPrefix(e.Name(), ".shard-"):
			return filepath.SkipDir
		case e.IsDir(), strings.HasPrefix(e.Name(), ".tacet-"): // of a receipt that a killed shard began
			return nil
		}
		rel, err := filepath.Rel(hidden, path)
		rel = filepath.ToSlash(rel)
		there[rel] = dataset.Local(path, rel)
		return err
	})
	return there, err
}

// A witnessed input is known by receipts: nothing of it was read here but what was drawn
// again.
type witnessed struct {
	input *count.Input
	tally *records.Tally
	files []*wrote // by file
}

// witness adds up the receipts of all files, and draws some again.
func (s *sharding) witness(ctx context.Context) (*witnessed, error) {
	reading, set, w, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.complete(set, w); err != nil {
		return nil, err
	}
	if err := s.unchanged(ctx, set, w); err != nil {
		return nil, err
	}
	place := map[string]int{}
	for i, m := range set.Members {
		place[m.Rel] = i
	}
	var drawn *count.Input
	rand.Shuffle(len(w.receipts), func(i, j int) { w.receipts[i], w.receipts[j] = w.receipts[j], w.receipts[i] })
	for _, r := range w.receipts[:min(mostRedrawn, (len(w.receipts)+3)/4)] {
		some, written := *set, *set
		some.Members, written.Members = nil, nil
		for _, f := range r.Files {
			some.Members, written.Members = append(some.Members, set.Members[place[f.Path]]),
				append(written.Members, w.stands[f.Path])
		}
		in, found, err := s.draw(ctx, reading, &some, &written)
		if err != nil {
			return nil, err
		}
		for i, f := range r.Files {
			found.Files[i].In.Mark, found.Files[i].Out.Mark = f.In.Mark, f.Out.Mark
		}
		if !bytes.Equal(found.encode(), r.encode()) {
			return nil, s.again("a receipt tells otherwise of %s", r.Files[0].Path)
		}
		drawn = in
	}
	return s.sum(ctx, set, w, drawn)
}

// complete refuses a set of which files were not drawn, and files that it does not have any
// more: they were drawn from records that the release would not tell of.
func (s *sharding) complete(set *dataset.Set, w *waits) error {
	var missing []string
	left := maps.Clone(w.stands)
	for _, m := range set.Members {
		if w.told[m.Rel] == nil {
			missing = append(missing, m.Rel)
		}
		delete(left, m.Rel)
	}
	if len(missing) > 0 {
		return fault.New(fault.Input, "run the missing shards, with this plan, run key and run id, and finish again",
			"%d of %d files of %s are in no shard yet, the first is %s", len(missing), len(set.Members), store.Plain(set.Path),
			missing[0])
	}
	if len(left) == 0 {
		return nil
	}
	rel := slices.Min(slices.Collect(maps.Keys(left)))
	return fault.New(fault.Input, "put the file back, or remove "+store.Plain(below(s.o.Waiting, rel)),
		"a shard drew %s, which %s does not have", rel, store.Plain(set.Path))
}

// unchanged holds every file of input and output to its receipt: by its mark, or else by its
// bytes.
func (s *sharding) unchanged(ctx context.Context, set *dataset.Set, w *waits) error {
	return table.EachUnit(ctx, len(set.Members), filesAtOnce, func(_, i int) error {
		of := set.Members[i]
		told := w.told[of.Rel]
		for _, c := range []struct {
			dataset.Member
			*kept
		}{{of, &told.In}, {w.stands[of.Rel], &told.Out}} {
			mark, err := c.Member.Mark()
			if err == nil && mark == c.kept.Mark && mark != "" {
				continue
			}
			f, err := c.Open()
			if err != nil {
				return err
			}
			sum, err := publish.Sum(ctx, s.o.Hash, f)
			if err := errors.Join(err, f.Close()); err != nil {
				return err
			}
			if sum != c.SHA256 {
				return s.again("%s is another file", of.Rel)
			}
			c.kept.Mark = mark
		}
		return nil
	})
}

// sum is what all receipts say together; in is an input that some of the files were drawn
// from here.
func (s *sharding) sum(ctx context.Context, set *dataset.Set, w *waits, in *count.Input) (*witnessed, error) {
	out := &witnessed{tally: records.NewTally(s.given)}
	a, err := records.AlphabetsOf(s.given, in.Private[0])
	if err != nil {
		return nil, err
	}
	b := count.Before{In: a.In}
	for _, r := range w.receipts {
		if r.Shape != in.File.Shape() { // whoever opens all of them says how they differ
			_, err := count.OpenFound(ctx, in.Reading, set, []string{s.Column})
			return nil, errors.Join(err, s.again("the files are not alike"))
		}
		if !out.tally.Add(r.Sum) {
			return nil, s.again("a receipt tells of another plan")
		}
	}
	for _, m := range set.Members {
		f := w.told[m.Rel]
		look := dataset.Look{Units: f.Units, Bytes: f.In.Bytes, Most: dataset.Most{Count: f.Most}}
		for _, n := range f.Units {
			look.Most.Rows += n
		}
		if f.Most > 0 {
			look.Most.Value = a.In.Values()[f.Letter]
		}
		out.files, b.Looks = append(out.files, f), append(b.Looks, look)
	}
	b.Given, b.Nulls = out.tally.Letters()
	out.input, err = in.Over(set, b)
	return out, err
}

// sums are the hashes of the files of the input.
func (w *witnessed) sums() *summing {
	h := &summing{stop: func() {}, done: make(chan struct{})}
	for _, f := range w.files {
		h.sums = append(h.sums, f.In.SHA256)
	}
	close(h.done)
	return h
}
