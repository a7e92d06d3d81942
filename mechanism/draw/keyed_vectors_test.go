package draw

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

const vectorsDir = "../../testdata/draws/"

// vectors is vectors.json: keyed draws computed by another implementation.
type vectors struct {
	Key, Design, Column, Population string
	Rows                            [][][2]any
	Draws                           []struct {
		Unit    Unit
		ID      []string
		Letter  int32
		Output  int32
		Refused int
	}
	Names []struct {
		Unit Unit
		ID   []string
		Name string
	}
	Streams []struct {
		Run, Plan, Column, Path, Content string
		Group, Mechanism, From           int
		Words                            []uint16
	}
}

func TestVectors(t *testing.T) {
	data, err := os.ReadFile(vectorsDir + "vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	m := v.mechanism(t)
	key, b := KeyOf([32]byte(unhex(t, v.Key))), Binding{Column: v.Column, Design: [32]byte(unhex(t, v.Design))}
	drawer := map[Unit]*Drawer{}
	for _, u := range []Unit{Record, Person} {
		b.Unit = u
		drawer[u] = NewKeyed(key, b, m).Drawer()
	}
	refused := 0
	for i, d := range v.Draws {
		if got := drawer[d.Unit].Draw(idOf(d.ID), d.Letter); got != d.Output {
			t.Errorf("draw %d (%s, letter %d) gives %d, want %d", i, d.Unit, d.Letter, got, d.Output)
		}
		refused += d.Refused
	}
	if refused < 10 {
		t.Errorf("only %d words were refused: the vectors do not show the counter", refused)
	}
	for i, n := range v.Names {
		got := NewNames(key, n.Unit, v.Population, v.Column).Namer().Name(idOf(n.ID))
		if hex.EncodeToString(got[:]) != n.Name {
			t.Errorf("name %d is %x, want %s", i, got, n.Name)
		}
	}
	for i, s := range v.Streams {
		run := Run{Key: key, ID: s.Run, Path: s.Path, Content: [32]byte(unhex(t, s.Content))}
		streams := run.Streams([32]byte(unhex(t, s.Plan)), s.Column)
		if got := first(streams.Unit(s.Group, s.Mechanism), s.From+8)[s.From:]; !slices.Equal(got, s.Words) {
			t.Errorf("stream %d is %x, want %x", i, got, s.Words)
		}
	}
	if len(v.Draws) < 100 || len(v.Names) < 20 || len(v.Streams) < 10 {
		t.Errorf("%d draws, %d names and %d streams", len(v.Draws), len(v.Names), len(v.Streams))
	}
}

// TestSlowVectorsInPython: the other implementation still computes what is stored. Without python3 the
// stored vectors alone are compared, above; TACET_PYTHON=required fails then.
func TestSlowVectorsInPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil && os.Getenv("TACET_PYTHON") == "required" {
		t.Fatal("no python3, which TACET_PYTHON requires")
	}
	if err != nil {
		t.Skipf("no python3: %v", err)
	}
	if out, err := exec.Command(python, vectorsDir+"vectors.py", "check").CombinedOutput(); err != nil {
		t.Errorf("vectors.py check: %v\n%s", err, out)
	}
}

func (v *vectors) mechanism(t *testing.T) *mechanism.Mechanism {
	rows, outputs := make([]mechanism.Row, len(v.Rows)), 0
	for x, r := range v.Rows {
		var output []uint16
		var weight []int64
		for _, c := range r {
			y, _ := c[0].(float64)
			s, _ := c[1].(string)
			w, err := strconv.ParseInt(s, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			output, weight, outputs = append(output, uint16(y)), append(weight, w), max(outputs, int(y)+1)
		}
		rows[x] = mechanism.WeightedRow(output, weight)
	}
	return design(t, outputs, rows)
}

func idOf(parts []string) *ID {
	var id ID
	id.Reset()
	for _, p := range parts {
		id.Text(p)
	}
	return &id
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
