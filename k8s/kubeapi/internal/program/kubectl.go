package program

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// runKubectl runs the kubectl in PATH with the same arguments. envtest wants a kubectl in the folder of assets, and runs it for the tests that
// call its KubeCtl.
func runKubectl(ctx context.Context, p Process) error {
	path, err := findKubectl(p.Getenv("PATH"))
	if err != nil {
		return err
	}
	kubectl := exec.CommandContext(ctx, path, p.Args[1:]...)
	kubectl.Stdin, kubectl.Stdout, kubectl.Stderr = p.Stdin, p.Stdout, p.Stderr
	return kubectl.Run()
}

// findKubectl returns the first kubectl in the folders of path that is not this executable.
func findKubectl(path string) (string, error) {
	executable, err := os.Executable()
	if err != nil {
		return "", err
	}
	own, err := os.Stat(executable)
	if err != nil {
		return "", err
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		found, err := exec.LookPath(filepath.Join(folder, "kubectl"))
		if err != nil {
			continue
		}
		if file, err := os.Stat(found); err == nil && !os.SameFile(file, own) {
			return found, nil
		}
	}
	return "", errors.New("this file runs the kubectl in PATH, and PATH has none")
}
