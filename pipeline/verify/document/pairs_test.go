package document

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// TestPairs counts the same records in a table and in two lists that are merged, of which
// one is sorted several times.
func TestPairs(t *testing.T) {
	const inputs, outputs, rows = 700, 900, 3 * fewPairs
	table, list, other := newPairs(inputs, outputs, mostCells), newPairs(inputs, outputs, 0), newPairs(inputs, outputs, 0)
	if table.table == nil || list.table != nil {
		t.Fatal("control: a table and a list are compared")
	}
	rng := rand.New(rand.NewPCG(3, 9))
	for i := range rows {
		x, y := int32(rng.IntN(inputs)), int32(rng.IntN(1+rng.IntN(outputs)))
		table.add(x, y)
		if i%5 == 0 {
			other.add(x, y)
		} else {
			list.add(x, y)
		}
	}
	list.merge(other)
	type pair struct {
		x, y int
		n    int64
	}
	pairsOf := func(p *pairs) (all []pair) {
		for x := range inputs {
			p.row(x, func(y int, n int64) { all = append(all, pair{x, y, n}) })
		}
		return all
	}
	a, b, n := pairsOf(table), pairsOf(list), int64(0)
	for _, p := range b {
		n += p.n
	}
	if n != rows || !reflect.DeepEqual(a, b) {
		t.Errorf("%d pairs in the table, %d of %d records in the list, want %d records", len(a), len(b), n, rows)
	}
}

// TestPlanCells: cells that are taken apart by hand are those that the library reads.
func TestPlanCells(t *testing.T) {
	for _, text := range []string{`[]`, `null`, `[["a","1"]]`, `[["a","1"],["],[","22"],["","3"]]`, `[["a","1"],[null,"2"]]`,
		`[[null,"1"]]`, `[["\"","1"],["b","2"]]`, `[ ["a", "1"] ]`, `[["a","1","2"]]`, `[["a"]]`, `[["a",1]]`, `[["a","1"],["b"]]`,
		`[["a","1"],[]]`, `[[["a"],"1"]]`, `[["a","1"],"b"]`} {
		var got planCells
		var pairs [][]*string
		err, want := json.Unmarshal([]byte(text), &got), json.Unmarshal([]byte(text), &pairs)
		sound := want == nil
		var cells planCells
		for _, p := range pairs {
			if sound = sound && len(p) == 2 && p[1] != nil; !sound {
				break
			}
			c := planCell{files.Label{Null: p[0] == nil}, *p[1]}
			if p[0] != nil {
				c.Label.Text = *p[0]
			}
			cells = append(cells, c)
		}
		if (err == nil) != sound || sound && len(got)+len(cells) > 0 && !reflect.DeepEqual(got, cells) {
			t.Errorf("%s: %+v, %v, want %+v, %v", text, got, err, cells, sound)
		}
	}
}

// TestMembers: names that a reader may take otherwise are found wherever they stand.
func TestMembers(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema":"s","a":[{"b":"}"},{"b":"\\"}],"c":"\",\"c"}`: "",
		`{"schema":"s","a":{"b":1,"b":2}}`:                       "has a member twice",
		`{"schema":"s","a":[{"b":1,"c":[{}],"b":2}]}`:            "has a member twice",
		`{"schema":"s","A":1}`:                                   "has a member that is not known",
		`{"schema":"s","\u0061":1}`:                              "has a member that is not known",
		`{"schema":"s"`:                                          "is not a JSON document",
		`{"schema":"s"} {}`:                                      "is not a JSON document",
		``:                                                       "is not a JSON document",
	} {
		schema, what := Members([]byte(text))
		if what != want || what == "" && schema != "s" {
			t.Errorf("%s: %q, %q, want %q", text, schema, what, want)
		}
	}
}
