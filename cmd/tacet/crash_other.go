//go:build !linux

package main

// quietCrashes does nothing here: the runtime prints what it prints.
func quietCrashes() {}

// showCrashes does nothing here, either.
func showCrashes() {}
