// Package gotype reads Go types as encoding/json does: which members a struct has ([Fields]), and why a document does
// not fit a type ([DecodingError]). It knows no schema. Package schema derives one from what this package finds.
package gotype
