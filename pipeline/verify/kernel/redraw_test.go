package kernel

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"testing"
)

// TestVectors computes the vectors of docs/draws.md.
func TestVectors(t *testing.T) {
	data, err := os.ReadFile("../../../testdata/draws/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Key, Design, Column, Population string
		Draws                           []struct {
			Unit           string
			ID             []string
			Letter, Output int
		}
		Names []struct {
			Unit string
			ID   []string
			Name string
		}
		Rows [][][2]any
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	secret, _ := hex.DecodeString(v.Key)
	var rows []Row
	for _, list := range v.Rows {
		r := Row{}
		for _, c := range list {
			w, _ := strconv.ParseInt(c[1].(string), 10, 64)
			r.Output, r.Weight = append(r.Output, int32(c[0].(float64))), append(r.Weight, w)
			r.Total += w
		}
		rows = append(rows, r)
	}
	design, _ := hex.DecodeString(v.Design)
	encoded := func(parts []string) (id []byte) {
		for _, p := range parts {
			id = idPart(id, p)
		}
		return id
	}
	for i, d := range v.Draws {
		draws := newCMAC(secret, "tacet/v1 memoised draw", d.Unit, string(design), v.Column)
		if y := draws.draw(encoded(d.ID), int32(d.Letter), rows[d.Letter]); int(y) != d.Output {
			t.Errorf("draw %d is %d, want %d", i, y, d.Output)
		}
	}
	named := 0
	for i, n := range v.Names {
		if n.Unit != "record" {
			continue
		}
		named++
		names := newCMAC(secret, "tacet/v1 record name", "record", v.Population, v.Column)
		if name := names.sum(encoded(n.ID)); hex.EncodeToString(name[:]) != n.Name {
			t.Errorf("name %d is %x, want %s", i, name, n.Name)
		}
	}
	if len(v.Draws) < 100 || named < 5 {
		t.Errorf("only %d draws and %d names", len(v.Draws), named)
	}
}
