// Package arrow scans, reads and rewrites Arrow IPC files for package colfile:
// buffers become letters and letters buffers. What is private is built anew,
// all else is copied by package arrowraw.
package arrow
