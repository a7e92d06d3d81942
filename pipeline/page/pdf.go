package page

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// A Printer makes a PDF of a view with a browser of the machine. It is no part of a
// release: no statement names a PDF, and two of one report may differ.
type Printer struct {
	Chromium string // program; "" for the first of browsers that is found
	Paper    string // "A4" or "Letter"
}

// browsers are looked for by these names.
var browsers = []string{"chromium", "chromium-browser", "google-chrome"}

// patience is how long a browser may take for a report: one of 1,000 pages takes ten seconds.
const patience = 2 * time.Minute

// WritePDF reads a report and prints its page into the file that the request names.
func WritePDF(ctx context.Context, q Request, p Printer) error {
	if q.Output == "" {
		return fault.New(fault.Usage, "name one with --output report.pdf", "a PDF needs a file to be written to")
	}
	t, err := q.telling()
	if err != nil {
		return err
	}
	program, err := p.find()
	if err != nil {
		return err
	}
	html, err := t.Show("html")
	if err != nil {
		return err
	}
	return q.write(func() ([]byte, error) { return p.print(ctx, program, html, filepath.Dir(q.Output)) },
		t.profile() == "internal")
}

// find is the browser's program.
func (p Printer) find() (string, error) {
	names := browsers
	if p.Chromium != "" {
		names = []string{p.Chromium}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fault.New(fault.Environment, "install Chromium, or name one with --chromium; any browser prints "+
		"report.html, too", "no browser is found to make a PDF with: looked for %s", strings.Join(names, ", "))
}

// print makes the PDF. The browser has an empty profile and reaches no network. The page
// and the profile lie in a folder of this user alone beside the output, which has the
// same content, and never in a folder for temporary files.
func (p Printer) print(ctx context.Context, program string, html []byte, beside string) (pdf []byte, err error) {
	dir, err := os.MkdirTemp(beside, ".tacet-pdf-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	in, out := filepath.Join(dir, "report.html"), filepath.Join(dir, "report.pdf")
	if err := os.WriteFile(in, p.paged(html), 0o600); err != nil {
		return nil, err
	}
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync",
		"--disable-component-update", "--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--no-pdf-header-footer", "--print-to-pdf=" + out}
	if os.Geteuid() == 0 { // the browser's own refuses root
		args = append(args, "--no-sandbox")
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	c := exec.CommandContext(ctx, program, append(args, (&url.URL{Scheme: "file", Path: in}).String())...)
	c.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	c.WaitDelay = 5 * time.Second
	failed := c.Run() // what it prints may name the page
	if pdf, err = os.ReadFile(out); err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) || failed != nil {
		what := "ended without a PDF"
		if ctx.Err() != nil {
			what = "did not end in time"
		}
		return nil, fault.New(fault.Environment, "print the HTML view in a browser, or name another one with --chromium",
			"%s %s", filepath.Base(program), what)
	}
	return pdf, nil
}

// paged is a page for one size of paper, with nothing folded: browsers before 2024 leave
// folded parts out. A label holds no "<" in it, so that these are the page's own.
func (p Printer) paged(html []byte) []byte {
	html = bytes.Replace(html, []byte("</style>"), []byte("\n@page { size: "+p.Paper+"; }</style>"), 1)
	return bytes.ReplaceAll(html, []byte("<details id="), []byte("<details open id="))
}
