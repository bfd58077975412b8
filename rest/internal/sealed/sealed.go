// Package sealed marks interfaces that only this module implements, so that they may get methods in a minor version.
package sealed

// Interface is embedded by a sealed interface.
type Interface interface{ sealed() }

// Mark is embedded by the types that implement a sealed interface.
type Mark struct{}

func (Mark) sealed() {}
