// Package format is what Schema.fbs describes: types, fields and schemas, and
// what the arrays of a type take in a message.
package format
