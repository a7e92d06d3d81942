package studio

import (
	"crypto/rand"
	"crypto/subtle"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"
)

// silent keeps what a server would log: requests may hold values.
var silent = log.New(io.Discard, "", 0)

// most is the largest request, in bytes: an order of a hundred thousand values.
const most = 32 << 20

// A guard lets the browser in that has the token, once, and then only what the pages of
// the studio ask for. A page of another site, of another program on this machine or under
// another name of it gets 403.
type guard struct {
	host    string // as the address has it
	base    string // folder of all addresses: cookies know ports of one machine not apart, but folders
	token   string // of the address that is opened first
	session string // in the cookie of the browser that had it
	next    http.Handler

	mu   sync.Mutex
	used bool
}

func newGuard(host string, next http.Handler) *guard {
	g := &guard{host: host, base: "/" + rand.Text() + "/", token: rand.Text(), session: rand.Text()}
	g.next = http.MaxBytesHandler(http.StripPrefix(strings.TrimSuffix(g.base, "/"), next), most)
	return g
}

// address lets a browser in.
func (g *guard) address() string { return "http://" + g.host + g.base + "?token=" + g.token }

const cookieName = "tacet-studio"

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "+
		"img-src data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin") // without one, browsers do not tell the origin
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.Host == g.host && r.Method == http.MethodGet && r.URL.Path == g.base && g.admits(r.URL.Query().Get("token")) {
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: g.session, Path: g.base, HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
		// A redirect would still count as coming from where the link was: the cookie would not be sent.
		h.Set("Refresh", "0; url="+g.base)
		h.Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, `<!DOCTYPE html><html lang="en"><title>Tacet studio</title><p><a href="`+g.base+
			`">Open the studio</a></p></html>`)
		return
	}
	if !g.allows(r) {
		http.Error(w, "This page belongs to the browser that tacet studio opened. Start tacet studio again to use another.",
			http.StatusForbidden)
		return
	}
	g.next.ServeHTTP(w, r)
}

// admits takes the token once.
func (g *guard) admits(token string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used || !same(token, g.token) {
		return false
	}
	g.used = true
	return true
}

// allows looks at where a request comes from. Browsers say so in Sec-Fetch-Site, and of
// what changes something in Origin.
func (g *guard) allows(r *http.Request) bool {
	c, err := r.Cookie(cookieName)
	if r.Host != g.host || !strings.HasPrefix(r.URL.Path, g.base) || err != nil || !same(c.Value, g.session) {
		return false
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); r.Method {
	case http.MethodGet:
		return site == "" || site == "same-origin" || site == "none"
	case http.MethodPost:
		return r.Header.Get("Origin") == "http://"+g.host
	}
	return false
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
