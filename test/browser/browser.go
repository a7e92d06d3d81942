// Package browser looks at the pages that Tacet writes in a real Chromium. It
// is a module of its own, so that those who use Tacet as a library get none of
// what it needs.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Find is the browser's program, "" where there is none.
func Find() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Start starts a browser with an empty profile that talks to nobody. The
// context belongs to its first tab; end stops it.
func Start(program string) (ctx context.Context, end func(), err error) {
	profile, err := os.MkdirTemp("", "tacet-browser-")
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.UserDataDir(profile),
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("force-color-profile", "srgb"),
		chromedp.WSURLReadTimeout(time.Minute))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocated)
	end = func() {
		chromedp.Cancel(ctx) // closes the browser, and waits
		cancel()
		stop()
		os.RemoveAll(profile)
	}
	if err := chromedp.Run(ctx); err != nil {
		end()
		return nil, nil, fmt.Errorf("starting %s: %w", program, err)
	}
	return ctx, end, nil
}

// A View is how a page is looked at.
type View struct {
	Width, Height int64
	Dark, Print   bool
	NoScript      bool
}

// Show sets the view of a tab.
func (v View) Show() chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		scheme, media := "light", "screen"
		if v.Dark {
			scheme = "dark"
		}
		if v.Print {
			media = "print"
		}
		return errors.Join(
			emulation.SetDeviceMetricsOverride(v.Width, v.Height, 1, v.Width < 600).Do(ctx),
			emulation.SetScriptExecutionDisabled(v.NoScript).Do(ctx),
			emulation.SetEmulatedMedia().WithMedia(media).WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme",
				Value: scheme}}).Do(ctx))
	})
}

// A Tab is a page with what it complained of and asked for.
type Tab struct {
	Context context.Context
	address string
	mu      sync.Mutex
	faults  []string
}

// patience is how long a page may be looked at.
const patience = 5 * time.Minute

// Open opens a file in a tab of its own, which close closes.
func Open(ctx context.Context, file string, v View) (t *Tab, close func(), err error) {
	file, err = filepath.Abs(file)
	if err != nil {
		return nil, nil, err
	}
	return OpenAt(ctx, "file://"+file, v)
}

// OpenAt is Open of an address.
func OpenAt(ctx context.Context, address string, v View) (t *Tab, close func(), err error) {
	tab, end := chromedp.NewContext(ctx)
	tab, stop := context.WithTimeout(tab, patience)
	close = func() {
		stop()
		end()
	}
	t = &Tab{Context: tab, address: address}
	chromedp.ListenTarget(tab, t.listen)
	if err := chromedp.Run(tab, network.Enable(), log.Enable(), runtime.Enable(), v.Show(),
		chromedp.Navigate(t.address)); err != nil {
		close()
		return nil, nil, fmt.Errorf("opening %s: %w", address, err)
	}
	return t, close, nil
}

// Faults are the errors on the console so far, and every request but that for
// the page itself.
func (t *Tab) Faults() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.faults...)
}

func (t *Tab) listen(event any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	add := func(format string, args ...any) { t.faults = append(t.faults, fmt.Sprintf(format, args...)) }
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Request.URL != t.address {
			add("request for %.200s", e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		add("exception: %v", e.ExceptionDetails)
	case *runtime.EventConsoleAPICalled:
		add("console: %s", e.Type)
	case *log.EventEntryAdded:
		add("%s: %s", e.Entry.Level, e.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		add("dialog: %.200s", e.Message)
	}
}

// Script runs an expression, or a promise, and decodes its value.
func (t *Tab) Script(expression string, value any) error {
	return chromedp.Run(t.Context, chromedp.Evaluate(expression, value,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

// Tacet builds the program and returns its path in dir.
func Tacet(dir string) (string, error) {
	program := filepath.Join(dir, "tacet")
	build := exec.Command("go", "build", "-o", program, "./cmd/tacet")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building: %w\n%s", err, out)
	}
	return program, nil
}
