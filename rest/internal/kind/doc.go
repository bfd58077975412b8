// Package kind describes a kind as an API serves it. From descriptions alone it derives the groups, their versions, and the documents of
// discovery. OpenAPI and the checks of package conventions read the same descriptions.
package kind
