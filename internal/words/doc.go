// Package words returns the messages about malformed texts that clients of a Kubernetes API know from Go's standard
// library: from functions, such as strconv.ParseInt: parsing "x": invalid syntax, and from the decoder of JSON. Each
// message depends on the malformed text alone, so that clients read the same text with any Go release of the host.
//
// The standard library still decides which texts are malformed. A function returns "" if it finds no fault in the text.
// NotOfType and NotOfField are for texts that their callers have refused.
package words
