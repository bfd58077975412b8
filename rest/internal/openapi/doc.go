// Package openapi writes the OpenAPI documents of a server: what kubectl explain prints, and by which clients learn
// whether the server validates fields, which patches a kind takes and how its lists merge (API conventions, "self
// describing").
//
// There are two forms of the same facts. [V3] writes one OpenAPI 3.0 document for a group and version, [V2] one Swagger
// 2.0 document for the whole server. Both are made of the same two parts: the paths and operations that the verbs of
// the kinds give, and the schemas that [schema.Derive] made. The output depends on the input alone, so that equal
// servers answer with equal bytes and a hash of them names a version.
package openapi
