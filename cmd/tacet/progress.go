package main

import (
	"os"
	"sync"
	"time"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"

	"github.com/tacet-privacy/tacet/pipeline/request"
)

// progress shows how far a run is: a bar on a terminal, else a line every ten
// seconds.
type progress struct {
	mu    sync.Mutex
	phase string
	bar   *pb.ProgressBar
	said  time.Time
	drawn bool // on a terminal
}

const every = 10 * time.Second

// show is called from many goroutines with every batch; it returns at once
// while another call draws.
func (u *ui) show(phase string, done, total int64) {
	if phase == request.Placing {
		stage.Store(placing)
		return
	}
	if u.quiet {
		return
	}
	if u.progress == nil {
		f, onFile := u.err.(*os.File)
		u.progress = &progress{said: time.Now(), drawn: u.log == nil && onFile && term.IsTerminal(int(f.Fd()))}
	}
	p := u.progress
	if done > 0 && !p.mu.TryLock() {
		return
	} else if done == 0 {
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	if p.drawn {
		if p.phase != phase {
			p.end()
			p.bar = pb.New64(total).SetTemplateString(`{{string . "phase" | printf "%-9s"}} {{counters . }} `+
				`{{string . "unit"}} {{bar . }} {{speed . "%s/s"}} {{rtime . "%s left"}}`).
				Set("phase", phase).Set("unit", unitOf(phase)).SetWriter(u.err)
			if width, _, err := term.GetSize(int(u.err.(*os.File).Fd())); err != nil || width <= 0 {
				p.bar.SetWidth(80) // a terminal that was not told its size
			}
			p.bar.Start()
		}
		p.bar.SetCurrent(done)
	} else if now := time.Now(); now.Sub(p.said) >= every {
		p.said = now
		if u.log != nil {
			u.log.Info("progress", "phase", phase, "done", done, "of", total, "unit", unitOf(phase))
		} else {
			u.say("%s: %d of %d %s", phase, done, total, unitOf(phase))
		}
	}
	p.phase = phase
}

// unitOf is what a phase counts.
func unitOf(phase string) string {
	switch phase {
	case "simulating":
		return "designs"
	case "searching":
		return "searches"
	case "scaling epsilons":
		return "steps"
	}
	return "rows"
}

func (p *progress) end() {
	if p.bar != nil {
		p.bar.Finish()
		p.bar = nil
	}
}

func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}
