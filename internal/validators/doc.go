// Package validators holds no code, only a test: two OpenAPI libraries of the Go ecosystem, kin-openapi and libopenapi,
// read the documents of an API with kinds of both dialects, in several versions, and find nothing wrong.
//
// It is a module of its own, so that what these libraries need never reaches the library's users.
package validators
