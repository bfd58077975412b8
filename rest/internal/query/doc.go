// Package query reads the parameters with which clients query, sort and count objects: fieldQuery, sortBy and facets.
// They are an extension of this library, which package rest documents (see rest.Queries).
//
//	fieldQuery = [ condition { "," condition } ]
//	condition  = field operator value | field ( "in" | "notin" ) "(" value { "," value } ")"
//	operator   = "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "^="
//	value      = text without white space, quotes, commas, parentheses and operators | JSON string
//	sortBy     = [ "-" ] field { "," [ "-" ] field }
//	facets     = field { "," field }
//
// White space around fields, operators and values has no meaning. The package does not know which fields a kind has.
package query
