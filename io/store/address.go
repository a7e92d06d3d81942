package store

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Schemes are those that the program knows.
var Schemes = []string{"s3", "gs", "azblob"}

// Is reports whether a path is an address in a store.
func Is(name string) bool {
	scheme, _, found := strings.Cut(name, "://")
	return found && slices.Contains(Schemes, scheme)
}

// Local is the path of a file:// address of this machine; any other name is as it is.
func Local(name string) string {
	u, err := url.Parse(name)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || u.RawQuery != "" ||
		!strings.HasPrefix(u.Path, "/") {
		return name
	}
	return u.Path
}

// Join is a name below an address, whose parameters stay at the end.
func Join(address string, names ...string) string {
	before, parameters, found := strings.Cut(address, "?")
	scheme, rest, _ := strings.Cut(before, "://")
	joined := scheme + "://" + path.Join(append([]string{rest}, names...)...)
	if found {
		joined += "?" + parameters
	}
	return joined
}

// In is a name in a folder, of this machine or of a store.
func In(folder string, names ...string) string {
	if Is(folder) {
		return Join(folder, names...)
	}
	return filepath.Join(append([]string{folder}, names...)...)
}

// Name is the last name of an address or of a path, without parameters.
func Name(address string) string {
	if !Is(address) {
		return filepath.Base(address)
	}
	before, _, _ := strings.Cut(address, "?")
	return path.Base(before)
}

// Below is the address of the object whose key is that of address and rel behind it.
func Below(address, rel string) string {
	return Join(address, (&url.URL{Path: rel}).EscapedPath())
}

// Folder is an address with a slash behind its key: what stands below it has keys that
// begin with that.
func Folder(address string) string {
	before, parameters, found := strings.Cut(address, "?")
	before = strings.TrimRight(before, "/") + "/"
	if found {
		before += "?" + parameters
	}
	return before
}

// Key is that of an address in its bucket.
func Key(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.Path, "/")
}

// Plain is an address without its parameters, for people; a path is as it is.
func Plain(address string) string {
	before, _, _ := strings.Cut(address, "?")
	switch u, err := url.Parse(before); {
	case !Is(address):
		return address
	case err == nil && u.User != nil:
		u.User = nil
		return u.String()
	}
	return before
}
