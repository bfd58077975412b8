package main

import (
	"bytes"
	"fmt"
	"go/format"
	"strconv"
)

// file is the Go code of some kinds.
type file struct {
	pkg     string
	body    bytes.Buffer    // the declarations
	taken   map[string]bool // the names of the package
	rawJSON bool            // whether the code needs encoding/json
	losses  []string        // parts of the definitions that the code does not express
}

func newFile(pkg string) *file {
	return &file{pkg: pkg, taken: map[string]bool{}}
}

// name returns a name that is unused in the package, if possible the wanted one.
func (f *file) name(wanted string) string {
	name := wanted
	for i := 2; f.taken[name]; i++ {
		name = wanted + strconv.Itoa(i)
	}
	f.taken[name] = true
	return name
}

// format returns the code in the format of gofmt.
func (f *file) format() ([]byte, error) {
	var out bytes.Buffer
	if len(f.losses) > 0 {
		out.WriteString("// This code does not express these parts of the definitions:\n//\n")
		for _, loss := range f.losses {
			fmt.Fprintf(&out, "//   - %s\n", loss)
		}
		out.WriteString("\n") // the comment does not document the package
	}
	fmt.Fprintf(&out, "package %s\n\nimport (\n", f.pkg)
	if f.rawJSON {
		out.WriteString("\"encoding/json\"\n\n")
	}
	out.WriteString("\"github.com/decorum-go/decorum/apimeta\"\n\"github.com/decorum-go/decorum/rest\"\n)\n")
	out.Write(f.body.Bytes())
	return format.Source(out.Bytes())
}
