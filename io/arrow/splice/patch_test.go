package splice

import (
	"testing"

	"github.com/tacet-privacy/tacet/io/arrow/meta"
)

func TestAdjacent(t *testing.T) {
	a, b, c := meta.Block{Offset: 64, Meta: 8, Body: 56}, meta.Block{Offset: 128, Meta: 16, Body: 0},
		meta.Block{Offset: 144, Meta: 8, Body: 8}
	for _, k := range []struct {
		file       meta.File
		start, end int64
		ok         bool
	}{
		{meta.File{}, 0, 0, false},
		{meta.File{Batches: []meta.Block{a}}, 64, 128, true},
		{meta.File{Batches: []meta.Block{c, a}, Dicts: []meta.Dictionary{{Block: b}}}, 64, 160, true},
		{meta.File{Batches: []meta.Block{a, c}}, 0, 0, false},
	} {
		if start, end, ok := adjacent(&k.file); start != k.start || end != k.end || ok != k.ok {
			t.Errorf("%v: from %d to %d, %v; want %d, %d, %v", k.file.Batches, start, end, ok, k.start, k.end, k.ok)
		}
	}
}
