package splice

import (
	"testing"

	"github.com/tacet-privacy/tacet/io/arrowraw"
)

func TestAdjacent(t *testing.T) {
	a, b, c := arrowraw.Block{Offset: 64, Meta: 8, Body: 56}, arrowraw.Block{Offset: 128, Meta: 16, Body: 0}, arrowraw.Block{Offset: 144, Meta: 8, Body: 8}
	for _, k := range []struct {
		file       arrowraw.File
		start, end int64
		ok         bool
	}{
		{arrowraw.File{}, 0, 0, false},
		{arrowraw.File{Batches: []arrowraw.Block{a}}, 64, 128, true},
		{arrowraw.File{Batches: []arrowraw.Block{c, a}, Dicts: []arrowraw.Dictionary{{Block: b}}}, 64, 160, true},
		{arrowraw.File{Batches: []arrowraw.Block{a, c}}, 0, 0, false},
	} {
		if start, end, ok := adjacent(&k.file); start != k.start || end != k.end || ok != k.ok {
			t.Errorf("%v: from %d to %d, %v; want %d, %d, %v", k.file.Batches, start, end, ok, k.start, k.end, k.ok)
		}
	}
}
