package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

func keyCommand() *cli.Command {
	where := &request.Option{Name: "key", Kind: request.Secret, Usage: "key `FILE`, or an open descriptor fd:3",
		Example: "signing.key", Need: "show-id"}
	return &cli.Command{
		Name:  "key",
		Usage: "make, identify and replace the keys for signing and for keyed draws",
		Subcommands: []*cli.Command{
			{
				Name:  "new",
				Usage: "make a key",
				Description: `Writes a new key to a file that only its owner may read, and prints its public part: the public
key of a signing key, the id of a draw key. A file that exists is never replaced.`,
				Flags: flagsOf(
					&request.Option{Name: "output", Usage: "key `FILE` to write", Example: "signing.key", Need: "new"},
					&request.Option{Name: "type", Default: "signing", Choices: []string{"signing", "draw", "run"},
						Usage: "what the key is for: signing; draw (draws that repeat for the same record); run (runs that can be " +
							"repeated)"}),
				Action: keyNew,
			},
			{
				Name:        "show-id",
				Usage:       "print a key's public key or id",
				Description: "Prints what tacet key new printed when it made the key.",
				Flags:       flagsOf(where),
				Action:      keyShow,
			},
			{
				Name:  "rotate",
				Usage: "replace a key by a new one",
				Description: `Writes a new key of the same type over the file and keeps the old one beside it, under its name and id.
With a new draw key every record is drawn anew: to whoever saw the earlier release that is a second look at it.`,
				Flags: flagsOf(&request.Option{Name: "key", Kind: request.Secret, Usage: "key `FILE`", Example: "signing.key",
					Need: "rotate"}),
				Action: keyRotate,
			},
		},
	}
}

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
