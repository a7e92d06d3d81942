package pipeline

import "github.com/tacet-privacy/tacet/pipeline/request"

// Options is what a user asks for; package request says what its fields mean.
type Options = request.Options

// A Choice is what is chosen for one of several private columns.
type Choice = request.Choice

// Repeat is what a user asks for of a release that is made again and again.
type Repeat = request.Repeat
