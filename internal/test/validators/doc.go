// Package validators contains only a test: two OpenAPI libraries of the Go ecosystem, kin-openapi and libopenapi, read
// the documents of an API with kinds of both dialects, in several versions, and find no errors.
//
// It is a module of its own, so that the library's users never depend on these libraries.
package validators
