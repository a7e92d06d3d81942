package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// An outcome is what a contest gave.
type outcome struct {
	contest
	rows map[string]int   // by contender
	runs map[string][]run // by contender, in the order of rounds
	load string
	left []string // why contenders were left out
}

// hold runs the contenders of a contest in turn, round by round.
func hold(ctx context.Context, s *settings, c contest) (*outcome, error) {
	o := &outcome{contest: c, rows: map[string]int{}, runs: map[string][]run{}}
	switch {
	case s.rounds > 0:
		o.rounds = s.rounds
	case !s.full && c.quick > 0:
		o.rounds = c.quick
	}
	o.contenders = nil
	for _, k := range c.contenders {
		if why := s.missing(ctx, k.job); why != "" {
			o.left = append(o.left, k.name+" is left out: "+why+".")
			fmt.Fprintln(os.Stderr, o.left[len(o.left)-1])
			continue
		}
		o.contenders = append(o.contenders, k)
	}
	o.targets = slices.DeleteFunc(slices.Clone(c.targets), func(t target) bool {
		return !o.has(t.of) || t.to != "" && !o.has(t.to)
	})
	c.contenders = o.contenders
	data := map[string]dataset{}
	for _, k := range c.contenders {
		d, err := s.ensure(ctx, k.Data)
		if err != nil {
			return nil, err
		}
		data[k.name], o.rows[k.name] = d, d.Rows
		if err := warm(d.Path); err != nil {
			return nil, err
		}
	}
	for round := range o.rounds {
		for _, k := range c.contenders {
			fmt.Fprintf(os.Stderr, "%s %d/%d %s\n", c.name, round+1, o.rounds, k.name)
			r, err := s.once(ctx, k.job, data[k.name], round == 0 || s.full && round == o.rounds-1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k.name, err)
			}
			o.runs[k.name] = append(o.runs[k.name], r)
		}
	}
	o.load = loadAverage()
	return o, nil
}

// has reports whether a contender takes part.
func (o *outcome) has(name string) bool {
	return slices.ContainsFunc(o.contenders, func(k contender) bool { return k.name == name })
}

// once runs a contender and checks, outside the timed part, what it wrote.
func (s *settings) once(ctx context.Context, j job, d dataset, check bool) (r run, err error) {
	plan, err := s.plan(ctx, j, d)
	if err != nil {
		return r, err
	}
	output := filepath.Join(s.cache, fmt.Sprintf("output-%d%s", os.Getpid(), filepath.Ext(d.Path)))
	defer os.Remove(output)
	defer os.RemoveAll(output + ".report")
	c, err := s.commandFor(ctx, j, d, plan, output)
	if err != nil {
		return r, err
	}
	syscall.Sync() // nobody waits for what the one before has left to be written
	if r, err = start(c); err != nil {
		return r, err
	}
	st, err := os.Stat(output)
	if err != nil {
		return r, err
	}
	r.bytes = st.Size()
	if strings.HasPrefix(j.Peer, "cp") || !check || s.checked[j] && !s.full {
		return r, nil
	}
	if err := s.verify(ctx, j, d, output); err != nil {
		return r, fmt.Errorf("checking what was written: %w", err)
	}
	s.checked[j] = true
	return r, nil
}

// verify reads again what was written, once for each private column.
func (s *settings) verify(ctx context.Context, j job, d dataset, output string) error {
	e := errand{Do: "verify", Input: d.Path, Output: output, Redrawn: j.columns()}
	switch {
	case d.Arrow:
		e.Codec = "arrow"
	case j.Peer == "duckdb-any":
		e.Codec = "any"
	}
	for _, column := range j.columns() {
		j.Column, e.Column = column, column
		var err error
		if e.Plan, err = s.plan(ctx, j, d); err != nil {
			return err
		}
		if _, err := s.child(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// plan has tacet design the mechanism that all contenders draw from, once.
func (s *settings) plan(ctx context.Context, j job, d dataset) (string, error) {
	j.Second = "" // a plan is of one column
	base := strings.TrimSuffix(filepath.Base(d.Path), filepath.Ext(d.Path))
	folder := filepath.Join(s.cache, fmt.Sprintf("plan-%s-%s-%s", base, j.Column, j.Goal))
	plan := filepath.Join(folder, "plan.json")
	if s.planned[plan] {
		return plan, nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	args, err := s.tacetArgs("design", j, d)
	if err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, s.tacet, append(args, "--write-plan", plan)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("tacet design: %w: %s", err, strings.TrimSpace(string(out)))
	}
	if _, err := s.child(ctx, errand{Do: "slots", Plan: plan}); err != nil {
		return "", fmt.Errorf("writing the table of allowed outputs: %w", err)
	}
	s.planned[plan] = true
	return plan, nil
}
