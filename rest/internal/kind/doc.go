// Package kind holds one description of a kind as an API serves it, and what follows from descriptions alone: groups and
// their versions, and the documents of discovery. OpenAPI and inspection read the same description.
package kind
