// Package budget asserts what no single package can test: what a host links when it embeds the library, which package
// may import which, and that the exported API shows no internal type.
//
// It also reports which functions of package rest each kind of request enters. The report asserts nothing: no test
// asserts a count of lines, fields, files or functions. `make budget` runs the tests and prints the figures.
package budget
