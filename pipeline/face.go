package pipeline

import "github.com/tacet-privacy/tacet/pipeline/options"

// Options is what a user asks for; package options says what its fields mean.
type Options = options.Options

// A Choice is what is chosen for one of several private columns.
type Choice = options.Choice

// Repeat is what a user asks for of a release that is made again and again.
type Repeat = options.Repeat
