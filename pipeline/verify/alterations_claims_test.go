package verify_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// dimensions are words that may stand in a claim.
var dimensions = map[string][]string{
	"standing": {"promised", "reached", "told", "nothing"},
	"bounds":   {"leakage", "floor", "cumulative", "joint", "neighbours", "choice", "change"},
	"observer": {"cell", "anyone", "cell, given stratum", "cell, no stratum", "cell and column", "releases"},
	"relative": {"this file", "declared", "smoothed", "no prior", "own stratum", "first plan", "population"},
	"records":  {"all", "with a value", "drawn anew", "held", "not drawn anew", "whole data"},
}

// saidTimes is a factor in the words of a claim.
var saidTimes = regexp.MustCompile(`at most [0-9.]+ times`)

// TestForgedClaims gives every claim of a report other dimensions, and figures
// that are smaller and agree with each other and with the words, and other words; and leaves
// each out, and its figure. All of it is refused. Of releases that alterations start from these
// are claims that no other release had.
func TestForgedClaims(t *testing.T) {
	t.Parallel()
	forged, tried := 0, map[string]bool{}
	for _, kind := range []string{"strata", "nights", "neighbours", "nulls", "certain none", "certain some",
		"strata apart", "strata both", "strata merged", "strata applied", "by level", "bins", "public", "prior declared", "prior given up",
		"prior rare", "nights hold", "nights draw"} {
		r := walked(t, kind)
		s := sheetOf(t, filepath.Join(r.folder, "report.json"))
		try := func(name string) {
			t.Helper()
			forged++
			must(t, os.WriteFile(s.path, asWritten(t, s.all), 0o600))
			restate(t, r.folder)
			refuses(t, kind+": "+name, r.request)
		}
		claims := s.all["claims"].([]any)
		for i, c := range claims {
			c := c.(map[string]any)
			key := fmt.Sprint(c["key"], c["standing"], c["records"])
			if walks[kind] == nil && tried[key] {
				continue
			}
			tried[key] = true
			for j, name := range []string{"standing", "bounds", "observer", "relative", "records"} {
				old, stated := c[name] // a figure that claims nothing has none
				words := dimensions[name]
				if c[name] = words[(i+j)%len(words)]; c[name] == old {
					c[name] = words[(i+j+1)%len(words)]
				}
				try(fmt.Sprintf("%s: %s", c["key"], name))
				if c[name] = old; !stated {
					delete(c, name)
				}
			}
			if f, ok := c["figure"].(map[string]any); ok {
				oldWords := c["words"]
				old := maps.Clone(f)
				if lessen(c, f); !maps.Equal(f, old) {
					try(fmt.Sprintf("%s: a smaller figure", c["key"]))
				}
				delete(c, "figure")
				try(fmt.Sprintf("%s: no figure", c["key"]))
				c["figure"], c["words"] = old, oldWords
			}
			for _, name := range []string{"words", "note", "asked"} {
				if old, ok := c[name].(string); ok {
					c[name] = old + " and more"
					try(fmt.Sprintf("%s: other %s", c["key"], name))
					c[name] = old
				}
			}
			rest := append(append([]any{}, claims[:i]...), claims[i+1:]...)
			s.all["claims"] = rest
			try(fmt.Sprintf("%s: left out", c["key"]))
			s.all["claims"] = claims
		}
	}
	if forged < 200 {
		t.Errorf("only %d forgeries", forged)
	}
}

// lessen makes the figure of a claim tell less, and its words say so.
func lessen(c, f map[string]any) {
	times := 1.0
	if text, ok := f["factor"].(string); ok && text != "" {
		q, _ := new(big.Rat).SetString(text)
		q.Mul(q, big.NewRat(99, 100))
		q.Add(q, big.NewRat(1, 100))
		f["factor"] = q.RatString()
		times, _ = q.Float64()
		f["nats"] = math.Nextafter(math.Log(times), 2*times)
	}
	for _, name := range []string{"times", "least", "share", "count", "rank"} {
		if n, ok := f[name].(json.Number); ok {
			v, _ := n.Float64()
			switch name {
			case "rank", "count":
				f[name] = v + 1
			case "times":
				times = 1 + (v-1)/2
				f[name] = times
			default:
				if v > 0 {
					f[name] = v / 2
				}
			}
		}
	}
	said := fmt.Sprintf("at most %v times", math.Ceil(times*1e4)/1e4)
	c["words"] = saidTimes.ReplaceAllString(strings.ReplaceAll(c["words"].(string), "\u00a0", " "), said)
}
