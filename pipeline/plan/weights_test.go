package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestWeights: rows come back from their file as they were, and what is no such file is
// refused.
func TestWeights(t *testing.T) {
	const outputs = mechanism.MaxLetters
	rng := rand.New(rand.NewPCG(1, 2))
	rows := []mechanism.Row{mechanism.UniformRow([]uint16{0}), mechanism.UniformRow([]uint16{3, outputs - 1}),
		mechanism.WeightedRow([]uint16{5}, []int64{1 << 62})}
	for range 50 {
		var output []uint16
		var weight []int64
		for y := rng.IntN(300); y < outputs; y += 1 + rng.IntN(9000) {
			output, weight = append(output, uint16(y)), append(weight, 1+rng.Int64N(1<<rng.IntN(50)))
		}
		rows = append(rows, mechanism.WeightedRow(output, weight))
	}
	want, err := mechanism.New(outputs, rows)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	writeWeights(&file, want)
	read := func(data []byte, inputs, outputs int) (*mechanism.Mechanism, error) {
		sum := sha256.Sum256(data)
		return readWeights(data, hex.EncodeToString(sum[:]), inputs, outputs)
	}
	got, err := read(file.Bytes(), len(rows), outputs)
	if err != nil {
		t.Fatal(err)
	}
	for x := range rows {
		a, b := want.Row(x), got.Row(x)
		if a.Total != b.Total || !slices.Equal(a.Output, b.Output) || !slices.Equal(a.Weight, b.Weight) {
			t.Errorf("row %d comes back as another", x)
		}
	}
	for n := range file.Len() {
		if _, err := read(file.Bytes()[:n], len(rows), outputs); err == nil {
			t.Fatalf("%d bytes of %d pass for all", n, file.Len())
		}
	}
	for name, bad := range map[string][]byte{"a byte more": append(slices.Clone(file.Bytes()), 1),
		"no outputs": []byte(weightsMark + "\x00"), "an output twice": []byte(weightsMark + "\x02\x01\x01\x00\x01"),
		"a weight of 0": []byte(weightsMark + "\x01\x01\x00"), "an output too far": []byte(weightsMark + "\x01\x04\x01")} {
		if _, err := read(bad, 1, 3); err == nil {
			t.Errorf("%s: it passes for a file of weights", name)
		}
	}
	if _, err := read([]byte(weightsMark+"\x01\x03\x01"), 1, 3); err != nil {
		t.Errorf("control: %v", err)
	}
	if _, err := readWeights(file.Bytes(), hex.EncodeToString(make([]byte, 32)), len(rows), outputs); err == nil {
		t.Error("a file of another hash passes")
	}
}
