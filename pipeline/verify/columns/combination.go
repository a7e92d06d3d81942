package columns

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A combination is what records hold in several private columns, -1 for a null
// that is no letter; and the groups of the plans that they are in, where there are strata.
type combination struct {
	letter []int32
	group  []int32
	count  int64
}

// Groups open the strata column beside a private one, whose cells are read as the places
// of groups of its plan; nil where it has no strata.
type Groups func(v *document.View, o *document.Opened) (*document.Opened, *files.Letters, error)

// combine counts the combinations of letters and groups of the input, in the order of the
// letters.
func combine(ctx context.Context, q document.Request, of []*document.View, open Groups) ([]combination, error) {
	var in []*document.Opened
	var sides []document.Side // of each column, and of its strata, which are nil where it has none
	defer func() {
		for _, o := range in {
			o.Close()
		}
	}()
	for _, v := range of {
		q.Dialect = v.Report.Dialect()
		o, err := document.OpenInput(q, v.Plan)
		if err != nil {
			return nil, err
		}
		in = append(in, o)
		l, err := files.NewLetters(o.Type(), v.Plan.Inputs)
		if err != nil {
			return nil, document.Errorf("name the input of this release",
				"%s: the values of a plan are not those of its column", q.Input)
		}
		beside, by, err := open(v, o)
		if err != nil {
			return nil, err
		}
		sides = append(sides, document.Side{Of: o, By: l}, document.Side{Of: beside, By: by})
	}
	units := len(in[0].Units())
	total := map[string]int64{}
	err := document.EachUnit(units, func() map[string]int64 { return map[string]int64{} },
		func(own map[string]int64, u int) error { return combineUnit(ctx, sides, u, own) },
		func(own map[string]int64) {
			for k, n := range own {
				total[k] += n
			}
		})
	if err != nil {
		return nil, err
	}
	out := make([]combination, 0, len(total))
	for k, n := range total {
		c := combination{count: n}
		for i := range of {
			c.letter = append(c.letter, int32(binary.LittleEndian.Uint32([]byte(k[8*i:]))))
			c.group = append(c.group, int32(binary.LittleEndian.Uint32([]byte(k[8*i+4:]))))
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b combination) int {
		return cmp.Or(slices.Compare(a.letter, b.letter), slices.Compare(a.group, b.group))
	})
	return out, nil
}

// combineUnit reads the columns of a unit side by side, of each its letters and then its
// groups, which are all 0 where there is one.
func combineUnit(ctx context.Context, sides []document.Side, unit int, to map[string]int64) error {
	var read []document.Side
	for _, s := range sides {
		if s.Of != nil {
			read = append(read, s)
		}
	}
	key := make([]byte, 4*len(sides))
	return document.Abreast(ctx, unit, read, func(block [][]int32) error {
		for row := range block[0] {
			next := 0
			for i, s := range sides {
				if s.Of == nil {
					continue
				}
				x := block[next][row]
				if next++; x == files.Stranger {
					return document.Errorf("name the input of this release", "%s: unit %d holds a value or a stratum that its "+
						"plan lacks", s.Of.Path, unit+1)
				}
				binary.LittleEndian.PutUint32(key[4*i:], uint32(x))
			}
			to[string(key)]++
		}
		return nil
	})
}
