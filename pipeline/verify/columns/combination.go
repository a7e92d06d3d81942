package columns

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A combination is what records hold in several private columns, -1 for a null
// that is no letter.
type combination struct {
	letter []int32
	count  int64
}

// A present group is the records that have letters in the same columns.
type presentGroup struct {
	columns []int
	list    []combination
}

// combine counts the combinations of letters of the input, in the order of the
// letters.
func combine(ctx context.Context, q document.Request, of []*document.View) ([]combination, error) {
	var in []*document.Opened
	var from []*files.Letters
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
	}
	units := len(in[0].Units())
	total := map[string]int64{}
	err := document.EachUnit(units, units, func() map[string]int64 { return map[string]int64{} },
		func(own map[string]int64, u int) error { return combineUnit(ctx, in, from, u, own) },
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
			c.letter = append(c.letter, int32(binary.LittleEndian.Uint32([]byte(k[4*i:]))))
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b combination) int { return slices.Compare(a.letter, b.letter) })
	return out, nil
}

// combineUnit reads the columns of a unit side by side.
func combineUnit(ctx context.Context, in []*document.Opened, from []*files.Letters, unit int,
	to map[string]int64) error {
	readers, block := make([]files.Reader, len(in)), make([][]int32, len(in))
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
			n, err := document.Fill(r, block[i])
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
				if x == files.Stranger {
					return document.Errorf("name the input of this release", "%s: unit %d holds a value that its plan lacks",
						in[i].Path, unit+1)
				}
				binary.LittleEndian.PutUint32(key[4*i:], uint32(x))
			}
			to[string(key)]++
		}
	}
	return ctx.Err()
}

func byNulls(list []combination, which []int) []presentGroup {
	at := map[string]int{}
	var out []presentGroup
	seen := []map[string]int{}
	for _, c := range list {
		var g presentGroup
		own := combination{count: c.count}
		for _, i := range which {
			if c.letter[i] != files.Null {
				g.columns, own.letter = append(g.columns, i), append(own.letter, c.letter[i])
			}
		}
		if len(g.columns) == 0 {
			continue
		}
		key := fmt.Sprint(g.columns)
		k, ok := at[key]
		if !ok {
			k = len(out)
			at[key], out, seen = k, append(out, g), append(seen, map[string]int{})
		}
		letters := fmt.Sprint(own.letter)
		if i, ok := seen[k][letters]; ok {
			out[k].list[i].count += own.count
			continue
		}
		seen[k][letters] = len(out[k].list)
		out[k].list = append(out[k].list, own)
	}
	return out
}
