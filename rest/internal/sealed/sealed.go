// Package sealed marks interfaces that only this module implements, so that a minor version may add methods to them.
package sealed

// Interface is the interface that sealed interfaces embed.
type Interface interface{ sealed() }

// Mark is the struct that implementations of sealed interfaces embed.
type Mark struct{}

func (Mark) sealed() {}
