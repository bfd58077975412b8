// Package budget holds the promises that no single package can test: what a host
// links when it embeds the library, which package may import which, and how far
// a reader has to follow a request.
//
// It has tests, and the program journey that they measure. `make budget` runs them
// and prints the figures.
package budget
