package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
)

// peerCommand is the hidden subcommand that does an errand.
const peerCommand = "errand"

// An errand is what a child process of this binary does.
type errand struct {
	Do      string // name in errands
	Input   string
	Output  string
	Plan    string // plan.json that tacet design wrote
	Column  string
	Redrawn []string // verify: all private columns, where there are several
	Codec   string
	Threads int
	Spec    json.RawMessage
}

// errands is the only list of what children do: the peers, making data sets,
// and checking what a contender wrote.
var errands = map[string]func(context.Context, errand) error{
	"make":           makeDataset,
	"slots":          writeSlots,
	"verify":         verify,
	"duckdb":         duckdbJoin,
	"duckdb-any":     duckdbJoin,
	"duckdb-ordered": duckdbOrdered,
	"arrow-go":       arrowRecords,
	"parquet-go":     parquetRows,
}

// runPeer does the errand that the argument describes.
func runPeer(argument string) error {
	var e errand
	if err := json.Unmarshal([]byte(argument), &e); err != nil {
		return fmt.Errorf("reading the errand: %w", err)
	}
	do, ok := errands[e.Do]
	if !ok {
		return fmt.Errorf("there is no errand %q", e.Do)
	}
	if e.Threads > 0 {
		runtime.GOMAXPROCS(e.Threads)
	}
	if e.Do == "make" {
		debug.SetGCPercent(50)
	}
	return do(context.Background(), e)
}

// child runs an errand and returns what it prints.
func (s *settings) child(ctx context.Context, e errand) (string, error) {
	c, err := e.command(ctx)
	if err != nil {
		return "", err
	}
	c.Stdout, c.Stderr = nil, nil
	out, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return strings.TrimSpace(string(out)), nil
}

func (e errand) command(ctx context.Context) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this binary: %w", err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, self, peerCommand, string(text)), nil
}
