// Package budget holds the two promises that no single package can test: what
// a host links when it embeds the library, and which package may import which.
//
// It has tests only. `make budget` runs them and prints the figures.
package budget
