// Package vettags checks the api tags of Go structs while they are written, as [rest.New] checks them when the program
// starts. It has an [Analyzer] for go vet and other drivers of golang.org/x/tools/go/analysis. Command
// rest/vettags/cmd/vettags runs it:
//
//	go install github.com/decorum-go/decorum/rest/vettags/cmd/vettags@latest
//	go vet -vettool=$(go env GOPATH)/bin/vettags ./...
//
// The analyzer and the library share the parser of the tag and the checks behind it, so they report the same messages.
// Use the same version of this module as of Decorum.
//
// Only the running program knows the schema of a type with the method OpenAPISchemaType, or of a type parameter. For
// such a type, the analyzer checks only the names of the options, and whether they take a value. It reads neither
// [rest.Resource].Overlay nor the Protobuf tags.
//
// [rest.New]: https://pkg.go.dev/github.com/decorum-go/decorum/rest#New
// [rest.Resource]: https://pkg.go.dev/github.com/decorum-go/decorum/rest#Resource
package vettags
