package splice

import (
	"testing"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
)

func TestAdjacent(t *testing.T) {
	a, b, c := batch.Block{Offset: 64, Meta: 8, Body: 56}, batch.Block{Offset: 128, Meta: 16, Body: 0},
		batch.Block{Offset: 144, Meta: 8, Body: 8}
	for _, k := range []struct {
		file       batch.File
		start, end int64
		ok         bool
	}{
		{batch.File{}, 0, 0, false},
		{batch.File{Batches: []batch.Block{a}}, 64, 128, true},
		{batch.File{Batches: []batch.Block{c, a}, Dicts: []batch.Dictionary{{Block: b}}}, 64, 160, true},
		{batch.File{Batches: []batch.Block{a, c}}, 0, 0, false},
	} {
		if start, end, ok := adjacent(&k.file); start != k.start || end != k.end || ok != k.ok {
			t.Errorf("%v: from %d to %d, %v; want %d, %d, %v", k.file.Batches, start, end, ok, k.start, k.end, k.ok)
		}
	}
}
