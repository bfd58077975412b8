// Package auth finds out who sends a request, and tells clients what they may do.
package auth
