package releases

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestSteady: what is read while database or log change counts for nothing.
func TestSteady(t *testing.T) {
	for _, suffix := range []string{"", "-wal"} {
		path, reads := filepath.Join(t.TempDir(), "ledger"), 0
		write(t, path, "as it was")
		b, err := steady(context.Background(), path, func() (*Book, error) {
			if reads++; reads < 4 {
				write(t, path+suffix, "0123"[:reads])
				return nil, errors.New("half of it")
			}
			return &Book{ID: "whole"}, nil
		})
		if err != nil || b.ID != "whole" || reads != 4 {
			t.Errorf("%q: after %d reads: %v", suffix, reads, err)
		}
	}
}

// TestSteadyEnds: reading again ends with the context.
func TestSteadyEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	path, reads := filepath.Join(t.TempDir(), "ledger"), 0
	_, err := steady(ctx, path, func() (*Book, error) {
		if reads++; reads == 3 {
			cancel()
		}
		write(t, path, "0123"[:reads])
		return nil, errors.New("half of it")
	})
	if err == nil || reads != 3 {
		t.Errorf("after %d reads: %v", reads, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
