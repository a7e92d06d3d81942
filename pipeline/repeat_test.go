package pipeline_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/key"
)

// TestRunsRepeat: one thread or many write the same bytes under a seed, and under a run key
// a run writes its bytes again, in a random order, too; another run writes others.
func TestRunsRepeat(t *testing.T) {
	k, err := key.New(key.Run, "2026-01-31T12:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	secret, few := filepath.Join(t.TempDir(), "key"), fewFlights(t)
	if err := key.Write(secret, k); err != nil {
		t.Fatal(err)
	}
	out := func(change func(o *pipeline.Options)) []byte {
		o := flights(t.TempDir(), few, 5)
		change(&o)
		if _, err := pipeline.Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		return read(t, o.Output)
	}
	threads := func(n int) func(*pipeline.Options) { return func(o *pipeline.Options) { o.Threads = n } }
	keyed := func(run string) func(*pipeline.Options) {
		return func(o *pipeline.Options) { o.TestSeed, o.Shuffle, o.RunKey, o.RunID = nil, true, secret, run }
	}
	fresh := func(o *pipeline.Options) { o.TestSeed = nil }
	for what, c := range map[string]struct {
		a, b func(*pipeline.Options)
		same bool
	}{
		"threads": {threads(1), threads(8), true}, "a run": {keyed("a"), keyed("a"), true},
		"another run": {keyed("a"), keyed("b"), false}, "fresh draws": {fresh, fresh, false},
	} {
		if bytes.Equal(out(c.a), out(c.b)) != c.same {
			t.Errorf("%s: the same bytes are %v", what, !c.same)
		}
	}
}
