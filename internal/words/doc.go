// Package words holds the sentences about malformed texts that clients of a Kubernetes API know from Go's standard
// library, such as strconv.ParseInt: parsing "x": invalid syntax. Each is a function of the refused text alone, so that
// what a client reads does not change with the Go release of the host.
//
// The standard library still decides which texts are malformed. The functions return "" for a text in which they find
// no fault.
package words
