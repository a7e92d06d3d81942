package publish

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestLock(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	l, err := LockTarget(path)
	must(t, err)
	sweep(dir) // leaves alone what is held
	_, err = LockTarget(path)
	var held *HeldError
	if !errors.As(err, &held) || held.PID != os.Getpid() || !strings.Contains(err.Error(),
		"out is being made by process ") {
		t.Errorf("a second run is told %v", err)
	}
	other, err := LockTarget(filepath.Join(dir, "other"))
	if err != nil {
		t.Errorf("another target: %v", err)
	}
	if err := errors.Join(other.Release(), l.Release(), l.Release(), (*Lock)(nil).Release()); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	l, err = LockTarget(path)
	if err != nil {
		t.Errorf("after the release: %v", err)
	}
	l.Release()
}

// TestLockOfDead: what a killed run leaves hinders nobody and is swept.
func TestLockOfDead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	stale := filepath.Join(dir, ".tacet-lock-out.tmp")
	if os.Getenv("TACET_LOCK") != "" {
		if _, err := LockTarget(os.Getenv("TACET_LOCK")); err != nil {
			t.Fatal(err)
		}
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		time.Sleep(time.Hour)
	}
	dead := func() {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestLockOfDead$")
		cmd.Env = append(os.Environ(), "TACET_LOCK="+path)
		if err := cmd.Run(); err == nil || !cmd.ProcessState.Sys().(interface{ Signaled() bool }).Signaled() {
			t.Fatalf("control: the run was not killed: %v", err)
		}
		if _, err := os.Stat(stale); err != nil {
			t.Fatalf("control: %v", err)
		}
	}
	dead()
	l, err := LockTarget(path)
	must(t, err)
	l.Release()
	dead()
	sweep(dir)
	if _, err := os.Stat(stale); err == nil {
		t.Error("the lock of a killed run was not swept")
	}
}

// TestLockRace: of many that take and leave the lock, and of sweepers, no two
// ever hold it at once.
func TestLockRace(t *testing.T) {
	dir := t.TempDir()
	var holders, taken atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 2000 {
				sweep(dir)
				l, err := tryLock(filepath.Join(dir, "out"))
				var held *HeldError
				if errors.As(err, &held) || err == errSwept {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				taken.Add(1)
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				time.Sleep(20 * time.Microsecond)
				holders.Add(-1)
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if taken.Load() < 40 {
		t.Errorf("control: the lock was taken %d times", taken.Load())
	}
}
