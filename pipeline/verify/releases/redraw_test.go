package releases

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
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
	k := &Key{secret: secret, history: mac(secret, []byte("tacet/v1 history key"))}
	read, err := ParseKey("tacet-key/v1\ntype: draw\nid: " + k.ID() + "\ncreated: 2026-01-31T12:00:00Z\nsecret: " +
		base64.StdEncoding.EncodeToString(secret) + "\n")
	if err != nil || read.HistoryID() != k.HistoryID() {
		t.Fatal(err)
	}
	if _, err := ParseKey("tacet-key/v1\ntype: draw\nid: " + k.HistoryID() + "\nsecret: " +
		base64.StdEncoding.EncodeToString(secret) + "\n"); err == nil {
		t.Error("a key of another id was taken")
	}
	var rows []kernel.Row
	for _, list := range v.Rows {
		r := kernel.Row{}
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
			id = Part(id, p)
		}
		return id
	}
	for i, d := range v.Draws {
		drawer := k.Drawer(d.Unit, design, v.Column, func(x int) kernel.Row { return rows[x] })
		if y := drawer.Draw(encoded(d.ID), d.Letter); int(y) != d.Output {
			t.Errorf("draw %d is %d, want %d", i, y, d.Output)
		}
	}
	named := 0
	for i, n := range v.Names {
		if n.Unit != "record" {
			continue
		}
		named++
		if name := (&Key{history: secret}).Namer(v.Population,
			v.Column).Name(encoded(n.ID)); hex.EncodeToString(name[:]) != n.Name {
			t.Errorf("name %d is %x, want %s", i, name, n.Name)
		}
	}
	if len(v.Draws) < 100 || named < 5 {
		t.Errorf("only %d draws and %d names", len(v.Draws), named)
	}
}
