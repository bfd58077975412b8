// Package growth_test measures how costs grow with the number of objects, watches and writers, in processor time of
// this process, straight at the handler. make growth prints the tables and writes the plots of docs/performance.md.
// make test runs the same with small numbers.
package growth_test
