// Package eventlimits holds the admission plugin EventRateLimit, which limits how many Events of group "" clients write
// in a second: all of them together, or those of a namespace, of a user, or of a source about one object.
package eventlimits
