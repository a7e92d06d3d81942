package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// A scheduler whose worker dies starts the task again elsewhere, and the program that
// the worker had started goes on: two attempts of one task. So the steps of a release
// in shards end with the process that started them.

// errOrphaned is why a step ends whose parent has ended.
var errOrphaned = errors.New("the parent has ended")

// A parented context ends when the process that started this one has ended.
type parented struct {
	context.Context
	end    context.CancelCauseFunc
	parent int // pid at the start; 1 where init started it, 0 where the parent is outside the container
}

// lookForParent is how often a step looks. The kernel's PR_SET_PDEATHSIG would tell at
// once, but of the thread that started the process as well, whose end means nothing.
const lookForParent = 50 * time.Millisecond

// withParent begins to watch. It is called before anything is read.
func withParent(ctx context.Context) (*parented, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	p := &parented{Context: ctx, end: end, parent: os.Getppid()}
	go func() {
		tick := time.NewTicker(lookForParent)
		defer tick.Stop()
		for p.Err() == nil {
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	return p, func() { end(nil) }
}

// Err looks again, so that who asks before files are put in place has no stale answer.
func (p *parented) Err() error {
	if os.Getppid() != p.parent {
		p.end(errOrphaned)
	}
	return p.Context.Err()
}

// A job is a command of the pipeline.
type job[T any] func(context.Context, pipeline.Options) (T, error)

// withItsParent is a step of a release in shards, which ends with its parent unless --detached
// is given.
func withItsParent[T any](do job[T]) job[T] {
	return func(ctx context.Context, o pipeline.Options) (T, error) {
		if o.Detached {
			return do(ctx, o)
		}
		watched, stop := withParent(ctx)
		defer stop()
		done, err := do(watched, o)
		if err != nil && context.Cause(watched) == errOrphaned && fault.As(err).Code() == fault.InterruptedCode {
			err = &fault.Fault{Class: fault.Environment, What: "the process that started this step has ended; nothing was " +
				"published", Hint: "give --detached to steps that shall go on without it", Err: err}
		}
		return done, err
	}
}
