// Package hostile_test sends what no client should send: malformed, oversized, deeply nested and forged requests. Each
// is answered with a Status, and none costs much.
package hostile_test
