package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A run is what one process took.
type run struct {
	wall  float64 // seconds
	cpu   float64 // seconds, user and system
	peak  float64 // MiB
	bytes int64   // written
}

// figure of a run.
func (r run) figure(f figure) float64 {
	switch f {
	case cpu:
		return r.cpu
	case wall:
		return r.wall
	}
	return r.peak
}

// start runs a command to its end and measures the process and its children.
func start(c *exec.Cmd) (r run, err error) {
	var said bytes.Buffer
	c.Stdout, c.Stderr = nil, &said
	began := time.Now()
	if err := c.Start(); err != nil {
		return r, err
	}
	stop, top := make(chan struct{}), make(chan float64)
	go watch(c.Process.Pid, stop, top)
	err = c.Wait()
	r.wall = time.Since(began).Seconds()
	close(stop)
	r.peak = <-top
	if err != nil {
		return r, fmt.Errorf("%s: %w: %s", filepath.Base(c.Path), err, strings.TrimSpace(said.String()))
	}
	r.cpu = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok && r.peak == 0 {
		r.peak = float64(usage.Maxrss) / 1024
	}
	return r, nil
}

// watch reads the peak of the resident memory of a process every 5 ms and
// answers the last reading. What the kernel reports afterwards is at least
// that of the process that forked it, which is this one with DuckDB in it, and
// so is what it shows before the new program has begun.
func watch(pid int, stop chan struct{}, top chan float64) {
	peak := 0.0
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			top <- peak
			return
		case <-tick.C:
			if now := highWater(pid); now > 0 {
				peak = now
			}
		}
	}
}

// highWater is VmHWM in MiB, 0 where it cannot be read.
func highWater(pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if field := strings.Fields(line); len(field) == 3 && field[0] == "VmHWM:" {
			kib, _ := strconv.ParseFloat(field[1], 64)
			return kib / 1024
		}
	}
	return 0
}

// warm reads a file so that no contender pays for the disk.
func warm(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	buffer := make([]byte, 1<<20)
	for {
		if n, _ := f.Read(buffer); n == 0 {
			return nil
		}
	}
}

// commandFor is the process of a job.
func (s *settings) commandFor(ctx context.Context, j job, d dataset, plan, output string) (*exec.Cmd, error) {
	switch j.Peer {
	case "cp":
		return exec.CommandContext(ctx, "cp", d.Path, output), nil
	case "cp-sync":
		return exec.CommandContext(ctx, "sh", "-c", `cp "$0" "$1" && sync "$1"`, d.Path, output), nil
	case "tacet":
		args, err := s.tacetArgs("run", j, d)
		if err != nil {
			return nil, err
		}
		if j.ID != "" {
			key, err := s.key(ctx)
			if err != nil {
				return nil, err
			}
			args = append(args, "--record-id", j.ID, "--key-file", key, "--keep", strings.Join(d.Columns, ","))
		}
		if d.Linked != "" {
			args = append(args, "--allow-linked", d.Linked)
		}
		if j.Bare {
			args = append(args, "--hash", "none", "--audit", "off")
		}
		c := exec.CommandContext(ctx, s.tacet, append(args, "--output", output, "--report", output+".report",
			"--allow=sorted")...)
		c.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(j.Threads))
		return c, nil
	}
	if _, ok := pythonPeers[j.Peer]; ok {
		return pythonCommand(ctx, j, d, plan, output), nil
	}
	return errand{Do: j.Peer, Input: d.Path, Output: output, Plan: plan, Column: j.Column, Codec: d.Codec,
		Threads: j.Threads}.command(ctx)
}

// key is a file with a key to draw by, made where there is none.
func (s *settings) key(ctx context.Context) (string, error) {
	path := filepath.Join(s.cache, "draw.key")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if out, err := exec.CommandContext(ctx, s.tacet, "key", "new", "--type", "draw", "--output",
		path).CombinedOutput(); err != nil {
		return "", fmt.Errorf("tacet key: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return path, nil
}

// tacetArgs are the arguments that run and design have in common.
func (s *settings) tacetArgs(command string, j job, d dataset) ([]string, error) {
	g := goals[j.Goal]
	spec, err := s.spec(g, j.Column)
	if err != nil {
		return nil, err
	}
	args := []string{command, "--input", d.Path, "--column", j.Column, "--utility", spec, "--epsilon", g.epsilon,
		"--design", g.design, "--max-shift", "none", "--log-format", "errors", "--threads", strconv.Itoa(max(1, j.Threads))}
	if j.Second != "" {
		args = append(args, "--column", j.Second)
	}
	return args, nil
}
