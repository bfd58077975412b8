// Package kind describes a kind as an API serves it. From descriptions alone it derives the groups, their versions, and
// the documents of discovery. OpenAPI reads the same descriptions.
package kind
