package records

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tacet-privacy/tacet/mechanism/draw"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// TestTally: whether pairs are counted or, above maxPairs, records are judged
// one by one and by their outputs alone, faults are found, and what is kept of a tally
// makes it again.
func TestTally(t *testing.T) {
	type row struct {
		C *string `parquet:"c,dict,optional"`
	}
	rows := make([]row, 12_000)
	for i := range rows {
		if c := string(rune('a' + min(i%8, (i/3)%9))); i%11 != 3 {
			rows[i].C = &c
		}
	}
	path := filepath.Join(t.TempDir(), "in")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[row](file, parquet.MaxRowsPerRowGroup(4000))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	o := &request.Options{Input: path, Column: "c", Utility: "ordered:a,b,c,d,e,f,g,h", MaxFactor: "5", Design: "safe",
		Null: "public"}
	reading, err := o.Reading()
	if err != nil {
		t.Fatal(err)
	}
	s, err := count.OpenColumn(t.Context(), reading, o.Column)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Scan(ctx); err != nil {
		t.Fatal(err)
	}
	d, err := count.NewDomain(o.Letters(), s.Counted())
	if err != nil {
		t.Fatal(err)
	}
	asked, err := o.Decision()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Group(ctx, asked, s); err != nil {
		t.Fatal(err)
	}
	p, err := decide.Plan(ctx, asked, d)
	if err != nil {
		t.Fatal(err)
	}
	in, out := []int32{}, []int32{}
	for i := range int32(20_000) {
		in, out = append(in, i*i%9%8), append(out, i*i%9%8)
		if i%7 == 0 {
			in[i], out[i] = -1, -1
		}
	}
	draw.NewTable(p.Mechanism()).Draw(draw.TestStreams(1).Unit(0, 0), out)
	pairs := false
	empty := func() *Tally {
		t := NewTally(p)
		if !pairs {
			t.group[0].pairs, t.group[0].private = nil, make([]int64, p.Inputs.Len())
		}
		return t
	}
	judged := func(in, out []int32) error {
		t, u := empty(), empty()
		if err := t.take(p, nil, nil, in[:999], out[:999]); err != nil {
			return err
		}
		if err := u.take(p, nil, nil, in[999:], out[999:]); err != nil {
			return err
		}
		t.merge(u)
		units := len(s.File.Units())
		checks, err := t.judge(p, units)
		if err != nil {
			return err
		}
		letters := make([]int64, p.Inputs.Len())
		for _, x := range in {
			if x >= 0 {
				letters[x]++
			}
		}
		if t.Rows != 20_000 || t.nulls != 20_000/7+1 || !slices.Equal(t.letters(), letters) {
			return errors.New("rows, letters or nulls are miscounted")
		}
		again := empty()
		if !again.Add(t.Sum()) {
			return errors.New("what is kept is refused")
		}
		if by, nulls := again.Letters(); again.Rows != t.Rows || nulls != t.nulls || !slices.Equal(by[0], letters) {
			return errors.New("rows, letters or nulls that are kept are miscounted")
		}
		if _, err := again.judge(p, units); err != nil {
			return err
		}
		if !reflect.DeepEqual(again.Written(p), t.Written(p)) {
			return errors.New("what is kept tells something else")
		}
		if !pairs {
			return nil
		}
		told, rechecked, err := Recounted(p, Counted{Rows: t.Rows, Nulls: t.nulls, Units: units,
			Each: func(_ int, count func(x, y int, n int64)) {
				for at := range p.Inputs.Len() * p.Outputs.Len() {
					x, y := at/p.Outputs.Len(), at%p.Outputs.Len()
					count(x, y, t.group[0].pairs.Count(x, y))
				}
			}})
		if err != nil || !reflect.DeepEqual(told, t.Written(p)) || !reflect.DeepEqual(rechecked, checks) {
			return fmt.Errorf("counted again it tells something else: %v", err)
		}
		return nil
	}
	for _, pairs = range []bool{false, true} {
		if err := judged(in, out); err != nil {
			t.Errorf("an honest draw is refused: %v", err)
		}
		if err := judged(in, in); err == nil {
			t.Error("nothing was drawn, and that is accepted")
		}
		forbidden := int32(0)
		for allowed := p.Mechanism().Row(int(in[5000])).Output; slices.Contains(allowed, uint16(forbidden)); {
			forbidden++
		}
		for i, y := range map[int]int32{5000: forbidden, 5001: -1, 7: 0} { // row 7 is a null
			wrong := slices.Clone(out)
			if wrong[i] = y; !errors.Is(judged(in, wrong), errForbidden) {
				t.Errorf("row %d is %d for %d, and that is accepted", i, y, in[i])
			}
		}
	}
	none := empty() // a file of nulls alone
	if _, err := none.judge(p, 1); err != nil || none.Written(p).Realised != p.Expected {
		t.Errorf("without a value %v is realised, want %v: %v", none.Written(p).Realised, p.Expected, err)
	}
	n, m := p.Inputs.Len(), p.Outputs.Len()
	of := func(g GroupSum) Sum { return Sum{Groups: []GroupSum{g}} }
	for _, other := range []Sum{{}, of(GroupSum{Private: make([]int64, n)}), of(GroupSum{Output: make([]int64, m)})} {
		if pairs = false; empty().Add(other) {
			t.Errorf("%v of another plan is added", other)
		}
	}
	for _, c := range []Cell{{uint16(n), 0, 1}, {0, uint16(m), 1}, {0, 0, 0}} {
		if pairs = true; empty().Add(of(GroupSum{Cells: []Cell{c}})) {
			t.Errorf("%v of another plan is added", c)
		}
	}
}
