package conformance

import (
	"embed"
	"io/fs"
)

//go:embed cases golden fixtures
var data embed.FS

// Cases returns the suite's own case files, AREA.yaml.
func Cases() fs.FS { return part("cases") }

// Golden returns the suite's own transcripts, AREA.json, recorded from
// kube-apiserver.
func Golden() fs.FS { return part("golden") }

// Fixtures returns the manifests of the kinds that [Record] installs on a server
// that can add kinds at run time, and widget.md, which describes them for other
// servers.
func Fixtures() fs.FS { return part("fixtures") }

func part(dir string) fs.FS {
	sub, err := fs.Sub(data, dir)
	if err != nil {
		return data // fs.Sub fails only for invalid names
	}
	return sub
}
