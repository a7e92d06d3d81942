package studio

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// A task is work that a step waits for.
type task struct {
	Step, Name string // what is done, for people
	cancel     context.CancelFunc
	ended      chan struct{}

	mu  sync.Mutex
	now state
}

// A state is what a page is told.
type state struct {
	ID    string `json:"task"` // "" where nothing goes on
	Phase string `json:"phase"`
	Done  int64  `json:"done"`
	Total int64  `json:"total"`
}

var tasks atomic.Int64

// start begins work for a step in place of what goes on. The work returns what to do with
// its result, which is done while mu is held; if it fails the page of the step says why.
func (s *studio) start(step, name string, work func(context.Context, *task) (func(), error)) {
	if s.task != nil {
		s.task.cancel()
	}
	before := s.task
	ctx, cancel := context.WithCancel(context.Background())
	t := &task{Step: step, Name: name, cancel: cancel, ended: make(chan struct{})}
	t.now.ID = fmt.Sprint(tasks.Add(1))
	s.task, s.failed[step] = t, nil
	go func() {
		defer close(t.ended)
		if before != nil {
			<-before.ended // its files are gone
		}
		keep, err := guarded(ctx, t, work)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.task == t {
			s.task = nil
			if s.failed[step] = err; err == nil {
				keep()
			}
		}
		cancel()
	}()
}

// guarded is work whose panic is a failure, whose text may quote data and is not shown.
func guarded(ctx context.Context, t *task, work func(context.Context, *task) (func(), error)) (keep func(), err error) {
	defer func() {
		if recover() != nil {
			err = fault.New(fault.Internal, "please report what you did, without the data", "internal error")
		}
	}()
	if keep, err = work(ctx, t); err != nil && ctx.Err() != nil {
		err = fault.New(fault.Environment, "", "cancelled; nothing was published")
	}
	return keep, err
}

// stop ends what goes on, and waits until its temporary files are gone.
func (s *studio) stop() {
	if t := s.running(); t != nil {
		t.cancel()
		<-t.ended
	}
}

// show is progress, from many goroutines.
func (t *task) show(phase string, done, total int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = state{t.now.ID, phase, done, total}
}

// state is how far a task is; nothing goes on where it is nil.
func (t *task) state() state {
	if t == nil {
		return state{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// ID tells pages which task they wait for.
func (t *task) ID() string { return t.state().ID }

// running is what goes on, nil for nothing.
func (s *studio) running() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.task
}

// events tells a page how far work is for as long as it is open, which keeps the studio
// going.
func (s *studio) events(w http.ResponseWriter, r *http.Request) {
	s.pulse.add(1)
	defer s.pulse.add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for told := (state{Done: -1}); ; {
		if now := s.running().state(); now != told {
			told = now
			data, _ := json.Marshal(now)
			fmt.Fprintf(w, "data: %s\n\n", data)
			http.NewResponseController(w).Flush()
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}

// A pulse is the pages that are open. It ends when none was for as long as patience lasts.
type pulse struct {
	mu       sync.Mutex
	open     int
	patience time.Duration
	last     *time.Timer
	gone     context.Context
	end      context.CancelFunc
}

func newPulse(patience time.Duration) *pulse {
	p := &pulse{patience: patience}
	p.gone, p.end = context.WithCancel(context.Background())
	return p
}

func (p *pulse) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil {
		p.last.Stop()
		p.last = nil
	}
	if p.open += n; p.open == 0 {
		p.last = time.AfterFunc(p.patience, p.end)
	}
}
