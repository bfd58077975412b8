// Command modproxy puts a module of this repository into a folder that the go command can use as a module proxy:
//
//	modproxy PROXY MODULE VERSION DIR
//
// PROXY is the folder, MODULE the path of the module, and DIR its directory. The archive holds what the go command
// would download for a tag: the files of the module without the nested modules below it.
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: modproxy PROXY MODULE VERSION DIR")
		os.Exit(2)
	}
	if err := add(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "modproxy:", err)
		os.Exit(1)
	}
}

// add writes the files that the go command asks a proxy for (go.dev/ref/mod, GOPROXY protocol).
func add(proxy, module, version, dir string) error {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	if module != strings.ToLower(module) {
		return fmt.Errorf("the module path %q has capital letters, which a proxy escapes", module)
	}
	archive, err := pack(dir, module+"@"+version)
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, time.Now().UTC()})
	if err != nil {
		return err
	}
	folder := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for suffix, content := range map[string][]byte{".info": info, ".mod": mod, ".zip": archive} {
		if err := os.WriteFile(filepath.Join(folder, version+suffix), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pack makes the archive of a module. All names in it begin with the module and its version.
func pack(dir, prefix string) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case name == dir:
			return nil
		case d.IsDir() && (d.Name() == ".git" || isModule(name)):
			return filepath.SkipDir
		case !d.Type().IsRegular() || d.Name() == ".git": // a file in a work tree
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		w, err := archive.Create(path.Join(prefix, filepath.ToSlash(inside)))
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
