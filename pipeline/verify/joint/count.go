package joint

import (
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tacet-privacy/tacet/pipeline/verify/cells"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
)

// A combination is what records hold in several private columns, -1 for a null
// that is no letter.
type combination struct {
	letter []int32
	count  int64
}

// combine counts the combinations of letters of the input, in the order of the
// letters.
func combine(ctx context.Context, path string, of []*subject.View) ([]combination, error) {
	var in []*pair.Opened
	var from []*cells.Letters
	defer func() {
		for _, o := range in {
			o.Disk.Close()
		}
	}()
	for _, v := range of {
		o, err := pair.OpenFile(path, "--input", v.Plan.Column)
		if err != nil {
			return nil, err
		}
		in = append(in, o)
		l, err := cells.NewLetters(o.Type(), v.Plan.Inputs)
		if err != nil {
			return nil, document.Errorf("name the input of this release", "%s: the letters of a plan are not those of its column", path)
		}
		from = append(from, l)
	}
	units := len(in[0].Units())
	total := map[string]int64{}
	var next atomic.Int64
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	for range min(runtime.GOMAXPROCS(0), units) {
		group.Go(func() {
			own := map[string]int64{}
			var err error
			for u := int(next.Add(1)) - 1; u < units && err == nil; u = int(next.Add(1)) - 1 {
				err = combineUnit(ctx, in, from, u, own)
			}
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
			for k, n := range own {
				total[k] += n
			}
		})
	}
	group.Wait()
	if failed != nil {
		return nil, pair.FirstError(failed)
	}
	out := make([]combination, 0, len(total))
	for k, n := range total {
		c := combination{count: n}
		for i := range of {
			c.letter = append(c.letter, int32(binary.LittleEndian.Uint32([]byte(k[4*i:]))))
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b combination) int { return slices.Compare(a.letter, b.letter) })
	return out, nil
}

// combineUnit reads the columns of a unit side by side.
func combineUnit(ctx context.Context, in []*pair.Opened, from []*cells.Letters, unit int, to map[string]int64) error {
	readers, block := make([]cells.Reader, len(in)), make([][]int32, len(in))
	for i, o := range in {
		r, err := o.Open(unit, from[i])
		if err != nil {
			return o.Fault(err)
		}
		readers[i], block[i] = r, make([]int32, 4096)
	}
	key := make([]byte, 4*len(in))
	for ctx.Err() == nil {
		rows := 0
		for i, r := range readers {
			n, err := pair.Fill(r, block[i])
			if err != nil {
				return in[i].Fault(err)
			}
			if i > 0 && n != rows {
				return document.Errorf("write the file again", "%s: the columns of unit %d have other rows", in[i].Path, unit+1)
			}
			rows = n
		}
		if rows == 0 {
			return nil
		}
		for row := range rows {
			for i := range block {
				x := block[i][row]
				if x == cells.Stranger {
					return document.Errorf("name the input of this release", "%s: unit %d holds a value that is no letter of a plan", in[i].Path, unit+1)
				}
				binary.LittleEndian.PutUint32(key[4*i:], uint32(x))
			}
			to[string(key)]++
		}
	}
	return ctx.Err()
}
