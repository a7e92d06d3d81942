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
type Groups func(v *document.View, o *document.Opened) (files.File, *files.Letters, error)

// combine counts the combinations of letters and groups of the input, in the order of the
// letters.
func combine(ctx context.Context, q document.Request, of []*document.View, open Groups) ([]combination, error) {
	var in []*document.Opened
	var from, groups []*files.Letters
	var strata []files.File
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
		from = append(from, l)
		beside, by, err := open(v, o)
		if err != nil {
			return nil, err
		}
		strata, groups = append(strata, beside), append(groups, by)
	}
	units := len(in[0].Units())
	total := map[string]int64{}
	err := document.EachUnit(units, func() map[string]int64 { return map[string]int64{} },
		func(own map[string]int64, u int) error { return combineUnit(ctx, in, from, strata, groups, u, own) },
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

// combineUnit reads the columns of a unit side by side.
func combineUnit(ctx context.Context, in []*document.Opened, from []*files.Letters, strata []files.File,
	groups []*files.Letters, unit int, to map[string]int64) error {
	// Of each column its letters, then its groups, all 0 where there is one.
	readers, block := make([]files.Reader, 2*len(in)), make([][]int32, 2*len(in))
	for i, o := range in {
		r, err := o.Open(unit, from[i])
		if err != nil {
			return o.Fault(err)
		}
		readers[2*i], block[2*i], block[2*i+1] = r, make([]int32, 4096), make([]int32, 4096)
		if strata[i] == nil {
			continue
		}
		if readers[2*i+1], err = strata[i].Open(unit, groups[i]); err != nil {
			return o.Fault(err)
		}
	}
	key := make([]byte, 8*len(in))
	for ctx.Err() == nil {
		rows := 0
		for i, r := range readers {
			if r == nil {
				continue
			}
			n, err := document.Fill(r, block[i])
			if err != nil {
				return in[i/2].Fault(err)
			}
			if i > 0 && n != rows {
				return document.Errorf("write the file again", "%s: the columns of unit %d have other rows", in[i/2].Path, unit+1)
			}
			rows = n
		}
		if rows == 0 {
			return nil
		}
		for row := range rows {
			for i := range block {
				x := block[i][row]
				if x == files.Stranger {
					return document.Errorf("name the input of this release", "%s: unit %d holds a value or a stratum that its "+
						"plan lacks", in[i/2].Path, unit+1)
				}
				binary.LittleEndian.PutUint32(key[4*i:], uint32(x))
			}
			to[string(key)]++
		}
	}
	return ctx.Err()
}
