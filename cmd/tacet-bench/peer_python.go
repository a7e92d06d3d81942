package main

import (
	"context"
	_ "embed"
	"fmt"
	"os/exec"
	"strconv"
)

//go:embed peers/redraw.py
var redraw string

// pythonPeers are the contenders that are Python programs, with the packages that they
// need beside NumPy.
var pythonPeers = map[string]string{"polars": "polars", "pyarrow": "pyarrow"}

// pythonCommand is the process of such a contender.
func pythonCommand(ctx context.Context, j job, d dataset, plan, output string) *exec.Cmd {
	return exec.CommandContext(ctx, "python3", "-c", redraw, j.Peer, d.Path, output, slotsOf(plan), j.Column, d.Codec,
		strconv.Itoa(max(1, j.Threads)))
}

// missing says what a contender lacks on this machine, "" where it can run.
func (s *settings) missing(ctx context.Context, j job) string {
	library, ok := pythonPeers[j.Peer]
	if !ok {
		return ""
	}
	if s.lacks == nil {
		s.lacks = map[string]bool{}
	}
	lacks, known := s.lacks[library]
	if !known {
		lacks = exec.CommandContext(ctx, "python3", "-c", "import numpy, "+library).Run() != nil
		s.lacks[library] = lacks
	}
	if !lacks {
		return ""
	}
	return fmt.Sprintf("python3 has no %[1]s with NumPy: python3 -m pip install numpy %[1]s", library)
}

// pythonVersions are those of the packages that ran.
func (s *settings) pythonVersions(ctx context.Context) (text string) {
	for _, library := range []string{"polars", "pyarrow"} {
		if lacks, known := s.lacks[library]; !known || lacks {
			continue
		}
		out, err := exec.CommandContext(ctx, "python3", "-c",
			"import "+library+"; print(end="+library+".__version__)").Output()
		if err == nil {
			text += fmt.Sprintf(" %s %s.", library, out)
		}
	}
	return text
}
