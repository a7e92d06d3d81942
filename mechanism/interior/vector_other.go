//go:build !amd64

package interior

func instructions() bool { return false }

func product(*float64, int, *float64, *float64, int, bool) { panic("interior: no vector instructions") }
