// Command gokinds prints Go structs for the kinds that CustomResourceDefinitions describe, for a host that serves
// them itself:
//
//	gokinds [FLAGS] -f PATH > kinds.go
//
//	-f PATH             a file, a folder with its subfolders, or - for standard input; may be repeated. Files are YAML or
//	                    JSON, with any number of documents; objects of other kinds are ignored
//	--package main      the name of the Go package
//	--version v1        the version to print. Default: the storage version of each definition
//
// The tags of the structs contain the schema of the definition, so [rest.New] derives that schema from them. For each
// kind, a function returns the [rest.Resource] with the names, the scope, the columns, the selectable fields and the
// scale of the definition. A comment at the beginning lists the parts that Go code does not express, such as rules in
// CEL.
//
// Optional numbers and booleans become pointers, so that Go code can tell zero from absent. An integer without a format
// becomes an int64, and a string of format date-time an [apimeta.Time].
//
// The exit status is 0, or 2 if the arguments are wrong, a file cannot be read, or no file contains a definition.
//
// [rest.New]: https://pkg.go.dev/github.com/decorum-go/decorum/rest#New
// [rest.Resource]: https://pkg.go.dev/github.com/decorum-go/decorum/rest#Resource
// [apimeta.Time]: https://pkg.go.dev/github.com/decorum-go/decorum/apimeta#Time
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
