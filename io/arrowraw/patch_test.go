package arrowraw

import "testing"

func TestAdjacent(t *testing.T) {
	a, b, c := Block{64, 8, 56}, Block{128, 16, 0}, Block{144, 8, 8}
	for _, k := range []struct {
		file       File
		start, end int64
		ok         bool
	}{
		{File{}, 0, 0, false},
		{File{Batches: []Block{a}}, 64, 128, true},
		{File{Batches: []Block{c, a}, Dicts: []Dictionary{{Block: b}}}, 64, 160, true},
		{File{Batches: []Block{a, c}}, 0, 0, false},
	} {
		if start, end, ok := k.file.adjacent(); start != k.start || end != k.end || ok != k.ok {
			t.Errorf("%v: from %d to %d, %v; want %d, %d, %v", k.file.Batches, start, end, ok, k.start, k.end, k.ok)
		}
	}
}
