package conformance

import (
	"embed"
	"io/fs"
)

//go:embed cases golden fixtures
var data embed.FS

// Cases holds the suite's own case files, AREA.yaml.
func Cases() fs.FS { return part("cases") }

// Golden holds the suite's own transcripts, AREA.json, as kube-apiserver answered.
func Golden() fs.FS { return part("golden") }

// Fixtures holds the manifests of the kinds that [Record] installs on a server
// that learns kinds at run time, and widget.md, which describes them for others.
func Fixtures() fs.FS { return part("fixtures") }

func part(dir string) fs.FS {
	sub, err := fs.Sub(data, dir)
	if err != nil {
		return data // fs.Sub refuses invalid names only
	}
	return sub
}
