package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// The kinds of steps, in their order.
const (
	counting = iota
	planning
	drawing
)

// A step is one run of tacet on a worker.
type step struct {
	kind, shard int
}

// log is the name of the file of its messages, which sorts as the steps do.
func (s step) log() string { return fmt.Sprintf("%d-%06d.log", s.kind, s.shard) }

// stepOf is the step of a log.
func stepOf(path string) (s step) {
	fmt.Sscanf(filepath.Base(path), "%d-%d.log", &s.kind, &s.shard)
	return s
}

func (s step) String() string {
	return [...]string{fmt.Sprintf("count of shard %d", s.shard), "plan", fmt.Sprintf("draw of shard %d", s.shard)}[s.kind]
}

// patience is how long tacet may take to withdraw what it began.
const patience = 20 * time.Second

// run starts tacet, and gives its exit code. What may go well another time is an error,
// so that the runner tries again if it does such; what fails for good is no error: the
// runner would try in vain, and tell of it in as many lines.
func (j *Job) run(ctx context.Context, s step, args ...string) (int, error) {
	runtime.LockOSThread() // Pdeathsig is about the thread
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	log, err := os.Create(filepath.Join(j.Work, s.log()))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	c := exec.CommandContext(ctx, j.Tacet, append(args, "--config", j.Config, "--log-format", "json")...)
	c.Dir, c.Stderr = j.Dir, log                                     // standard output may name outputs
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // it goes with its worker
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = patience
	ended := c.Run()
	if ended == nil {
		return 0, nil
	}
	f := lastFailure(log.Name())
	if f == nil {
		f = wordless(j.Tacet, ended)
		line, err := json.Marshal(record{"ERROR", *f})
		if err == nil {
			_, err = log.Write(append(line, '\n'))
		}
		if err != nil {
			return 0, err
		}
	}
	if f.Retry {
		return 0, fmt.Errorf("%s: exit code %d", s, f.Code)
	}
	return f.Code, nil
}

// wordless is the failure of a program that could not tell of it.
func wordless(program string, ended error) *failure {
	var exit *exec.ExitError
	if !errors.As(ended, &exit) {
		return &failure{Code: environment, What: program + " does not start",
			Hint: "put tacet beside tacet-beam on every worker"}
	}
	return &failure{Code: environment, What: "tacet ended without a word: " + ended.Error(), Retry: true,
		Hint: "give the same command again: it completes what is there"}
}

// A failure is what a step said last, as tacet logs it: no message holds a value.
type failure struct {
	Code  int    `json:"exit_code"`
	What  string `json:"msg"`
	Hint  string `json:"hint"`
	Retry bool   `json:"retry"`
}

func (f *failure) Error() string {
	if f.Hint == "" {
		return f.What
	}
	return f.What + "; hint: " + f.Hint
}

type record struct {
	Level string `json:"level"`
	failure
}

// lastFailure is the last error of a log, nil where there is none.
func lastFailure(path string) (f *failure) {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	for lines := json.NewDecoder(file); ; {
		var r record
		if err := lines.Decode(&r); err != nil {
			return f
		}
		if r.Level == "ERROR" {
			f = &r.failure
		}
	}
}
