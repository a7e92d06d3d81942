package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
)

var _ = []string{does("key new", keyNew), does("key show-id", keyShow), does("key rotate", keyRotate)}

func keyNew(c *cli.Context) error {
	a := askedOf(c)
	path, typ := a.text("output"), key.Type(a.text("type"))
	if key.LooksSecret(path) {
		return usagef("name the file to write with --output", "--output is a file descriptor, not a path")
	}
	k, err := key.New(typ, now())
	if err != nil {
		return err
	}
	if err := key.Write(path, k); err != nil {
		return err
	}
	uiOf(c).say("the secret key is in %s; whoever has it %s, and nobody can make it again", path, powers[typ])
	return show(c, k)
}

func keyShow(c *cli.Context) error {
	a := askedOf(c)
	k, err := key.Read(a.text("key"), "", "--key")
	if err != nil {
		return err
	}
	return show(c, k)
}

func keyRotate(c *cli.Context) error {
	a := askedOf(c)
	path := a.text("key")
	if strings.HasPrefix(path, "fd:") {
		return usagef("name the file with --key", "--key is a file descriptor, and only a key in a file can be replaced")
	}
	old, fresh, kept, err := key.Rotate(path, now())
	if err != nil && fresh != nil {
		return &fault.Fault{Class: fault.Published, What: fmt.Sprintf("%s is a new key, and %s is kept in %s: %v", path, old,
			kept, err), Hint: "see that both files are there before you rely on them", Err: err}
	}
	if err != nil {
		return err
	}
	uiOf(c).say("%s is now a new key; %s is kept in %s", path, old, kept)
	return show(c, fresh)
}

// powers is what a key lets its holder do.
var powers = map[key.Type]string{
	key.Signing: "can sign in your name",
	key.Draw:    "can undo every draw made with it",
	key.Run:     "can undo every draw made with it",
}

func show(c *cli.Context, k *key.Key) error {
	_, err := fmt.Fprint(c.App.Writer, k.Public())
	return err
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }
