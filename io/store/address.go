package store

import (
	"net/url"
	"path"
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

// Base is the last name of an address.
func Base(address string) string {
	before, _, _ := strings.Cut(address, "?")
	return path.Base(before)
}

// Plain is the address without its parameters, for people.
func Plain(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		before, _, _ := strings.Cut(address, "?")
		return before
	}
	u.RawQuery, u.User = "", nil
	return u.String()
}
